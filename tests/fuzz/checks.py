"""One random program under the transforms, against plain Python, loops over lanes and finite differences.

The first derivatives on NumPy are checked for every program. Of the rest, compiling costs most: each further check is drawn with the rate that
`RATES` gives it, and one program of four is compiled with XLA's optimisations (`__main__`).
"""

import itertools
import linecache
import sys
import types
import warnings

import numpy as np

import transformer as T
from transformer import printing

from .generator import SIZE, Generator

RATES = {"compiled": 2, "compiled_gradient": 2, "stages": 3, "batched": 2, "compiled_batch": 4, "compiled_batch_of_gradients": 4, "gradient_of_batch": 3,
         "batch_of_gradients": 3, "single": 3, "variables": 1, "compiled_variables": 3, "forward_over_reverse": 2, "reverse_over_reverse": 3,
         "compiled_second_order": 6}
"""A check is made for one in so many programs."""

INVALID = (IndexError, ZeroDivisionError, OverflowError, ValueError, NameError, TypeError, np.linalg.LinAlgError)
UNEXPECTED = (NameError, TypeError, KeyError, ValueError, IndexError, AttributeError, RuntimeError, AssertionError, RecursionError, ArithmeticError)
_numbers = itertools.count()


class Fault(AssertionError):
    """A program that a transform gets wrong."""


class Refused(Exception):
    """A program that a transform refuses, with its message."""


def load(text):
    """The function f of a program, with its source known to linecache; `f.__globals__` has g, where the program defines one."""
    name = f"fuzz_program_{next(_numbers)}"
    module = sys.modules[name] = types.ModuleType(name)
    linecache.cache[f"<{name}>"] = (len(text), None, text.splitlines(keepends=True), f"<{name}>")
    exec(compile(text, f"<{name}>", "exec"), module.__dict__)
    return module.f


def unload(fn):
    sys.modules.pop(fn.__module__)
    linecache.cache.pop(f"<{fn.__module__}>")


def arguments(draw):
    x = np.array([0.1 + 0.01 * draw(150) for _ in range(SIZE)]) + np.linspace(0.001, 0.004, SIZE)
    return x, 0.2 + 0.01 * draw(130), draw(SIZE)


def close(got, want, tolerance):
    return np.allclose(np.asarray(got), np.asarray(want), rtol=tolerance, atol=tolerance)


def kind_of(value):
    return f"{np.asarray(value).dtype}{list(np.shape(value))}"


