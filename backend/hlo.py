"""A builder of StableHLO text: values are names with a shape and a dtype, methods emit one or a few ops.

    hlo = Hlo("f")
    x = hlo.parameter((3,), np.float32)
    text = hlo.finish([hlo.add(hlo.exp(x), 1.0)])

Python and NumPy scalars may stand for operands of `elementwise`, the arithmetic methods, `select`, `compare` and `pad`; they take the
dtype of the other operand. Nothing here knows NumPy's op semantics beyond conversion and promotion: ops write those.
"""

import math

import numpy as np

from . import indexing, reductions, rounding
from .literals import dense_text, dtype_text, ints_text, type_text

LARGE = 4096
"""Arrays of so many elements are large."""

COMPARE = ("EQ", "NE", "LT", "LE", "GT", "GE")
KEEPS_OPERAND_DTYPE = ("abs", "real", "imag", "is_finite", "shift_left", "shift_right_arithmetic", "shift_right_logical")
REAL = {"complex64": np.dtype(np.float32), "complex128": np.dtype(np.float64)}


class Value:
    """An SSA value. `weak` marks a Python scalar; `literal` is its value where it is a scalar constant, else None."""

    __slots__ = ("name", "shape", "dtype", "weak", "literal")

    def __init__(self, name, shape, dtype, weak=False, literal=None):
        self.name, self.shape, self.dtype, self.weak, self.literal = name, tuple(shape), np.dtype(dtype), weak, literal

    @property
    def ndim(self):
        return len(self.shape)

    @property
    def size(self):
        return math.prod(self.shape)

    @property
    def type(self):
        return type_text(self.shape, self.dtype)

    def __repr__(self):
        return f"{self.name}: {self.type}"


