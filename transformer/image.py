"""Images in other sizes: `resize`, one matrix of weights an axis.

    resize(image, (32, 32, 3), "bilinear")
"""

import enum

import numpy as np

from . import numpy as jnp
from .errors import ShapeError, TypeMismatch


class ResizeMethod(enum.Enum):
    """How the values between pixels are found."""

    NEAREST = 0
    LINEAR = 1
    LANCZOS3 = 2
    LANCZOS5 = 3
    CUBIC = 4

    @classmethod
    def from_string(cls, name):
        """The method of a name: nearest, linear, bilinear, trilinear, triangle, cubic, bicubic, tricubic, lanczos3, lanczos5."""
        known = {"nearest": cls.NEAREST, "lanczos3": cls.LANCZOS3, "lanczos5": cls.LANCZOS5,
                 **dict.fromkeys(("linear", "bilinear", "trilinear", "triangle"), cls.LINEAR),
                 **dict.fromkeys(("cubic", "bicubic", "tricubic"), cls.CUBIC)}
        if name not in known:
            raise TypeMismatch(f"resize does not know the method {name!r}", f"Use one of {', '.join(known)}.")
        return known[name]


def triangle(x):
    return np.maximum(0, 1 - x)


def cubic(x):
    """Source: Keys, Cubic convolution interpolation for digital image processing (1981), a = -1/2."""
    near = (1.5 * x - 2.5) * x * x + 1
    return np.where(x < 1, near, np.where(x < 2, ((-0.5 * x + 2.5) * x - 4) * x + 2, 0))


def lanczos(radius):
    """Source: Duchon, Lanczos filtering in one and two dimensions (1979)."""
    return lambda x: np.where(x < radius, np.sinc(x) * np.sinc(x / radius), 0)


KERNELS = {ResizeMethod.LINEAR: triangle, ResizeMethod.CUBIC: cubic, ResizeMethod.LANCZOS3: lanczos(3), ResizeMethod.LANCZOS5: lanczos(5)}


def weights(size, wanted, kernel, antialias):
    """The matrix (size, wanted) that takes an axis of `size` pixels to one of `wanted`; pixels outside of the image count nothing."""
    step = size / wanted
    places = (np.arange(wanted) + 0.5) * step - 0.5
    spread = max(step, 1.0) if antialias else 1.0
    found = kernel(np.abs(places - np.arange(size)[:, None]) / spread)
    total = np.sum(found, axis=0)
    some = np.abs(total) > 1000 * np.finfo(np.float32).eps
    found = np.where(some, found / np.where(some, total, 1), 0)
    return np.where((places >= -0.5) & (places <= size - 0.5), found, 0)


def resize(image, shape, method, antialias=True, precision=None):
    """The image in another shape; axes whose size stays are left alone.

    image: array of any number of axes. shape: the sizes wanted. method: a `ResizeMethod` or its name. antialias: widen the kernel
    where an axis shrinks. precision: accepted. Integers become floats, except by "nearest". Raises ShapeError or TypeMismatch.

    >>> resize(jnp.array([0.0, 1.0]), (4,), "linear")
    Array([0.  , 0.25, 0.75, 1.  ], dtype=float32)
    """
    image, shape = jnp.asarray(image), tuple(shape)
    if len(shape) != image.ndim:
        raise ShapeError(f"resize of an image of shape {image.shape} to {shape}", "Give a size for each axis.")
    method = ResizeMethod.from_string(method) if isinstance(method, str) else ResizeMethod(method)
    if method is ResizeMethod.NEAREST:
        return nearest(image, shape)
    if image.dtype.kind in "biu":
        image = image.astype(jnp.float32)
    for axis, (size, wanted) in enumerate(zip(image.shape, shape)):
        if size != wanted:
            matrix = jnp.asarray(weights(size, wanted, KERNELS[method], antialias)).astype(image.dtype)
            image = jnp.moveaxis(jnp.tensordot(image, matrix, (axis, 0)), -1, axis)
    return image


def nearest(image, shape):
    for axis, (size, wanted) in enumerate(zip(image.shape, shape)):
        if size != wanted:
            places = np.floor((np.arange(wanted, dtype=np.float32) + np.float32(0.5)) * np.float32(size) / np.float32(wanted))
            image = jnp.take(image, places.astype(np.int32), axis=axis)
    return image


__all__ = ["ResizeMethod", "resize"]
