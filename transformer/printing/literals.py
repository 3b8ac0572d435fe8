"""Numbers and constant arrays as gast expressions that give back exactly the same value and dtype."""

import math

import gast
import numpy as np

SMALL = 12
"""Up to so many elements, an array is written out in the line that uses it."""
LONG = 1000
"""Of more elements, an array is written as its bytes: nobody reads so many numbers, and Python takes 20 us for each."""
FEW = 8
"""Up to so many elements may differ from all others in an array that is written as one number and these."""


def dotted(module, attribute):
    return gast.Attribute(gast.Name(module, gast.Load(), None, None), attribute, gast.Load())


def call(attribute, args, keywords=()):
    return gast.Call(dotted("np", attribute), list(args), [gast.keyword(k, v) for k, v in keywords])


def literal(value):
    """The tree of a Python number, NumPy scalar, or small array."""
    if isinstance(value, np.ndarray):
        return array(value)
    if isinstance(value, np.generic):
        return scalar(value)
    return number(value)


def number(value):
    """The tree of a Python number; nan and inf come from np."""
    if isinstance(value, complex):
        return complex_number(value)
    if isinstance(value, float) and math.isnan(value):
        return dotted("np", "nan")
    if isinstance(value, int | float) and not isinstance(value, bool) and math.copysign(1.0, value) < 0:
        return gast.UnaryOp(gast.USub(), number(-value))
    if isinstance(value, float) and math.isinf(value):
        return dotted("np", "inf")
    return gast.Constant(value, None)


def complex_number(value):
    """1j, 2.0 + 1j, or a call of complex where a sign of zero or a special value would get lost."""
    imaginary = value.imag
    if math.isfinite(imaginary) and math.copysign(1.0, imaginary) > 0:
        if value.real == 0 and math.copysign(1.0, value.real) > 0:
            return gast.Constant(complex(0.0, imaginary), None)
    parts = [number(value.real), number(imaginary)]
    return gast.Call(gast.Name("complex", gast.Load(), None, None), parts, [])


def scalar(value):
    """np.float32(0.1): a NumPy scalar."""
    if value.dtype == np.bool_:
        return dotted("np", "True_" if value else "False_")
    return gast.Call(dotted(home(value.dtype), value.dtype.name), [number(shortest(value))], [])


def home(dtype):
    """The module that has a dtype: bfloat16 and its like come from ml_dtypes."""
    return "np" if hasattr(np, dtype.name) else "ml_dtypes"


def shortest(value):
    """The Python number with the fewest digits that gives the scalar back."""
    if value.dtype.kind == "f":
        return float(str(value))
    if value.dtype.kind == "c":
        return complex(float(str(value.real)), float(str(value.imag)))
    if value.dtype.kind == "V":
        return float(value) if "float" in value.dtype.name else int(value)
    return value.item()


def element(value):
    """The tree of a number that is stored into an array of its type."""
    return number(shortest(value))


def array(value):
    """The tree of an array: a creation function that gives it exactly, else np.array([...])."""
    if value.shape == ():
        return scalar(value[()])
    return recognise(value) or (packed(value) if value.size > LONG else call("array", [nested(value)], dtype_keyword(value)))


def packed(value):
    """np.frombuffer(bytes.fromhex("..."), ...): an array as its bytes."""
    data = gast.Call(gast.Attribute(gast.Name("bytes", gast.Load(), None, None), "fromhex", gast.Load()), [gast.Constant(value.tobytes().hex(), None)], [])
    flat = call("frombuffer", [data], [("dtype", dtype_tree(value.dtype))])
    return flat if value.ndim == 1 else gast.Call(gast.Attribute(flat, "reshape", gast.Load()), [shape_tree(value.shape)], [])


def is_spelled_out(value):
    """Whether an array stands in the line that uses it: it is small, or a creation function gives it."""
    value = np.asarray(value)
    return value.size <= SMALL or recognise(value) is not None


def nested(value):
    if value.ndim == 0:
        return number(shortest(value[()]))
    return gast.List([nested(row) for row in value], gast.Load())


DEFAULTS = {"float64", "int64", "bool", "complex128"}


def dtype_keyword(value):
    """The dtype keyword that np.array needs for exactly this array; none where the default is right."""
    empty = value.size == 0 and value.dtype != np.float64
    return [("dtype", dtype_tree(value.dtype))] if empty or value.dtype.name not in DEFAULTS else []


