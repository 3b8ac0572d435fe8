"""One random program under every transform, against plain Python, loops over lanes and finite differences."""

import itertools
import linecache
import warnings

import numpy as np

import transformer as T

from .generator import SIZE, Generator

REFUSALS = ("one of two", "has views", "mask", "a list grows", "is set on one side only", "may run no round", "are computed in the condition")
_numbers = itertools.count()


class Fault(AssertionError):
    """A program that a transform gets wrong."""


def program_of(draw):
    return Generator(draw).program()


def load(text):
    """The function f of a program, with its source known to linecache."""
    file = f"<fuzz {next(_numbers)}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    scope = {"__name__": "fuzz_program"}
    exec(compile(text, file, "exec"), scope)
    return scope["f"]


def arguments(draw):
    x = np.array([0.1 + 0.01 * draw(150) for _ in range(SIZE)]) + np.linspace(0.001, 0.004, SIZE)
    return x, 0.2 + 0.01 * draw(130)


def slope(fn, x, k, direction, step):
    at = [fn(x + sign * step * direction[0], k + sign * step * direction[1]) for sign in (1, -1)]
    return (at[0] - at[1]) / (2 * step)


def close(got, want, tolerance):
    return np.allclose(np.asarray(got), np.asarray(want), rtol=tolerance, atol=tolerance)


class Check:
    """Runs the checks of one program; `outcome` is "checked", "refused" or "invalid" (plain Python fails on it)."""

    def __init__(self, text, x, k):
        self.text, self.x, self.k = text, x, k
        self.fn = load(text)
        rng = np.random.RandomState(3)
        self.direction = rng.randn(SIZE), rng.randn()

    def run(self):
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            try:
                value = float(self.fn(self.x.copy(), self.k))
            except (IndexError, ZeroDivisionError, OverflowError, ValueError, UnboundLocalError):
                return "invalid"
            if not np.isfinite(value) or abs(value) > 1e6:
                return "invalid"
            try:
                self.first_order(value)
                self.batched()
                self.second_order()
            except T.TransformError as error:
                if any(text in str(error) for text in REFUSALS):
                    return "refused"
                raise Fault(f"{type(error).__name__}: {error}\n{self.text}") from error
            except Fault:
                raise
            except (NameError, TypeError, KeyError, ValueError, IndexError, AttributeError, RuntimeError) as error:
                raise Fault(f"{type(error).__name__}: {error}\n{self.text}") from error
        return "checked"

    def fail(self, what, got, want):
        raise Fault(f"{what}: {np.asarray(got)} instead of {np.asarray(want)} at x = {self.x!r}, k = {self.k!r}\n{self.text}")

    def expect(self, what, got, want, tolerance=1e-8):
        if not close(got, want, tolerance):
            self.fail(what, got, want)

    def first_order(self, value):
        before = self.x.copy()
        got, gradient = T.value_and_grad(self.fn, (0, 1))(self.x, self.k)
        if float(got) != value:
            self.fail("value beside the gradient", got, value)
        if not np.array_equal(self.x, before):
            self.fail("argument after the gradient", self.x, before)
        self.gradient = gradient
        along = np.dot(gradient[0], self.direction[0]) + gradient[1] * self.direction[1]
        self.compare_with_differences("gradient", self.fn, along)
        self.expect("value under jit", T.jit(self.fn)(self.x.copy(), self.k), value)
        compiled = T.jit(T.grad(self.fn, (0, 1)))(self.x, self.k)
        self.expect("gradient under jit", compiled[0], gradient[0])
        self.expect("gradient of k under jit", compiled[1], gradient[1])
        tangent = T.jvp(self.fn, (self.x, self.k), self.direction)[1]
        self.expect("forward against reverse mode", tangent, along)

    def compare_with_differences(self, what, fn, got, tolerance=1e-5):
        """Finite differences count where two steps agree: elsewhere the function has a kink nearby."""
        fine, coarse = (slope(fn, self.x, self.k, self.direction, step) for step in (1e-6, 4e-6))
        if np.isfinite(fine) and close(fine, coarse, tolerance * 0.1) and not close(got, fine, tolerance):
            if close(fine, slope(fn, self.x, self.k, self.direction, 1e-7), tolerance):
                self.fail(what, got, fine)

    def batched(self):
        xs = np.stack([self.x, self.x * 1.3 - 0.2, self.x[::-1].copy()])
        ks = np.array([self.k, self.k + 0.4, 0.9])
        try:
            want = [float(self.fn(x.copy(), k)) for x, k in zip(xs, ks)]
        except (IndexError, ZeroDivisionError, UnboundLocalError):
            return
        if not np.all(np.isfinite(want)):
            return
        self.expect("vmap", T.vmap(self.fn)(xs.copy(), ks), want)
        gradient = T.grad(self.fn, (0, 1))
        lanes = [gradient(x.copy(), float(k)) for x, k in zip(xs, ks)]
        got = T.jit(T.vmap(gradient))(xs.copy(), ks)
        self.expect("jit of vmap of grad", got[0], np.stack([g[0] for g in lanes]))
        self.expect("jit of vmap of grad, k", got[1], np.stack([g[1] for g in lanes]))
        total = T.grad(lambda xs, ks: np.sum(T.vmap(self.fn)(xs, ks)))(xs.copy(), ks)
        self.expect("grad of vmap", total, np.stack([g[0] for g in lanes]))

    def second_order(self):
        gradient = T.grad(self.fn)

        def pulled(x, k):
            return np.dot(gradient(x, k), self.direction[0])
        got = T.jvp(lambda x, k: np.dot(T.grad(self.fn)(x, k), self.direction[0]), (self.x, self.k), self.direction)[1]
        self.compare_with_differences("second derivative", pulled, got, 1e-4)
        twice = T.grad(lambda x, k: np.dot(T.grad(self.fn)(x, k), self.direction[0]), (0, 1))(self.x, self.k)
        along = np.dot(twice[0], self.direction[0]) + twice[1] * self.direction[1]
        self.expect("forward against reverse over reverse", got, along, 1e-7)


def check(draw):
    """Draw a program and check it; its outcome. Raises Fault."""
    text = program_of(draw)
    x, k = arguments(draw)
    return Check(text, x, k).run()
