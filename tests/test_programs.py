"""Every program of `tests/programs` under every transform, compared with plain Python and finite differences."""

import copy
import warnings

import numpy as np
import pytest

import transformer as T
from transformer import printing, tree

from .programs import PROGRAMS

IDS = [f"{s.fn.__name__}-{i}" for i, s in enumerate(PROGRAMS)]
each_program = pytest.mark.parametrize("sample", PROGRAMS, ids=IDS)


def leaves(value):
    return [np.asarray(leaf) for leaf in tree.flatten(value)[0]]


def fresh(sample):
    return copy.deepcopy(sample.args)


def assert_close(got, want, tolerance=1e-9):
    got, want = leaves(got), leaves(want)
    assert len(got) == len(want)
    for g, w in zip(got, want):
        assert g.shape == w.shape
        np.testing.assert_allclose(g, w, rtol=tolerance, atol=tolerance)


def weights(sample):
    """Fixed weights that make a scalar of any output."""
    rng = np.random.RandomState(0)
    return [rng.rand(*leaf.shape) + 0.5 for leaf in leaves(sample.fn(*fresh(sample)))]


def scalar(sample):
    """The program followed by a weighted sum of its outputs, as a function that can be transformed."""
    fn, w = sample.fn, weights(sample)

    def total(*args):
        parts = tree.flatten(fn(*args))[0]
        result = 0.0
        for i in range(len(w)):
            result = result + np.sum(np.real(parts[i]) * w[i])
        return result
    return total


def precision(sample):
    """(step, tolerance) of finite differences for the program's dtype."""
    single = any(leaf.dtype == np.float32 for leaf in leaves([sample.args[i] for i in sample.wrt]))
    return (1e-2, 2e-2) if single else (1e-6, 2e-6)


def directional(fn, sample, direction, step):
    """Central difference of a scalar function along a direction of the differentiated arguments."""
    def at(sign):
        args = list(fresh(sample))
        for i, d in zip(sample.wrt, direction):
            args[i] = tree.tree_map(lambda x, t: x + sign * step * t, args[i], d)
        return float(fn(*args))
    return (at(1) - at(-1)) / (2 * step)


def direction_for(sample, seed=1):
    rng = np.random.RandomState(seed)

    def random_like(x):
        t = rng.randn(*np.shape(x))
        if np.asarray(x).dtype.kind == "c":
            t = t + 1j * rng.randn(*np.shape(x))
        return np.asarray(t, np.asarray(x).dtype)[()] if np.ndim(x) or not isinstance(x, float) else float(t)
    return [tree.tree_map(random_like, sample.args[i]) for i in sample.wrt]


def pair(gradient, direction):
    return sum(float(np.sum(np.real(g * t))) for g, t in zip(leaves(gradient), leaves(direction)))


@each_program
def test_value_under_jit(sample):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert_close(T.jit(sample.fn)(*fresh(sample)), sample.fn(*fresh(sample)), 1e-5 if precision(sample)[0] > 1e-3 else 1e-9)


@each_program
def test_primal_is_bit_identical(sample):
    total = scalar(sample)
    value, _ = T.value_and_grad(total, sample.wrt)(*fresh(sample))
    assert np.asarray(value) == np.asarray(total(*fresh(sample)))


@each_program
def test_gradient(sample):
    total, direction = scalar(sample), direction_for(sample)
    step, tolerance = precision(sample)
    want = directional(total, sample, direction, step)
    got = T.grad(total, sample.wrt)(*fresh(sample))
    np.testing.assert_allclose(pair(got, direction), want, rtol=tolerance, atol=tolerance)
    compiled = T.jit(T.grad(total, sample.wrt))(*fresh(sample))
    assert_close(compiled, got, max(tolerance * 1e-2, 1e-9))


