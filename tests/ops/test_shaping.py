"""Shapes, joining, repeating, picking: functions against NumPy through the emitted program, ops against their rules."""

import numpy as np
import pytest

from transformer.core import Aval
from transformer.errors import IndexMismatch, ShapeError, TransformError
from transformer.ops.op import TABLE, aval_of, lookup

from ..frontend.emitted import build, check, run
from .compiled import run_lowering

A = np.arange(12.0).reshape(3, 4) - 5.0
B = np.arange(24.0).reshape(2, 3, 4)
V = np.array([3.0, 1.0, 2.0])
S = 2.5
IDX = np.array([2, 0, -1])
I1 = np.ones((2, 1, 3))

FUNCTIONS = [
    lambda a: a.reshape(4, 3), lambda a: a.reshape(-1), lambda a: a.reshape((2, -1), order="F"), lambda a: np.ravel(a, "F"),
    lambda a: a.T, lambda a: a.mT, lambda a: a.transpose(1, 0), lambda a: a.transpose((1, 0)), lambda a: a.flatten(), lambda a: a.flatten("F"),
    lambda a: np.swapaxes(a, 0, 1), lambda a: a[None].swapaxes(0, -1), lambda a: np.expand_dims(a, (0, -1)), lambda a: np.squeeze(a[None, :, None]),
    lambda a: np.atleast_1d(a), lambda a: np.atleast_3d(a), lambda a: np.atleast_2d(a[0]), lambda a: np.broadcast_to(a, (2, 3, 4)),
    lambda a: tuple(np.broadcast_arrays(a, a[0])), lambda a: np.flip(a), lambda a: np.flip(a, 1), lambda a: np.fliplr(a), lambda a: np.flipud(a),
    lambda a: np.rot90(a), lambda a: np.rot90(a, 2), lambda a: np.rot90(a, 3), lambda a: np.rot90(a, -1, (1, 0)),
    lambda a: np.concatenate([a, a + 1]), lambda a: np.concatenate((a, a[:, :2]), axis=-1), lambda a: np.concatenate([a, a[0:1]], None),
    lambda a: np.stack([a, a]), lambda a: np.stack([a, a], -1), lambda a: np.vstack([a, a[0]]), lambda a: np.vstack([a[0], a[1]]),
    lambda a: np.hstack([a, a]), lambda a: np.hstack([a[0], a[1]]), lambda a: np.dstack([a, a]), lambda a: np.column_stack([a[0], a[1]]),
    lambda a: np.column_stack([a, a[:, 0]]), lambda a: np.block([[a, a[:, :1]], [a[:1], np.ones((1, 1))]]), lambda a: np.append(a, a[0]),
    lambda a: np.append(a, a, axis=0), lambda a: tuple(np.split(a, 2, axis=1)), lambda a: tuple(np.split(a, [1, 3], 1)),
    lambda a: tuple(np.array_split(a, 3, 1)), lambda a: tuple(np.hsplit(a, 2)), lambda a: tuple(np.vsplit(a, 3)), lambda a: np.unstack(a, axis=1),
    lambda a: np.tile(a, 2), lambda a: np.tile(a, (2, 1, 2)), lambda a: np.tile(a[0], (2, 2)), lambda a: np.repeat(a, 2), lambda a: np.repeat(a, 2, axis=1),
    lambda a: np.repeat(a, [1, 0, 2], axis=0), lambda a: a.repeat(3), lambda a: np.roll(a, 1), lambda a: np.roll(a, 1, axis=0),
    lambda a: np.roll(a, (1, -2), (0, 1)), lambda a: np.pad(a, 1), lambda a: np.pad(a, ((1, 0), (0, 2)), constant_values=7.0),
    lambda a: np.pad(a, (1, 2), "edge"), lambda a: np.pad(a, 1, "reflect"), lambda a: np.pad(a, 2, mode="symmetric"), lambda a: np.pad(a, 2, "wrap"),
    lambda a: np.pad(a, 1, constant_values=(1.0, 2.0)), lambda a: np.resize(a, (5, 3)), lambda a: np.delete(a, 1, axis=0), lambda a: np.delete(a, [0, 2], 1),
    lambda a: np.delete(a, 3), lambda a: np.insert(a, 1, 9.0, axis=0), lambda a: np.insert(a, 2, a[:, 0], axis=1), lambda a: np.insert(a, [1, 3], 0.0, 1),
    lambda a: np.insert(a, 0, [[1.0], [2.0], [3.0]], axis=1), lambda a: np.insert(a[0], 1, [5.0, 6.0]), lambda a: np.tril(a), lambda a: np.triu(a, 1),
    lambda a: np.tril(a[0]), lambda a: np.diag(a), lambda a: np.diag(a[0]), lambda a: np.diag(a[0], -1), lambda a: np.diagonal(a, 1), lambda a: np.diagflat(a, 1),
    lambda a: np.trace(a), lambda a: np.trace(a, 1), lambda a: np.take(a, [1, 5]), lambda a: np.take(a, [0, -1], axis=1), lambda a: np.take(a, 1, 0),
    lambda a: np.take(a, [7, -9], mode="wrap"), lambda a: np.take(a, [17, -9], mode="clip"), lambda a: a.take([0, 2], axis=0),
    lambda a: np.take_along_axis(a, np.array([[0, 1], [2, 3], [1, 1]]), 1), lambda a: np.compress([True, False, True], a, axis=0),
    lambda a: np.compress([False, True, True], a), lambda a: np.extract(a > 0, a), lambda a: a[np.ix_([0, 2], [1, 3])], lambda a: np.argwhere(a > 0),
    lambda a: np.nonzero(a > 0), lambda a: np.flatnonzero(a > 0), lambda a: np.nonzero(a[0]), lambda a: a[np.triu_indices_from(a)],
    lambda a: np.apply_along_axis(lambda r: r * 2, 1, a), lambda a: np.apply_along_axis(lambda r: r[0] + r[1], 0, a),
    lambda a: np.apply_over_axes(np.sum, a, [0, 1]), lambda a: a.item(5), lambda a: tuple(a.tolist()[1]), lambda a: a.flat[5],
    lambda a: a.squeeze(), lambda a: a.diagonal(), lambda a: a.trace(), lambda a: a.ravel(), lambda a: np.moveaxis(a[None], 0, -1),
    lambda a: np.rollaxis(a[None], 2), lambda a: np.permute_dims(a, (1, 0)), lambda a: np.matrix_transpose(a), lambda a: np.linalg.diagonal(a[None])]


