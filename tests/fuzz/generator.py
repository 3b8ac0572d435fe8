"""Random small NumPy programs, by the templates of `grammar`.

A program is the source of `f(x, k, n)` with x a vector of `SIZE` floats, k a float and n an integer below SIZE. Values mostly stay bounded,
so that finite differences mean something; array indices are in range.
"""

import functools
import re

from . import grammar, idioms, uneven
from .grammar import HEADER, SIZE

HOLE = re.compile(r"\{(\w+|\w[=+^])\}")
TABLES = {"S": (grammar.SCALARS + idioms.SCALARS + uneven.SCALARS, grammar.SCALARS_OF + idioms.SCALARS_OF),
          "V": (grammar.VECTORS + idioms.VECTORS + uneven.VECTORS, grammar.VECTORS_OF), "M": (grammar.MATRICES + idioms.MATRICES + uneven.MATRICES, []),
          "U": (uneven.FIVES, uneven.FIVES_OF), "R": (uneven.GRIDS, []),
          "P": (grammar.INTEGERS, []), "B": (grammar.CONDITIONS, []), "W": (grammar.MASKS, []), "i": (grammar.INDICES, [])}
SIMPLE, NESTED = (grammar.SIMPLE + idioms.SIMPLE + uneven.SIMPLE, grammar.NESTED + idioms.NESTED + uneven.NESTED)
RESULTS = {"v": "np.sum({0} * {0}) * 0.5", "s": "np.sin({0})", "m": "np.sum({0} * {0}) * 0.1", "d": "np.sum({0} * {0}) * 0.1", "q": "{0} * 0.1",
           "y": "np.sum(np.abs({0}) ** 2) * 0.1", "p": "{0} @ TABLE", "b": "{0} @ TABLE", "u": "{0} @ {0} * 0.2", "r": "np.sum({0} * {0} * TABLE) * 0.1",
           "h": "np.sum({0} * TABLE)", "e": "{0}[0] * 0.2"}
"""What a variable adds to the value of the program."""


def grouped(text):
    """An expression that can stand anywhere: in parentheses where it has operators."""
    return text if re.fullmatch(r"[\w.]+(\([^() ]*\)|\[[^\[\] ]*\])*", text) else f"({text})"


@functools.cache
def needed(template):
    """The holes of a template that need a name."""
    return [hole for hole in HOLE.findall(template) if hole in grammar.KINDS or hole[-1] == "="]


def shared(lines, scope):
    """The declaration of the names of an outer function that the lines bind."""
    bound = {name for line in lines for name in re.findall(r"(?:^ *|^ *[\w, ]+, )(\w+)(?=,[\w, ]+ = | [^ \w]*= )", line)}
    known = sorted(bound & {name for names in scope.stored.values() for name in names})
    return [f"nonlocal {', '.join(known)}"] if known else []


class Scope:
    """The names that a statement can read, by kind, and those that it can store into."""

    def __init__(self, names, stored):
        self.names, self.stored = names, stored

    def inner(self):
        return Scope({k: list(v) for k, v in self.names.items()}, {k: list(v) for k, v in self.stored.items()})

    def add(self, kind, name):
        self.names.setdefault("q" if kind == "w" else kind, []).append(name)
        if kind not in "lw":
            self.stored.setdefault(kind, []).append(name)

    def fits(self, template):
        """Whether there are names for all holes that need one."""
        return all(self.names.get(hole) if len(hole) == 1 else self.stored.get(hole[0]) for hole in needed(template))


