"""Views of abstract arrays: reading and storing through a chain of view operations.

Index-like steps (basic indexing, transposes, new axes) are composed into one selection, so that a store through them is one
Update of the storage. Other steps (reshape) are read, changed and stored back.
"""

import numpy as np

from ..core import Move
from ..errors import ShapeError, TransformError, TypeMismatch
from ..ops import index_templates
from ..ops import op as optable
from ..ops.composition import Selection, compose, inverse, whole
from ..ops.index_templates import canonical, is_advanced, is_identity, result_shape
from . import sharing
from .affine import difference, interval


def read(ref, index):
    """`ref[index]`: a view for a basic index, a copy for an advanced one and for a single element."""
    if is_flag(index):
        return read(read(ref, None), optable.lookup(np.reshape)(index, (1,)))
    if needs_ragged(index):
        return _ragged().read(ref, index)
    template, operands = canonical(index, ref.shape)
    if is_advanced(template, operands):
        return _getitem().bind(ref, *operands, index=template)
    scalar = not result_shape(template, ref.shape, operands) and not _has_ellipsis(index)
    if scalar and not template:
        return ref
    view = derive(ref, _getitem(), operands, {"index": template})
    return copy(view) if scalar else view


def is_flag(index):
    """Whether an index is one bool, a mask of no axes: `x[flag]` is `x[None][[flag]]`."""
    return isinstance(index, bool | np.bool_) or getattr(index, "shape", None) == () and index.dtype == bool


def needs_ragged(index, value=None):
    """Whether reading at an index, or storing a value there, has to do with axes of unknown length."""
    from .builder import current
    ragged = _ragged()
    if ragged.is_ragged(value) or ragged.concerns(index):
        return True
    parts = index if isinstance(index, tuple) else (index,)
    if any(isinstance(p, slice) and any(map(is_abstract, (p.start, p.stop))) for p in parts):
        return True
    return current().sized and ragged.has_mask(index) and (value is None or len(optable.aval_of(optable.array(value)).shape) > 0)


def _ragged():
    from . import ragged
    return ragged


def is_abstract(bound):
    return optable.is_reference(bound) and bound.known is None


def copy(ref):
    """The current value of a view under a name of its own."""
    from .builder import current
    builder = current()
    if not ref.path:
        return optable.lookup(np.copy)(ref)
    step, parent = ref.path[-1], ref.parent_ref()
    return builder.emit(step.op, (parent, *step.args), step.params, ref.hint)


def _has_ellipsis(index):
    return any(e is Ellipsis for e in (index if isinstance(index, tuple) else (index,)))


def _getitem():
    return optable.TABLE["getitem"]


# chains of views ------------------------------------------------------------------------------------------------------

def derive(ref, op, args, params):
    """The view `op(ref, *args, **params)`; an index-like op is composed with those at the end of the chain."""
    if op.as_index is None:
        return ref.extended(op, args, params)
    base, first = split(ref)
    second = Selection(*op.as_index(ref.aval, *args, **params))
    joined = compose(first, second, base.shape) if first is not None else None
    return ref.extended(op, args, params) if joined is None else select(base, joined)


def split(ref):
    """The longest prefix of the chain that does not end in an index-like step, and the selection that the rest makes of it."""
    count = len(ref.path)
    while count and ref.path[count - 1].op.as_index is not None:
        count -= 1
    base = prefix(ref, count)
    selection, at = None, base
    for step in ref.path[count:]:
        one = Selection(*step.op.as_index(at.aval, *step.args, **step.params))
        joined = one if selection is None else compose(selection, one, base.shape)
        if joined is None:
            base, joined = at, one
        at = at.extended(step.op, step.args, step.params)
        selection = joined
    return base, selection


def prefix(ref, count):
    """The reference that the first `count` steps of the chain make."""
    out = type(ref)(ref.storage)
    for step in ref.path[:count]:
        out = out.extended(step.op, step.args, step.params)
    return out


def select(base, selection):
    """The view of `base` that a selection makes, in at most two steps."""
    template, operands, order = selection
    if not is_identity(template):
        base = base.extended(*_index_step(template, operands))
    if order != tuple(range(len(order))):
        base = base.extended(optable.TABLE["transpose"], (), {"axes": order})
    return base