@pytest.mark.parametrize("function", FUNCTIONS)
def test_function(function):
    check(function, A)


@pytest.mark.parametrize("function", [
    lambda b: np.moveaxis(b, (0, 1), (-1, 0)), lambda b: np.rollaxis(b, 2, 1), lambda b: np.transpose(b, (2, 0, 1)), lambda b: b.T,
    lambda b: np.diagonal(b, 0, 2, 0), lambda b: np.trace(b, 1, 1, 2), lambda b: np.dsplit(b, 2)[1], lambda b: np.tril(b), lambda b: np.swapaxes(b, 1, 2),
    lambda b: np.apply_along_axis(np.diag, 1, b), lambda b: np.take_along_axis(b, np.argsort(-b, 1)[:, :1], 1), lambda b: np.squeeze(b[:1], 0)])
def test_function_of_three_axes(function):
    check(function, B)


@pytest.mark.parametrize("function, arrays", [
    (lambda i: np.unravel_index(i, (3, 4, 5)), (np.array([7, 59]),)), (lambda i, j: np.ravel_multi_index((i, j), (3, 4)), (np.array([1, 2]), np.array([3, 0]))),
    (lambda i: np.unravel_index(i, (3, 4), order="F"), (np.array([7, 3]),)), (lambda a, i: np.take(a, i, axis=1), (A, IDX)),
    (lambda a, i: np.take(a, i, axis=1), (A, 2)), (lambda a, s: np.roll(a, s, axis=1), (A, 3)), (lambda a, x: np.stack([a, x]), (V, V)),
    (lambda a, x: np.pad(a, 1, constant_values=x), (A, 2.0)),
    (lambda a, x: np.append(a, x), (V, 2.5)), (lambda x: np.broadcast_to(x, (2, 2)), (2.5,)), (lambda a, i: a[np.ix_(i, i)], (A, np.array([0, 2])))])
