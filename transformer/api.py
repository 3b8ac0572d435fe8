"""The public transforms: grad, value_and_grad, vjp, jvp, linearize, jacfwd, jacrev, hessian, vmap, jit."""

import functools
from collections.abc import Callable, Hashable, Sequence
from typing import Any, TypeVar

from . import axes as named_axes
from . import engines, tree
from .core import Aval
from .errors import ShapeError, SizesByLane, TransformError, TypeMismatch
from .later import later
from .leaves import as_dynamic, as_float
from .specialised import Param, Static
from .transformed import Transformed

batching, calls, derivatives, pipeline, spread, zero_tangents = (
    later(globals(), name) for name in ("transforms.batch", "frontend.specialise.calls", "derivatives", "pipeline", "spread", "zero_tangents"))

Maker = TypeVar("Maker", bound=Callable[..., Any])
Argnums = int | Sequence[int]


def decorator(make: Maker) -> Maker:
    """`make(f, ...)` that may also be written @make and @make(...)."""
    @functools.wraps(make)
    def wrapper(fn=None, *args, **kwargs):
        if fn is None:
            return lambda f: make(f, *args, **kwargs)
        return make(fn, *args, **kwargs)
    return wrapper  # type: ignore[return-value]


class Differentiated(Transformed):
    """Base of transforms with argnums: integers among the differentiated arguments become floats, unless `allow_int` is given."""

    def convert(self, args, kwargs):
        args, kwargs = super().convert(args, kwargs)
        convert_leaf = as_dynamic if self.settings["allow_int"] else as_float
        argnums = self.settings["argnums"]
        numbers = argnums if type(argnums) in (tuple, list) else (argnums,)
        for n in numbers:
            if type(n) is int and -len(args) <= n < len(args) and type(args[n]) is not float:
                value = args[n]
                if tree.children_of(value) is None:
                    new = convert_leaf(value)
                else:
                    new = tree.tree_map(convert_leaf, value)
                if new is not value:
                    n %= len(args)
                    args = (*args[:n], new, *args[n + 1:])
        return args, kwargs


class Gradient(Differentiated):
    kind = "grad"

    def build(self, args, kwargs):
        s = self.settings
        return derivatives.gradient(self.fn, args, kwargs, s["argnums"], s["has_aux"], s["holomorphic"], s["with_value"], s["allow_int"])


@decorator
def grad(f: Callable[..., Any] | None = None, argnums: Argnums = 0, has_aux: bool = False, holomorphic: bool = False,
         allow_int: bool = False) -> Any:
    """The gradient of a function with a scalar output.

    f: function of arrays, numbers and pytrees. argnums: which positional argument(s) to differentiate (int or tuple).
    has_aux: f returns (result, aux), and the gradient returns (gradient, aux). holomorphic: f is complex-differentiable.
    allow_int: integers stay what they are, and the gradient has zeros of the type float0 in their place; otherwise they are promoted.

    Returns a function with f's arguments that gives the gradient in the container of the argument (a tuple for several argnums),
    in its dtype; integers are promoted to float64. For complex arguments of a real f the convention is df/dx - i df/dy.
    Raises TransformError where f cannot be transformed, with the line; TypeMismatch or ShapeError for wrong arguments.
    Source: reverse accumulation (Griewank and Walther, Evaluating Derivatives, 2008, chapter 3).

    >>> import numpy as np
    >>> def f(x):
    ...     return np.sum(x ** 3)
    >>> grad(f)(np.array([1.0, 2.0]))
    array([ 3., 12.])
    """
    return Gradient(f, argnums=argnums, has_aux=has_aux, holomorphic=holomorphic, with_value=False, allow_int=allow_int)


@decorator
def value_and_grad(f: Callable[..., Any] | None = None, argnums: Argnums = 0, has_aux: bool = False, holomorphic: bool = False,
                   allow_int: bool = False) -> Any:
    """Like `grad`, returning (f's result, gradient); the result equals f(...) bit for bit.

    >>> value_and_grad(lambda x: x * x)(3.0)
    (9.0, 6.0)
    """
    return Gradient(f, argnums=argnums, has_aux=has_aux, holomorphic=holomorphic, with_value=True, allow_int=allow_int)


