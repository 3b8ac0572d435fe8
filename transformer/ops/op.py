"""Registration of ops and functions: one declaration holds everything about an op.

An *op* is an entry of the table with rules; a *function* (composite) is ordinary NumPy source over ops. Both are found by
the NumPy function that the user calls:

    @elementwise(np.exp, lower="exponential")            one rule, the contribution g * partial; jvp and vjp derive from it
    def exp(g, x, out):
        return g * out

    @elementwise(np.divide, lower="divide", symbol="/")
    class divide:
        def d_x(g, x, y, out): return g / y
        def d_y(g, x, y, out): return -(g * out / y)

    @op(linear="jointly")                                params are static keywords; the rest are array operands
    class sum:
        impl = np.sum                                    runs it on NumPy; also its printed form, unless `notation` is there
        def infer(x, axis, keepdims): ...                avals in, Aval out
        def lower(hlo, out, x, axis, keepdims): ...      hlo values in, hlo value out
        def vjp(g, x, out, axis, keepdims): ...          one contribution per operand (None: not differentiable)
        def batch(axes, x, axis, keepdims): ...          operands carry their batch axis first (axes[i] == 0) or none (None)

    @function(np.mean)                                   the signature that users call; entered and executed on references
    def mean(a, axis=None, dtype=None, out=None, keepdims=False): ...

Rules are executed by Python on references (`frontend.reference`), so they are ordinary NumPy code and see shapes and dtypes.
Broadcasting, zeros, accumulation and casts live in the drivers (`transforms`), never in a rule.

Two attributes serve "branch-free gradients of where". An op that is `masking` (where, maximum, clip...) hands on a cotangent that
is zero wherever it did not take its operand. A `singular` op has a partial that may be infinite or nan there (sqrt, log, divide...);
"operands" says: only if an operand is infinite or nan (multiply). It may be a function of the operands' atoms that answers one of
these. A `nonfinite` op (isnan, nan_to_num, nanmax...) tells infinite and nan elements from others: a program with one expects some.
A driver that carries a masked cotangent `g` into a singular op turns the contribution into `absorb(g, contribution)`; a cotangent
stays masked through every op in between. An explicit `jvp` or `vjp` rule wins over `partials` (maps that are not holomorphic).
"""

import functools
import importlib
import inspect
import sys
import threading
from contextlib import contextmanager

import numpy as np

from ..core import Aval, literal_aval
from ..errors import MissingRule, NeedStatic, ShapeError, TransformError, TypeMismatch, UnknownFunction

TABLE = {}
"""Op name -> Op."""



class Functions(dict):
    """Callable that users write -> implementation. The functions of scipy are declared when scipy is there and one is asked for."""

    lazy = {
        "scipy.special": ("special", "bessel", "gamma_functions", "polynomials", "integral_functions"),
        "scipy.linalg": ("linalg", "matrix_equations", "matrix_functions"),
        "scipy.stats": ("stats", "multivariate", "summaries", "correlations", "density"),
        "scipy.signal": ("signal", "smoothing", "spectra", "entered.recursions"),
        "scipy.integrate": ("integrate", "quadrature"),
        "scipy.fft": ("fourier",),
        "scipy.spatial.distance": ("distances", "entered.forms"),
        "scipy.ndimage": ("image_filters", "resampling"),
        "scipy.interpolate": ("entered.interpolators",),
        "scipy.optimize": ("..scipy.roots",),
        "scipy.sparse.linalg": ("..scipy.krylov",),
    }

    instances = {}
    """Class of objects of scipy that are called -> the implementation that stands for such an object."""

    def __missing__(self, fn):
        found = self.of_instance(fn)
        if found is not None:
            return found
        if self.load():
            return self[fn]
        raise KeyError(fn)

    def __contains__(self, fn):
        return super().__contains__(fn) or self.of_instance(fn) is not None or self.load() and fn in self

    def of_instance(self, fn):
        """The implementation of a call of an object of scipy, or of a method of one."""
        owner = getattr(fn, "__self__", fn)
        make = self.instances.get(type(owner))
        if make is None:
            return None
        return make(owner) if owner is fn else getattr(make(owner), fn.__name__)

    def load(self):
        """Import the declarations for modules that the user has imported; whether there were any."""
        ready = [m for m in self.lazy if m in sys.modules]
        for module in ready:
            for part in self.lazy.pop(module):
                importlib.import_module(f".{part}", "transformer.ops.scipy")
        return bool(ready)