def _index_step(template, operands):
    """The step for a template: new axes alone have an op of their own."""
    if all(e is None or e == slice(None) for e in template):
        return optable.TABLE["expand_dims"], (), {"axis": tuple(k for k, e in enumerate(template) if e is None)}
    return _getitem(), operands, {"index": template}


def reshapes_in_place(ref, shape):
    """Whether a reshape of the view is possible without a copy: tried on an uninitialised array of the same layout."""
    if not ref.path:
        return True
    model = np.empty(ref.storage.aval.shape, np.int8)
    for step in ref.path:
        model = step.op.impl(model, *(_model(a) for a in step.args), **step.params)
    try:
        model.reshape(shape, copy=False)
    except ValueError:
        return False
    return True


def _model(operand):
    return np.zeros(operand.shape, operand.dtype) if optable.is_reference(operand) else operand


def window(start, stop, size):
    """The length of `start:stop` of an axis of `size`, where it is static and no bound is ever clipped; else None."""
    builder = start.storage.builder
    length, low, high = difference(builder, stop, start), interval(builder, start), interval(builder, stop)
    if length is None or low is None or high is None:
        return None
    return length if length > 0 and low[0] >= 0 and high[1] <= size else None


# stores -----------------------------------------------------------------------------------------------------------------

def store(ref, index, value, mode="set"):
    """`ref[index] = value`, or `np.add.at(ref, index, value)` for mode "add"."""
    from .builder import current
    builder = current()
    check_writable(ref, builder)
    if is_flag(index):
        return store(read(ref, None), optable.lookup(np.reshape)(index, (1,)), value, mode)
    if needs_ragged(index, value):
        return _ragged().store(ref, index, value, mode)
    template, operands = canonical(index, ref.shape)
    value = fitted(value, ref.aval, result_shape(template, ref.shape, operands))
    if mode == "set" and is_itself(ref, template, operands, value):
        return
    store_selected(builder, ref, Selection(template, operands, None), value, mode)


def store_attribute(ref, name, value):
    """`ref.real = value`, `ref.imag = value`, `ref.flat = value` or `ref.shape = value`."""
    if name == "shape":
        return set_shape(ref, value)
    if name not in ("real", "imag", "flat"):
        raise TransformError(f"attribute {name} of an array cannot be set", "Make a new array instead.")
    if name == "imag" and ref.dtype.kind != "c":
        raise TypeMismatch(f"an array of {ref.dtype} has no imaginary part that could be set", "Make it complex first.")
    view = getattr(ref, name)
    if name == "flat" and optable.aval_of(value).shape and optable.aval_of(value).size != ref.size:
        value = optable.lookup(np.resize)(value, (ref.size,))
    store(view, ..., optable.lookup(np.ravel)(value) if name == "flat" and optable.aval_of(value).shape else value)


def set_shape(ref, shape):
    """`ref.shape = shape`: the array itself gets another shape, under all its names."""
    from .builder import current
    if ref.storage.argument is not None or len(current().stack) > 1:
        raise TransformError("the shape of an argument is set, or that of an array in a loop or a condition",
                             "Write x = x.reshape(...).")
    new = optable.lookup(np.reshape)(ref, shape)
    if new.storage is not ref.storage:
        raise ShapeError("the shape of an array is set that needs a copy for it", "Write x = x.reshape(...).")
    ref.path, ref.aval, ref.cached = new.path, new.aval, None


def check_writable(ref, builder):
    sharing.check_store(ref.storage)
    if any(step.op.readonly for step in ref.path):
        raise TransformError("a store into a read-only view", "np.broadcast_to, np.diagonal and the like cannot be stored into; use np.copy first.")
    if ref.storage.builder is not builder:
        raise TransformError("a store into an array of an enclosing function that is being transformed",
                             "Return the new array from the inner function instead.")


