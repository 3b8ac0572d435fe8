"""The text of a glue function and the objects it refers to."""

import itertools

MISS = object()
"""What glue returns for a call that it is not written for."""


class NoGlue(Exception):
    """A part of a call has no short form: it goes the general way."""


class Writer:
    """Collects lines and names.

    >>> writer = Writer()
    >>> writer.test("x is not " + writer.bind(MISS, "miss"))
    >>> writer.line("return x")
    >>> print(writer.text("call", ("x",)))
    def call(x):
        if x is not miss_0: return MISS
        return x
    <BLANKLINE>
    """

    def __init__(self):
        self.lines, self.scope, self.names = [], {"MISS": MISS}, {}
        self.numbers = itertools.count()

    def bind(self, value, hint):
        """A name for an object."""
        if id(value) not in self.names:
            name = self.fresh(hint)
            self.names[id(value)], self.scope[name] = name, value
        return self.names[id(value)]

    def fresh(self, hint):
        return f"{hint}_{next(self.numbers)}"

    def line(self, text):
        self.lines.append(text)

    def test(self, condition):
        """A MISS if the condition is true."""
        line = f"if {condition}: return MISS"
        if line not in self.lines:
            self.lines.append(line)

    def spread(self, text, values, static=None, checked=False):
        """Unpack a sequence into names; (name, value, whether it is static) for each."""
        values = list(values)
        names = [self.fresh("a") for _ in values]
        if not checked:
            self.test(f"len({text}) != {len(values)}")
        if names:
            self.line(f"{', '.join(names)}, = {text}")
        return list(zip(names, values, static or [False] * len(values)))

    def text(self, name, params):
        return f"def {name}({', '.join(params)}):\n" + "".join(f"    {line}\n" for line in self.lines)

    def function(self, name, params):
        """The function with the lines written so far."""
        exec(compile(self.text(name, params), f"<glue of {name}>", "exec"), self.scope)
        return self.scope[name]


__all__ = ["MISS", "NoGlue", "Writer"]
