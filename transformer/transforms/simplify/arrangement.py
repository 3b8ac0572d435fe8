"""Identities of ops that arrange, fill, select or convert elements. All are exact."""

import numpy as np

from ...core import Apply, is_name
from .arithmetic import apply

FILLED = {"zeros": 0, "ones": 1}
FILLING = frozenset((*FILLED, "full", "constant", "broadcast_to", "reshape", "transpose", "expand_dims", "squeeze", "getitem"))
"""Ops whose result may be filled with one number."""
SPREAD = ("broadcast_to", "getitem", "reshape", "expand_dims")
REDUCTIONS = ("sum", "prod", "max", "min")


def filling(r, stmt):
    """The number that fills the result of an Apply, as a scalar of its dtype; None if its elements may differ."""
    if stmt.op.name not in FILLING:
        return None
    aval = r.avals[stmt.target]
    if stmt.op.name in FILLED:
        return aval.dtype.type(FILLED[stmt.op.name])
    if stmt.op.name == "full":
        return None if is_name(stmt.args[0]) else aval.dtype.type(stmt.args[0])
    if stmt.op.name in ("broadcast_to", "reshape", "transpose", "expand_dims", "squeeze") or is_static_read(stmt):
        return r.uniform(stmt.args[0])
    if stmt.op.name == "constant" and 0 < np.size(stmt.params["value"]):
        flat = np.reshape(stmt.params["value"], -1)
        return flat[0] if flat.tobytes() == flat[:1].tobytes() * flat.size else None
    return None


def is_static_read(stmt):
    return stmt.op.name == "getitem" and len(stmt.args) == 1


def narrower(r, atom):
    """A smaller atom that broadcasts to the value of an atom: the number that fills it, the operand of its broadcast; None if there is none."""
    if not is_name(atom):
        return None
    value = r.uniform(atom)
    if value is not None:
        return np.asarray(value)[()].item()
    found = r.definition(atom, *SPREAD)
    return found.args[0] if found and (found.op.name == "broadcast_to" or is_lengthened(r, found)) else None


def is_lengthened(r, stmt):
    """Whether a statement only puts axes of size 1 in front: broadcasting does that on its own."""
    if stmt.op.name == "getitem":
        index = [e for e in stmt.params["index"]]
        while index and index[0] is None:
            index.pop(0)
        return is_whole(index)
    before, after = r.aval(stmt.args[0]).shape, r.avals[stmt.target].shape
    front = len(after) - len(before)
    return front >= 0 and after[front:] == before and set(after[:front]) <= {1}


def is_whole(template):
    """Whether an index names every element in place."""
    return all(isinstance(e, slice) and e == slice(None) for e in template)


def same_shape(r, stmt):
    """reshape, broadcast_to to the shape that is there; transpose and conjugate that change nothing."""
    x = stmt.args[0]
    return x if r.aval(x).shape == r.avals[stmt.target].shape and None not in r.aval(x).shape else None


def through(*names):
    """A rule that skips an inner op of the same kind: reshape of a reshape, broadcast of a broadcast."""
    def rule(r, stmt):
        found = r.definition(stmt.args[0], *names)
        return Apply(stmt.target, stmt.op, (found.args[0], *stmt.args[1:]), stmt.params, stmt.origin) if found else None
    return rule


def fill_again(r, stmt):
    """A filled array broadcast or reshaped is filled to begin with."""
    aval, value = r.avals[stmt.target], r.uniform(stmt.args[0])
    if value is None or None in aval.shape or aval.shape == ():
        return None
    return filled(stmt, aval, aval.dtype.type(value))


def filled(stmt, aval, value):
    """The statement that fills an array with a scalar of its type."""
    shape = {"shape": aval.shape, "dtype": aval.dtype}
    for name, number in FILLED.items():
        if value.tobytes() == aval.dtype.type(number).tobytes():
            return apply(stmt, name, **shape)
    return apply(stmt, "full", value.item(), **shape)