@each_program
def test_forward_agrees_with_reverse(sample):
    total, direction = scalar(sample), direction_for(sample)

    def restricted(*wrt):
        args = list(fresh(sample))
        for i, value in zip(sample.wrt, wrt):
            args[i] = value
        return total(*args)
    primals = tuple(fresh(sample)[i] for i in sample.wrt)
    got = T.grad(total, sample.wrt)(*fresh(sample))
    tangent = T.jvp(lambda *wrt: total(*place(sample, wrt)), primals, tuple(direction))[1]
    tolerance = 1e-3 if precision(sample)[0] > 1e-3 else 1e-8
    np.testing.assert_allclose(float(np.real(tangent)), pair(got, direction), rtol=tolerance, atol=tolerance)
    assert restricted(*primals) is not None


def place(sample, wrt):
    """The sample's arguments with the differentiated ones replaced."""
    args = list(sample.args)
    for i, value in zip(sample.wrt, wrt):
        args[i] = value
    return args


def batch_of(sample, size=3):
    """The differentiated arguments with a leading axis: scaled copies."""
    factors = np.linspace(0.8, 1.2, size)

    def stack(x):
        return np.stack([np.asarray(x * f, np.asarray(x).dtype) for f in factors])
    args = list(fresh(sample))
    for i in sample.wrt:
        args[i] = tree.tree_map(stack, args[i])
    return args, tuple(0 if i in sample.wrt else None for i in range(len(args)))


def loop_over(fn, args, axes, size=3):
    results = []
    for lane in range(size):
        one = [tree.tree_map(lambda x: x[lane].copy() if x.ndim > 1 else x[lane], a) if axis == 0 else a for a, axis in zip(args, axes)]
        results.append(leaves(fn(*one)))
    return [np.stack(parts) for parts in zip(*results)]


@each_program
def test_batch(sample):
    args, axes = batch_of(sample)
    want = loop_over(sample.fn, args, axes)
    tolerance = 1e-5 if precision(sample)[0] > 1e-3 else 1e-9
    assert_close(T.vmap(sample.fn, axes)(*copy.deepcopy(args)), want, tolerance)
    assert_close(T.jit(T.vmap(sample.fn, axes))(*copy.deepcopy(args)), want, tolerance)


@each_program
def test_batch_of_gradient(sample):
    args, axes = batch_of(sample)
    gradient = T.grad(scalar(sample), sample.wrt)
    want = loop_over(gradient, args, axes)
    tolerance = 1e-4 if precision(sample)[0] > 1e-3 else 1e-8
    assert_close(T.vmap(gradient, axes)(*copy.deepcopy(args)), want, tolerance)


@each_program
def test_second_order(sample):
    total, direction = scalar(sample), direction_for(sample)
    step, tolerance = precision(sample)
    gradient = T.grad(total, sample.wrt)

    def slope(*args):
        return pair(gradient(*args), direction)

    def inner(*wrt):
        grads = gradient(*place(sample, wrt))
        parts = tree.flatten(grads)[0]
        dots = tree.flatten(direction)[0]
        result = 0.0
        for i in range(len(dots)):
            result = result + np.sum(np.real(parts[i] * dots[i]))
        return result
    primals = tuple(fresh(sample)[i] for i in sample.wrt)
    want = directional(slope, sample, direction, step * 10)
    got = T.jvp(inner, primals, tuple(direction))[1]
    np.testing.assert_allclose(float(np.real(got)), want, rtol=tolerance * 100, atol=tolerance * 100)
    twice = T.grad(inner, tuple(range(len(primals))))(*primals)
    np.testing.assert_allclose(pair(twice, direction), want, rtol=tolerance * 100, atol=tolerance * 100)


@each_program
def test_every_stage_keeps_the_value(sample):
    """Each stage is printed, executed and compared with the original function: a rewrite must not change the primal."""
    total = scalar(sample)
    want = np.asarray(total(*fresh(sample)))
    entry, found = T.value_and_grad(total, sample.wrt).find(fresh(sample), {})
    assert [stage for stage, _ in entry.stages] == ["core", "simplify", "grad", "simplify"]
    for stage, program in [*entry.stages, ("vectorise", entry.program)]:
        result = printing.load(program)(*entry.values(copy.deepcopy(list(found))))
        first = np.asarray(result[0] if isinstance(result, tuple) else result)
        np.testing.assert_array_equal(first, want, err_msg=stage)
