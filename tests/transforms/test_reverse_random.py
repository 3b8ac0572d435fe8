"""Reverse mode on random programs: against forward mode, and against the same program split, simplified and printed."""

import dataclasses
import random

import numpy as np
import pytest

from tests.helpers import copies
from tests.interpret import interpret
from tests.random_programs import Maker, arguments
from tests.transforms.programs import float_positions, printed_outputs, pull
from transformer.check import check
from transformer.core import Aval, For, If, is_name
from transformer.frontend.builder import Builder
from transformer.transforms.forward import forward
from transformer.transforms.reverse import reverse
from transformer.transforms.simplify import simplify

FLOAT, INT = np.dtype(float), np.dtype(int)


def compare(program, args, order, rng):
    """<seeds, forward mode> = <reverse mode, direction>, and again for the program of the cotangents."""
    count, wrt = len(program.outputs), float_positions(args)
    values = interpret(program, *copies(args))
    seeded = [np.asarray(v).dtype.kind == "f" for v in values]
    seeds = [rng.normal(size=np.shape(v)) for v, s in zip(values, seeded) if s]
    joint = check(reverse(program, wrt, ["param" if s else None for s in seeded]))
    primal, bars = pull(joint, args, seeds, count)
    for have, want in zip(primal, values, strict=True):
        np.testing.assert_array_equal(have, want)
    direction = [rng.normal(size=np.shape(args[k])) for k in wrt]
    dots = interpret(forward(program, wrt), *copies(args), *direction)[count:]
    terms = [s * d for s, d in zip(seeds, (d for d, s in zip(dots, seeded) if s), strict=True)]
    have = sum(np.sum(b * d) for b, d in zip(bars, direction, strict=True))
    size = sum(np.sum(np.abs(t)) for t in terms)
    if not np.isfinite(size) or size > 1e6:
        return
    np.testing.assert_allclose(have, sum(map(np.sum, terms)), rtol=1e-8, atol=1e-9 * (1 + size))
    slim = check(simplify(joint))
    for a, b in zip(printed_outputs(slim, [*args, *seeds]), primal + bars, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-8, atol=1e-9 * (1 + size))
    names = list(filter(is_name, joint.outputs[count:]))
    if order > 1 and names:
        compare(dataclasses.replace(joint, outputs=names), [*args, *seeds], order - 1, rng)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("seed", range(30))
def test_random_programs(seed):
    program = Maker(random.Random(seed), 14).program()
    compare(program, arguments(), 1 + seed % 2, np.random.default_rng(seed))


class Nests:
    """Random loop nests that read and store elements at affine indices: what is overwritten, and seen later, varies."""

    BOUNDS = [(2, 5, 1), (4, 1, -1), (2, "n", 1), (1, 5, 2), (5, 2, -2), (3, 4, 1)]

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.builder = b = Builder("f")
        first = b.parameter("A0", Aval((9, 9), FLOAT)), b.parameter("V0", Aval((9,), FLOAT))
        self.n = b.parameter("n", Aval((), INT, True))
        with b:
            self.a, self.v = map(np.copy, first)
            self.block([], 0, 6)
            self.program = b.program([np.sum(self.a * self.a) * self.v[3], self.v * self.a[3]])

    def index(self, loops):
        c = self.random.randrange(5)
        if not loops or self.random.random() < 0.2:
            return c if self.random.random() < 0.8 else slice(c, c + 2)
        i = self.random.choice(loops)
        return self.random.choice([i + (c - 2), i + (c - 2), 2 * i, loops[0] + loops[-1], 5 - i])

    def read(self, loops):
        found = self.v[self.index(loops)] if self.random.random() < 0.4 else self.a[self.index(loops), self.index(loops)]
        return np.sum(found) if found.shape else found

    def value(self, loops):
        kind, one = self.random.randrange(3), self.read(loops)
        return np.sin(one) * self.read(loops) if kind == 0 else np.cos(one) * 1.3 if kind == 1 else one * 0.9 + 0.1

    def block(self, loops, depth, size):
        for _ in range(self.random.randint(1, size)):
            kind = self.random.random()
            if kind < 0.25 and depth < 3:
                self.loop(loops, depth)
            elif kind < 0.35 and depth:
                self.branch(loops, depth)
            elif self.random.random() < 0.5:
                self.v[self.index(loops)] = self.value(loops)
            else:
                self.a[self.index(loops), self.index(loops)] = self.value(loops)

    def loop(self, loops, depth):
        inner = [(loops[-1], 5, 1), (2, loops[-1], 1), (loops[-1], 1, -1)] if loops and self.random.random() < 0.3 else self.BOUNDS
        lo, hi, step = self.random.choice(inner)
        name = self.builder.fresh("i", Aval((), INT, True))
        with self.builder.nested() as body:
            self.block([*loops, self.builder.reference(name)], depth + 1, 3)
        lo, hi = (self.builder.read(self.builder.operand(self.n if x == "n" else x)) for x in (lo, hi))
        self.builder.add(For(name, lo, hi, step, body))

    def branch(self, loops, depth):
        test = self.builder.read(self.read(loops) > 0.1)
        with self.builder.nested() as body:
            self.block(loops, depth + 1, 2)
        with self.builder.nested() as orelse:
            if self.random.random() < 0.5:
                self.block(loops, depth + 1, 2)
        self.builder.add(If(test, body, orelse))


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("seed", range(40))
def test_random_nests(seed):
    program, rng = Nests(seed).program, np.random.default_rng(seed)
    args = [rng.uniform(-1.0, 1.0, (9, 9)), rng.uniform(-1.0, 1.0, 9), 5]
    try:
        interpret(program, *copies(args))
    except IndexError:
        pytest.skip("an index out of range")
    compare(program, args, 1 + seed % 2, rng)
