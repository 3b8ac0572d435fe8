"""Which names a block binds, reads and stores into, and which names are live where.

All functions take gast trees before or after desugaring. A nested function or lambda counts with its free variables as reads at the
place of its definition; comprehension targets are local to the comprehension.

>>> tree = gast.parse("y = x[0]; y += z; h.append([i for i in y]); w[0] = 1")
>>> sorted(assigned(tree.body)), sorted(stored(tree.body)), sorted(loaded(tree.body))
(['y'], ['h', 'w'], ['h', 'w', 'x', 'y', 'z'])
"""

import weakref

import gast

from .syntax import FUNCTIONS, blocks, contains_yield

COMPREHENSIONS = (gast.ListComp, gast.SetComp, gast.DictComp, gast.GeneratorExp)
SCOPES = (gast.FunctionDef, gast.AsyncFunctionDef, gast.Lambda)


def assigned(stmts):
    """Names bound in a block: assignments (also augmented, `:=`, `for`, `with`, `match`), imports, def, and `del`."""
    return set().union(*(_bound(stmt) for stmt in stmts))


def stored(stmts):
    """Names into whose elements or attributes a block stores, or on which it calls a method (`h.append`, `np.exp` too): the
    root names of the chains. `x += v` counts with `assigned`."""
    names = set()
    for node in _walk(stmts):
        if isinstance(node, gast.Subscript | gast.Attribute) and not isinstance(node.ctx, gast.Load):
            names.add(_root(node))
        elif isinstance(node, gast.Call) and isinstance(node.func, gast.Attribute):
            names.add(_root(node.func))
    return names - {None}


def loaded(stmts):
    """Names read in a block, with the free variables of functions, lambdas and comprehensions in it; `x += v` reads x."""
    return set().union(*(_read(stmt) for stmt in stmts))


def local_names(function):
    """Parameters and names bound in the function itself."""
    return (parameters(function) | assigned(_body(function))) - declared_outside(function)


def is_generator(function):
    """Whether a function yields; looked up once."""
    if function not in _GENERATORS:
        _GENERATORS[function] = contains_yield(gast.Module(_body(function), []))
    return _GENERATORS[function]


_GENERATORS = weakref.WeakKeyDictionary()
"""Kept beside the nodes: what hangs on a node would be state of the program that is being transformed."""


def free_names(function):
    """Names that a function reads or declares nonlocal and does not bind: from enclosing functions, globals or builtins."""
    return (loaded(_body(function)) | declared_outside(function)) - local_names(function)


def parameters(function):
    """Parameter names of a FunctionDef or Lambda."""
    a = function.args
    named = [*a.posonlyargs, *a.args, *a.kwonlyargs, *(p for p in (a.vararg, a.kwarg) if p is not None)]
    return {parameter.id for parameter in named}


def live_after(function):
    """id(statement) -> names that may be read after it, for every statement of a function (or of a list of statements).

    For a statement inside of a loop this includes what later rounds read; names that nested functions read are live everywhere.
    """
    stmts = function if isinstance(function, list) else function.body
    shared = shared_names(stmts)
    liveness = _Liveness(shared)
    liveness.block(stmts, set(shared), None)
    return liveness.after


AT_ONCE = {"sum", "list", "tuple", "set", "frozenset", "dict", "sorted", "max", "min", "any", "all", "next", "reduce", "fromiter", "join"}
"""Names of functions that read the items of a generator expression at once."""


def reads_at_once(node):
    """Whether a call reads the items of generator expressions given to it before it returns."""
    return getattr(node.func, "id", getattr(node.func, "attr", None)) in AT_ONCE


def _read_later(stmts):
    """Names that functions and generator expressions of a block may read at any time."""
    nodes = [*_walk(stmts)]
    now = {id(arg) for node in nodes if isinstance(node, gast.Call) and reads_at_once(node) for arg in node.args}
    later = [_read_expression(node) for node in nodes if isinstance(node, gast.GeneratorExp) and id(node) not in now]
    return set().union(*later, *(free_names(node) for node in nodes if isinstance(node, SCOPES)))


