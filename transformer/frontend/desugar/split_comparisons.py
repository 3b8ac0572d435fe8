"""A chained comparison becomes comparisons of two, with every operand evaluated at most once and in order.

>>> from transformer.frontend.desugar import before_and_after
>>> print(before_and_after('''
... def f(a, b):
...     return 0 < a <= b, a < g(b) < 3
... ''', split_comparisons))
def f(a, b):
    return (0 < a and a <= b, a < (_middle := g(b)) and _middle < 3)

Inside the iterable of a comprehension, where Python allows no `:=`, the middle is the parameter of a lambda:

>>> print(before_and_after('''
... def f(a, b):
...     return [i for i in range(a < g(b) < 3)]
... ''', split_comparisons))
def f(a, b):
    return [i for i in range((lambda _left, _middle: _left < _middle and _middle < 3)(a, g(b)))]
"""

import gast

from ..syntax import at, both, call, load, store

COMPREHENSIONS = (gast.ListComp, gast.SetComp, gast.DictComp, gast.GeneratorExp)


def split_comparisons(stmts, fresh):
    """Statement list whose comparisons have one operator each."""
    splitter = _Split(fresh)
    return [splitter.visit(stmt) for stmt in stmts]


class _Split(gast.NodeTransformer):
    def __init__(self, fresh):
        self.fresh, self.walrus_allowed = fresh, True

    def visit_comprehension(self, node):
        before, self.walrus_allowed = self.walrus_allowed, False
        node.iter = self.visit(node.iter)
        self.walrus_allowed = before
        node.ifs = [self.visit(test) for test in node.ifs]
        return node

    def visit_Lambda(self, node):
        before, self.walrus_allowed = self.walrus_allowed, True
        self.generic_visit(node)
        self.walrus_allowed = before
        return node

    def visit_Compare(self, node):
        self.generic_visit(node)
        if len(node.ops) == 1:
            return node
        if self.walrus_allowed or all(map(_is_simple, node.comparators[:-1])):
            return at(self.with_walrus(node.left, node.ops, node.comparators), node)
        return at(self.with_lambda(node.left, node.ops, node.comparators), node)

    def with_walrus(self, left, ops, rights):
        tests = []
        for op, right in zip(ops, rights, strict=True):
            again = right
            if right is not rights[-1] and not _is_simple(right):
                name = self.fresh("_middle")
                right, again = gast.NamedExpr(store(name), right), load(name)
            tests.append(gast.Compare(left, [op], [right]))
            left = again
        return both(gast.And(), tests)

    def with_lambda(self, left, ops, rights):
        if len(ops) == 1:
            return gast.Compare(left, ops, rights)
        first, middle = self.fresh("_left"), self.fresh("_middle")
        rest = self.with_lambda(load(middle), ops[1:], rights[1:])
        parameters = gast.arguments([_parameter(first), _parameter(middle)], [], None, [], [], None, [])
        test = gast.Compare(load(first), ops[:1], [load(middle)])
        return call(gast.Lambda(parameters, both(gast.And(), [test, rest])), left, rights[0])


def _parameter(name):
    return gast.Name(name, gast.Param(), None, None)


def _is_simple(node):
    return isinstance(node, gast.Name | gast.Constant)