class Generator:
    """Draws a program. `draw(n)` gives an integer in range(n); where it comes from (a seed, hypothesis) is the caller's choice."""

    def __init__(self, draw):
        self.draw, self.count, self.loops, self.keeps = draw, 0, 0, False

    def pick(self, choices):
        return choices[self.draw(len(choices))]

    def program(self):
        """Source text of the module: f, or in one of four g, which returns its variables in a dictionary, and f, which sums them up."""
        self.keeps = self.draw(4) == 0
        scope = Scope({"s": ["k"], "v": ["x"], "q": ["n"]}, {})
        lines = ["def g(x, k, n):" if self.keeps else "def f(x, k, n):"]
        starts = [("v", self.pick(["v0 = x * 1.0", "v0 = x"])), ("s", "s0 = k + 0.0"), ("m", "m0 = np.outer(x, x + 0.3) * 0.5")]
        if self.draw(2):
            starts += [("u", "u0 = np.append(x, k) * 0.9"), ("r", "r0 = np.outer(u0, x) * 0.6")]
        for kind, text in starts:
            lines.append("    " + text)
            scope.add(kind, text[:2])
        for _ in range(2 + self.draw(5)):
            lines += ["    " + line for line in self.statement(scope, 2)]
        if self.keeps:
            names = [name for kind in RESULTS for name in self.last(scope, kind)]
            lines += [f"    return {{{', '.join(f'{name!r}: {name}' for name in names)}}}", "", "", "def f(x, k, n):", "    r = g(x, k, n)"]
        result = [text.format(f"r[{name!r}]" if self.keeps else name) for kind, text in RESULTS.items() for name in self.last(scope, kind)]
        return HEADER + "\n".join([*lines, f"    return {' + '.join(result)}"]) + "\n"

    def last(self, scope, kind):
        """The first two and the last two names of a kind that the program bound."""
        names = scope.stored.get(kind, [])
        return list(dict.fromkeys(names[:2] + names[-2:]))

    def statement(self, scope, fuel):
        """Lines of one statement; its new names join the scope."""
        options = list(SIMPLE)
        if fuel > 0:
            options += NESTED * 3
        if self.loops:
            options += grammar.LEAVING * 3
        leaves = [t for t in options if not self.keeps or t.startswith("def") or "return {S}" not in t]
        return self.filled(self.pick([t for t in leaves if scope.fits(t)]), scope, fuel)

    def filled(self, template, scope, fuel):
        """The lines of a template with its holes filled; what a head binds is known in its block, everything else afterwards."""
        new, inner, lines, loops, keeps = [], scope.inner(), [], self.loops, self.keeps
        self.keeps = keeps and not template.startswith("def")
        for line in template.split("\n"):
            indent = line[:len(line) - len(line.lstrip())]
            if line.strip() == "{block}":
                block = self.block(inner.inner(), fuel - 1)
                lines += [indent + text for text in (shared(block, scope) if template.startswith("def") else []) + block]
                continue
            self.loops = 0 if line.startswith("def ") else self.loops + line.lstrip().startswith(("for", "while"))
            inner = scope.inner() if line.startswith("else") else inner
            lines.append(indent + self.line(line.strip(), inner if indent else scope, inner, new))
        self.loops, self.keeps = loops, keeps
        for kind, name, head in new:
            if not head:
                scope.add(kind, name)
        return lines

    def block(self, scope, fuel):
        return [line for _ in range(1 + self.draw(3)) for line in self.statement(scope, fuel)]

    def line(self, line, scope, inner, new):
        """One line; `new` collects its new names: (kind, name, whether it is a head's and ends with the statement)."""
        head, fresh = line.startswith(("for", "def")), []

        def fill(match):
            hole = match[1]
            if hole[-1] == "+":
                self.count += 1
                fresh.append((hole[0], f"{hole[0]}{self.count}", head))
                return fresh[-1][1]
            if hole[-1] == "^":
                return next(name for kind, name, _ in reversed(new) if kind == hole[0])
            return self.hole(hole, scope, 2)
        text = HOLE.sub(fill, line).replace("{{", "{").replace("}}", "}")
        new.extend(fresh)
        for kind, name, _ in fresh:
            inner.add(kind, name)
        return text

    def hole(self, hole, scope, fuel):
        if hole == "c":
            return str(0.25 * (1 + self.draw(6)))
        if hole == "j":
            return str(self.draw(SIZE))
        if hole == "z":
            return str([self.draw(SIZE) for _ in range(SIZE)])
        if hole[-1] == "=":
            return self.pick(scope.stored[hole[0]])
        return self.expression(hole, scope, fuel) if hole in TABLES else self.pick(scope.names[hole])

    def expression(self, kind, scope, fuel):
        leaves, composites = TABLES[kind]
        template = self.pick([t for t in leaves + (composites if fuel > 0 else []) if scope.fits(t)])
        text = HOLE.sub(lambda match: self.hole(match[1], scope, fuel - 1), template)
        return text if kind in "Bi" else grouped(text)


__all__ = ["SIZE", "Generator"]
