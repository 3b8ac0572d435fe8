"""The text of a glue function and the objects it refers to."""

import itertools


class NoGlue(Exception):
    """A part of a call has no short form: it goes the general way."""


class Writer:
    """Collects lines and names.

    >>> writer = Writer()
    >>> writer.test("len(args) != 1")
    >>> writer.line(f"return {writer.bind(abs, 'abs')}(*args)")
    >>> print(writer.text("call"))
    def call(*args, **kwargs):
        if len(args) != 1: return following(*args, **kwargs)
        return abs_0(*args)
    <BLANKLINE>
    """

    def __init__(self):
        self.lines, self.scope, self.names = [], {}, {}
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
        """Pass the call on if the condition is true."""
        line = f"if {condition}: return following(*args, **kwargs)"
        if line not in self.lines:
            self.lines.append(line)

    def spread(self, text, values, static=None, checked=False):
        """Unpack a sequence into names; (name, value, whether it is static) for each. `checked`: its length is known."""
        values = list(values)
        names = [self.fresh("a") for _ in values]
        if not names:
            self.test(f"len({text})")
        elif checked:
            self.line(f"{', '.join(names)}, = {text}")
        else:
            self.line(f"try: {', '.join(names)}, = {text}")
            self.line("except ValueError: return following(*args, **kwargs)")
        return list(zip(names, values, static or [False] * len(values)))

    def text(self, name):
        return f"def {name}(*args, **kwargs):\n" + "".join(f"    {line}\n" for line in self.lines)

    def function(self, name):
        """The function with the lines written so far. What takes the calls that it passes on is its global `following`."""
        exec(compile(self.text(name), f"<glue {name}>", "exec"), self.scope)
        return self.scope[name]


__all__ = ["NoGlue", "Writer"]
