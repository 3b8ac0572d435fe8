"""JAX's rules of types for values of `transformer.numpy`: the one place that knows them.

A storage is marked (`Storage.jnp`) STRONG or WEAK if its value comes from `transformer.numpy` or from a device array; everything
else follows NumPy. An op with a marked operand first brings its operands to one type by JAX's lattice, and its result is marked:

    int32 + float16 -> float16        int32 / int32 -> float32        float32 * 2.5 -> float32
    uint8 + int8    -> int16          sum of int32  -> int32          bool + 1      -> int32

64-bit types stay out unless `enable_x64` is on or an operand is a 64-bit device array already. `Builder.emit` calls `prepare` and
`finish` for references, `Op.bind` calls `on_host` for NumPy arrays while a function of `transformer.numpy` runs on them.
"""

import functools
from contextlib import contextmanager
from typing import NamedTuple

import numpy as np

from ..config import x64
from ..core import WEAK_DTYPES, is_floating, literal_aval
from ..errors import TypeMismatch
from ..ops import op as optable
from .reference import Ref, is_device_array, is_reference

STRONG, WEAK = 1, 2
"""Marks of a storage; 0 is a value of plain NumPy."""

WIDER = {
    "bool": ["i*"], "i*": ["uint4", "int4", "uint8", "int8"], "uint4": ["uint8", "int8"], "int4": ["int8"],
    "uint8": ["int16", "uint16"], "uint16": ["int32", "uint32"], "uint32": ["int64", "uint64"], "uint64": ["f*"],
    "int8": ["int16"], "int16": ["int32"], "int32": ["int64"], "int64": ["f*"],
    "f*": ["c*", "float8_e4m3fn", "float8_e5m2", "bfloat16", "float16"], "float8_e4m3fn": [], "float8_e5m2": [],
    "bfloat16": ["float32"], "float16": ["float32"], "float32": ["float64", "complex64"], "float64": ["complex128"],
    "c*": ["complex64"], "complex64": ["complex128"], "complex128": [],
}
"""The lattice: each type and those directly above it. i*, f* and c* are Python's numbers."""

NARROW = {np.dtype(a): np.dtype(b) for a, b in
          [("int64", "int32"), ("uint64", "uint32"), ("float64", "float32"), ("complex128", "complex64")]}


class Type(NamedTuple):
    """A dtype, and whether it gives way to others (Python's numbers and what is computed from them alone)."""

    dtype: np.dtype
    weak: bool


# dtypes -----------------------------------------------------------------------------------------------------------------
def narrow(dtype, wide=None):
    """The dtype as it is kept: 32 bits instead of 64 unless `wide` (default: the switch)."""
    wide = x64() if wide is None else wide
    return dtype if wide else NARROW.get(dtype, dtype)


def default(kind, wide=None):
    """The dtype of Python's int, float or complex numbers, by dtype kind."""
    return narrow(np.dtype({"b": bool, "i": np.int64, "f": np.float64, "c": np.complex128}[kind]), wide)


@functools.cache
def above(node):
    """A node of the lattice and all nodes above it."""
    return frozenset([node]).union(*map(above, WIDER[node]))


def node_of(one):
    if one.weak and one.dtype.kind in "ifc":
        return one.dtype.kind + "*"
    return one.dtype.name


@functools.cache
def join(types, wide):
    """The least type above all of `types` (a tuple of `Type`)."""
    nodes = [node_of(t) for t in types]
    unknown = [n for n in nodes if n not in WIDER]
    common = frozenset() if unknown else frozenset.intersection(*map(above, nodes))
    least = [n for n in common if common <= above(n)]
    if not least:
        if len(set(nodes)) == 1:
            return types[0]
        raise TypeMismatch(f"there is no implicit type for {' and '.join(dict.fromkeys(nodes))}", "Convert one of them with astype.")
    if least[0].endswith("*"):
        return Type(default(least[0][0], wide), True)
    dtype = np.dtype(least[0])
    return Type(dtype if any(t.dtype == dtype for t in types) else narrow(dtype, wide), False)


@functools.cache
def is_inexact(ufunc):
    """Whether a ufunc computes with floats where it is given integers."""
    try:
        return ufunc.resolve_dtypes((np.dtype(np.int32),) * ufunc.nin + (None,) * ufunc.nout)[0].kind == "f"
    except TypeError:
        return False


