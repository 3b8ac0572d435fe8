"""Static arrays that share memory: when one of them becomes part of a program, the others become views of it."""

import numpy as np

from ..ops import op as optable


def owner(array):
    """The array that owns the memory that `array` looks at; `array` itself where it is as good (it covers all of it in order)."""
    base = _base(array)
    whole = array.size == base.size and array.dtype == base.dtype and array.flags.c_contiguous
    return array if whole else base


def memory(array):
    """Identity of the memory that an array looks at."""
    return id(_base(array))


def _base(array):
    """The last ndarray on the way from a view to what owns its memory (as_strided puts another object between)."""
    found = node = array
    while (node := getattr(node, "base", None)) is not None:
        found = node if isinstance(node, np.ndarray) else found
    return found


def view_of(ref, whole, array):
    """The view of `ref`, the reference that stands for the ndarray `whole`, that looks at the elements that `array` looks at; or None."""
    if array.dtype != whole.dtype or not whole.flags.c_contiguous or array.size == 0:
        return None
    places = np.arange(whole.size).reshape(whole.shape)
    steps = [s // array.itemsize for s in array.strides]
    offset = (address(array) - address(whole)) // array.itemsize
    wanted = offset + sum((np.arange(n).reshape((n,) + (1,) * (array.ndim - k - 1)) * s
                           for k, (n, s) in enumerate(zip(array.shape, steps, strict=True))), np.zeros(array.shape, int))
    for attempt in (by_axes, by_flat_range):
        recipe = attempt(whole.shape, offset, array.shape, steps)
        if recipe is not None and np.array_equal(apply(recipe, places), wanted):
            return apply(recipe, ref)
    return None


def address(array):
    return array.__array_interface__["data"][0]


def apply(recipe, array):
    """Follow a recipe of ("index", entries), ("transpose", axes) and ("reshape", shape) steps on an ndarray or a reference."""
    for kind, what in recipe:
        array = array[what] if kind == "index" else optable.lookup(getattr(np, kind))(array, what)
    return array


def by_axes(shape, offset, view_shape, steps):
    """As slices of axes, put into order, with new axes of size 1."""
    strides = [int(np.prod(shape[k + 1:], dtype=int)) for k in range(len(shape))]
    start = np.unravel_index(offset, shape) if shape else ()
    entries, axes = [int(i) for i in start], []
    for n, step in zip(view_shape, steps, strict=True):
        if n == 1:
            continue
        axis = next((k for k, s in enumerate(strides) if k not in axes and fits(int(start[k]), step, s, n, shape[k])), None)
        if axis is None:
            return None
        axes.append(axis)
        first, step = int(start[axis]), step // strides[axis]
        last = first + step * (n - 1) + (1 if step > 0 else -1)
        entries[axis] = slice(first, None if last < 0 else last, step)
    order = tuple(sorted(axes).index(a) for a in axes)
    new = tuple(None if n == 1 else slice(None) for n in view_shape)
    return [("index", (*entries, Ellipsis)), ("transpose", order), ("index", (*new, Ellipsis))]


def fits(start, step, stride, count, size):
    """Whether an axis can be walked `count` times by `step` elements of the flat array."""
    return step != 0 and step % stride == 0 and 0 <= start + step // stride * (count - 1) < size


def by_flat_range(shape, offset, view_shape, steps):
    """As a range of the flat array in another shape."""
    size, total = int(np.prod(view_shape, dtype=int)), int(np.prod(shape, dtype=int))
    if not 0 <= offset <= total - size:
        return None
    flat = [] if size == total else [("reshape", (-1,)), ("index", (slice(offset, offset + size), Ellipsis))]
    return [*flat, ("reshape", view_shape)]
