"""Making arrays: constants, filled arrays, tapes, casts."""

import numpy as np

from ..core import Aval, Hole
from ..errors import TransformError
from .op import TABLE, Op, function, op, register

DTYPES = {"bool": "bool", "int64": "int", "float64": "float", "complex128": "complex"}


def dtype_text(dtype):
    """A dtype as source: np.float32, or the Python type where they are the same."""
    dtype = np.dtype(dtype)
    return DTYPES.get(dtype.name, f"np.{dtype.name}")


def _dims_text(shape):
    dims = [f"{{{d.position}}}" if isinstance(d, Hole) else str(d) for d in shape]
    return dims[0] if len(dims) == 1 else "(" + ", ".join(dims) + ")"


def _creation_text(name, shape, dtype, *fill):
    parts = [_dims_text(shape), *fill]
    if np.dtype(dtype) != np.float64:
        parts.append(f"dtype={dtype_text(dtype)}")
    return f"np.{name}({', '.join(parts)})"


def _filled(shape, args):
    return tuple(int(args[d.position]) if isinstance(d, Hole) else d for d in shape)


def _infer_shape(shape, dtype):
    return Aval(tuple(None if isinstance(d, Hole) else int(d) for d in shape), np.dtype(dtype))


def _declare_creation(name, value):
    """zeros, ones, empty: params shape (ints and holes) and dtype; operands are the dynamic dimensions."""
    make = getattr(np, name)

    def impl(*dims, shape, dtype):
        return make(_filled(shape, dims), dtype)

    def infer(*dims, shape, dtype):
        return _infer_shape(shape, dtype)

    def lower(hlo, out, *dims, shape, dtype):
        return hlo.full(out.shape, value, out.dtype)

    def notation(*dims, shape, dtype):
        return _creation_text(name, shape, dtype)

    def batch(axes, *dims, shape, dtype):
        raise TransformError(f"np.{name} with a size that differs from lane to lane", "Sizes must not depend on the batch.")

    register(Op(name, impl, infer, lower, batch=batch, notation=notation, samples=_creation_samples, differentiable=False))


def _creation_samples(rng):
    return [((), {"shape": s, "dtype": np.dtype(d)}) for s in [(), (2,), (2, 3)] for d in (np.float64, np.int32)]


for _name, _value in [("zeros", 0), ("ones", 1), ("empty", 0)]:
    _declare_creation(_name, _value)


@op(linear="jointly")
class full:
    def impl(value, *dims, shape, dtype):
        return np.full(_filled(shape, dims), value, dtype)

    def infer(value, *dims, shape, dtype):
        return _infer_shape(shape, dtype)

    def lower(hlo, out, value, *dims, shape, dtype):
        return hlo.broadcast_to(hlo.convert(value, out.dtype), out.shape)

    def vjp(g, value, *dims, out, shape, dtype):
        return (np.sum(g), *(None,) * len(dims)) if dims else np.sum(g)

    def batch(axes, value, *dims, shape, dtype):
        if any(a == 0 for a in axes[1:]):
            raise TransformError("np.full with a size that differs from lane to lane", "Sizes must not depend on the batch.")
        column = np.reshape(value, (-1,) + (1,) * len(shape))
        return np.broadcast_to(column, (np.shape(value)[0], *shape)).astype(dtype), 0

    def notation(value, *dims, shape, dtype):
        shape = tuple(Hole(d.position + 1) if isinstance(d, Hole) else d for d in shape)
        return _creation_text("full", shape, dtype, "{0}")

    def samples(rng):
        return [((rng.uniform(),), {"shape": s, "dtype": np.dtype(np.float64)}) for s in [(), (2, 3)]]


@op(differentiable=False)
class tape:
    """An array whose leading dimension grows: a list on NumPy, a capacity under XLA."""

    def impl(shape, dtype):
        return []

    def infer(shape, dtype):
        return Aval((None, *shape), np.dtype(dtype))

    def lower(hlo, out, shape, dtype):
        return hlo.full(out.shape, 0, out.dtype)

    def notation(shape, dtype):
        return "[]"


@op(differentiable=False)
class constant:
    """A static array. On NumPy it is made anew, so that a store into it stays inside the program."""

    def impl(value):
        return np.array(value)

    def infer(value):
        value = np.asarray(value)
        return Aval(value.shape, value.dtype)

    def lower(hlo, out, value):
        return hlo.constant(value, out.dtype)

    def notation(value):
        return array_text(np.asarray(value))

    def samples(rng):
        return [((), {"value": v}) for v in (rng.uniform(size=(2, 3)), np.arange(3), np.array([np.inf, np.nan]), np.array(True))]


def array_text(value):
    """Source of an expression that makes exactly this array."""
    if value.size > 1 and np.all(value == value.flat[0]) and not np.any(np.signbit(value.real) & (value == 0)):
        name = {0: "zeros", 1: "ones"}.get(value.flat[0].item(), "full")
        fill = [element_text(value.flat[0].item())] if name == "full" else []
        return _creation_text(name, value.shape, value.dtype, *fill)
    if value.size == 0:
        return _creation_text("zeros", value.shape, value.dtype)
    text = nested_text(value.tolist())
    default = np.array(value.tolist()).dtype
    return f"np.array({text})" if value.dtype == default else f"np.array({text}, dtype={dtype_text(value.dtype)})"


def nested_text(value):
    if isinstance(value, list):
        return "[" + ", ".join(map(nested_text, value)) + "]"
    return element_text(value)


def element_text(value):
    """A Python number as source; nan and infinities as np.nan and np.inf."""
    if isinstance(value, complex):
        if np.isfinite(value):
            return repr(value)
        return f"complex({element_text(value.real)}, {element_text(value.imag)})"
    if isinstance(value, float) and not np.isfinite(value):
        return "np.nan" if np.isnan(value) else "np.inf" if value > 0 else "-np.inf"
    return repr(value)


# casts ---------------------------------------------------------------------------
@op()
class astype:
    def impl(x, dtype):
        return np.asarray(x).astype(dtype)[()]

    def infer(x, dtype):
        return Aval(x.shape, np.dtype(dtype))

    def lower(hlo, out, x, dtype):
        return hlo.convert(x, out.dtype)

    def contribution(g, x, out, dtype):
        return g

    partials = (contribution,)
    del contribution

    def notation(x, dtype):
        if x.weak:
            return f"np.{'bool_' if dtype == bool else np.dtype(dtype).name}({{0}})"
        return f"{{0}}.astype({dtype_text(dtype)})"

    def samples(rng):
        return [((rng.uniform(size=(2, 3)),), {"dtype": np.dtype(d)}) for d in (np.float64, np.float32, np.int64, bool)]


@function(np.astype, method="astype")
def astype_(x, dtype, order="K", casting="unsafe", subok=True, copy=True, device=None):
    """np.astype: a copy with another dtype."""
    return TABLE["astype"].bind(x, dtype=np.dtype(dtype))
