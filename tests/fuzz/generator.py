"""Random small NumPy programs: arithmetic, branches, loops, stores through views, reductions, helper calls.

A program is the source of `f(x, k)` with x a vector of `SIZE` floats and k a float, and a helper. Values stay bounded, so that finite
differences mean something; array indices are always in range.
"""

SIZE = 5
HEADER = '''import numpy as np


def helper(a, b):
    if a > b:
        return a * 0.5 + np.sin(b)
    return b - a * a * 0.25


'''


def grouped(text):
    """An expression that can stand anywhere: in parentheses where it has operators."""
    return text if text.isidentifier() or " " not in text else f"({text})"


class Generator:
    """Draws a program. `draw(n)` gives an integer in range(n); where it comes from (a seed, hypothesis) is the caller's choice."""

    def __init__(self, draw):
        self.draw = draw
        self.count = 0
        self.lines = []
        self.loops = 0

    def pick(self, *choices):
        return choices[self.draw(len(choices))]

    def fresh(self, kind):
        self.count += 1
        return f"{kind}{self.count}"

    def program(self):
        """Source text of the module."""
        scope = {"s": ["k"], "v": ["x"], "i": []}
        self.lines = ["def f(x, k):"]
        self.emit(1, "v0 = x * 1.0")
        self.emit(1, "s0 = k + 0.0")
        scope["s"].append("s0")
        scope["v"].append("v0")
        for _ in range(3 + self.draw(5)):
            self.statement(scope, 1, 2)
        total = " + ".join([f"np.sum({v} * {v})" for v in scope["v"][1:3]] + [f"np.sin({s})" for s in scope["s"][-3:]])
        self.emit(1, f"return {total}")
        return HEADER + "\n".join(self.lines) + "\n"

    def emit(self, depth, text):
        self.lines.append("    " * depth + text)

    def block(self, scope, depth, fuel):
        inner = {kind: list(names) for kind, names in scope.items()}
        for _ in range(1 + self.draw(3)):
            self.statement(inner, depth, fuel)

    def statement(self, scope, depth, fuel):
        simple = [self.new_scalar, self.new_vector, self.change_scalar, self.change_vector, self.store, self.view_store, self.call]
        nested = [self.branch, self.loop, self.rows, self.while_loop]
        options = simple + (nested if fuel > 0 else [])
        if self.loops and fuel < 2:
            options.append(self.leave)
        self.pick(*options)(scope, depth, fuel)

    # expressions --------------------------------------------------------------
    def scalar(self, scope, fuel=2):
        v, s = self.pick(*scope["v"]), self.pick(*scope["s"])
        options = [s, f"{0.25 * (1 + self.draw(6))}", f"{v}[{self.index(scope)}]", f"np.sum({v}) * 0.2", f"np.max({v})", f"np.mean({v})",
                   f"np.dot({v}, {self.pick(*scope['v'])}) * 0.1"]
        if fuel > 0:
            a, b = self.scalar(scope, fuel - 1), self.scalar(scope, fuel - 1)
            options += [f"({a} + {b}) * 0.5", f"({a} - {b})", f"{a} * {b} * 0.5", f"np.tanh({a})", f"np.sin({a} + {b})",
                        f"np.exp(-({a}) * ({a}))", f"np.sqrt(1.0 + {a} * {a})", f"min({a}, {b})", f"max({a}, {b})",
                        f"({a} if {self.condition(scope)} else {b})", f"abs({a})", f"{a} / (2.0 + {b} * {b})", f"({a}) ** 2 * 0.3"]
        return grouped(self.pick(*options))

    def vector(self, scope, fuel=1):
        v = self.pick(*scope["v"])
        options = [v, f"{v}[::-1]", f"np.sort({v})", f"np.cumsum({v}) * 0.2", f"{v}.copy()"]
        if fuel > 0:
            a, b, s = self.vector(scope, fuel - 1), self.vector(scope, fuel - 1), self.scalar(scope, 0)
            options += [f"({a} + {b}) * 0.5", f"{a} * {b} * 0.5", f"np.tanh({a})", f"np.where({a} > {b}, {a}, {s})", f"{a} * {s}",
                        f"np.maximum({a}, {b})", f"np.sin({a}) + {s}", f"np.concatenate([{a}[2:], {b}[:2]])", f"np.roll({a}, 1)"]
        return grouped(self.pick(*options))

    def index(self, scope):
        options = [str(self.draw(SIZE)), str(-1 - self.draw(SIZE))]
        for name in scope["i"]:
            options += [name, f"({name} + {self.draw(3)}) % {SIZE}", f"{SIZE - 1} - {name}"]
        return self.pick(*options)

    def condition(self, scope):
        a, b = self.scalar(scope, 0), self.scalar(scope, 0)
        options = [f"{a} > {b}", f"{a} < 0.6", f"{a} > 0.3 and {b} < 1.2", f"not {a} > {b}", f"{a} < 0.2 or {b} > 0.9"]
        options += [f"{i} % 2 == 0" for i in scope["i"]]
        return self.pick(*options)

    # statements -----------------------------------------------------------------
    def new_scalar(self, scope, depth, fuel):
        name = self.fresh("s")
        self.emit(depth, f"{name} = {self.scalar(scope)}")
        scope["s"].append(name)

    def new_vector(self, scope, depth, fuel):
        name = self.fresh("v")
        self.emit(depth, f"{name} = {self.vector(scope)}{self.pick('', ' * 1.0')}")
        scope["v"].append(name)

    def change_scalar(self, scope, depth, fuel):
        name = self.pick(*scope["s"][1:])
        self.emit(depth, self.pick(f"{name} = np.sin({self.scalar(scope)})", f"{name} += {self.scalar(scope, 1)} * 0.3",
                                   f"{name} *= 0.5 + 0.1 * {self.scalar(scope, 0)}"))

    def change_vector(self, scope, depth, fuel):
        name = self.pick(*scope["v"][1:])
        self.emit(depth, self.pick(f"{name} = np.tanh({self.vector(scope)})", f"{name} += {self.vector(scope)} * 0.2", f"{name} *= 0.7",
                                   f"{name} -= {self.scalar(scope, 1)} * 0.1"))

    def store(self, scope, depth, fuel):
        name = self.pick(*scope["v"][1:])
        i = self.index(scope)
        self.emit(depth, self.pick(f"{name}[{i}] = {self.scalar(scope, 1)}", f"{name}[{i}] += {self.scalar(scope, 1)} * 0.3",
                                   f"{name}[1:4] = {self.vector(scope)}[0:3] * 0.5", f"{name}[::2] *= 0.5", f"{name}[:2] = {self.scalar(scope, 1)}",
                                   f"{name}[np.array([0, 2, 0])] += {self.scalar(scope, 0)} * 0.1", f"{name}[{name} > 0.8] = {self.scalar(scope, 0)}",
                                   f"np.add.at({name}, np.array([1, 1, 3]), {self.scalar(scope, 0)} * 0.2)"))

    def view_store(self, scope, depth, fuel):
        base, view = self.pick(*scope["v"][1:]), self.fresh("w")
        self.emit(depth, f"{view} = {base}[{self.pick('1:', ':3', '::-1', '::2')}]")
        self.emit(depth, self.pick(f"{view}[0] = {self.scalar(scope, 1)}", f"{view} += {self.scalar(scope, 0)} * 0.1", f"{view}[1:] *= 0.5"))
        if self.draw(2):
            self.emit(depth, f"{base}[1] = {view}[0] * 0.5 + np.sum({view}) * 0.1")

    def call(self, scope, depth, fuel):
        name = self.fresh("s")
        self.emit(depth, f"{name} = helper({self.scalar(scope, 1)}, {self.scalar(scope, 0)})")
        scope["s"].append(name)

    def branch(self, scope, depth, fuel):
        self.emit(depth, f"if {self.condition(scope)}:")
        self.block(scope, depth + 1, fuel - 1)
        if self.draw(2):
            self.emit(depth, "else:")
            self.block(scope, depth + 1, fuel - 1)

    def body(self, scope, depth, fuel, **names):
        inner = {kind: list(found) for kind, found in scope.items()}
        for kind, name in names.items():
            inner[kind].append(name)
        self.loops += 1
        self.block(inner, depth + 1, fuel - 1)
        self.loops -= 1

    def loop(self, scope, depth, fuel):
        i = self.fresh("i")
        bounds = self.pick(str(SIZE), f"1, {SIZE}", f"{SIZE - 1}, -1, -1", f"0, {SIZE}, 2", *(f"{j}" for j in scope["i"]))
        self.emit(depth, f"for {i} in range({bounds}):")
        self.body(scope, depth, fuel, i=i)

    def rows(self, scope, depth, fuel):
        e = self.fresh("e")
        self.emit(depth, f"for {e} in {self.vector(scope, 0)} * 1.0:")
        self.body(scope, depth, fuel, s=e)

    def while_loop(self, scope, depth, fuel):
        n, s = self.fresh("n"), self.pick(*scope["s"][1:])
        self.emit(depth, f"{n} = 0")
        self.emit(depth, f"while {s} < {0.5 + 0.25 * self.draw(6)} and {n} < {2 + self.draw(5)}:")
        self.emit(depth + 1, f"{n} += 1")
        self.emit(depth + 1, f"{s} = {s} + 0.2 + 0.05 * np.sin({self.scalar(scope, 0)})")
        self.body(scope, depth, fuel)

    def leave(self, scope, depth, fuel):
        self.emit(depth, f"if {self.condition(scope)}:")
        self.emit(depth + 1, self.pick("break", "continue"))