FUNCTIONS = Functions()
"""Callable that users write (np.sum, math.sin, abs...) -> implementation with the same signature."""

METHODS = {}
"""Array method or attribute name -> implementation taking the array first."""

JNP_METHODS = {}
"""The same for values of `transformer.numpy`, where the method differs from NumPy's."""

ATTRIBUTES = set()
"""Names in METHODS that are read without a call (`.T`, `.real`)."""


def no_product(*avals, **params):
    """The kind of product of an op that sums no products."""


class Op:
    """An entry of the op table. See the module's docstring for the rules a declaration may hold.

    linear: None, "jointly" (jvp is the op on the tangents) or "each" (multilinear: one term per operand).
    gather: reads `args[0]` at params["index"] with holes args[1:]; its vjp is an Update of mode "add" on the cotangent of args[0].
    along: reads `args[0]` at the positions args[1] along params["axis"]; positions: its results are positions along that axis of args[0].
    as_index(aval, *args, **params): for a view, the (template, operands, order) with which it is `x[template].transpose(order)`.
    unview(parent, new, **params): for a view, the parent in which the view's elements are replaced by `new`.
    readonly: NumPy's result is a view that cannot be stored into.
    promotes: positions of the operands that NumPy brings to one dtype (True: all); None: all if elementwise, else none.
    collective: exchanges values between the lanes of a named axis (see `collectives`): "same" or "differs"; `lanes` is its rule.
    runs: computed at run time even where its operands are literals.
    cheap: costs no more than a copy of its result (as elementwise ops and views do without saying so).
    raises: the classes of exceptions that NumPy raises depending on the operands' values (indices out of range apart).
    of_squares(*args): the op that stands for it where its first operand is a sum of squares (`analysis.squares`), or None.
    product(*avals, **params): what kind of sum of products it is, "dot", "batched dot" or "convolution"; None: of no kind.
    """

    def __init__(self, name, impl, infer, lower, vjp=None, jvp=None, batch=None, linear=None, partials=None,
                 notation=None, symbol=None, samples=None, differentiable=True, singular=False, masking=False, nonfinite=False,
                 gather=False, along=False, positions=False, as_index=None, unview=None, readonly=False, promotes=None, collective=None,
                 lanes=None, product=None, runs=False, cheap=False, raises=(), of_squares=None):
        self.name, self.impl, self.infer, self.lower = name, impl, infer, lower
        self.vjp, self.jvp, self.batch, self.linear, self.partials = vjp, jvp, batch, linear, partials
        self.elementwise = partials is not None
        self.notation, self.symbol, self.samples, self.differentiable = notation, symbol, samples, differentiable
        self.singular, self.masking, self.nonfinite = singular, masking, nonfinite
        self.along, self.positions = along, positions
        self.gather, self.as_index, self.unview, self.readonly = gather, as_index, unview, readonly
        self.promotes, self.collective, self.lanes, self.product = promotes, collective, lanes, product or no_product
        self.runs, self.cheap, self.raises, self.of_squares = runs, cheap, raises, of_squares

    def __repr__(self):
        return f"<op {self.name}>"

    def bind(self, *args, **params):
        """Apply the op: on NumPy if no operand is a reference, else by emitting a statement."""
        if _emit is not None and any(map(holds_reference, args)):
            return _emit(self, args, params)
        rule = getattr(_host, "rule", None)
        return self.impl(*args, **params) if rule is None else rule(self, args, params)

    def emit(self, *args, **params):
        """Emit the op, also where no operand is a reference (creation in the middle of a program)."""
        return _emit(self, args, params)

    def emit_weak(self, *args, **params):
        """The same, for a result that is a Python number."""
        return _emit(self, args, params, weak=True)

    def call(self, *args, out=None, where=True, dtype=None, casting="same_kind", order="K", subok=True):
        """Apply an elementwise op with the keywords of a ufunc; `out` is stored into."""
        ufunc = self.impl
        if len(args) > ufunc.nin:
            args, out = args[: ufunc.nin], args[ufunc.nin]
        if len(args) < ufunc.nin:
            raise TypeMismatch(f"{describe(ufunc)} takes {ufunc.nin} operands, not {len(args)}", "Pass the missing ones.")
        out = out[0] if isinstance(out, tuple) else out
        if dtype is not None:
            args = _loop_operands(ufunc, args, np.dtype(dtype))
        result = self.bind(*args)
        if where is not True:
            if out is None:
                raise TransformError(f"{describe(ufunc)}(where=...) without out= leaves entries without a value",
                                     "Pass out=, or use np.where(condition, value, other).")
            result = FUNCTIONS[np.where](where, result, out)
        if out is None:
            return result
        out[...] = result
        return out

    def rule(self, kind):
        """The rule `kind`; an error that says what to add where if the op has none."""
        found = getattr(self, kind)
        if found is None:
            raise MissingRule(f"op {self.name} has no {kind} rule", f"Add `{kind}` to its declaration in transformer/ops.")
        return found


