"""`match` becomes a chain of `if`.

>>> from transformer.frontend.desugar import before_and_after
>>> print(before_and_after('''
... def f(kind, x):
...     match kind:
...         case "relu" | "max":
...             y = x
...         case float(k) if k:
...             y = k * x
...         case other:
...             y = other
...     return y
... ''', remove_match))
def f(kind, x):
    _subject = kind
    if _subject == 'relu' or _subject == 'max':
        y = x
    elif isinstance(_subject, float) and [(k := _subject)] and k:
        y = k * x
    else:
        other = _subject
        y = other
    return y
"""

import gast

from ..syntax import assign, at, both, call, choose, duplicate, load, rewrite, store

ITSELF = "bool bytearray bytes dict float frozenset int list set str tuple".split()


def remove_match(stmts, fresh):
    """Statement list without Match."""
    return rewrite(stmts, lambda stmt: _Matcher(fresh, stmt).chain() if isinstance(stmt, gast.Match) else [stmt])


class _Matcher:
    """One match statement. A pattern at a `subject` (an expression without effects) gives tests, and captures (name, value)."""

    def __init__(self, fresh, stmt):
        self.fresh, self.stmt, self.imports = fresh, stmt, {}

    def chain(self):
        name = self.fresh("_subject")
        result = []
        for case in reversed(self.stmt.cases):
            result = self.case(case, load(name), result)
        return [*self.import_abstract_classes(), assign(name, self.stmt.subject, self.stmt), *result]

    def import_abstract_classes(self):
        if not self.imports:
            return []
        aliases = [gast.alias(name, alias) for name, alias in self.imports.items()]
        return [at(gast.ImportFrom("collections.abc", aliases, 0), self.stmt)]

    def abstract_class(self, name):
        if name not in self.imports:
            self.imports[name] = self.fresh(f"_{name}")
        return load(self.imports[name])

    def case(self, case, subject, orelse):
        place = case.pattern
        tests, captures = self.pattern(case.pattern, subject)
        body = case.body
        if case.guard is not None:
            if captures:
                bindings = [gast.NamedExpr(store(name), value) for name, value in captures]
                tests = [both(gast.And(), tests), gast.List(bindings, gast.Load())] if tests else [gast.List(bindings, gast.Load())]
            tests = [*tests, case.guard]
        else:
            body = [assign(name, value, place) for name, value in captures] + body
        return choose(both(gast.And(), tests), body, orelse, place) if tests else body

    def pattern(self, node, subject):
        return getattr(self, f"match_{type(node).__name__}")(node, duplicate(subject))

    def all_of(self, pairs):
        found = [self.pattern(pattern, subject) for pattern, subject in pairs]
        return [t for tests, _ in found for t in tests], [c for _, captures in found for c in captures]

    def match_MatchValue(self, node, subject):
        return [at(gast.Compare(subject, [gast.Eq()], [node.value]), node)], []

    def match_MatchSingleton(self, node, subject):
        return [at(gast.Compare(subject, [gast.Is()], [gast.Constant(node.value, None)]), node)], []

    def match_MatchAs(self, node, subject):
        tests, captures = self.pattern(node.pattern, subject) if node.pattern else ([], [])
        return tests, captures + ([(node.name, subject)] if node.name else [])

    def match_MatchOr(self, node, subject):
        found = [self.pattern(pattern, subject) for pattern in node.patterns]
        if not any(captures for _, captures in found):
            if any(not tests for tests, _ in found):
                return [], []
            return [at(both(gast.Or(), [both(gast.And(), tests) for tests, _ in found]), node)], []
        names = [name for name, _ in found[0][1]]
        sides = [self.binding(tests, captures) for tests, captures in found]
        return [at(both(gast.Or(), sides), node)], [(name, load(name)) for name in names]

    def binding(self, tests, captures):
        bindings = gast.List([gast.NamedExpr(store(name), value) for name, value in captures], gast.Load())
        return both(gast.And(), [*tests, bindings])

    def match_MatchSequence(self, node, subject):
        count = len(node.patterns)
        star = next((i for i, p in enumerate(node.patterns) if isinstance(p, gast.MatchStar)), None)
        length = call("len", duplicate(subject))
        compare, needed = (gast.Eq(), count) if star is None else (gast.GtE(), count - 1)
        texts = gast.Tuple([load(name) for name in ("str", "bytes", "bytearray")], gast.Load())
        tests = [
            call("isinstance", subject, self.abstract_class("Sequence")),
            gast.UnaryOp(gast.Not(), call("isinstance", duplicate(subject), texts)),
            gast.Compare(length, [compare], [gast.Constant(needed, None)]),
        ]
        more, captures = self.all_of([(p, _item(subject, i, star, count)) for i, p in enumerate(node.patterns)])
        return [at(test, node) for test in tests] + more, captures

    def match_MatchStar(self, node, subject):
        return [], [(node.name, call("list", subject))] if node.name else []

    def match_MatchMapping(self, node, subject):
        tests = [call("isinstance", subject, self.abstract_class("Mapping"))]
        tests += [gast.Compare(duplicate(key), [gast.In()], [duplicate(subject)]) for key in node.keys]
        items = [(p, _subscript(subject, key)) for key, p in zip(node.keys, node.patterns, strict=True)]
        more, captures = self.all_of(items)
        if node.rest:
            captures = [*captures, (node.rest, self.rest(subject, node.keys))]
        return [at(test, node) for test in tests] + more, captures

    def rest(self, subject, keys):
        key = self.fresh("_key")
        test = gast.Compare(load(key), [gast.NotIn()], [gast.Tuple(duplicate(keys), gast.Load())])
        generator = gast.comprehension(store(key), duplicate(subject), [test], 0)
        return gast.DictComp(load(key), _subscript(subject, load(key)), [generator])

    def match_MatchClass(self, node, subject):
        tests = [call("isinstance", subject, duplicate(node.cls))]
        values = [self.positional(node, subject, i) for i in range(len(node.patterns))]
        for name in node.kwd_attrs:
            tests.append(call("hasattr", duplicate(subject), gast.Constant(name, None)))
            values.append(gast.Attribute(duplicate(subject), name, gast.Load()))
        more, captures = self.all_of(zip([*node.patterns, *node.kwd_patterns], values, strict=True))
        return [at(test, node) for test in tests] + more, captures

    def positional(self, node, subject, number):
        if isinstance(node.cls, gast.Name) and node.cls.id in ITSELF:
            return duplicate(subject)
        names = gast.Attribute(duplicate(node.cls), "__match_args__", gast.Load())
        return call("getattr", duplicate(subject), _subscript(names, gast.Constant(number, None)))


def _subscript(value, index):
    return gast.Subscript(duplicate(value), duplicate(index), gast.Load())


def _item(subject, number, star, count):
    """Element `number` of a sequence pattern; behind a star counted from the end; the star itself is a slice."""
    if star is None or number < star:
        return _subscript(subject, gast.Constant(number, None))
    behind = number - count
    if number > star:
        return _subscript(subject, _integer(behind))
    return _subscript(subject, gast.Slice(gast.Constant(number, None), _integer(behind + 1) if behind + 1 else None, None))


def _integer(value):
    return gast.Constant(value, None) if value >= 0 else gast.UnaryOp(gast.USub(), gast.Constant(-value, None))