def kept_axes(r, stmt):
    """reshape of a sum to where its axes have size 1 is a sum that keeps them."""
    found = r.definition(stmt.args[0], *REDUCTIONS)
    if not found or not r.once(stmt.args[0]) or found.params.get("keepdims") is not False or "axis" not in found.params:
        return None
    params = {**found.params, "keepdims": True}
    kept = found.op.infer(r.aval(found.args[0]), **params).shape
    return Apply(stmt.target, found.op, found.args, params, stmt.origin) if kept == r.avals[stmt.target].shape else None


def dropped_axes(r, stmt):
    """squeeze or reshape of a sum that keeps its axes, to where they are gone, is a sum that drops them."""
    found = r.definition(stmt.args[0], *REDUCTIONS)
    if not found or not r.once(stmt.args[0]) or not found.params.get("keepdims"):
        return None
    params = {**found.params, "keepdims": False}
    dropped = found.op.infer(r.aval(found.args[0]), **params).shape
    return Apply(stmt.target, found.op, found.args, params, stmt.origin) if dropped == r.avals[stmt.target].shape else None


def identity_axes(r, stmt):
    axes = stmt.params["axes"]
    if axes == tuple(range(len(axes))):
        return stmt.args[0]
    inner = r.definition(stmt.args[0], "transpose")
    if inner is None:
        return None
    return apply(stmt, "transpose", inner.args[0], axes=tuple(inner.params["axes"][a] for a in axes))


def transposed_product(r, stmt):
    """In derivatives, (a.T @ b).T is b.T @ a."""
    product = r.definition(stmt.args[0], "matmul", "dot")
    if not product or not r.loose(stmt) or not r.once(stmt.args[0]) or {len(r.aval(a).shape) for a in product.args} != {2}:
        return None
    inner = [r.definition(a, "transpose") for a in product.args]
    if inner == [None, None]:
        return None
    right, left = (found.args[0] if found else r.make(stmt, stmt.op, arg, axes=(1, 0))
                   for found, arg in zip(inner, product.args, strict=True))
    return Apply(stmt.target, product.op, (left, right), product.params, stmt.origin)


def no_axes(r, stmt):
    return stmt.args[0] if stmt.params.get("axis") == () else None


def whole_index(r, stmt):
    return stmt.args[0] if is_whole(stmt.params["index"]) and len(stmt.args) == 1 else None


def same_dtype(r, stmt):
    x, dtype = stmt.args[0], np.dtype(stmt.params["dtype"])
    if r.aval(x).dtype == dtype:
        return x
    inner = r.definition(x, "astype")
    if inner and np.can_cast(r.aval(inner.args[0]).dtype, inner.params["dtype"], "safe"):
        return apply(stmt, "astype", inner.args[0], dtype=dtype)
    return None


def real_conjugate(r, stmt):
    return stmt.args[0] if r.aval(stmt.args[0]).dtype.kind in "biuf" else None


def decided(r, stmt):
    """where with a literal test, or with twice the same choice; 0.0 and -0.0 are the same in derivatives."""
    test, x, y = stmt.args
    if x is y or (is_name(x) and x == y):
        return x
    if not is_name(test) and np.shape(test) == ():
        return x if test else y
    aval, values = r.avals[stmt.target], (r.uniform(x), r.uniform(y))
    if None in values or None in aval.shape or aval.shape == ():
        return None
    first, second = map(aval.dtype.type, values)
    if first.tobytes() == second.tobytes():
        return filled(stmt, aval, first)
    return filled(stmt, aval, aval.dtype.type(0)) if r.loose(stmt) and first == second else None


RULES = {
    "reshape": (same_shape, through("reshape"), fill_again, kept_axes, dropped_axes),
    "squeeze": (dropped_axes,),
    "broadcast_to": (same_shape, through("broadcast_to"), fill_again),
    "transpose": (identity_axes, fill_again, transposed_product),
    "getitem": (whole_index,),
    "astype": (same_dtype,),
    "conjugate": (real_conjugate,), "conj": (real_conjugate,), "real": (real_conjugate,),
    "where": (decided,),
    **dict.fromkeys(REDUCTIONS, (no_axes,)),
}

