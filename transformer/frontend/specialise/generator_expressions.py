"""Generator expressions: `(x[i] * 2 for i in range(n))` makes each item when it is asked for, of what it reads then.

Functions that read all items at once (`sum`, `list`, `max`...) get a list. Elsewhere one without tests has items by position, which loops and
`next` take like those of a list; others are generators.
"""

import gast

from .. import scopes
from ..desugar import apply_passes
from ..desugar.close_generators import close_generators
from ..desugar.remove_breaks import remove_breaks
from ..desugar.remove_loop_returns import remove_loop_returns
from ..desugar.unify_returns import unify_returns
from ..syntax import at, load
from . import calls, filtered, generators, iterators, special_methods

ITEMS = "_items"


def generator_expression(ev, frame, node):
    """The iterator that a generator expression makes; its first iterable is evaluated now."""
    first, *more = node.generators
    values = ev.eval_looped(frame, first.iter)
    source = None if more or first.ifs else source_of(ev, first.iter, values)
    if source is None:
        return generator(ev, frame, node, values)
    read = [ev.peek(frame, name) for name in sorted(scopes.loaded([gast.Expr(node.elt)]))]
    return iterators.Cursor(ev, iterators.made(ev, source, lambda item: element(ev, frame, node, item), read))


def source_of(ev, node, values):
    """What has the items by position, or None."""
    values = iterators.checked(ev, special_methods.items(ev, values))
    if isinstance(values, iterators.Cursor):
        return values.source if isinstance(node, gast.Call) and values.position == 0 and not values.is_endless else None
    if isinstance(values, generators.Generator | filtered.Filtered):
        return None
    return iterators.cursor(ev, values).source


def element(ev, frame, node, item):
    """One item, evaluated in the scope of the expression."""
    inner = calls.inner_frame(frame)
    ev.frames.append(inner)
    try:
        ev.assign(inner, node.generators[0].target, item)
        return ev.eval(inner, node.elt)
    finally:
        ev.frames.pop()


def generator(ev, frame, node, values):
    function = function_of(node)
    inner = calls.Frame(frame.name, function, {ITEMS: values}, frame.parsed, frame, *calls.local_names(function))
    inner.comprehension = True
    return generators.Generator(ev, inner, function.body)


def function_of(node):
    """The generator function that an expression stands for, made once."""
    if not hasattr(node, "function"):
        body = at(gast.Expr(gast.Yield(node.elt)), node)
        for part in reversed(node.generators):
            for test in reversed(part.ifs):
                body = at(gast.If(test, [body], []), node)
            values = load(ITEMS) if part is node.generators[0] else part.iter
            body = at(gast.For(part.target, values, [body], [], None), node)
        arguments = gast.arguments([gast.Name(ITEMS, gast.Param(), None, None)], [], None, [], [], None, [])
        function = at(gast.FunctionDef("genexpr", arguments, [body], [], None, None), node)
        node.function = apply_passes(function, (), [close_generators, remove_loop_returns, remove_breaks, unify_returns])
    return node.function


__all__ = ["generator_expression"]
