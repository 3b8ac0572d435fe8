"""Random Core programs with views, stores, branches and loops, for property tests."""

import numpy as np
from hypothesis import strategies as st

from transformer.core import Apply, Aval, For, Hole, If, Move, Program, Update, While
from transformer.ops.op import TABLE

FLOAT = np.dtype(float)
INT = np.dtype(int)
SHAPES = [(), (3,), (2, 3), (3, 2)]
PARAMS = {"x": (3,), "y": (3,), "A": (2, 3), "s": (), "u": (3,)}
ALL = slice(None)


def aval(shape, weak=False):
    return Aval(shape, FLOAT, weak)


class Maker:
    """Draws one program from a `random.Random`."""

    def __init__(self, random, size=12, depth=2):
        self.random, self.size, self.depth = random, size, depth
        self.avals, self.scopes, self.carried = {}, [[]], set()
        self.number = 0
        self.frozen, self.decided = [], []

    def program(self):
        for name, shape in PARAMS.items():
            self.avals[name] = aval(shape)
        self.avals["k"] = aval((), True)
        self.avals["n"] = Aval((), INT, True)
        self.scopes[0] = [*self.avals]
        body = self.block(self.size, 0)
        outputs = [self.random.choice(self.visible()[-8:]) for _ in range(self.random.randint(1, 4))] + [self.pick()]
        return Program("f", [*PARAMS, "k", "n"], body, outputs, self.avals, {n: n.rstrip("0123456789_") for n in self.avals})

    # names -------------------------------------------------------------------
    def visible(self, shape=None, dtype=FLOAT):
        names = [n for scope in self.scopes for n in scope]
        return [n for n in names if self.avals[n].dtype == dtype and None not in self.avals[n].shape and (shape is None or self.avals[n].shape == shape)]

    def pick(self, shape=None, dtype=FLOAT):
        names = self.visible(shape, dtype)
        return self.random.choice(names) if names else None

    def fresh(self, shape, dtype=FLOAT, weak=False, hint=None):
        self.number += 1
        name = f"{hint or self.random.choice('abcdt')}_{self.number}"
        self.avals[name] = Aval(shape, dtype, weak)
        return name

    # statements ------------------------------------------------------------------
    def block(self, size, depth):
        out = []
        for _ in range(self.random.randint(1, size)):
            kinds = [self.compute] * 5 + [self.look] * 5 + [self.store] * 5 + [self.copy] * 2
            kinds += [self.branch, self.branch, self.repeat, self.repeat, self.loop, self.taped, self.again] if depth < self.depth else []
            out.extend(self.random.choice(kinds)(depth) or ())
        return out

    def bind(self, op, args, params=None, hint=None):
        found = TABLE[op].infer(*(self.aval(a) for a in args), **(params or {}))
        weak = all(self.aval(a).weak for a in args) and TABLE[op].symbol is not None and bool(args)
        name = self.fresh(found.shape, found.dtype, weak, hint)
        self.scopes[-1].append(name)
        return Apply(name, TABLE[op], tuple(args), params or {})

    def aval(self, atom):
        return self.avals[atom] if isinstance(atom, str) else Aval((), np.dtype(type(atom)), True)

    def compute(self, depth):
        op = self.random.choice(["add", "subtract", "multiply", "negative", "sin", "sum", "multiply", "power"])
        x = self.pick()
        if op in ("negative", "sin"):
            return [self.bind(op, [x])]
        if op == "power":
            return [self.bind(op, [x, self.random.choice([1, 2, 3])])]
        if op == "sum":
            return [self.bind(op, [x], {"axis": tuple(range(len(self.avals[x].shape))), "keepdims": False, "dtype": None})]
        literals = [0.0, 1.0, -1.0, 2.5, -2.0, -0.0, 1, 0]
        y = self.random.choice([self.pick(self.avals[x].shape), self.pick(()), self.random.choice(literals)])
        return [self.bind(op, self.random.choice([[x, y], [y, x]]))]

    def index(self, x):
        """A random basic template of the axes of x, with operands."""
        template, args = [], []
        for size in self.avals[x].shape:
            i = self.pick((), INT)
            entries = [ALL, slice(1, size, 1), slice(size - 1, None, -1), self.random.randrange(size), Hole(len(args))]
            entries = entries if size > 1 else [ALL, 0]
            entry = self.random.choice(entries)
            if isinstance(entry, Hole):
                args.append(self.small(i))
            template.append(entry)
        return tuple(template), args

    def small(self, name):
        return self.random.choice([0, 1, name]) if name in self.frozen else self.random.choice([0, 1])

    def look(self, depth):
        x = self.pick()
        shape = self.avals[x].shape
        kinds = ["getitem", "reshape", "transpose", "broadcast_to"] if shape else ["broadcast_to"]
        op = self.random.choice(kinds)
        if op == "getitem":
            template, args = self.index(x)
            return [self.bind(op, [x, *args], {"index": template})]
        if op == "reshape":
            size = self.avals[x].size
            return [self.bind(op, [x], {"shape": {6: self.random.choice([(2, 3), (3, 2)]), 3: (3,), 2: (2,)}.get(size, (size,))})]
        if op == "transpose":
            return [self.bind(op, [x], {"axes": tuple(range(len(shape)))[::-1]})]
        return [self.bind(op, [x], {"shape": (2, *shape)})] if len(shape) < 2 else None

    def store(self, depth):
        names = [n for n in self.visible() if self.avals[n].shape]
        x = self.random.choice(names)
        template, args = self.index(x)
        shape = TABLE["getitem"].infer(self.avals[x], *(self.aval(a) for a in args), index=template).shape
        value = self.random.choice([self.pick(shape), self.pick(()), 1.5]) or 2.0
        return [Update(x, template, tuple(args), value, self.random.choice(["set", "set", "add"]))]

    def copy(self, depth):
        x = self.pick()
        name = self.fresh(self.avals[x].shape, FLOAT, self.avals[x].weak)
        self.scopes[-1].append(name)
        self.carried.add(name)
        return [Move(name, x)]

    # control flow ---------------------------------------------------------------------
    def carries(self):
        """Moves of fresh names in front of a loop or branch, and the names."""
        sources = [self.pick() for _ in range(self.random.randint(0, 2))]
        moves = []
        for source in sources:
            name = self.fresh(self.avals[source].shape, FLOAT, self.avals[source].weak, self.random.choice("xyw"))
            moves.append(Move(name, source))
            self.scopes[-1].append(name)
        return moves

    def inside(self, depth, carries, locals_=(), bound=None):
        """A nested block that ends with Moves to carries; `bound` collects the names that it binds."""
        self.scopes.append(list(locals_))
        body = self.block(4, depth + 1)
        if bound is not None:
            bound.extend(n for n in self.scopes[-1] if n not in locals_)
        ends = []
        for target in self.random.sample(carries, self.random.randint(0, len(carries))):
            aval = self.avals[target]
            choices = [n for n in self.visible(aval.shape) if self.avals[n].weak == aval.weak and n != target]
            if choices:
                ends.append(Move(target, self.random.choice(choices)))
        self.scopes.pop()
        return body + ends

    def branch(self, depth):
        before = self.carries()
        names = [m.target for m in before]
        test = self.bind("less", [self.pick(()), self.random.choice([0.0, 0.7])], hint="test")
        self.scopes[-1].remove(test.target)
        sides = [], []
        body = self.inside(depth, names, bound=sides[0])
        orelse = self.inside(depth, names, bound=sides[1]) if self.random.random() < 0.6 else []
        self.decided.append((len(self.scopes), self.scopes[-1], test.target, sides))
        return [*before, test, If(test.target, body, orelse)]

    def again(self, depth):
        """A second `if` on the test of an earlier one: it may read what that one bound."""
        known = [d for d in self.decided if any(d[1] is s for s in self.scopes)]
        if not known:
            return None
        _, _, test, sides = self.random.choice(known)
        before = self.carries()
        names = [m.target for m in before]
        return [*before, If(test, self.inside(depth, names, sides[0]), self.inside(depth, names, sides[1]))]

    def taped(self, depth):
        """A loop that keeps an array each round, and a loop backwards that reads them; the tape grows or has a known extent."""
        row = self.pick((3,))
        grows = self.random.random() < 0.7
        tape = self.fresh((None, 3), hint="x_tape")
        made = Apply(tape, TABLE["tape" if grows else "empty"], () if grows else ("n",),
                     {"shape": (3,) if grows else (Hole(0), 3), "dtype": FLOAT})
        before = self.carries()
        start = self.fresh((3,), hint="x")
        before.append(Move(start, row))
        self.scopes[-1].append(start)
        index = self.fresh((), INT, True, "i")
        self.frozen.append(index)
        body = self.inside(depth, [m.target for m in before], [index])
        keep = Update(tape, (Hole(0), ALL), (index,), start)
        place = self.random.randint(0, next((k for k, s in enumerate(body) if isinstance(s, Move)), len(body)))
        place = place if not any(isinstance(s, Move) for s in body[:place]) else 0
        body.insert(place, keep)
        back = self.fresh((), INT, True, "i")
        read = self.fresh((3,), hint="x")
        self.frozen.append(back)
        carries = self.carries()
        rest = self.inside(depth, [m.target for m in carries], [back, read])
        entry = Apply(read, TABLE["getitem"], (tape, back), {"index": (Hole(0), ALL)})
        loops = [For(index, 0, "n", 1, body), *carries, For(back, 1, -1, -1, [entry, *rest])]
        return [made, *before, *loops]

    def repeat(self, depth):
        before = self.carries()
        index = self.fresh((), INT, True, "i")
        bounds = self.random.choice([(0, 2, 1), (1, -1, -1), (0, "n", 1)])
        self.frozen.append(index)
        body = self.inside(depth, [m.target for m in before], [index])
        return [*before, For(index, *bounds, body)]

    def loop(self, depth):
        before = self.carries()
        start = self.fresh((), INT, True, "m")
        counter = self.fresh((), INT, True, "j")
        new = self.fresh((), INT, True, "m")
        test = Apply(self.fresh((), np.dtype(bool), True, "go"), TABLE["less"], (start, 2), {})
        self.frozen.append(counter)
        body = self.inside(depth, [m.target for m in before], [counter])
        step = Apply(new, TABLE["add"], (start, 1), {})
        split = next((k for k, s in enumerate(body) if isinstance(s, Move) and s.target in {m.target for m in before}), len(body))
        body = [*body[:split], step, *body[split:], Move(start, new)]
        return [*before, Move(start, 0), While([test], test.target, body, self.random.choice([counter, counter]))]


def arguments():
    rng = np.random.default_rng(0)
    arrays = [rng.uniform(-1.0, 1.0, shape) if shape else np.float64(0.3) for shape in PARAMS.values()]
    return [*arrays, 0.8, 2]


def programs(size=12):
    """A hypothesis strategy of programs over the parameters PARAMS, k (float) and n (int)."""
    return st.randoms(use_true_random=False).map(lambda random: Maker(random, size).program())