@functools.cache
def counts_bools(ufunc):
    """Whether a ufunc computes with integers where it is given bools."""
    try:
        return ufunc.resolve_dtypes((np.dtype(bool),) * ufunc.nin + (None,) * ufunc.nout)[0].kind in "iu"
    except TypeError:
        return False


def target_type(op, types, wide):
    """The common type of an op's operands."""
    found = join(tuple(types), wide)
    if isinstance(op.impl, np.ufunc) and found.dtype.kind in "biu" and is_inexact(op.impl):
        return Type(default("f", wide), found.weak)
    if isinstance(op.impl, np.ufunc) and found.dtype.kind == "b" and counts_bools(op.impl):
        return Type(default("i", wide), found.weak)
    return found


def promoted_positions(op, count):
    """Positions of the operands that are brought to one type."""
    if op.promotes is None:
        return range(count) if op.elementwise else ()
    return range(count) if op.promotes is True else op.promotes


@functools.cache
def accepts(ufunc, dtype, weak_kinds):
    """Whether NumPy, given arrays of `dtype` and Python numbers of these kinds, computes in `dtype`."""
    python = {"b": bool, "i": int, "f": float, "c": complex}
    if not isinstance(ufunc, np.ufunc):
        return all(np.result_type(dtype, python[k](0)) == dtype for k in weak_kinds if k)
    try:
        types = ufunc.resolve_dtypes((*(dtype if k is None else python[k] for k in weak_kinds), *(None,) * ufunc.nout))
    except (TypeError, ValueError):
        return False
    return all(t == dtype for t in types[: ufunc.nin])


def result_dtype(op, dtype, target, wide):
    """The dtype of an op's result by JAX's rules, where NumPy computes `dtype` for operands of the type `target`."""
    if target is not None and isinstance(op.impl, np.ufunc) and is_floating(target) and is_floating(dtype) and \
            (dtype.kind == "c") == (target.kind == "c"):
        return target
    return narrow(dtype, wide)


# references -------------------------------------------------------------------------------------------------------------
def mark_of(value):
    """The mark of an operand as it stands: of a reference its storage's, of a device array by its weakness, else 0."""
    if is_reference(value):
        return value.storage.jnp
    return (WEAK if value.weak_type else STRONG) if is_device_array(value) else 0


def type_of(value, wide):
    """The `Type` of an operand; what is not marked is narrowed."""
    if is_reference(value):
        weak = value.aval.weak or value.storage.jnp == WEAK
        return Type(value.aval.dtype if value.storage.jnp else narrow(value.aval.dtype, wide), weak and value.dtype.kind != "b")
    aval = literal_aval(value)
    return Type(narrow(aval.dtype, wide), aval.weak and aval.dtype.kind != "b")


def is_wide(refs):
    """Whether 64-bit types are kept: switched on, or a marked operand has one."""
    return x64() or any(is_reference(r) and r.storage.jnp == STRONG and r.aval.dtype in NARROW for r in refs)


def applies(builder, refs):
    """Whether JAX's rules hold for an op with these operands."""
    if builder.jnp:
        return True
    for ref in refs:
        if is_reference(ref) and ref.storage.jnp:
            return True
    return False


def prepare(builder, op, refs, params):
    """(operands of one type, params without 64-bit dtypes, that type or None, mark of the result, whether 64 bits are kept)."""
    wide = is_wide(refs)
    positions = promoted_positions(op, len(refs))
    types = [type_of(refs[i], wide) for i in positions]
    if params.get("dtype") is not None and not wide:
        params = {**params, "dtype": narrow(np.dtype(params["dtype"]), wide)}
    if not positions:
        marks = {r.storage.jnp for r in refs if is_reference(r)}
        return refs, params, None, WEAK if marks == {WEAK} and op.linear and not params.get("dtype") else STRONG, wide
    target = target_type(op, types, wide)
    weak = target.weak and params.get("dtype") is None
    kinds = tuple(types[k].dtype.kind if is_python(refs[i]) else None for k, i in enumerate(positions))
    natural = None in kinds and (not any(kinds) or accepts(op.impl, target.dtype, kinds))
    refs = list(refs)
    for k, i in enumerate(positions):
        if not (natural and kinds[k]):
            refs[i] = cast(builder, refs[i], target.dtype)
    return refs, params, target.dtype, WEAK if weak else STRONG, wide


