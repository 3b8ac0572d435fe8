"""Products of matrices and convolutions under XLA's names and dimension numbers."""

import enum
import operator
import string
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ..errors import ShapeError, TypeMismatch
from ..ops.convolution import stretched
from ..ops.op import TABLE
from .wrapping import cast, dtype_of, lax

ConvGeneralDilatedDimensionNumbers = Any
DotDimensionNumbers = tuple[tuple[Sequence[int], Sequence[int]], tuple[Sequence[int], Sequence[int]]]
PrecisionLike = Any


class Precision(enum.Enum):
    """How exactly products are to be computed on accelerators; accepted, products are computed in full precision."""

    DEFAULT = 0
    HIGH = 1
    HIGHEST = 2


class ConvDimensionNumbers(NamedTuple):
    """For x, kernel and result: positions of (batch, features), (outputs, inputs), (batch, features), then of the spatial axes."""

    lhs_spec: Any
    rhs_spec: Any
    out_spec: Any


# products ------------------------------------------------------------------------------------------------------------------
@lax
def dot(lhs, rhs, precision=None, preferred_element_type=None, **hints):
    """The product of vectors or matrices."""
    if np.ndim(lhs) not in (1, 2) or np.ndim(rhs) not in (1, 2):
        raise ShapeError(f"dot takes vectors and matrices, not arrays of {np.ndim(lhs)} and {np.ndim(rhs)} axes", "Use dot_general.")
    return widened(np.dot, lhs, rhs, preferred_element_type)


def widened(product, lhs, rhs, dtype):
    """A product computed in `dtype` where one is named."""
    if dtype is not None:
        lhs, rhs = cast(lhs, dtype), cast(rhs, dtype)
    return product(lhs, rhs)


@lax
def batch_matmul(lhs, rhs, precision=None):
    """The products of the matrices in the last two axes."""
    return np.matmul(lhs, rhs)


@lax
def dot_general(lhs, rhs, dimension_numbers, precision=None, preferred_element_type=None, **hints):
    """The sum of products over contracted axes; the result's axes are the batch axes, then the free ones of lhs and rhs.

    dimension_numbers: ((contracted axes of lhs, of rhs), (batch axes of lhs, of rhs)).
    """
    (contract, contract_2), (batch, batch_2) = dimension_numbers
    letters = iter(string.ascii_letters)
    left, right = [None] * np.ndim(lhs), [None] * np.ndim(rhs)
    for a, b in [*zip(batch, batch_2, strict=True), *zip(contract, contract_2, strict=True)]:
        if np.shape(lhs)[a] != np.shape(rhs)[b]:
            raise ShapeError(f"dot_general: axis {a} of shape {np.shape(lhs)} and axis {b} of shape {np.shape(rhs)} have different sizes",
                             "Contracted and batch axes need equal sizes.")
        left[a] = right[b] = next(letters)
    left, right = ([c or next(letters) for c in side] for side in (left, right))
    used = {right[b] for b in (*batch_2, *contract_2)}
    out = [left[a] for a in batch] + [c for c in left if c not in used] + [c for c in right if c not in used]
    text = f"{''.join(left)},{''.join(right)}->{''.join(out)}"
    return widened(lambda x, y: np.einsum(text, x, y), lhs, rhs, preferred_element_type)


# convolutions ------------------------------------------------------------------------------------------------------------------
def conv_dimension_numbers(lhs_shape, rhs_shape, dimension_numbers):
    """Dimension numbers from their spelling: None (NCHW, OIHW, NCHW), three strings, or positions."""
    ndim = len(lhs_shape)
    if isinstance(dimension_numbers, ConvDimensionNumbers):
        return dimension_numbers
    if dimension_numbers is None:
        return ConvDimensionNumbers(*(tuple(range(ndim)),) * 3)
    if len(dimension_numbers) != 3:
        raise TypeMismatch(f"dimension_numbers of a convolution are {dimension_numbers!r}", "Give three strings such as ('NHWC', 'HWIO', 'NHWC').")
    if not isinstance(dimension_numbers[0], str):
        return ConvDimensionNumbers(*map(tuple, dimension_numbers))
    lhs, rhs, out = dimension_numbers
    spatial = [c for c in rhs if c not in "OI"]
    for text, pair in ((lhs, "NC"), (rhs, "OI"), (out, "NC")):
        if len(text) != ndim or sorted(text) != sorted([*pair, *spatial]):
            raise TypeMismatch(f"dimension_numbers {tuple(dimension_numbers)} do not fit arrays of {ndim} axes",
                               "Name each axis once, as in ('NHWC', 'HWIO', 'NHWC').")
    return ConvDimensionNumbers(*(tuple(text.index(c) for c in (*pair, *spatial)) for text, pair in ((lhs, "NC"), (rhs, "OI"), (out, "NC"))))


