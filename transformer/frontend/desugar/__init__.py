"""Reduce a parsed function to the statements that the evaluator knows.

What remains after desugaring (gast nodes):

    Assign (any targets: names, tuples, starred, attributes, subscripts), AugAssign, Expr, Delete, Raise, Pass,
    If, For, While, With, Try, FunctionDef (nested, desugared as well), Import, ImportFrom, Nonlocal,
    Return: exactly one, as the last statement of every function.

Expressions stay as they are, with one exception: a Compare has one operator. BoolOp and IfExp keep Python's short circuit; the
evaluator evaluates the second part only when it must, or under the test when that is abstract. NamedExpr, comprehensions,
lambdas, f-strings and starred items stay too.

Control flow:

- `If` and `While` test truth values: no `break`, `continue` or early `return` is left.
- A `For` that a `break` or `return` can leave has the attribute `stop`, the name of a flag that is False before the loop: **when the
  flag is true after a round, the loop ends before the next item is fetched**. Its body is one statement, `if not flag: rounds` (with
  the attribute `is_guard`), so a loop that cannot end early (unrolled under an abstract flag) still does nothing in the remaining rounds; the guarded statements
  are also at `node.rounds`, for a loop that tests the flag itself. Other loops have no `stop` (getattr(node, "stop", None)).
- A `While` tests its flag in its own test: `while not _break and (test)`.
- `orelse` of loops is empty.
- The flags are `_break...`, `_continue...`, `_returned...`; the value of an early return is `_result...`. A function that leaves a loop
  by `return` binds `_result` inside of the loop only together with `_returned = True`, and reads it only under `if _returned`, or
  binds it on all other paths: `if not _returned: ...; _result = value`. So any value of the right type may stand for an unset `_result`.
- An `If` may have the attribute `left`, see `settle`: on a side that always leaves, names that are not read any more need no value.
- A `yield` is the value of an assignment to a flag, and gives whether the generator is to return; see `close_generators`.
- `raise` stays where it is: a side of an `If` that ends in `raise` ends the path, and the other side's environment goes on.
"""

import copy
import dataclasses

import gast

from ..parse import cached, place
from ..syntax import Fresh, at
from .close_generators import close_generators
from .drop_annotations import drop_annotations
from .expand_asserts import expand_asserts
from .fence import fence
from .remove_breaks import remove_breaks
from .remove_loop_returns import remove_loop_returns
from .remove_match import remove_match
from .split_comparisons import split_comparisons
from .unify_returns import unify_returns

PASSES = [
    drop_annotations,
    expand_asserts,
    remove_match,
    split_comparisons,
    close_generators,
    remove_loop_returns,
    remove_breaks,
    unify_returns,
]

_DESUGARED = {}


def desugar(parsed):
    """The same Parsed with a desugared tree of its own; made once per code object."""

    def make():
        fence(parsed.node, lambda node: place(parsed.filename, parsed.source_lines, node))
        return apply_passes(parsed.node, parsed.globals)

    return dataclasses.replace(parsed, node=cached(_DESUGARED, parsed.code, make))


def apply_passes(node, taken=(), passes=None):
    """A copy of a function node with all passes (or those given) applied; new names avoid `taken`."""
    node = copy.deepcopy(node)
    for handler in gast.walk(node):
        if isinstance(handler, gast.ExceptHandler) and handler.name is not None:
            at(handler.name, handler)
    fresh = Fresh(node, taken)
    for run in PASSES if passes is None else passes:
        node.body = run(node.body, fresh)
    return node


def before_and_after(text, *passes):
    """Source of the first function in `text` after the passes; for the doctests of the passes."""
    from ..unparse import source

    return source(apply_passes(gast.parse(text).body[0], (), passes))