_emit = None
_is_reference = None
_host = threading.local()


@contextmanager
def computing(rule):
    """Ops without references are computed by `rule(op, args, params)` inside, in this thread."""
    before, _host.rule = getattr(_host, "rule", None), rule
    try:
        yield
    finally:
        _host.rule = before


def holds_reference(value):
    """Whether an operand is a reference, or a list that has one somewhere inside."""
    if isinstance(value, list | tuple):
        return any(map(holds_reference, value))
    return _is_reference is not None and _is_reference(value)


@contextmanager
def needing_lengths(operands):
    """Inside, rules may compute with lengths of axes and compare them: NeedStatic for an error if an operand has an axis of unknown length, None."""
    try:
        yield
    except (TypeError, ShapeError) as error:
        unknown = [v for v in operands if holds_reference(v) and not isinstance(v, list | tuple) and None in v.shape]
        if not unknown:
            raise
        raise NeedStatic(unknown[0], "an array whose length is not known before the program runs") from error


def absorb(g, contribution):
    """A contribution in which a cotangent that is exactly zero wins over an infinite partial."""
    return FUNCTIONS[np.where](g == 0, 0, contribution)


def install(emit, is_reference):
    """Called once by the frontend: how `bind` emits a statement, and what counts as a reference."""
    global _emit, _is_reference
    _emit, _is_reference = emit, is_reference


FOREIGN = []
"""Declarations from outside of this package; what they mean is in no version number."""


KNOWN = frozenset("transformer numpy scipy math operator builtins".split())


def note_foreign(*rules):
    """Remember rules of the user's."""
    plain = (getattr(rule, "func", rule) for rule in rules if rule is not None)
    FOREIGN.extend(r for r in plain if (getattr(r, "__module__", None) or "transformer").split(".")[0] not in KNOWN)


def register(entry):
    if entry.name in TABLE:
        raise ValueError(f"op {entry.name} is declared twice")
    note_foreign(entry.infer, entry.lower, entry.vjp, entry.jvp, entry.batch, *(entry.partials or ()))
    TABLE[entry.name] = entry
    return entry


def op(linear=None, differentiable=True):
    """Declare an op from a class whose attributes are its rules."""
    def declare(cls):
        rules = {k: v for k, v in vars(cls).items() if not k.startswith("__")}
        rules = {k: v.__func__ if isinstance(v, staticmethod) else v for k, v in rules.items()}
        return register(Op(cls.__name__, linear=linear, differentiable=differentiable, **rules))
    return declare


