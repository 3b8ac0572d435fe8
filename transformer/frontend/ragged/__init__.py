"""Arrays of which some axes have a length that only the running program knows.

`A[i, :j]` in a loop over j, or `x[x > 0]`, has no static shape. Here such an array is a static array together with, for each axis
of unknown length, the places of it that count: its *extent*, a range of places or a mask. Operations between elements work on
the whole static arrays; reductions and products leave out the places that do not count; stores write only to those that do.
So programs of static shapes come out, which every transform and the compiler take as they are:

    s += A[i, :j] @ b[:j]        s += np.where(at < j, A[i], 0.0) @ np.where(at < j, b, 0.0)        at = np.arange(n)
    C[i, :j] *= beta             C[i] = np.where(at < j, C[i] * beta, C[i])

The masks of ranges are made by the op `places`, by which `transforms.narrow` finds them: what NumPy runs has slices again.

What does not count never gets anywhere, not even as nan: it is replaced before an operation that mixes places or operands.
Functions that are not known for such arrays raise NeedStatic, as an abstract slice bound does: then loops are unrolled, and an
un-jitted call goes on in value mode.
"""

from .arrays import Ragged, as_masks, common_masks, is_ragged
from .functions import call, inside
from .indexing import concerns, has_mask, read, store

__all__ = ["Ragged", "as_masks", "call", "common_masks", "concerns", "has_mask", "inside", "is_ragged", "read", "store"]