def test_function_of_several_arguments(function, arrays):
    check(function, *arrays)


class Functions:
    """The table's functions by their NumPy names, as the specialiser calls them (np.array on a list never asks a reference)."""

    def __getattr__(self, name):
        return lookup(getattr(np, name))


@pytest.mark.parametrize("function, arrays", [
    (lambda n, i: n.take([5.0, 6.0, 7.0], i), (IDX,)), (lambda n, x, y: n.array([x, y, 1.0]), (1.5, 2.5)), (lambda n, x, y: n.stack([[x, y], [y, x]]), (1.5, 2.5)),
    (lambda n, x, y: n.reshape([[x, y], [y, x]], (4,)), (1.5, 2.5)), (lambda n, x: n.concatenate([[x], [1.0, 2.0]]), (1.5,)), (lambda n, x: n.ndim([[x]]), (1.5,)),
    (lambda n, x, y: n.hstack([x, y]), (1.5, 2.5)), (lambda n, x, v: n.column_stack([v, [x, x, x]]), (1.5, V)), (lambda n, x: n.tile([x, 2.0], 2), (1.5,))])
def test_lists_of_numbers(function, arrays):
    for got, want in zip(run(lambda *refs: function(Functions(), *refs), *arrays), [function(np, *arrays)], strict=True):
        np.testing.assert_array_equal(got, want)


def test_promotion_when_joining():
    check(lambda a, b: np.concatenate([a, b]), V.astype(np.float32), np.array([1, 2]))
    check(lambda a, b: np.stack([a, b]), np.array([1, 2], np.int8), np.array([True, False]))
    check(lambda a: np.concatenate([a, [1.0]]), V.astype(np.float32))


def test_fortran_reshape_of_a_view_is_stored_through():
    def f(a):
        a.reshape((4, 3), order="F")[0] = 1.0
        return a
    check(f, A.T.copy())


def test_known_masks_have_known_sizes():
    assert build(lambda a: a[np.array([True, False, True])], A).avals["getitem"].shape == (2, 4)
    assert build(lambda a: a[a > 0], A).avals["getitem"].shape == (None,)


@pytest.mark.parametrize("error, function", [
    (ShapeError, lambda a: a.reshape(5, 2)), (ShapeError, lambda a: np.concatenate([a, a.T])), (ShapeError, lambda a: np.stack([a, a.T])),
    (ShapeError, lambda a: np.squeeze(a, 0)), (ShapeError, lambda a: np.transpose(a, (0, 0))), (ShapeError, lambda a: np.split(a, 2)),
    (ShapeError, lambda a: np.broadcast_to(a, (3, 5))), (ValueError, lambda a: np.swapaxes(a, 0, 2)), (IndexMismatch, lambda a: np.take(a, [12])),
    (TransformError, lambda a: np.pad(a, 1, "mirrored")), (TransformError, lambda a: np.add.at(np.zeros(3), [0], a[0, 0]))])
def test_errors(error, function):
    with pytest.raises(error):
        build(function, A)