def elementwise(ufunc, lower, symbol=None, samples=None, differentiable=True, name=None, **attributes):
    """Declare an elementwise op. `lower` is a StableHLO op name or a function (hlo, out, *operands).

    The declaration is a function (g, *operands, out) for one operand, or a class with one `d_<operand>` per operand in
    order (missing: derivative zero), or with `jvp`/`vjp` for maps of complex numbers that are not holomorphic. Other
    attributes of the op (`singular`, `notation`...) are keywords. See `piecewise_constant` for those without a derivative.
    """
    def declare(rule):
        label = name or rule.__name__.rstrip("_")
        if inspect.isclass(rule):
            rules = vars(rule)
            partials = tuple(rules.get(f"d_{x}") for x in ("x", "y", "z")[: ufunc.nin])
            extra = {k: rules[k] for k in ("jvp", "vjp") if k in rules}
        else:
            partials, extra = (rule,), {}
        entry = Op(label, ufunc, lambda *avals: infer_elementwise(ufunc, avals), _lowering(lower), partials=partials,
                   symbol=symbol, samples=samples, differentiable=differentiable, **extra, **attributes)
        FUNCTIONS[ufunc] = entry.call
        return register(entry)
    return declare


def piecewise_constant(ufunc, lower, symbol=None, samples=None, name=None, **attributes):
    """Declare an elementwise op whose derivative is zero everywhere (comparisons, rounding, integer ops)."""
    entry = Op(name or ufunc.__name__, ufunc, lambda *avals: infer_elementwise(ufunc, avals), _lowering(lower),
               partials=(None,) * ufunc.nin, symbol=symbol, samples=samples, differentiable=False, **attributes)
    FUNCTIONS[ufunc] = entry.call
    return register(entry)


def _loop_operands(ufunc, args, dtype):
    """Operands cast to what the ufunc's loop for the result type `dtype` takes."""
    signature = (None,) * ufunc.nin + (dtype,) * ufunc.nout
    types = (*python_types([aval_of(a) for a in args]), *(None,) * ufunc.nout)
    resolved = ufunc.resolve_dtypes(types, signature=signature)
    return [TABLE["astype"].bind(a, dtype=d) if aval_of(a).dtype != d else a for a, d in zip(args, resolved)]


def _lowering(lower):
    if not isinstance(lower, str):
        return lower
    return lambda hlo, out, *operands: hlo.elementwise(lower, out, *operands)


def function(*callables, method=None, attribute=None, array=False):
    """Declare the implementation of functions that users call, and of the array method or attribute of that name.

    array: the first argument may be a nested list; it becomes an array before the implementation sees it.
    """
    def declare(implementation):
        if array:
            implementation = _with_array(implementation)
        note_foreign(implementation)
        for fn in callables:
            FUNCTIONS[fn] = implementation
        if method:
            METHODS[method] = implementation
        if attribute:
            METHODS[attribute] = implementation
            ATTRIBUTES.add(attribute)
        return implementation
    return declare


def _with_array(implementation):
    @functools.wraps(implementation)
    def accepting_lists(a, *args, **kwargs):
        return implementation(FUNCTIONS[np.asarray](a) if isinstance(a, list | tuple) else a, *args, **kwargs)
    return accepting_lists


@functools.cache
def takes_out_by_name(rule):
    """Whether a vjp or jvp rule takes the result by the keyword `out` alone; else it comes after the operands."""
    out = inspect.signature(rule).parameters.get("out")
    return out is not None and out.kind is inspect.Parameter.KEYWORD_ONLY


def lookup(fn, origin=None):
    """The implementation of a library function; UnknownFunction names it and the nearest known ones."""
    try:
        return FUNCTIONS[fn]
    except (KeyError, TypeError):
        pass
    import difflib
    name = describe(fn)
    known = {describe(f): f for f in FUNCTIONS}
    near = difflib.get_close_matches(name, known, n=2, cutoff=0.5)
    advice = f"The nearest known: {' and '.join(near)}." if near else "Write it with known NumPy functions."
    raise UnknownFunction(f"{name} is not known to transformer", advice, origin)