def shared_names(stmts):
    """Names whose values matter outside of a function's own statements: read by nested functions, or declared nonlocal."""
    inner = _read_later(stmts)
    return inner | {name for node in _walk(stmts) if isinstance(node, gast.Nonlocal | gast.Global) for name in node.names}


def live_in_rounds(function):
    """id(loop) -> names that a later round of the loop, or what follows the loop, may read from an earlier round."""
    stmts = function.body
    liveness = _Liveness(_read_later(stmts))
    liveness.block(stmts, set(), None)
    return liveness.rounds


def augmented_only(stmts):
    """Names that a block binds by augmented assignment alone."""
    augmented, plain = set(), set()
    for node in _walk(stmts):
        if isinstance(node, gast.AugAssign) and isinstance(node.target, gast.Name):
            augmented.add(node.target.id)
        elif isinstance(node, gast.Assign):
            plain = plain.union(*map(_names, node.targets))
        elif isinstance(node, gast.For | gast.NamedExpr):
            plain |= _names(node.target)
        elif isinstance(node, gast.withitem) and node.optional_vars is not None:
            plain |= _names(node.optional_vars)
    return augmented - plain


class _Liveness:
    def __init__(self, shared):
        self.shared, self.after, self.rounds = shared, {}, {}

    def block(self, stmts, live, loop):
        """Names live before the block, given those after it; loop = (live at break, live at continue)."""
        for stmt in reversed(stmts):
            self.after[id(stmt)] = frozenset(live)
            live = self.statement(stmt, live, loop) | self.shared
        return live

    def statement(self, stmt, live, loop):
        if isinstance(stmt, gast.Return | gast.Raise):
            return _read(stmt)
        if isinstance(stmt, gast.Break | gast.Continue):
            return set() if loop is None else loop[isinstance(stmt, gast.Continue)]
        if isinstance(stmt, gast.If):
            return _read_expression(stmt.test) | self.block(stmt.body, live, loop) | self.block(stmt.orelse, live, loop)
        if isinstance(stmt, gast.For | gast.While):
            return self.loop(stmt, live, loop)
        if isinstance(stmt, gast.With):
            inner = self.block(stmt.body, live, loop)
            return inner.union(live, *(_read_expression(item.context_expr) for item in stmt.items))
        if isinstance(stmt, gast.Try):
            return self.protected(stmt, live, loop)
        if blocks(stmt):  # match: no name is killed
            return live.union(_read(stmt), *(self.block(block, live | _read(stmt), loop) for block in blocks(stmt)))
        return (live - _killed(stmt)) | _read(stmt)

    def protected(self, stmt, live, loop):
        """A `try`: what its handlers and `finally` read may be read after each statement of its body."""
        live, outer = self.block(stmt.finalbody, live, loop), self.shared
        self.shared = outer.union(*map(_read, stmt.finalbody))
        orelse = self.block(stmt.orelse, live, loop)
        handled = set().union(*(self.block(handler.body, live, loop) for handler in stmt.handlers),
                              *(_read_expression(handler.type) for handler in stmt.handlers if handler.type is not None))
        self.shared = self.shared | handled
        before = self.block(stmt.body, orelse, loop)
        self.shared = outer
        return before

    def loop(self, stmt, live, outer):
        exits = self.block(stmt.orelse, live, outer)
        is_for = isinstance(stmt, gast.For)
        test = set() if is_for else _read_expression(stmt.test)
        bound = _names(stmt.target) if is_for else set()
        start = exits | test
        while True:
            body = self.block(stmt.body, start, (live, start))
            following = exits | test | (body - bound)
            if is_for:
                following |= _read_target(stmt.target)
            if following <= start:
                break
            start = start | following
        self.rounds[id(stmt)] = frozenset(start)
        return start | (_read_expression(stmt.iter) if is_for else set())