class Hlo:
    """Collects one module with one public function `main`. See the module's docstring.

    `platform` is what the text is meant for ("cpu", "cuda"...): a few methods choose another algorithm by it. `mesh` (name -> size) are
    the axes along which the replicas of the program are numbered, the last varies fastest; collectives exchange along one of them.
    `reductions` (shape, axes), `large`, the ops on large arrays, and `multiplications`, how many its products take, are for `policy`.
    """

    def __init__(self, name="main", platform="cpu"):
        self.name, self.platform = name, platform
        self.params, self.constants, self.callbacks, self.reductions = [], {}, [], []
        self.mesh, self.partitions = {}, None
        self.head, self.lines = [], []
        self.count = self.depth = self.multiplications = 0
        self.nonnegative, self.large, self.triangles = set(), set(), {}
        self.made = {}

    # emission ----------------------------------------------------------------
    def fresh(self, shape, dtype, weak=False):
        self.count += 1
        return Value(f"%{self.count}", shape, dtype, weak)

    def parameter(self, shape, dtype, weak=False):
        """A new parameter of the function."""
        value = Value(f"%arg{len(self.params)}", shape, dtype, weak)
        self.params.append(value)
        return value

    def op(self, name, operands, shape, dtype, attrs="", regions=()):
        """Emit `"stablehlo.name"(operands) {attrs}` with one result. A name with a dot stands as it is (`chlo.erf`)."""
        return self.ops(name, operands, [(shape, dtype)], attrs, regions)[0]

    def ops(self, name, operands, results, attrs="", regions=()):
        """Emit an op with any number of results, given as (shape, dtype) pairs; returns the list of values."""
        values = [self.fresh(shape, dtype) for shape, dtype in results]
        for value in values:
            self.made[value.name] = name, operands
        if name not in self.large and any([v.size >= LARGE for v in (*operands, *values)]):
            self.large.add(name)
        full = name if "." in name else f"stablehlo.{name}"
        left = ", ".join(v.name for v in values) + " = " if values else ""
        inner = f" ({', '.join(regions)})" if regions else ""
        braces = f" {{{attrs}}}" if attrs else ""
        types = ", ".join([v.type for v in operands]), ", ".join([v.type for v in values])
        arguments = ", ".join([v.name for v in operands])
        self.lines.append(f'{left}"{full}"({arguments}){inner}{braces} : ({types[0]}) -> ({types[1]})')
        return values

    def region(self, parameters, body, isolated=False):
        """Text of a region: `body` takes values of the given (shape, dtype) pairs and returns the list of values it yields.

        isolated: the op's region cannot use outer values (reduce, scatter, sort), so constants stay inside.
        """
        outer, self.lines = self.lines, []
        saved = self.head, self.constants
        if isolated:
            self.head, self.constants = self.lines, {}
        try:
            values = [self.fresh(shape, dtype) for shape, dtype in parameters]
            results = body(*values)
            self.ops("return", results, [])
        finally:
            inner, self.lines = self.lines, outer
            self.head, self.constants = saved
        arguments = f"^bb0({', '.join(map(repr, values))}):\n" if values else ""
        return "{\n" + arguments + "\n".join(inner) + "\n}"

    def finish(self, outputs, aliases=None, layout=None):
        """The module's text. `aliases` maps a parameter position to the output that may reuse its buffer (donation); `layout`
        (`spread.Partitions`) says how XLA splits parameters and outputs over devices."""
        aliases = {i: f"tf.aliasing_output = {k} : i32" for i, k in (aliases or {}).items()}
        given, wanted, meshes = layout.attributes(self.params, outputs) if layout else ([""] * len(self.params), [""] * len(outputs), "")
        params = ", ".join(f"{p.name}: " + attributed(p.type, aliases.get(i, ""), given[i]) for i, p in enumerate(self.params))
        types = ", ".join(attributed(o.type, w) for o, w in zip(outputs, wanted))
        names = ", ".join(o.name for o in outputs)
        body = "\n".join([*self.head, *self.lines])
        label = "".join(c if c.isalnum() else "_" for c in self.name)
        tail = f"return {names} : {', '.join(o.type for o in outputs)}" if outputs else "return"
        return f"module @{label} {{\n{meshes}func.func public @main({params}) -> ({types}) {{\n{body}\n{tail}\n}}\n}}\n"

    # constants ---------------------------------------------------------------
    def constant(self, value, dtype=None):
        """A dense constant. Equal constants are emitted once, at the head of the function."""
        weak = dtype is None and type(value) in (int, float, complex)
        array = np.asarray(value) if dtype is None else np.asarray(value).astype(dtype, copy=False)
        key = (array.dtype, array.shape, array.tobytes(), weak)
        if key not in self.constants:
            out = self.fresh(array.shape, array.dtype, weak)
            out.literal = array[()] if array.ndim == 0 else None
            self.head.append(f'{out.name} = "stablehlo.constant"() {{value = {dense_text(array)} : {out.type}}} : () -> {out.type}')
            self.constants[key] = out
        return self.constants[key]

    def full(self, shape, value, dtype):
        """An array filled with a number or a scalar value."""
        if isinstance(value, Value):
            return self.broadcast_to(self.convert(value, dtype), shape)
        return self.broadcast_to(self.constant(value, dtype), shape)

    def lift(self, x, like):
        """An operand as a value: numbers become constants of `like`'s dtype (a Python float or complex keeps its kind)."""
        if isinstance(x, Value):
            return x
        if isinstance(x, np.ndarray | np.generic):
            return self.constant(x)
        zero = {bool: False, int: 0, float: 0.0, complex: 0j}[type(x)]
        return self.constant(x, np.result_type(like.dtype, zero))

    # types and promotion --------------------------------------------------------
    def convert(self, x, dtype):
        """As NumPy's astype: floats to ints truncate, anything to bool is `!= 0`, complex to real takes the real part."""
        dtype = np.dtype(dtype)
        if x.dtype == dtype and not x.weak:
            return x
        if x.dtype == dtype:
            return Value(x.name, x.shape, dtype, literal=x.literal)
        if x.literal is not None and x.shape == ():
            with np.errstate(all="ignore"):
                return self.constant(to_dtype(x.literal, dtype), dtype)
        if dtype.kind == "b":
            return self.compare("NE", x, self.full(x.shape, 0, x.dtype))
        if x.dtype.kind == "c" and dtype.kind != "c":
            return self.convert(self.op("real", [x], x.shape, REAL[x.dtype.name]), dtype)
        return self.op("convert", [x], x.shape, dtype)

    def promote(self, *operands):
        """The dtype NumPy promotes to (weak scalars count as Python numbers)."""
        dtype = operands[0].dtype
        if all([o.dtype == dtype and not o.weak for o in operands]):
            return dtype
        weak = {"i": 0, "f": 0.0, "c": 0j}
        return np.result_type(*(weak.get(o.dtype.kind, o.dtype) if o.weak else o.dtype for o in operands))

    def elementwise(self, name, out, *operands):
        """Apply an elementwise op: operands are brought to one dtype and to `out`'s shape.

        `name` is a StableHLO op, or a comparison direction such as "LT". The dtype is `out`'s, except where the op changes the
        dtype (comparisons, abs of complex, is_finite): then NumPy's promotion of the operands.
        """
        operands = [o if isinstance(o, Value) else self.constant(o) for o in operands]
        if name in COMPARE:
            return self.broadcast_to(self.compare(name, *operands), out.shape)
        dtype = self.promote(*operands)
        if name not in KEEPS_OPERAND_DTYPE and not (out.dtype.kind == "b" and dtype.kind != "b"):
            dtype = out.dtype
        values = [self.broadcast_to(self.convert(o, dtype), out.shape) for o in operands]
        return self.convert(self.op(name, values, out.shape, result_dtype(name, dtype)), out.dtype)

    def binary(self, name, x, y):
        """An op on two operands (values or numbers) that are promoted and broadcast against each other."""
        x = self.lift(x, y) if not isinstance(x, Value) else x
        y = self.lift(y, x)
        dtype = self.promote(x, y)
        shape = np.broadcast_shapes(x.shape, y.shape)
        operands = [self.broadcast_to(self.convert(v, dtype), shape) for v in (x, y)]
        return self.op(name, operands, shape, dtype)

    def unary(self, name, x):
        return self.op(name, [x], x.shape, result_dtype(name, x.dtype))

    def compare(self, direction, x, y):
        """EQ NE LT LE GT GE; the result is bool. A Python int is compared exactly even where it does not fit the other's dtype."""
        x = self.lift(x, y) if not isinstance(x, Value) else x
        y = self.lift(y, x)
        dtype = self.promote(x, y)
        if x.weak != y.weak and x.dtype.kind in "iu" and y.dtype.kind in "iu" and dtype != np.uint64:
            dtype = np.dtype(np.int64)
        shape = np.broadcast_shapes(x.shape, y.shape)
        x, y = (self.broadcast_to(self.convert(v, dtype), shape) for v in (x, y))
        return self.op("compare", [x, y], shape, np.dtype(bool),
                       f"comparison_direction = #stablehlo<comparison_direction {direction}>")

    def select(self, condition, x, y):
        """`x where condition else y`, promoted and broadcast."""
        x = self.lift(x, y) if not isinstance(x, Value) else x
        y = self.lift(y, x)
        dtype = self.promote(x, y)
        shape = np.broadcast_shapes(condition.shape, x.shape, y.shape)
        x, y = (self.broadcast_to(self.convert(v, dtype), shape) for v in (x, y))
        condition = self.convert(condition, bool)
        if condition.shape != ():
            condition = self.broadcast_to(condition, shape)
        return self.op("select", [condition, x, y], shape, dtype)

    # shape ----------------------------------------------------------------------
    def broadcast_in_dim(self, x, shape, dims):
        """Axis k of `x` becomes axis dims[k] of the result."""
        return self.op("broadcast_in_dim", [x], shape, x.dtype, f"broadcast_dimensions = {ints_text(dims)}")

    def broadcast_to(self, x, shape):
        """NumPy's broadcast_to."""
        shape = tuple(shape)
        if x.shape == shape:
            return x
        return self.broadcast_in_dim(x, shape, range(len(shape) - x.ndim, len(shape)))

    def reshape(self, x, shape):
        return x if x.shape == tuple(shape) else self.op("reshape", [x], shape, x.dtype)

    def transpose(self, x, axes):
        axes = tuple(axes)
        if axes == tuple(range(x.ndim)):
            return x
        return self.op("transpose", [x], tuple(x.shape[a] for a in axes), x.dtype, f"permutation = {ints_text(axes)}")

    def slice(self, x, starts, limits, strides=None):
        """Static slice; starts and limits non-negative, strides positive."""
        strides = strides or (1,) * x.ndim
        shape = tuple(max(0, -(-(hi - lo) // s)) for lo, hi, s in zip(starts, limits, strides, strict=True))
        if shape == x.shape:
            return x
        attrs = f"start_indices = {ints_text(starts)}, limit_indices = {ints_text(limits)}, strides = {ints_text(strides)}"
        return self.op("slice", [x], shape, x.dtype, attrs)

    def pad(self, x, value, lo, hi, interior=None):
        """Pad with a scalar; lo and hi may be negative (cropping)."""
        interior = interior or (0,) * x.ndim
        value = self.convert(value, x.dtype) if isinstance(value, Value) else self.constant(value, x.dtype)
        shape = tuple(a + n + b + max(0, n - 1) * k for n, a, b, k in zip(x.shape, lo, hi, interior, strict=True))
        attrs = f"edge_padding_low = {ints_text(lo)}, edge_padding_high = {ints_text(hi)}, interior_padding = {ints_text(interior)}"
        return self.op("pad", [x, value], shape, x.dtype, attrs)

    def concatenate(self, xs, axis):
        """Join values of one dtype along an axis."""
        xs = list(xs)
        if len(xs) == 1:
            return xs[0]
        shape = list(xs[0].shape)
        shape[axis] = sum(x.shape[axis] for x in xs)
        return self.op("concatenate", xs, tuple(shape), xs[0].dtype, f"dimension = {axis} : i64")

    def iota(self, shape, dtype, axis=0):
        """0, 1, 2... along an axis."""
        return self.op("iota", [], shape, np.dtype(dtype), f"iota_dimension = {axis} : i64")

    def reverse(self, x, axes):
        return self.op("reverse", [x], x.shape, x.dtype, f"dimensions = {ints_text(axes)}") if len(axes) else x

    # control flow -----------------------------------------------------------------
    def while_(self, inits, test, body):
        """Loop over carried values: `test(*carries)` gives a bool scalar, `body(*carries)` the list of new carries.

        Both may use outer values.
        """
        types = [(v.shape, v.dtype) for v in inits]
        self.depth += 1
        regions = [self.region(types, lambda *c: [test(*c)]), self.region(types, body)]
        self.depth -= 1
        return self.ops("while", inits, types, regions=regions)

    def own(self, x):
        """The same integer as a value of its own, which XLA takes for a computed one and LLVM for the same.

        A loop's carried value that something reads after its next value is computed is copied in each round, in a way that keeps LLVM
        from holding it in a register.
        """
        mask = self.constant(0x55, x.dtype)
        return self.xor(self.xor(x, mask), mask)

    def if_(self, test, body, orelse):
        """`body()` if the bool scalar `test` else `orelse()`; both return lists of values of the same types."""
        kept = []
        regions = [self.region((), lambda: keep(kept, body())), self.region((), lambda: keep(kept, orelse()))]
        return self.ops("if", [test], [(v.shape, v.dtype) for v in kept[0]], regions=regions)

    # linear algebra and the like ----------------------------------------------------
    def dot_general(self, x, y, batch=((), ()), contract=((), ())):
        """Result axes: batch, free axes of x, free axes of y. Operands have one dtype."""
        used = [set(batch[k]) | set(contract[k]) for k in (0, 1)]
        shape = (*(x.shape[a] for a in batch[0]), *(n for a, n in enumerate(x.shape) if a not in used[0]),
                 *(n for a, n in enumerate(y.shape) if a not in used[1]))
        self.multiplications += math.prod(shape) * math.prod(x.shape[a] for a in contract[0])
        numbers = (f"lhs_batching_dimensions = {list(batch[0])}, rhs_batching_dimensions = {list(batch[1])}, "
                   f"lhs_contracting_dimensions = {list(contract[0])}, rhs_contracting_dimensions = {list(contract[1])}")
        return self.op("dot_general", [x, y], shape, x.dtype, f"dot_dimension_numbers = #stablehlo.dot<{numbers}>")

    def complex(self, real, imag):
        """A complex value from its parts (float32 or float64, same shape)."""
        dtype = np.dtype(np.complex64 if real.dtype == np.float32 else np.complex128)
        return self.op("complex", [real, imag], real.shape, dtype)

    def constrain(self, x, sharding):
        """A value that lies on the devices as a sharding says, where XLA splits the program."""
        if self.partitions is None or not set(sharding.devices) <= set(self.partitions.devices):
            return x
        text = self.partitions.attribute(sharding, x.ndim)
        return self.op("sdy.sharding_constraint", [x], x.shape, x.dtype, f"sharding = #sdy.sharding{text}")

    def clamp(self, low, x, high):
        """x limited to [low, high]; the limits are scalars (values or numbers)."""
        low, high = (self.convert(self.lift(v, x), x.dtype) for v in (low, high))
        return self.op("clamp", [low, x, high], x.shape, x.dtype)

    def custom_call(self, target, operands, shapes_dtypes, attrs=""):
        """A typed foreign function (api_version 4). `attrs` is more attribute text, such as
        `backend_config = {uplo = 76 : ui8}` or operand_layouts. Returns the list of results."""
        more = f", {attrs}" if attrs else ""
        return self.ops("custom_call", operands, shapes_dtypes, f'call_target_name = "{target}", api_version = 4 : i32{more}')

    def callback(self, function, operands, results=()):
        """Call a Python function on the host: `function(*ndarrays)` returns a tuple of ndarrays of the (shape, dtype) pairs in
        `results`. Calls are ordered only by their operands: hand a result of one to the next."""
        self.callbacks.append(function)
        kind = "cpu" if self.platform == "cpu" else "gpu"
        attrs = f"has_side_effect = true, backend_config = {{index = {len(self.callbacks) - 1} : ui64}}"
        return self.custom_call(f"xla_ffi_python_{kind}_callback", operands, list(results), attrs)

    reduce = reductions.reduce
    reduce_window = reductions.reduce_window
    cumulative = reductions.cumulative
    argreduce = reductions.argreduce
    extremum = reductions.extremum
    places = reductions.places
    rounds_alike = rounding.rounds_alike
    sort = reductions.sort
    gather = indexing.gather
    scatter = indexing.scatter
    dynamic_slice = indexing.dynamic_slice
    dynamic_update_slice = indexing.dynamic_update_slice


def attributed(type_, *attributes):
    """A type with an attribute dictionary."""
    text = ", ".join(filter(None, attributes))
    return f"{type_} {{{text}}}" if text else type_


def keep(kept, values):
    kept.append(values)
    return values


def to_dtype(value, dtype):
    """A scalar literal as another dtype, as NumPy's astype of a 0-d array."""
    value = np.asarray(value)
    return (value.real if value.dtype.kind == "c" and dtype.kind not in "cb" else value).astype(dtype)


def result_dtype(name, dtype):
    if name == "is_finite":
        return np.dtype(bool)
    return REAL.get(dtype.name, dtype) if name in ("abs", "real", "imag") else dtype


def _sugar(kind, name):
    def unary(self, x):
        return self.unary(name, x)

    def binary(self, x, y):
        return self.binary(name, x, y)
    method = unary if kind == "unary" else binary
    method.__name__ = name
    method.__doc__ = f"`stablehlo.{name}`."
    return method


UNARY = ("abs", "cbrt", "ceil", "cosine", "count_leading_zeros", "exponential", "exponential_minus_one", "floor", "imag", "is_finite",
         "log", "log_plus_one", "logistic", "negate", "not", "popcnt", "real", "round_nearest_afz", "round_nearest_even", "rsqrt", "sign", "sine",
         "sqrt", "tan", "tanh")
BINARY = ("add", "and", "atan2", "divide", "maximum", "minimum", "multiply", "or", "power", "remainder", "shift_left",
          "shift_right_arithmetic", "shift_right_logical", "subtract", "xor")
ELEMENTWISE = frozenset((*UNARY, *BINARY, "broadcast_in_dim", "clamp", "compare", "convert", "select"))
ALIASES = {"exponential": "exp", "exponential_minus_one": "expm1", "log_plus_one": "log1p", "cosine": "cos", "sine": "sin",
           "round_nearest_even": "round", "and": "and_", "or": "or_", "not": "not_"}

for _name in UNARY + BINARY:
    _method = _sugar("unary" if _name in UNARY else "binary", _name)
    setattr(Hlo, _name, _method)
    if _name in ALIASES:
        setattr(Hlo, ALIASES[_name], _method)

__all__ = ["Hlo", "Value", "dtype_text"]