def describe(fn):
    """The name users write: np.sum, math.sin, abs."""
    module = getattr(fn, "__module__", None) or ""
    name = getattr(fn, "__qualname__", None) or getattr(fn, "__name__", repr(fn))
    if isinstance(fn, np.ufunc) or module.split(".")[0] == "numpy":
        inner = module.removeprefix("numpy").removeprefix("._core").removeprefix(".")
        public = inner.split(".")[0] if inner.split(".")[0] in ("linalg", "fft", "random") else ""
        return ".".join(filter(None, ["np", public, name]))
    if module.startswith("scipy."):
        return scipy_name(fn, module, name)
    return name if module in ("builtins", "") else f"{module}.{name}"


def scipy_name(fn, module, name):
    """The public name: scipy.linalg.eigh, scipy.stats.norm.pdf."""
    owner = getattr(getattr(fn, "__self__", None), "name", None)
    name = f"{owner}.{fn.__name__}" if isinstance(owner, str) else name
    return f"{'.'.join(module.split('.')[:2])}.{name}"


def python_types(avals):
    """For NumPy's promotion: the dtype of a strong aval, the Python type of a weak one."""
    weak = {"i": int, "f": float, "c": complex}
    return [weak.get(a.dtype.kind, a.dtype) if a.weak else a.dtype for a in avals]


def result_dtype(*avals):
    """NumPy's promotion (NEP 50) over avals, Python numbers being weak."""
    zero = {int: 0, float: 0.0, complex: 0j}
    return np.result_type(*(zero.get(t, t) if isinstance(t, type) else t for t in python_types(avals)))


def broadcast(*shapes):
    """Broadcast shapes that may hold unknown dimensions; ShapeError names them if they do not fit."""
    ndim = max(map(len, shapes), default=0)
    out = []
    for dims in zip(*((1,) * (ndim - len(s)) + tuple(s) for s in shapes)):
        known = {d for d in dims if d is not None and d != 1}
        if len(known) > 1:
            raise ShapeError(f"shapes {' and '.join(map(str, shapes))} do not fit together",
                             "Elementwise operations need equal sizes, or size 1, axis by axis from the last.")
        out.append(None if None in dims and not known else known.pop() if known else 1)
    return tuple(out)


@functools.lru_cache(maxsize=4096)
def infer_elementwise(ufunc, avals):
    """Aval of a ufunc call: broadcast shape, and the dtype that NumPy itself resolves."""
    try:
        dtype = ufunc.resolve_dtypes((*python_types(avals), *(None,) * ufunc.nout))[-1]
    except TypeError as error:
        raise ShapeError(f"{describe(ufunc)} does not take {' and '.join(map(str, avals))}", str(error)) from None
    return Aval(broadcast(*(a.shape for a in avals)), dtype)


def is_reference(value):
    return _is_reference is not None and _is_reference(value)


def view(name, x, **params):
    """Apply an op that gives a view in NumPy: of an abstract array a reference to the same storage, else as `bind`."""
    if is_reference(x) and x.shape:
        return x.viewed(TABLE[name], (), params)
    return TABLE[name].bind(x, **params)


def aval_of(value):
    """Aval of a reference, array or Python number."""
    return value.aval if _is_reference is not None and _is_reference(value) else literal_aval(value)


def known_shape(x):
    """The shape, where types alone tell it."""
    shape = aval_of(x).shape
    if None in shape:
        raise NeedStatic(x, "the size of an array that depends on data")
    return shape


def array(value):
    """A nested list (which may hold references) as an array; anything else as it is."""
    return FUNCTIONS[np.asarray](value) if isinstance(value, list | tuple) else value


def operands(*values):
    """The values as arrays; where one is a reference, static arrays become references too, so that abstract indices may pick from them."""
    values = list(map(array, values))
    if not any(map(is_reference, values)):
        return values
    return [TABLE["constant"].emit(value=v) if isinstance(v, np.ndarray) else v for v in values]
