"""Shapes and dtypes instead of arrays."""

import numpy as np


class ShapeDtypeStruct:
    """The shape and dtype of an array without its contents; stands for an argument of `eval_shape` and of `jit(f).lower`."""

    __slots__ = ("dtype", "shape", "sharding", "weak_type")

    def __init__(self, shape, dtype, *, sharding=None, weak_type=False):
        self.shape, self.dtype = tuple(shape), dtype_of(dtype)
        self.sharding, self.weak_type = sharding, weak_type

    @property
    def ndim(self):
        return len(self.shape)

    @property
    def size(self):
        return int(np.prod(self.shape, dtype=np.int64))

    def __len__(self):
        if not self.shape:
            raise TypeError("len() of unsized object")
        return self.shape[0]

    def __eq__(self, other):
        return isinstance(other, ShapeDtypeStruct) and (self.shape, self.dtype, self.sharding) == (other.shape, other.dtype, other.sharding)

    def __hash__(self):
        return hash((self.shape, self.dtype, self.sharding))

    def __repr__(self):
        return f"ShapeDtypeStruct(shape={self.shape}, dtype={self.dtype.name})"


def dtype_of(dtype):
    """np.dtype of a dtype, a scalar type or a name; bfloat16 and its like come from ml_dtypes."""
    if isinstance(dtype, str):
        try:
            return np.dtype(dtype)
        except TypeError:
            import ml_dtypes
            return np.dtype(getattr(ml_dtypes, dtype))
    return np.dtype(dtype)


__all__ = ["ShapeDtypeStruct"]
