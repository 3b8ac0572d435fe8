r"""Refuse the constructs that the evaluator does not know, each with the advice what to write instead.

>>> import gast
>>> from transformer.errors import Origin
>>> tree = gast.parse("def f(x):\n    del x\n    class A: pass").body[0]
>>> try:
...     fence(tree, lambda node: Origin("a.py", node.lineno, node.col_offset, "    class A: pass"))
... except Exception as error:
...     print(error)
a.py:3:5: a class is defined inside of a transformed function
    class A: pass
    ^
Define the class at module level.
"""

import gast

from ...errors import TransformError
from ..syntax import YIELDS, contains, leaves

PLAIN = "Transform the plain function that does the maths."
REFUSED = {
    "TryStar": ("except* is not transformed", "Catch the error around the transformed function."),
    "ClassDef": ("a class is defined inside of a transformed function", "Define the class at module level."),
    "Await": ("await is not transformed", PLAIN),
    "AsyncFor": ("async for is not transformed", PLAIN),
    "AsyncWith": ("async with is not transformed", PLAIN),
    "AsyncFunctionDef": ("an async function is defined inside of a transformed function", PLAIN),
    "TypeAlias": ("a type alias is defined inside of a transformed function", "Define it at module level."),
}
STATEMENTS = """FunctionDef Return Delete Assign AugAssign AnnAssign For While If With Match Raise Try Assert Import ImportFrom Global Nonlocal
    Expr Pass Break Continue""".split()


def fence(node, origin):
    """Raise TransformError for the first construct that is refused; origin(node) says where it is. Returns nothing."""
    for inner in _in_order(node):
        kind = type(inner).__name__
        if kind in REFUSED:
            raise TransformError(*REFUSED[kind], origin(inner))
        if isinstance(inner, gast.stmt) and kind not in STATEMENTS:
            raise TransformError(f"{kind} is not transformed", "Write it with if, for, while and assignments.", origin(inner))
        if isinstance(inner, gast.Try) and (contains(inner.finalbody, gast.Return) or leaves(inner.finalbody, gast.Break | gast.Continue)):
            raise TransformError("`finally` is left by return, break or continue", "Leave after the try.", origin(inner.finalbody[0]))
        if isinstance(inner, gast.comprehension) and inner.is_async:
            raise TransformError("async for is not transformed", PLAIN, origin(inner.target))
    for function in (n for n in _in_order(node) if isinstance(n, gast.FunctionDef)):
        _refuse_global_writes(function, origin)
    _refuse_sent_values(node, origin)


def _refuse_sent_values(node, origin):
    """`yield` is a statement, `yield from` one or what is assigned or returned: nothing else stands around it."""
    plain = {id(stmt.value) for stmt in gast.walk(node) if isinstance(stmt, gast.Expr) and isinstance(stmt.value, YIELDS)}
    plain |= {id(stmt.value) for stmt in gast.walk(node) if isinstance(stmt, gast.Assign | gast.AnnAssign | gast.Return)
              and isinstance(stmt.value, gast.YieldFrom)}
    for inner in _in_order(node):
        if isinstance(inner, YIELDS) and id(inner) not in plain:
            raise TransformError("the value of a yield is used: nothing is sent to generators here", "Make `yield` a statement of its own.",
                                 origin(inner))


def _in_order(node):
    """The nodes of a tree in the order of the source; a chain of operators is as deep as it is long."""
    todo = [node]
    while todo:
        node = todo.pop()
        yield node
        todo.extend([*gast.iter_child_nodes(node)][::-1])


def _refuse_global_writes(function, origin):
    names = {name for node in _in_order(function) if isinstance(node, gast.Global) for name in node.names}
    for node in _in_order(function) if names else ():
        if isinstance(node, gast.Name) and node.id in names and not isinstance(node.ctx, gast.Load):
            advice = "Pass it as an argument and return its new value: a transformed function may not change globals."
            raise TransformError(f"the global {node.id} is written", advice, origin(node))
