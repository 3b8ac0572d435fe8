"""Builders of tree nodes; each new node stands at a node of the user, so errors and origins point to the user's line."""

import copy

import gast

FUNCTIONS = (gast.FunctionDef, gast.AsyncFunctionDef, gast.Lambda, gast.ClassDef)
LOOPS = (gast.For, gast.While)
YIELDS = (gast.Yield, gast.YieldFrom)


def at(node, place):
    """`node` and what is new below it, placed at `place`."""
    for new in gast.walk(node):
        if not hasattr(new, "lineno"):
            gast.copy_location(new, place)
    return node


def load(name):
    return gast.Name(name, gast.Load(), None, None)


def store(name):
    return gast.Name(name, gast.Store(), None, None)


def assign(name, value, place):
    """`name = value`; value is a node or a Python constant."""
    if not isinstance(value, gast.AST):
        value = gast.Constant(value, None)
    return at(gast.Assign([store(name)], value, None), place)


def negate(test):
    """`not test`."""
    if isinstance(test, gast.UnaryOp) and isinstance(test.op, gast.Not):
        return test.operand
    return gast.UnaryOp(gast.Not(), test)


def choose(test, body, orelse, place):
    """The statements of `if test: body else: orelse`, without empty sides."""
    if body:
        return [at(gast.If(test, body, orelse), place)]
    return [at(gast.If(negate(test), orelse, []), place)] if orelse else [at(gast.If(test, [gast.Pass()], []), place)]


def call(function, *args):
    """`function(*args)` for a name or a node."""
    return gast.Call(load(function) if isinstance(function, str) else function, list(args), [])


def both(operator, tests):
    """`test and test and ...` (or `or`); a single test as it is."""
    return tests[0] if len(tests) == 1 else gast.BoolOp(operator, tests)


def duplicate(stmts):
    """Copies with nodes of their own."""
    return copy.deepcopy(stmts)


def blocks(stmt):
    """The statement lists directly inside a statement (those of nested functions and classes are not)."""
    if isinstance(stmt, FUNCTIONS):
        return []
    found = [getattr(stmt, field) for field in ("body", "orelse", "finalbody") if isinstance(getattr(stmt, field, None), list)]
    found += [part.body for field in ("handlers", "cases") for part in getattr(stmt, field, ())]
    return found


def rewrite(stmts, function):
    """Apply function(stmt) -> list to every statement, inner before outer, nested functions too."""
    result = []
    for stmt in stmts:
        for block in blocks(stmt) + ([stmt.body] if isinstance(stmt, gast.FunctionDef) else []):
            block[:] = rewrite(block, function)
        result += function(stmt)
    return result


def contains(stmts, kinds):
    """Whether a statement of these kinds occurs in the block; nested functions do not count."""
    return any(isinstance(stmt, kinds) or any(contains(block, kinds) for block in blocks(stmt)) for stmt in stmts)


def leaves(stmts, kinds):
    """Whether a statement of these kinds occurs in the block outside of the bodies of loops: Break and Continue that leave the block."""
    return any(isinstance(stmt, kinds) or any(leaves(block, kinds) for block in level(stmt)) for stmt in stmts)


def contains_yield(stmt):
    """Whether a statement yields; nested functions do not count, unless it is one itself."""
    todo = [*gast.iter_child_nodes(stmt)]
    while todo:
        node = todo.pop()
        if isinstance(node, YIELDS):
            return True
        if not isinstance(node, FUNCTIONS):
            todo.extend(gast.iter_child_nodes(node))
    return False


def level(stmt):
    """The blocks of a statement whose `break` and `continue` refer to the same loop as the statement's own."""
    return [stmt.orelse] if isinstance(stmt, LOOPS) else blocks(stmt)


class Fresh:
    """Names that do not occur in a tree: fresh("_break") gives _break, _break_1, ..."""

    def __init__(self, tree, taken=()):
        self.taken = set(taken)
        for node in gast.walk(tree):
            for field in ("id", "name", "asname", "attr", "arg"):
                value = getattr(node, field, None)
                if isinstance(value, str):
                    self.taken.add(value)
            self.taken.update(getattr(node, "names", ()) if isinstance(node, gast.Global | gast.Nonlocal) else ())

    def __call__(self, base):
        name, count = base, 0
        while name in self.taken:
            count += 1
            name = f"{base}_{count}"
        self.taken.add(name)
        return name
