"""Ops that only say something about derivatives: calls with rules of their own, values that carry no derivative, recomputation.

`custom_call` is one result of a call of a function with rules of its own (see `transforms.custom_calls`); it is replaced by the
function's statements once it is known which derivatives are taken.
"""

from .. import tree
from ..core import Aval
from ..errors import TransformError
from .op import TABLE, Op, is_reference, op, register


@op()
class custom_call:
    def impl(*args, call, position):
        return call.run(args)[position]

    def infer(*avals, call, position):
        return call.avals[position]

    def lower(hlo, out, *args, call, position):
        raise TransformError(f"the call of {call.name} reached the compiler", "This is a fault of a pass of transformer.")

    def jvp(dots, *args, out, call, position):
        return call.push(dots, args, position)

    def batch(axes, *args, call, position):
        return custom_call.emit(*args, call=call.batched(axes, args), position=position), 0

    def notation(*avals, call, position):
        text = f"{call.name}({', '.join(f'{{{k}}}' for k in range(call.count))})"
        return text if len(call.avals) == 1 else f"{text}[{position}]"


def same(x, *rest, **params):
    return x


def same_aval(x, *rest, **params):
    return Aval(x.shape, x.dtype, x.weak)


def lower_same(hlo, out, x, *rest, **params):
    return hlo.broadcast_to(hlo.convert(x, out.dtype), out.shape)


def text_same(*avals, **params):
    return "{0}"


def _identity(name, **rules):
    """An op whose result is its first operand."""
    def batch(axes, x, *rest, **params):
        return TABLE[name].emit(x, *rest, **params), 0
    rules = {"lower": lower_same, "notation": text_same, "batch": batch, **rules}
    return register(Op(name, same, same_aval, **rules))


def checkpoint_name(x, name):
    """The value or pytree itself, which the policies of `checkpoint` know by a name.

    >>> import numpy as np
    >>> from transformer import checkpoint, checkpoint_policies, grad
    >>> def f(x):
    ...     return np.sum(np.sin(checkpoint_name(np.sin(x), "inner")))
    >>> kept = checkpoint_policies.save_only_these_names("inner")
    >>> print(grad(checkpoint(f, policy=kept))(np.zeros(2)))
    [1. 1.]
    """
    return tree.tree_map(lambda leaf: named_value.bind(leaf, name=name) if is_reference(leaf) else leaf, x)


def _samples(rng):
    return [((rng.uniform(size=(2, 3)),), {})]


def _pull(g, *operands, out, call, box):
    return call.pull(g if box is None else box, operands)


def _link(g, x, token, out, box, position):
    box[position] = g
    return None, 1.0


def _hand_on(g, x, out, **params):
    return g


def _lower_barrier(hlo, out, x):
    x = lower_same(hlo, out, x)
    return hlo.op("optimization_barrier", [x], x.shape, x.dtype)


stopped = _identity("stop_gradient", partials=(None,), differentiable=False, samples=_samples)
detached = _identity("detached", partials=(None,), differentiable=False)
pulled = _identity("pulled", vjp=_pull)
linked = _identity("linked", vjp=_link)
named_value = _identity("named_value", partials=(_hand_on,))
optimization_barrier = _identity("optimization_barrier", lower=_lower_barrier, partials=(_hand_on,), samples=_samples, runs=True)


def stop_gradient(x):
    """The value, which counts as a constant in derivatives.

    >>> from transformer import grad
    >>> grad(lambda x: x * stop_gradient(x))(3.0)
    3.0
    """
    if isinstance(x, bool | int | float | complex):
        return x
    return stopped.bind(x)



__all__ = ["checkpoint_name", "stop_gradient"]