def is_python(value):
    """Whether an operand is a Python number for NumPy."""
    return value.aval.weak if is_reference(value) else type(value) in WEAK_DTYPES


def cast(builder, value, dtype):
    """The operand in another dtype, marked."""
    if not is_reference(value):
        return dtype.type(value)
    if value.aval.dtype == dtype and not value.aval.weak:
        return value
    known = value.known
    if known is not None and not value.storage.varies and known.size <= 1 << 20:
        found = builder.constant(known.astype(dtype))
    else:
        found = builder.emit(optable.TABLE["astype"], (value,), {"dtype": dtype})
    found.storage.jnp = found.storage.jnp or STRONG
    return found


def finish(builder, ref, op, target, mark, wide):
    """The result of a prepared op: marked, in 32 bits where NumPy made it 64, in its operands' precision."""
    ref.storage.jnp = STRONG if ref.aval.dtype.kind == "b" else mark
    dtype = result_dtype(op, ref.aval.dtype, target, wide)
    if dtype == ref.aval.dtype:
        return ref
    narrowed = builder.emit(optable.TABLE["astype"], (ref,), {"dtype": dtype})
    narrowed.storage.jnp = ref.storage.jnp
    return narrowed


def on_numpy(builder, value):
    """Operands of a function that makes an ndarray: what is marked is read as an ndarray of the same numbers."""
    if isinstance(value, dict):
        return {k: on_numpy(builder, v) for k, v in value.items()}
    if type(value) in (list, tuple):
        return type(value)(on_numpy(builder, v) for v in value)
    if is_device_array(value):
        return np.asarray(value)
    if builder.jnp or not mark_of(value):
        return value
    builder.uses_jnp = True
    plain = builder.reference(builder.read(value))
    plain.storage.known, plain.storage.varies = value.known, value.storage.varies
    return plain


def marked(builder, value):
    """A result of `transformer.numpy`: references to values of plain NumPy become marked copies."""
    if not is_reference(value) or value.storage.jnp:
        return value
    with jnp_rules(builder):
        return builder.emit(optable.TABLE["astype" if value.aval.weak else "copy"], (value,),
                            {"dtype": narrow(value.aval.dtype)} if value.aval.weak else {})


@contextmanager
def jnp_rules(builder):
    """Everything emitted inside follows JAX's rules."""
    before, builder.jnp = builder.jnp, True
    try:
        yield
    finally:
        builder.jnp = before


def joined_type(one, two, mark_one, mark_two):
    """(dtype, mark) of a value that is one of two: NumPy's rule, or JAX's if either is marked."""
    if not (mark_one or mark_two):
        return optable.result_dtype(one, two), 0
    weak = [a.weak or m == WEAK for a, m in ((one, mark_one), (two, mark_two))]
    found = join((Type(one.dtype, weak[0] and one.dtype.kind != "b"), Type(two.dtype, weak[1] and two.dtype.kind != "b")), x64())
    return found.dtype, WEAK if found.weak else STRONG


# NumPy arrays -----------------------------------------------------------------------------------------------------------
def host_type(value, wide):
    aval = literal_aval(value)
    return Type(narrow(aval.dtype, wide), aval.weak and aval.dtype.kind != "b")


def on_host(wide):
    """The rule by which `Op.bind` computes on NumPy arrays while a function of `transformer.numpy` runs."""
    def run(op, args, params):
        if params.get("dtype") is not None and not wide:
            params = {**params, "dtype": narrow(np.dtype(params["dtype"]), wide)}
        positions = promoted_positions(op, len(args))
        if positions:
            target = target_type(op, [host_type(args[i], wide) for i in positions], wide)
            args = list(args)
            for i in positions:
                if getattr(args[i], "dtype", None) != target.dtype:
                    args[i] = np.asarray(args[i], target.dtype)
        result = op.impl(*args, **params)
        if positions and isinstance(op.impl, np.ufunc):
            dtype = result_dtype(op, result.dtype, target.dtype, wide)
            return result.astype(dtype) if dtype != result.dtype else result
        return result
    return run


__all__ = ["Ref", "STRONG", "WEAK", "Type", "applies", "default", "join", "marked", "narrow", "on_host", "prepare"]