class Jacobian(Differentiated):
    kind = "jacobian"

    def build(self, args, kwargs):
        s = self.settings
        return derivatives.jacobian(self.fn, args, kwargs, s["argnums"], s["mode"], s["has_aux"], s["allow_int"], s["holomorphic"])


@decorator
def jacrev(f: Callable[..., Any] | None = None, argnums: Argnums = 0, has_aux: bool = False, holomorphic: bool = False,
           allow_int: bool = False) -> Any:
    """The Jacobian by reverse mode: one pullback per output element, batched. Shape: output's shape + argument's shape.

    Good for functions with few outputs. Pytrees nest: output's structure, at each leaf the argument's structure. holomorphic: f is
    complex-differentiable; allow_int: as for `grad`.

    >>> import numpy as np
    >>> jacrev(lambda x: np.array([x[0] * x[1], x[1]]))(np.array([2.0, 3.0]))
    array([[3., 2.],
           [0., 1.]])
    """
    return Jacobian(f, argnums=argnums, has_aux=has_aux, mode="reverse", holomorphic=holomorphic, allow_int=allow_int)


@decorator
def jacfwd(f: Callable[..., Any] | None = None, argnums: Argnums = 0, has_aux: bool = False, holomorphic: bool = False) -> Any:
    """The Jacobian by forward mode: one tangent per argument element, batched. Shape: output's shape + argument's shape.

    >>> import numpy as np
    >>> jacfwd(lambda x: x ** 2)(np.array([2.0, 3.0]))
    array([[4., 0.],
           [0., 6.]])
    """
    return Jacobian(f, argnums=argnums, has_aux=has_aux, mode="forward", holomorphic=holomorphic, allow_int=False)


@decorator
def hessian(f: Callable[..., Any] | None = None, argnums: Argnums = 0, has_aux: bool = False, holomorphic: bool = False) -> Any:
    """The second derivatives of a function with a scalar output: forward over reverse mode.

    >>> import numpy as np
    >>> hessian(lambda x: x[0] ** 2 * x[1])(np.array([1.0, 2.0]))
    array([[4., 2.],
           [2., 0.]])
    """
    return jacfwd(jacrev(f, argnums, has_aux, holomorphic), argnums, has_aux, holomorphic)


class Batched(Transformed):
    kind = "vmap"

    def build(self, args, kwargs):
        axes, size = batch_axes(self.settings, args, kwargs, self.__name__)
        args, kwargs = lanes(args, kwargs, axes)
        try:
            return self.batch(args, kwargs, axes, size)
        except SizesByLane as error:
            first = error
        try:
            with pipeline.options(sized=True):
                return self.batch(args, kwargs, axes, size)
        except TransformError:
            raise first from None

    def batch(self, args, kwargs, axes, size):
        """The batch of what the function is built to for one lane."""
        name = self.settings["axis_name"]
        with named_axes.bind({name: size}), pipeline.fresh_stages():
            specialised = pipeline.build(self.fn, args, kwargs)
            return batched(specialised, axes, self.settings["out_axes"], size, name)


def lanes(args, kwargs, axes):
    """The arguments of one lane."""
    axis = iter(axes)
    args = [map_params(lambda p: lane(p, next(axis)), a) for a in args]
    return args, {k: map_params(lambda p: lane(p, next(axis)), v) for k, v in kwargs.items()}


def map_params(fn, value):
    if isinstance(value, Param):
        return fn(value)
    if isinstance(value, Static) or tree.children_of(value) is None:
        return value
    return tree.tree_map(lambda leaf: fn(leaf) if isinstance(leaf, Param) else leaf, value)


def lane(param, axis):
    """The parameter of one lane."""
    if axis is None:
        return param
    shape = list(param.aval.shape)
    del shape[axis]
    return Param(Aval(tuple(shape), param.aval.dtype), None, param.name, param.jnp)