def _killed(stmt):
    """Names that a simple statement certainly binds."""
    if isinstance(stmt, gast.Assign):
        return set().union(*map(_names, stmt.targets))
    if isinstance(stmt, gast.AnnAssign):
        return _names(stmt.target) if stmt.value else set()
    return _bound(stmt) if isinstance(stmt, gast.FunctionDef | gast.Import | gast.ImportFrom) else set()


def _names(target):
    """Names that an assignment target binds."""
    if isinstance(target, gast.Name):
        return {target.id}
    if isinstance(target, gast.Tuple | gast.List):
        return set().union(*map(_names, target.elts))
    return _names(target.value) if isinstance(target, gast.Starred) else set()


def _read_target(target):
    return {n.id for n in gast.walk(target) if isinstance(n, gast.Name) and isinstance(n.ctx, gast.Load)}


def _body(function):
    if isinstance(function, gast.Lambda):
        return [gast.Expr(function.body)]
    return function.body


def declared_outside(function):
    """Names that a function itself declares nonlocal or global."""
    kinds = (gast.Nonlocal, gast.Global)
    return {name for node in _walk(_body(function)) if isinstance(node, kinds) for name in node.names}


def _walk(stmts):
    """All nodes of a block, not inside of nested functions (whose nodes are yielded themselves, as are their decorators and defaults)."""
    todo = [*stmts][::-1]
    while todo:
        node = todo.pop()
        yield node
        todo.extend([*(_outer_parts(node) if isinstance(node, FUNCTIONS) else gast.iter_child_nodes(node))][::-1])


def _outer_parts(function):
    """The parts of a nested function or class that are evaluated where it is defined."""
    if isinstance(function, gast.ClassDef):
        return [*function.decorator_list, *function.bases, *function.keywords, *function.body]
    parts = [*getattr(function, "decorator_list", ()), *function.args.defaults, *function.args.kw_defaults]
    return [part for part in parts if part is not None]


def _bound(stmt):
    names = set()
    for node in _walk_outside_comprehensions(stmt):
        if isinstance(node, gast.Name) and isinstance(node.ctx, gast.Store | gast.Del):
            names.add(node.id)
        elif isinstance(node, gast.FunctionDef | gast.AsyncFunctionDef | gast.ClassDef):
            names.add(node.name)
        elif isinstance(node, gast.Import | gast.ImportFrom):
            names |= {(alias.asname or alias.name).split(".")[0] for alias in node.names}
        elif isinstance(node, gast.MatchAs | gast.MatchStar) and node.name:
            names.add(node.name)
        elif isinstance(node, gast.MatchMapping) and node.rest:
            names.add(node.rest)
    return names


def _walk_outside_comprehensions(node):
    """Like _walk; inside of comprehensions only what `:=` binds."""
    todo = [node]
    while todo:
        node = todo.pop()
        yield node
        if isinstance(node, COMPREHENSIONS):
            yield from (n.target for n in _walk([node]) if isinstance(n, gast.NamedExpr))
        else:
            todo.extend([*(_outer_parts(node) if isinstance(node, FUNCTIONS) else gast.iter_child_nodes(node))][::-1])


def _read(stmt):
    return _read_expression(stmt)


def _read_expression(node):
    names = set()
    if isinstance(node, SCOPES):
        names |= free_names(node)
        children = _outer_parts(node)
    elif isinstance(node, COMPREHENSIONS):
        inner = set().union(*(_read_expression(child) for child in gast.iter_child_nodes(node)))
        targets = set().union(*(_names(generator.target) for generator in node.generators))
        return (inner - targets) | _read_expression(node.generators[0].iter)
    else:
        children = gast.iter_child_nodes(node)
    if isinstance(node, gast.Name) and isinstance(node.ctx, gast.Load):
        names.add(node.id)
    if isinstance(node, gast.AugAssign) and isinstance(node.target, gast.Name):
        names.add(node.target.id)
    return names.union(*(_read_expression(child) for child in children))


def _root(node):
    """The name at the start of a chain of attributes, subscripts and calls."""
    while isinstance(node, gast.Attribute | gast.Subscript | gast.Call):
        node = node.func if isinstance(node, gast.Call) else node.value
    return node.id if isinstance(node, gast.Name) else None