class Check:
    """Runs the checks of one program at f(x, k, n); `run` gives "checked" or "invalid" (plain Python fails on it) or raises Fault or Refused."""

    def __init__(self, text, x, k, n):
        self.text, self.x, self.k, self.n = text, x, k, n
        self.fn = load(text)
        rng = np.random.RandomState(3)
        self.direction = rng.randn(SIZE), rng.randn()

    def run(self, chosen):
        """`chosen`: names of the checks in RATES to make."""
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            try:
                self.value, self.written = self.plain(self.x, self.k)
            except INVALID:
                return "invalid"
            if not np.isfinite(self.value) or abs(self.value) > 1e6:
                return "invalid"
            refusal = None
            for name in ["first_order", *chosen]:
                try:
                    self.attempt(name)
                except Refused as refused:
                    refusal = refusal or refused
                    if name == "first_order":
                        break
        if refusal:
            raise refusal
        return "checked"

    def attempt(self, name):
        try:
            getattr(self, name)()
        except T.TransformError as error:
            raise Refused(f"{type(error).__name__} in {name}: {error}") from error
        except Fault:
            raise
        except UNEXPECTED as error:
            raise Fault(f"{type(error).__name__} in {name}: {error}\n{self.text}") from error

    # plain Python -------------------------------------------------------------------
    def plain(self, x, k):
        """(the value, what x holds afterwards)."""
        x = x.copy()
        return float(self.fn(x, k, self.n)), x

    def slope(self, fn, step):
        at = [fn(self.x + sign * step * self.direction[0], self.k + sign * step * self.direction[1]) for sign in (1, -1)]
        return (at[0] - at[1]) / (2 * step)

    def along(self, gradient):
        return np.dot(gradient[0], self.direction[0]) + gradient[1] * self.direction[1]

    def fail(self, what, got, want):
        raise Fault(f"{what}: {np.asarray(got)} instead of {np.asarray(want)} at x = {self.x!r}, k = {self.k!r}, n = {self.n}\n{self.text}")

    def expect(self, what, got, want, tolerance=1e-8):
        if not close(got, want, tolerance * (1 + np.max(np.abs(want), initial=0.0))):
            self.fail(what, got, want)

    def compare_with_differences(self, what, fn, got, tolerance=1e-5):
        """Finite differences count where two steps agree: elsewhere the function has a kink nearby."""
        fine, coarse = (self.slope(fn, step) for step in (1e-6, 4e-6))
        if np.isfinite(fine) and close(fine, coarse, tolerance * 0.1) and not close(got, fine, tolerance * (1 + abs(fine))):
            if close(fine, self.slope(fn, 1e-7), tolerance):
                self.fail(what, got, fine)

    # first order -----------------------------------------------------------------------
    def gradients(self, x, k):
        return T.grad(self.fn, (0, 1))(x.copy(), k, self.n)

    def first_order(self):
        x = self.x.copy()
        value, self.gradient = T.value_and_grad(self.fn, (0, 1))(x, self.k, self.n)
        if float(value) != self.value:
            self.fail("value beside the gradient", value, self.value)
        self.compare_with_differences("gradient", lambda x, k: self.plain(x, k)[0], self.along(self.gradient))
        value, tangent = T.jvp(self.fn, (self.x.copy(), self.k, self.n), (*self.direction, 0))
        if float(value) != self.value:
            self.fail("value beside the tangent", value, self.value)
        self.expect("forward against reverse mode", tangent, self.along(self.gradient))

    def compiled(self):
        x = self.x.copy()
        self.expect("value under jit", T.jit(self.fn)(x, self.k, self.n), self.value)
        self.expect("argument after jit", x, self.written)

    def compiled_gradient(self):
        value, compiled = T.jit(T.value_and_grad(self.fn, (0, 1)))(self.x.copy(), self.k, self.n)
        self.expect("value beside the gradient under jit", value, self.value)
        self.expect("gradient under jit", compiled[0], self.gradient[0])
        self.expect("gradient of k under jit", compiled[1], self.gradient[1])

    def stages(self):
        """Each printed stage runs, and gives the value bit by bit."""
        entry, found = T.value_and_grad(self.fn, (0, 1)).find((self.x.copy(), self.k, self.n), {})
        for stage, program in entry.stages:
            result = printing.load(program)(*entry.values([np.copy(v) if isinstance(v, np.ndarray) else v for v in found]))
            value = float(result[0] if isinstance(result, tuple) else result)
            if value != self.value:
                self.fail(f"value of the stage {stage}", value, self.value)

    # types and shapes ----------------------------------------------------------------------
    def single(self):
        """In single precision: values and gradients that differ by rounding where the function is smooth. A value that has one type on one way
        through the program and another one on another way has the wider one here."""
        x, k = self.x.astype(np.float32), float(np.float32(self.k))
        want = np.asarray(self.fn(x.copy(), k, self.n))
        value, gradient = T.value_and_grad(self.fn, (0, 1))(x.copy(), k, self.n)
        if not np.can_cast(want.dtype, np.asarray(value).dtype):
            self.fail("type of the value in single precision", np.asarray(value).dtype, want.dtype)
        self.expect("value in single precision", value, want, 1e-4)
        if gradient[0].dtype != x.dtype:
            self.fail("type of the gradient in single precision", gradient[0].dtype, x.dtype)
        compiled = np.asarray(T.jit(self.fn)(x.copy(), k, self.n))
        if not np.can_cast(want.dtype, compiled.dtype):
            self.fail("type of the value under jit in single precision", compiled.dtype, want.dtype)
        near = [self.gradients(x.astype(float) + step, k + step) for step in (-1e-5, 0.0, 1e-5)]
        values = [self.plain(x.astype(float) + step, k + step)[0] for step in (-1e-5, 0.0, 1e-5)]
        if close(values[0], values[1], 1e-3) and close(values[2], values[1], 1e-3) and close(want, values[1], 1e-3):
            if all(close(a, b, 1e-3) for near_one in (near[0], near[2]) for a, b in zip(near_one, near[1])):
                self.expect("gradient in single precision", gradient[0], near[1][0], 1e-2)
                self.expect("value under jit in single precision", compiled, want, 1e-3)

    def expect_same(self, what, got, want):
        """The same type, shape and bits."""
        got, want = np.asarray(got), np.asarray(want)
        if got.dtype != want.dtype or not np.array_equal(got, want, equal_nan=want.dtype.kind in "fc"):
            self.fail(f"{what}: {kind_of(got)} for {kind_of(want)}", got, want)

    def kept(self, transform=lambda f: f):
        """The variables that g returns, where the program has g: (names, those of plain Python, those of a transform of g)."""
        g = self.fn.__globals__.get("g")
        if g is None:
            return ()
        want, got = g(self.x.copy(), self.k, self.n), transform(g)(self.x.copy(), self.k, self.n)
        if [*got] != [*want]:
            self.fail("names", [*got], [*want])
        return [(name, want[name], got[name]) for name in want]

    def variables(self):
        def push(g):
            return lambda x, k, n: T.jvp(g, (x, k, n), (*self.direction, 0))[0]
        for name, want, got in self.kept(push):
            self.expect_same(f"variable {name} beside its tangent", got, want)

    def compiled_variables(self):
        for name, want, got in self.kept(T.jit):
            if kind_of(got) != kind_of(want):
                self.fail(f"type of the variable {name} under jit", kind_of(got), kind_of(want))
            if np.all(np.isfinite(want)):
                self.expect(f"variable {name} under jit", got, want)
        lanes = self.lanes()
        if lanes and self.kept():
            g = self.fn.__globals__["g"]
            want, got = [g(x.copy(), float(k), self.n) for x, k in zip(*lanes[:2])], T.vmap(g, (0, 0, None))(lanes[0].copy(), lanes[1], self.n)
            for name in want[0]:
                if all(np.all(np.isfinite(w[name])) for w in want):
                    self.expect(f"variable {name} under vmap", got[name], [w[name] for w in want])

    # batches ------------------------------------------------------------------------------
    def lanes(self):
        """(xs, ks, values), or None where plain Python fails for a lane."""
        xs = np.stack([self.x, self.x * 1.3 - 0.2, self.x[::-1].copy()])
        ks = np.array([self.k, self.k + 0.4, 0.9])
        try:
            values = [self.plain(x, float(k))[0] for x, k in zip(xs, ks)]
        except INVALID:
            return None
        return (xs, ks, values) if np.all(np.isfinite(values)) and np.max(np.abs(values)) < 1e6 else None

    def many(self):
        return T.vmap(self.fn, (0, 0, None))

    def batched(self, transform=lambda f: f, what="vmap"):
        lanes = self.lanes()
        if lanes:
            self.expect(what, transform(self.many())(lanes[0].copy(), lanes[1], self.n), lanes[2])

    def compiled_batch(self):
        self.batched(T.jit, "jit of vmap")

    def expect_gradients(self, what, make):
        lanes = self.lanes()
        if lanes:
            rows = [self.gradients(x, float(k)) for x, k in zip(*lanes[:2])]
            got = make(lanes[0].copy(), lanes[1], self.n)
            self.expect(what, got[0], np.stack([row[0] for row in rows]))
            self.expect(f"{what}, k", got[1], np.stack([row[1] for row in rows]))

    def batch_of_gradients(self):
        self.expect_gradients("vmap of grad", T.vmap(T.grad(self.fn, (0, 1)), (0, 0, None)))

    def compiled_batch_of_gradients(self):
        self.expect_gradients("jit of vmap of grad", T.jit(T.vmap(T.grad(self.fn, (0, 1)), (0, 0, None))))

    def gradient_of_batch(self):
        fn = self.many()
        self.expect_gradients("grad of vmap", T.grad(lambda xs, ks, n: np.sum(fn(xs, ks, n)), (0, 1)))

    # second order ----------------------------------------------------------------------------
    def inner(self):
        fn, (dx, dk) = T.grad(self.fn, (0, 1)), self.direction

        def pulled(x, k, n):
            gx, gk = fn(x, k, n)
            return np.dot(gx, dx) + gk * dk
        return pulled

    def forward_over_reverse(self, transform=lambda f: f):
        inner = self.inner()

        def pushed(x, k, n):
            return T.jvp(lambda x, k: inner(x, k, n), (x, k), self.direction)[1]
        got = transform(pushed)(self.x.copy(), self.k, self.n)
        self.compare_with_differences("second derivative", lambda x, k: self.along(self.gradients(x, k)), got, 1e-4)
        return got

    def reverse_over_reverse(self):
        twice = T.grad(self.inner(), (0, 1))(self.x.copy(), self.k, self.n)
        self.expect("reverse over reverse against forward over reverse", self.along(twice), self.forward_over_reverse(), 1e-7)

    def compiled_second_order(self):
        self.forward_over_reverse(T.jit)


def check(draw):
    """Draw a program and check it; (outcome, message). Raises Fault."""
    text = Generator(draw).program()
    checked = Check(text, *arguments(draw))
    try:
        return checked.run([name for name, rate in RATES.items() if draw(rate) == 0]), ""
    except Refused as refusal:
        return "refused", str(refusal)
    finally:
        unload(checked.fn)