def batch_axes(settings, args, kwargs, name):
    """One axis (or None) per dynamic leaf, and the size of the batch."""
    in_axes, kind = settings["in_axes"], settings.get("kind", "vmap")
    if isinstance(in_axes, list):
        in_axes = tuple(in_axes)
    if isinstance(in_axes, tuple) and len(in_axes) != len(args):
        raise TypeMismatch(f"in_axes has {len(in_axes)} entries, {name} is called with {len(args)} positional arguments",
                           "Give one entry per positional argument, or one int for all.")
    entries = in_axes if isinstance(in_axes, tuple) else [in_axes] * len(args)
    axes, sizes = [], {}
    for value, prefix, label in [*zip(args, entries, range(len(args))), *((v, 0, k) for k, v in kwargs.items())]:
        leaves, treedef = tree.flatten(value)
        for leaf, axis in zip(leaves, tree.broadcast_prefix(prefix, treedef)):
            if isinstance(leaf, Param):
                axes.append(leaf_axis(leaf, axis, label, sizes, kind))
    if settings["axis_size"] is not None:
        sizes.setdefault(settings["axis_size"], "axis_size")
    if not sizes:
        raise TypeMismatch(f"{kind} maps no argument: every entry of in_axes is None", "Map one at least, or give axis_size.")
    if len(sizes) > 1:
        found = ", ".join(f"{size} ({label})" for size, label in sizes.items())
        raise ShapeError(f"{kind} got mapped axes of different sizes: {found}", "All mapped axes need the same size.")
    return axes, next(iter(sizes))


def leaf_axis(leaf, axis, label, sizes, kind):
    if axis is None:
        return None
    ndim = len(leaf.aval.shape)
    if isinstance(axis, bool) or not isinstance(axis, int) or not -ndim <= axis < ndim:
        raise ShapeError(f"{kind} cannot map axis {axis} of argument {label}: {leaf.name} has shape {leaf.aval.shape}",
                         "Give an axis that the array has, or None to pass it whole.")
    axis %= ndim
    sizes.setdefault(leaf.aval.shape[axis], f"argument {label}")
    return axis


def batched(specialised, axes, out_axes, size, axis_name=None):
    """The batch of a built program."""
    program, out_tree = specialised.program, zero_tangents.extended(specialised.out_tree, (size,))
    in_axes = input_axes(specialised, axes)
    outs = output_axes(specialised, out_axes)
    return derivatives.finish(specialised, batching.batch(program, in_axes, outs, size, axis_name), out_tree, f"{program.name}_batched", "vmap")


def input_axes(specialised, axes):
    """The mapped axis of each parameter."""
    for key in specialised.static:
        if axes[key] is not None:
            raise TypeMismatch("an argument whose value is needed as a Python number (a size or a shape) cannot be mapped",
                               "Give it in_axes None.")
    return [axes[i.key] if i.kind == "leaf" else None for i in specialised.inputs]


def output_axes(specialised, out_axes, inner=None):
    """The mapped axis of each output, non-negative. `inner`: how many axes inner maps add to each."""
    program, out_tree = specialised.program, specialised.out_tree
    outs = tree.broadcast_prefix(tuple(out_axes) if isinstance(out_axes, list) and out_tree.kind is tuple else out_axes, out_tree)
    ndims = [program.aval(a).ndim + 1 + (inner[k] if inner else 0) for k, a in enumerate(program.outputs)]
    for axis, ndim in zip(outs, ndims):
        if axis is not None and not -ndim <= axis < ndim:
            raise ShapeError(f"out_axes {axis} does not fit an output of {ndim} axes", "Count the axes of the batched output.")
    return [None if a is None else a % ndim for a, ndim in zip(outs, ndims)]


@decorator
def vmap(f: Callable[..., Any] | None = None, in_axes: Any = 0, out_axes: Any = 0, axis_name: Hashable = None,
         axis_size: int | None = None, spmd_axis_name: Hashable = None) -> Any:
    """Map a function over an axis of its arguments, without a loop: the batched program as source.

    in_axes: per positional argument an axis, None (passed whole) or a container of such; keyword arguments map axis 0.
    out_axes: the same for the result. axis_name: a name for the axis, over which collectives (`lax.psum`) compute.
    axis_size: needed only where no argument is mapped. spmd_axis_name: accepted; how a batch lies on a mesh follows from its arguments.
    Raises ShapeError where sizes differ or an axis does not exist.

    >>> import numpy as np
    >>> vmap(np.dot)(np.ones((3, 2)), np.full((3, 2), 2.0))
    array([4., 4., 4.])
    """
    return Batched(f, in_axes=in_axes, out_axes=out_axes, axis_name=axis_name, axis_size=axis_size)