def pairs_of(padding, sizes, kernel, strides, spread):
    """Padding as pairs: "SAME", "SAME_LOWER", "VALID", or pairs as they are."""
    if not isinstance(padding, str):
        return tuple((padding, padding) if isinstance(padding, int) else tuple(map(int, pair)) for pair in padding) \
            if not isinstance(padding, int) else ((padding, padding),) * len(sizes)
    if padding.upper() == "VALID":
        return ((0, 0),) * len(sizes)
    if padding.upper() not in ("SAME", "SAME_LOWER"):
        raise TypeMismatch(f"padding {padding!r} is not known", 'Use "SAME", "SAME_LOWER", "VALID" or pairs of ints.')
    found = []
    for n, k, s, w in zip(sizes, kernel, strides, spread):
        total = max(0, (-(-n // s) - 1) * s + stretched(k, w) - n)
        small = total // 2
        found.append((small, total - small) if padding.upper() == "SAME" else (total - small, small))
    return tuple(found)


def ints(values, count, default=1):
    values = (default,) * count if values is None else values
    values = (values,) * count if isinstance(values, int) else values
    return tuple(map(operator.index, values))


@lax
def conv_general_dilated(lhs, rhs, window_strides, padding, lhs_dilation=None, rhs_dilation=None, dimension_numbers=None,
                         feature_group_count=1, batch_group_count=1, precision=None, preferred_element_type=None, **hints):
    """The convolution of `lhs` with the kernel `rhs`, as deep learning has it (the kernel is not turned round).

    window_strides, lhs_dilation, rhs_dilation: an int per spatial axis. padding: "SAME", "VALID" or a pair per spatial axis.
    dimension_numbers: see `conv_dimension_numbers`. feature_group_count: groups of features with kernels of their own.
    """
    if batch_group_count != 1:
        raise TypeMismatch("convolutions with batch_group_count are not known here", "Move the groups to the features (feature_group_count).")
    numbers = conv_dimension_numbers(np.shape(lhs), np.shape(rhs), dimension_numbers)
    x, kernel = np.transpose(lhs, numbers.lhs_spec), np.transpose(rhs, numbers.rhs_spec)
    if preferred_element_type is not None:
        x, kernel = cast(x, preferred_element_type), cast(kernel, preferred_element_type)
    count = np.ndim(x) - 2
    strides, dilation, spread = (ints(v, count) for v in (window_strides, lhs_dilation, rhs_dilation))
    if any(d != 1 for d in dilation) and isinstance(padding, str) and padding.upper() != "VALID":
        raise TypeMismatch(f"padding {padding!r} together with lhs_dilation", "Give the padding as pairs.")
    pairs = pairs_of(padding, np.shape(x)[2:], np.shape(kernel)[2:], strides, spread)
    out = TABLE["convolve_windows"].bind(x, kernel, strides=strides, padding=pairs, dilation=dilation, spread=spread, groups=feature_group_count)
    return np.transpose(out, tuple(int(k) for k in np.argsort(numbers.out_spec)))


def conv(lhs, rhs, window_strides, padding, precision=None, preferred_element_type=None):
    """`conv_general_dilated` in the layout NCHW, OIHW."""
    return conv_general_dilated(lhs, rhs, window_strides, padding, preferred_element_type=preferred_element_type)


def conv_with_general_padding(lhs, rhs, window_strides, padding, lhs_dilation, rhs_dilation, precision=None, preferred_element_type=None):
    """`conv_general_dilated` in the layout NCHW, OIHW."""
    return conv_general_dilated(lhs, rhs, window_strides, padding, lhs_dilation, rhs_dilation, preferred_element_type=preferred_element_type)


def conv_general_dilated_patches(lhs, filter_shape, window_strides, padding, lhs_dilation=None, rhs_dilation=None, dimension_numbers=None,
                                 precision=None, preferred_element_type=None):
    """The windows that a convolution looks at: features and the elements of the window become the features of the result."""
    numbers = conv_dimension_numbers(np.shape(lhs), np.shape(lhs), dimension_numbers)
    features, size = np.shape(lhs)[numbers.lhs_spec[1]], int(np.prod(filter_shape))
    kernel = np.tile(np.eye(size, dtype=dtype_of(lhs)).reshape(size, 1, *filter_shape), (features, *(1,) * (len(filter_shape) + 1)))
    kernel = np.transpose(kernel, [int(k) for k in np.argsort(numbers.rhs_spec)])
    return conv_general_dilated(lhs, kernel, window_strides, padding, lhs_dilation, rhs_dilation, numbers, features,
                                preferred_element_type=preferred_element_type)


def conv_general_dilated_local(lhs, rhs, window_strides, padding, filter_shape, lhs_dilation=None, rhs_dilation=None, dimension_numbers=None,
                               precision=None):
    """A convolution with a kernel of its own for each place of the result.

    rhs: its features are those of `conv_general_dilated_patches`, its spatial axes those of the result.
    """
    numbers = conv_dimension_numbers(np.shape(lhs), np.shape(rhs), dimension_numbers)
    first = ConvDimensionNumbers(numbers.lhs_spec, tuple(range(np.ndim(lhs))), tuple(range(np.ndim(lhs))))
    patches = conv_general_dilated_patches(lhs, filter_shape, window_strides, padding, lhs_dilation, rhs_dilation, first)
    return local_products(patches, rhs, numbers)


@lax
def local_products(patches, rhs, numbers):
    out = np.einsum("nk...,ok...->no...", patches, np.transpose(rhs, numbers.rhs_spec))
    return np.transpose(out, tuple(int(k) for k in np.argsort(numbers.out_spec)))


def conv_transpose(lhs, rhs, strides, padding, rhs_dilation=None, dimension_numbers=None, transpose_kernel=False, precision=None,
                   preferred_element_type=None, use_consistent_padding=False):
    """The convolution that undoes the shape of a strided one: `strides` zeros go between the elements of `lhs`.

    transpose_kernel: turn the kernel round and exchange its inputs and outputs, which gives the gradient of a convolution.
    """
    ndim = np.ndim(lhs)
    if dimension_numbers is None:
        letters = {3: "H", 4: "HW", 5: "HWD"}[ndim]
        dimension_numbers = (f"N{letters}C", f"{letters}IO", f"N{letters}C")
    numbers = conv_dimension_numbers(np.shape(lhs), np.shape(rhs), dimension_numbers)
    sizes = [np.shape(rhs)[k] for k in numbers.rhs_spec[2:]]
    strides, spread = ints(strides, ndim - 2), ints(rhs_dilation, ndim - 2)
    if isinstance(padding, str):
        pairs = [transposed_pair(stretched(k, w), s, padding.upper()) for k, s, w in zip(sizes, strides, spread)]
    elif use_consistent_padding:
        pairs = [tuple((k - 1) * w - p for p in pair) for k, w, pair in zip(sizes, spread, padding)]
    else:
        pairs = padding
    if transpose_kernel:
        rhs = turned_kernel(rhs, tuple(numbers.rhs_spec[2:]), numbers.rhs_spec[:2])
    return conv_general_dilated(lhs, rhs, (1,) * (ndim - 2), pairs, strides, spread, numbers, preferred_element_type=preferred_element_type)


@lax
def turned_kernel(kernel, axes, pair):
    return np.swapaxes(np.flip(kernel, axes), *pair)


def transposed_pair(size, stride, padding):
    """Padding of a transposed convolution along one axis."""
    if padding == "SAME":
        total = size + stride - 2
        low = size - 1 if stride > size - 1 else -(-total // 2)
    elif padding == "VALID":
        total = size + stride - 2 + max(size - stride, 0)
        low = size - 1
    else:
        raise TypeMismatch(f"padding {padding!r} of conv_transpose is not known", 'Use "SAME", "VALID" or pairs.')
    return low, total - low


__all__ = ["ConvGeneralDilatedDimensionNumbers", "DotDimensionNumbers", "PrecisionLike", "conv_general_dilated_local",
           "ConvDimensionNumbers", "Precision", "batch_matmul", "conv", "conv_dimension_numbers", "conv_general_dilated",
           "conv_general_dilated_patches", "conv_transpose", "conv_with_general_padding", "dot", "dot_general"]