def dtype_tree(dtype):
    return gast.Name("bool", gast.Load(), None, None) if dtype == np.bool_ else dotted(home(dtype), dtype.name)


def shape_tree(shape):
    dims = [gast.Constant(d, None) for d in shape]
    return dims[0] if len(dims) == 1 else gast.Tuple(dims, gast.Load())


def recognise(value):
    """np.zeros, ones, full, eye or arange where they give exactly this array; else None."""
    keyword = [] if value.dtype == np.float64 else [("dtype", dtype_tree(value.dtype))]
    if value.size == 0:
        return call("zeros", [shape_tree(value.shape)], keyword)
    bits = value.reshape(-1)
    first = bits[0]
    if all_same(bits):
        return uniform(value, first, keyword)
    triangle = triangular(value)
    if triangle is not None:
        return triangle
    if value.ndim == 2 and same_bits(value, np.eye(*value.shape, dtype=value.dtype)):
        dims = value.shape[:1] if value.shape[0] == value.shape[1] else value.shape
        return call("eye", [gast.Constant(d, None) for d in dims], keyword)
    return progression(value)


def triangular(value):
    """np.tri(n), or its transpose, of a square array of ones and zeros."""
    if value.ndim != 2 or value.shape[0] != value.shape[1] or value.shape[0] < 2 or value.dtype.kind not in "bif":
        return None
    lower = np.tri(*value.shape, dtype=value.dtype)
    keyword = [] if value.dtype == np.float64 else [("dtype", dtype_tree(value.dtype))]
    tree = call("tri", [gast.Constant(value.shape[0], None)], keyword)
    if same_bits(value, lower):
        return tree
    return gast.Attribute(tree, "T", gast.Load()) if same_bits(value, np.ascontiguousarray(lower.T)) else None


def nearly_uniform(value):
    """(base, places): an array of one number and the few places at which `value` differs from it; (value, ()) if it is no such array."""
    rows = np.ascontiguousarray(value).reshape(-1).view(np.uint8).reshape(value.size, -1)
    found, counts = np.unique(rows[: 2 * FEW + 1], axis=0, return_counts=True)
    common = np.ascontiguousarray(found[np.argmax(counts)])
    others = np.flatnonzero((rows != common).any(axis=1))
    if len(others) > FEW:
        return value, ()
    base = np.full(value.shape, common.view(value.dtype)[0], value.dtype)
    return base, [tuple(int(k) for k in np.unravel_index(place, value.shape)) for place in others]


def uniform(value, first, keyword):
    shape = shape_tree(value.shape)
    if same_bits(first, value.dtype.type(0)):
        return call("zeros", [shape], keyword)
    if first == 1:
        return call("ones", [shape], keyword)
    if value.size <= 3:
        return None
    return call("full", [shape, number(shortest(first))], dtype_keyword(value))


def progression(value):
    """np.arange or np.linspace."""
    if value.ndim != 1 or value.size < 4 or value.dtype.name not in ("int64", "float64") or not np.isfinite(value).all():
        return None
    first, second, size = value[0].item(), value[1].item(), value.size
    if value.dtype.kind == "i" or (first.is_integer() and (second - first).is_integer()):
        return arange(value, int(first), int(second - first), size)
    if same_bits(np.linspace(value[0], value[-1], size), value):
        return call("linspace", [number(first), number(value[-1].item()), gast.Constant(size, None)])
    return None


def arange(value, first, step, size):
    """np.arange, if its bounds are exact in any type of numbers."""
    last = first + step * size
    if step == 0 or max(abs(first), abs(last)) > 2 ** 53 or not same_bits(np.arange(first, last, step).astype(value.dtype), value):
        return None
    convert = float if value.dtype.kind == "f" else int
    args = [last] if (first, step) == (0, 1) else [first, last] if step == 1 else [first, last, step]
    return call("arange", [number(convert(a)) for a in args])


def all_same(bits):
    data = np.ascontiguousarray(bits).view(np.uint8).reshape(bits.size, -1)
    return bool((data == data[0]).all())


def same_bits(one, other):
    return one.dtype == other.dtype and np.shape(one) == np.shape(other) and one.tobytes() == other.tobytes()