def fitted(value, aval, shape):
    """A value that may be stored into a selection of `shape` of an array: fits by broadcasting, and is real if the array is."""
    from .reference import as_array
    value = as_array(value) if isinstance(value, list | tuple | np.ndarray) else value
    have = optable.aval_of(value)
    if have.dtype.kind == "c" and aval.dtype.kind != "c":
        raise TypeMismatch(f"a complex value is stored into an array of {aval.dtype}", "Store its real part, or make the array complex.")
    extra = len(have.shape) - len(shape)
    if extra > 0 and all(n == 1 for n in have.shape[:extra]):
        value = optable.lookup(np.reshape)(value, have.shape[extra:])
        have = optable.aval_of(value)
    if len(have.shape) > len(shape) or any(m != 1 and None not in (m, n) and m != n
                                           for m, n in zip(have.shape[::-1], shape[::-1], strict=False)):
        raise ShapeError(f"a value of shape {have.shape} cannot be stored into a selection of shape {shape}",
                         "The value is broadcast to the selection, axis by axis from the last.")
    return value


def is_itself(ref, template, operands, value):
    """Whether the value is the very view that is stored into: `a[i] += v` has changed it in place already."""
    if not optable.is_reference(value) or value.storage is not ref.storage or is_advanced(template, operands):
        return False
    target = derive(ref, _getitem(), operands, {"index": template})
    return target.path_key() == value.path_key() and target.shape == value.shape


def store_selected(builder, ref, second, value, mode):
    """Store into `ref[second]`: one Update if the chain is index-like, else the base is read, changed and stored back."""
    base, first = split(ref)
    second = second._replace(order=tuple(range(len(result_shape(second.template, ref.shape, second.operands)))))
    joined = second if first is None else compose(first, second, base.shape)
    if joined is None:
        base, joined = ref, second
    value = transposed(value, joined.order)
    if not base.path:
        builder.update(base.storage.name, joined.template, joined.operands, value, mode)
        changed(base.storage, builder, known_after(builder, base.storage, joined, value, mode))
        return
    store_back(builder, base, joined, value, mode)


def transposed(value, order):
    """A value whose axes stand as the template's, for a selection whose axes were put into `order`."""
    ndim = len(optable.aval_of(value).shape)
    if order == tuple(range(len(order))) or ndim == 0:
        return value
    shape = (1,) * (len(order) - ndim) + optable.aval_of(value).shape
    return optable.lookup(np.transpose)(optable.lookup(np.reshape)(value, shape), inverse(order))


def store_back(builder, base, selection, value, mode):
    """Change a copy of `base`, a view that is not index-like (or cannot be composed), and store it into the view's parent."""
    step, parent = base.path[-1], base.parent_ref()
    if step.op.as_index is None and step.op.unview is None:
        raise TransformError(f"a store through np.{step.op.name} is not known", "Store into the array itself.")
    name = builder.fresh(base.hint or base.storage.name, base.aval)
    builder.add(Move(name, builder.read(base)))
    builder.update(name, selection.template, selection.operands, value, mode)
    new = builder.reference(name)
    if step.op.unview is not None:
        store_selected(builder, parent, whole(parent.ndim), step.op.unview(parent, new, **step.params), "set")
    else:
        template, operands, order = step.op.as_index(parent.aval, *step.args, **step.params)
        store_selected(builder, parent, Selection(template, operands, None), transposed(new, order), "set")


def known_after(builder, storage, selection, given, mode):
    """The value of an array after a store where values are at hand; None elsewhere."""
    if builder.fold_limit is not None or storage.settled() is None:
        return None
    *operands, value = (v.known if optable.is_reference(v) else v for v in (*selection.operands, given))
    if value is None or any(v is None for v in operands):
        return None
    storage.varies = storage.varies or any(v.storage.varies for v in (*selection.operands, given) if optable.is_reference(v))
    after, index = storage.known.copy(), index_templates.fill(selection.template, operands)
    try:
        if mode == "add":
            np.add.at(after, index, value)
        else:
            after[index] = value
    except IndexError:  # the store raises it when the program runs
        return None
    return after


def changed(storage, builder, known=None):
    """Record that a storage has a new version; known: its value, if it is known."""
    storage.version = next(builder.clock)
    storage.known, storage.pending = known, None
