"""Types for annotations: what functions of arrays take and give."""

from typing import Any

import numpy as np

from .executable import Array

ArrayLike = Array | np.ndarray | np.bool_ | np.number | bool | int | float | complex
"""What can stand for an array: device arrays, NumPy arrays and numbers."""

DTypeLike = Any
"""What names a type of numbers: a string, a NumPy dtype or scalar type."""

__all__ = ["Array", "ArrayLike", "DTypeLike"]
