"""Random loops over elements, for property tests: some of independent rounds, some not."""

import numpy as np
from hypothesis import strategies as st

from transformer.core import Apply, Aval, For, Hole, Mark, Program, Update
from transformer.ops.op import TABLE

SIZE = 12
FLOAT, INT = np.dtype(float), np.dtype(int)
PARAMS = {"x": ((SIZE,), FLOAT), "z": ((SIZE,), np.dtype(np.float32)), "A": ((SIZE, SIZE), FLOAT), "at": ((SIZE,), INT),
          "y": ((SIZE,), FLOAT), "Y": ((SIZE, SIZE), FLOAT), "w": ((SIZE,), FLOAT)}
ALL = slice(None)
RANGES = [(0, SIZE, 1)] * 4 + [(1, SIZE - 1, 1), (SIZE - 1, -1, -1), (SIZE - 2, 0, -1), (0, SIZE, 2), (-3, 4, 1), (3, 3, 1)]
BINARY = ["add", "subtract", "multiply", "divide", "maximum", "minimum"]


class Maker:
    """tame: without most of what keeps rounds from being independent."""

    def __init__(self, random, sweep=False):
        self.random, self.sweep, self.number, self.values = random, sweep, 0, []
        self.tame = random.random() < 0.8
        self.avals = {name: Aval(*aval) for name, aval in PARAMS.items()} | {"k": Aval((), FLOAT, True), "n": Aval((), INT, True)}

    def fresh(self, aval, hint="t"):
        self.number += 1
        name = f"{hint}_{self.number}"
        self.avals[name] = aval
        return name

    def program(self):
        body = [Mark("reverse")] if self.sweep else []
        body.append(self.loop([], 1 + self.random.randint(0, 1)))
        return Program("f", [*PARAMS, "k", "n"], body, ["y", "Y", "w"], self.avals, {n: n.rstrip("0123456789_") for n in self.avals})

    def loop(self, around, depth):
        indices = [*around, self.fresh(Aval((), INT, True), "i")]
        bounds = self.random.choice(RANGES[:-3] if self.tame else RANGES)
        body, outer = [], self.values
        self.values = list(outer)
        for _ in range(self.random.randint(2, 6)):
            self.compute(body, indices)
        if depth > 1:
            body.append(self.loop(indices, depth - 1))
        for _ in range(self.random.randint(1, 2) if depth == 1 else self.random.randint(0, 1)):
            self.store(body, indices)
        self.values = outer
        return For(indices[-1], *bounds, body)

    def apply(self, body, name, *args):
        op = TABLE[name]
        have = op.infer(*(self.avals[a] if isinstance(a, str) else Aval((), np.dtype(type(a)), True) for a in args))
        weak = all(not isinstance(a, str) or self.avals[a].weak for a in args) and have.dtype.kind in "if" and name in BINARY[:3]
        body.append(Apply(self.fresh(have._replace(weak=weak and have.shape == ()), name), op, args, {}))
        return body[-1].target

    def place(self, body, indices):
        """An index operand: a loop's index, shifted, mirrored or stretched, seldom one that is read from an array."""
        index = self.random.choice([indices[-1], indices[-1], *indices])
        if self.tame and self.random.random() < 0.9:
            return index
        kind = self.random.choice(["plain"] * 6 + ["shift"] * 3 + ["mirror", "stretch", "fixed", "read"])
        if kind == "shift":
            return self.apply(body, self.random.choice(["add", "subtract"]), index, 1)
        if kind == "mirror":
            return self.apply(body, "subtract", SIZE - 1, index)
        if kind == "stretch":
            return self.apply(body, "multiply", index, 2)
        if kind == "read":
            body.append(Apply(self.fresh(Aval((), INT), "p"), TABLE["getitem"], ("at", index), {"index": (Hole(0),)}))
            return body[-1].target
        return 0 if kind == "fixed" else index

    def element(self, body, indices, array):
        """(template, operands) of an element, or of a row of it."""
        if len(self.avals[array].shape) == 1:
            places = [self.place(body, indices)]
        elif self.random.random() < 0.2:
            places = [self.place(body, indices), ALL]
        else:
            places = [self.place(body, indices), self.place(body, indices)]
        args = [p for p in places if isinstance(p, str)]
        return tuple(Hole(args.index(p)) if isinstance(p, str) else p for p in places), tuple(dict.fromkeys(args))

    def compute(self, body, indices):
        kind = self.random.choice(["read"] * 4 + ["binary"] * 4 + ["unary", "where", "less"])
        if kind == "read" or not self.values:
            array = self.random.choice(["x", "A"] if self.tame and self.random.random() < 0.95 else ["x", "A", "z", "y", "Y"])
            template, args = self.element(body, indices, array)
            shape = tuple(SIZE for e in template if e == ALL)
            body.append(Apply(self.fresh(Aval(shape, self.avals[array].dtype), "e"), TABLE["getitem"], (array, *args), {"index": template}))
            self.values.append(body[-1].target)
        elif kind == "unary":
            names = ["negative", "absolute", "square"] + (["sin", "exp"] if self.sweep or not self.tame else [])
            self.values.append(self.apply(body, self.random.choice(names), self.random.choice(self.values)))
        elif kind == "binary":
            pair = [self.random.choice(self.values), self.random.choice([*self.values, "k", 2.0, 3, indices[-1], indices[0]])]
            self.values.append(self.apply(body, self.random.choice(BINARY), *pair[:: self.random.choice([1, -1])]))
        else:
            test = self.apply(body, "less", self.random.choice(self.values), self.random.choice([0.5, indices[-1], *self.values]))
            if kind == "where":
                self.values.append(self.apply(body, "where", test, self.random.choice([*self.values, 1.5]), self.random.choice(self.values)))

    def store(self, body, indices):
        target = self.random.choice(["y", "w", "Y"])
        template, args = self.element(body, indices, target)
        shape = tuple(SIZE for e in template if e == ALL)
        fitting = [v for v in self.values if self.avals[v].shape in ((), shape)]
        value = self.random.choice([*fitting, *fitting, *fitting, 0.5, "k", indices[-1]])
        body.append(Update(target, template, args, value, self.random.choice(["set", "set", "add"])))


def arguments():
    rng = np.random.default_rng(3)
    made = [rng.integers(0, SIZE, shape) if dtype == INT else rng.normal(size=shape).astype(dtype) for shape, dtype in PARAMS.values()]
    return [*made, 0.8, 5]


def programs(sweep=False):
    """A hypothesis strategy of programs of one loop nest; sweep: it stands behind the mark "reverse"."""
    return st.randoms(use_true_random=False).map(lambda random: Maker(random, sweep).program())