def test_printed_forms():
    from transformer import printing
    program = build(lambda a: (a.T, np.reshape(a, (4, 3)), np.roll(a, 1, axis=0), np.stack([a, a], 1), a[:, None], np.tril(a), np.pad(a, 1)), A)
    text = printing.source(program)
    for form in ["x0.T", "np.reshape(x0, (4, 3))", "np.roll(x0, 1, axis=0)", "np.stack([x0, x0], axis=1)", "x0[:, None]", "np.tril(x0)", "np.pad(x0, 1)"]:
        assert form in text


# rules ------------------------------------------------------------------------------------------------------------------------

OWN = ["broadcast_to", "reshape", "transpose", "expand_dims", "squeeze", "concatenate", "stack", "repeat", "tile", "roll", "pad", "take_along_axis",
       "diagonal", "diag", "tril", "triu", "getitem"]
CASES = [(name, k) for name in OWN for k in range(len(TABLE[name].samples))]


def case(name, k):
    args, params = TABLE[name].samples[k]
    return TABLE[name], tuple(np.asarray(a) for a in args), params


@pytest.mark.parametrize("name, k", CASES)
def test_infer_and_lowering(name, k):
    op, args, params = case(name, k)
    want = np.asarray(op.impl(*args, **params))
    assert op.infer(*map(aval_of, args), **params) == Aval(want.shape, want.dtype)
    np.testing.assert_array_equal(run_lowering(op, args, params), want)


@pytest.mark.parametrize("name, k", CASES)
def test_vjp_is_the_transpose(name, k):
    op, args, params = case(name, k)
    rng = np.random.default_rng(0)
    dots = [rng.normal(size=a.shape) if a.dtype.kind == "f" else None for a in args]
    out = np.asarray(op.impl(*args, **params))
    moved = [a if d is None else a + d for a, d in zip(args, dots)]
    dot = np.asarray(op.impl(*moved, **params)) - out
    if op.jvp is not None:
        np.testing.assert_allclose(op.jvp(dots, *args, out=out, **params), dot, atol=1e-12)
    g = rng.normal(size=out.shape)
    bars = op.vjp(g, *args, out, **params)
    bars = bars if isinstance(bars, tuple) else (bars,)
    assert all(np.shape(b) == a.shape for a, b in zip(args, bars, strict=True) if b is not None)
    np.testing.assert_allclose(sum(np.sum(b * d) for b, d in zip(bars, dots) if b is not None), np.sum(g * dot), atol=1e-10)


@pytest.mark.parametrize("name, k", [c for c in CASES if c[0] != "getitem"])
def test_batch_is_a_loop(name, k):
    op, args, params = case(name, k)
    lanes = [np.stack([a, np.flip(a), a * 2 if a.dtype.kind == "f" else a]) for a in args]
    got, axis = op.batch((0,) * len(args), *lanes, **params)
    want = np.stack([op.impl(*(a[n] for a in lanes), **params) for n in range(3)])
    assert axis == 0
    np.testing.assert_array_equal(got, want)
    for fixed in range(len(args) if len(args) > 1 else 0):
        mixed = [a[0] if k == fixed else a for k, a in enumerate(lanes)]
        got, _ = op.batch(tuple(None if k == fixed else 0 for k in range(len(args))), *mixed, **params)
        np.testing.assert_array_equal(got, np.stack([op.impl(*(m if k == fixed else m[n] for k, m in enumerate(mixed)), **params) for n in range(3)]))


def test_rules_run_on_references():
    """Every vjp rule emits a program."""
    for name, k in CASES:
        op, args, params = case(name, k)
        out = np.asarray(op.impl(*args, **params))

        def rule(g, *operands, op=op, params=params):
            bars = op.vjp(g, *operands, **params)
            return tuple(b for b in (bars if isinstance(bars, tuple) else (bars,)) if b is not None)
        want = rule(np.ones(out.shape), *args, out)
        for got, bar in zip(run(rule, np.ones(out.shape), *args, out), want, strict=True):
            np.testing.assert_allclose(got, bar)