class Jitted(Transformed):
    kind = "jit"

    def __init__(self, fn, static_argnums, static_argnames, donate, in_shardings=None, out_shardings=None, engine=None):
        super().__init__(fn, static_argnums=static_argnums, static_argnames=static_argnames, donate=donate,
                         in_shardings=in_shardings, out_shardings=out_shardings, engine=engine and engines.check(engine))
        self.donate = donate
        self.write_back = not isinstance(fn, Transformed)

    @functools.cached_property
    def static(self):
        own = {*as_tuple(self.settings["static_argnums"]), *as_tuple(self.settings["static_argnames"])}
        inner = self.fn.static if isinstance(self.fn, Transformed) else frozenset()
        return frozenset(own) | inner

    def __transformer_call__(self, ev, args, kwargs):
        return calls.call(ev, self.fn, args, kwargs, None)

    def build_call(self, args, kwargs, leaves):
        if isinstance(self.fn, Transformed) and self.fn.spreads:
            return self.fn.build_call(args, kwargs, leaves)
        specialised, given = self.build(args, kwargs), self.settings["in_shardings"]
        given = None if given is None else spread.leaf_shardings(given, args, kwargs)
        return spread.placed(specialised, leaves, given, self.settings["out_shardings"])

    def lower(self, *args, **kwargs):
        """The program for arguments of these types, lowered: `.as_text()` is StableHLO, `.compile()` the compiled program."""
        from .aot import lower
        return lower(self, args, kwargs)


def check_device(device):
    """Refuse a device, or a platform, other than that which is used anyway."""
    if device is None:
        return
    from backend import client
    here = client.default_device()
    if device not in (here, here.platform):
        raise TransformError(f"{device} is another device than {here}, which is used", "Move the arguments with device_put(x, device), or set "
                             "TRANSFORMER_PLATFORMS.")


def as_tuple(value):
    if value is None:
        return ()
    return tuple(value) if isinstance(value, tuple | list | set | frozenset) else (value,)


@decorator
def jit(f: Callable[..., Any] | None = None, static_argnums: Argnums = (), static_argnames: str | Sequence[str] = (),
        donate_argnums: Argnums = (), in_shardings: Any = None, out_shardings: Any = None, engine: str | None = None, *,
        donate_argnames: str | Sequence[str] = (), keep_unused: bool = False, inline: bool = False, device: Any = None,
        backend: str | None = None, compiler_options: dict[str, Any] | None = None) -> Any:
    """Compile a function, or a transformed one, with XLA; results are device arrays (`Array`).

    Loops and branches on array values compile as they are. static_argnums, static_argnames: arguments whose values are built
    into the program (strings, None and flags are so anyway). donate_argnums, donate_argnames: arguments whose memory results may reuse.
    Stores into array arguments reach the caller's ndarrays, as in NumPy. in_shardings, out_shardings: how arguments and results lie on
    several devices (one for all, or a tree like theirs); where arguments are spread over a mesh already, nothing need be said.
    engine: "xla"; "numpy" to run the generated NumPy program instead; "auto" to do so where it is estimated to be quicker (a few
    statements on small arrays of floats; see `engines`). None: as `config` says, "xla" by default. `f.explain(*args)` tells.
    keep_unused, inline: accepted, results do not depend on them. device, backend: only those that are used anyway; for others move the
    arguments with `device_put`.

    Raises TransformError where the function cannot be compiled (random draws, side effects, shapes that depend on values).

    >>> import numpy as np
    >>> print(jit(lambda x: np.sum(x * 2.0))(np.arange(3.0)))
    6.0
    """
    check_device(backend if device is None else device)
    if compiler_options:
        raise TransformError(f"jit does not take compiler options ({', '.join(compiler_options)})", "Leave them out.")
    return Jitted(f, static_argnums, static_argnames, (*as_tuple(donate_argnums), *as_tuple(donate_argnames)), in_shardings, out_shardings, engine)


__all__ = ["grad", "hessian", "jacfwd", "jacrev", "jit", "value_and_grad", "vmap"]
