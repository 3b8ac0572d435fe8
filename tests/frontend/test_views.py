"""Reads and stores through references against NumPy: the emitted program does what the same lines do on ndarrays."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import transformer as T
from transformer import core, printing
from transformer.core import Aval
from transformer.errors import IndexMismatch, NeedStatic, ShapeError, TransformError, TypeMismatch
from transformer.frontend.affine import note_loop
from transformer.frontend.builder import Builder

from .emitted import build, check, run


def iota(*shape):
    return np.arange(float(np.prod(shape, dtype=int))).reshape(shape)


A, V = iota(3, 4), iota(5)
IDX = np.array([2, 0, -1])
MASK = np.array([True, False, True])


def stored(lines):
    """A function that runs `lines` on its first argument and returns it."""
    def function(a, *rest):
        lines(a, *rest)
        return a
    return function


def test_element_is_a_copy():
    def f(x):
        v = x[1]
        x[1] = 7.0
        return v, x
    check(f, V)


def test_row_is_a_view():
    def f(a):
        row = a[1]
        a[1, 2] = 7.0
        row[0] = 5.0
        return row, a
    check(f, A)


def test_zero_dimensional_view_needs_the_ellipsis():
    def f(x):
        v = x[1, ...]
        x[1] = 7.0
        return v + 0.0
    check(f, V)


def test_chain_composes_into_one_update():
    program = build(stored(lambda a, i: a[1:].T[2].__setitem__(i, 1.0)), A, 1)
    assert "x0[1:]" not in printing.source(program).split(":", 1)[1] or len(program.body) <= 3


@pytest.mark.parametrize("lines", [
    lambda a: a[1:].T[2].__setitem__(0, 1.0), lambda a: a.T[1].__setitem__(slice(1, None), -1.0),
    lambda a: a[::-1][0].__setitem__(slice(None, None, 2), 9.0), lambda a: a[:, None].__setitem__(1, 3.0),
    lambda a: a[1:, None, ::2].T.__setitem__(0, 3.0), lambda a: a.T.__setitem__(slice(None), iota(4, 3) * 2),
    lambda a: a.reshape(2, 6)[1].__setitem__(3, 8.0), lambda a: a.reshape(-1).__setitem__(slice(2, 7), iota(5)),
    lambda a: a[0].__setitem__(IDX, 1.0), lambda a: a.T.__setitem__(IDX, iota(3, 3)), lambda a: a[1:][:, 1:].T.__setitem__(IDX, iota(3, 2)),
    lambda a: a[:, ::2].__setitem__(MASK, 0.0), lambda a: a.__setitem__((MASK, 1), [7.0, 8.0]),
    lambda a: a.__setitem__((slice(0, 2), slice(1, 3)), np.ones((1, 1, 2))), lambda a: np.squeeze(a[:1]).__setitem__(1, 4.0),
    lambda a: np.swapaxes(a[None], 0, 2)[1].__setitem__(slice(None), 2.0), lambda a: a.__setitem__(Ellipsis, 3),
    lambda a: a[..., 0].__setitem__(slice(1, 3), [5.0, 6.0]), lambda a: a.fill(2.0), lambda a: a[1:].ravel()[3:].fill(2.0),
    lambda a: a.T.ravel().fill(2.0), lambda a: a.T.flatten().fill(1.0), lambda a: np.add.at(a, IDX, 1.0),
    lambda a: np.add.at(a.T, ([0, 0, 3], [1, 1, 1]), [1.0, 2.0, 3.0]), lambda a: np.subtract.at(a, (0, [1, 1]), 1.0),
    lambda a: np.put(a, [0, 5], [8.0, 9.0]), lambda a: np.fill_diagonal(a, 1.0), lambda a: np.copyto(a[0], 3.0),
    lambda a: np.putmask(a, a > 3, -1.0), lambda a: np.put_along_axis(a, np.array([[1], [0], [2]]), 9.0, 1),
    lambda a: a.flat.__setitem__(3, 5.0)])
def test_store(lines):
    check(stored(lines), A)


def test_augmented_store_is_one_update():
    def f(a, i):
        a[i] += 1.0
        return a
    check(f, A, 1)
    assert sum(type(s).__name__ == "Update" for s in build(f, A, 1).body) == 1


def test_augmented_store_through_repeated_indices_adds_once():
    def f(a):
        a[[0, 0]] += 1.0
        return a
    check(f, A)


def test_alias_of_the_same_array():
    def f(a):
        b = a
        c = a[:]
        b += 1.0
        c *= 2.0
        return a, c
    check(f, A)


def test_value_read_before_an_overlapping_store():
    def f(x):
        x[1:] = x[:-1]
        x[:-1] = x[1:] * 2
        return x
    check(f, V)


def test_store_casts_as_numpy():
    check(stored(lambda a: a.__setitem__(0, 2.75)), np.arange(3))
    check(stored(lambda a: a.__setitem__(slice(None), np.array([1.5, 2.5, -3.5]))), np.arange(3))


@pytest.mark.parametrize("index", [1, -1, slice(1, None), (slice(None), 0), (Ellipsis, -1), None, (0, None, slice(None, None, -2)),
                                   IDX, (IDX, IDX), (slice(None), IDX), MASK, (MASK, IDX[:2]), (0, slice(None, 2)), [0, 2], (),
                                   Ellipsis, True, np.int64(1), (IDX[:, None], IDX), A > 4, slice(3, 0, -1), slice(5, 9)])
def test_read(index):
    check(lambda a: a[index], A)


@pytest.mark.parametrize("index", [(IDX, slice(None), IDX), (0, slice(None), IDX), (slice(None), IDX, IDX), (slice(None), 1, IDX),
                                   (None, IDX, slice(None), 0), (slice(None), None, IDX), (MASK, slice(None), IDX[:2])])
def test_placement_of_advanced_axes(index):
    check(lambda a: a[index], iota(3, 4, 5))
    check(stored(lambda a: a.__setitem__(index, 1.0)), iota(3, 4, 5))


def test_abstract_indices():
    check(lambda a, i, m: (a[i], a[i, 1:], a[:, i], a[m], a[i:][0] if isinstance(i, np.ndarray) else a[m, i]), A, -2, MASK)
    check(lambda a, i: a[i, i], A, np.array([1, 0, 2]))


def loop(lines, lo, hi):
    """A program that runs `lines(x, i)` in a loop over range(lo, hi)."""
    builder = Builder("f")
    x = builder.parameter("x", Aval((8,), np.dtype(float)))
    with builder:
        i = builder.fresh("i", Aval((), np.dtype(int), True))
        note_loop(builder, i, lo, hi, 1)
        with builder.nested() as body:
            lines(x, builder.reference(i))
        builder.add(core.For(i, lo, hi, 1, body))
    return builder.program((x,))


def windows(x, i):
    y = x[i - 1:i + 2]
    x[2 * i:2 * i + 2] += np.sum(y)
    y[1] = x[i:i + 4][1:3][0]


def test_windows_of_static_length():
    program = loop(windows, 1, 4)
    x = iota(8)
    for i in range(1, 4):
        windows(x, i)
    np.testing.assert_array_equal(printing.load(program)(iota(8)), x)
    assert "x[i:i + 2]" not in printing.source(program)


def test_windows_that_numpy_clips_have_an_unknown_length():
    program = loop(windows, 1, 5)
    x = iota(8)
    for i in range(1, 5):
        windows(x, i)
    np.testing.assert_array_equal(printing.load(program)(iota(8)), x)


def test_elements_of_empty_windows():
    program = loop(windows, 0, 4)
    with pytest.raises(IndexError):
        printing.load(program)(iota(8))


@pytest.mark.parametrize("error, lines", [
    (IndexMismatch, lambda a, i: a[3]), (IndexMismatch, lambda a, i: a[[0, 3]]), (IndexMismatch, lambda a, i: a[0, 0, 0]),
    (IndexMismatch, lambda a, i: a[np.array([True, False])]), (TypeMismatch, lambda a, i: a[1.0]), (TypeMismatch, lambda a, i: a[a]),
    (NeedStatic, lambda a, i: np.fft.fft(a[:i])), (ShapeError, lambda a, i: a.__setitem__(0, [1.0, 2.0])), (IndexMismatch, lambda a, i: a[[0, 1], [0, 1, 2]]),
    (TransformError, lambda a, i: np.broadcast_to(a, (2, 3, 4)).__setitem__(0, 1.0)), (TypeMismatch, lambda a, i: a.__setitem__(0, 1j)),
    (TransformError, lambda a, i: np.diagonal(a).__setitem__(0, 1.0))])
def test_errors(error, lines):
    with pytest.raises(error):
        build(stored(lines), A, 1)


def test_store_into_an_enclosing_array():
    outer = Builder("outer")
    x = outer.parameter("x", Aval((3,), np.dtype(float)))
    with outer, Builder("inner", outer), pytest.raises(TransformError, match="enclosing"):
        x[0] = 1.0


def entries(size):
    """Strategy for one index entry of an axis."""
    return st.one_of(st.integers(-size, size - 1), st.slices(size), st.lists(st.integers(-size, size - 1), min_size=2, max_size=2).map(np.array),
                     st.lists(st.booleans(), min_size=size, max_size=size).filter(lambda m: sum(m) in (1, 2)).map(np.array))


@st.composite
def indices(draw, shape, basic=False):
    out = []
    for n in shape[: draw(st.integers(0, len(shape)))]:
        if draw(st.integers(0, 5)) == 0:
            out.append(None)
        out.append(draw(st.one_of(st.integers(-n, n - 1), st.slices(n)) if basic else entries(n)) if n else slice(None))
    if draw(st.booleans()):
        out.append(Ellipsis)
    return tuple(out)


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_random_index(data):
    shape = tuple(data.draw(st.lists(st.integers(1, 4), min_size=1, max_size=3)))
    index = data.draw(indices(shape))
    a = iota(*shape)
    try:
        size = np.shape(a[index])
    except IndexError:
        return
    check(lambda x: x[index], a)
    check(stored(lambda x: x.__setitem__(index, -1.0 - iota(*size))), a)
    abstract = [e for e in index if isinstance(e, np.ndarray | int)]

    def dynamic(x, *operands):
        rest = iter(operands)
        filled = tuple(next(rest) if isinstance(e, np.ndarray | int) else e for e in index)
        y = x[filled]
        x[filled] = -1.0
        return y, x
    check(dynamic, a, *abstract)


STEPS = ["index", "index", "transpose", "reshape", "newaxis"]


def step(x, kind, data, log):
    """Apply one random view step; `log` replays the same choices for the second run."""
    if kind == "index":
        return x[log(lambda: data.draw(indices(np.shape(x), basic=True)))]
    if kind == "transpose":
        return np.transpose(x, log(lambda: tuple(data.draw(st.permutations(range(np.ndim(x)))))))
    if kind == "reshape":
        return np.reshape(x, log(lambda: data.draw(st.sampled_from([(-1,), (1, -1), np.shape(x)[::-1]]))))
    return np.expand_dims(x, log(lambda: data.draw(st.integers(0, np.ndim(x)))))


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_random_chains_of_views_with_stores(data):
    shape = tuple(data.draw(st.lists(st.integers(1, 4), min_size=1, max_size=3)))
    kinds = data.draw(st.lists(st.sampled_from(STEPS), min_size=1, max_size=4))
    choices = []

    def program(record):
        replay = iter(choices)

        def log(draw):
            if record:
                choices.append(draw())
                return choices[-1]
            return next(replay)

        def f(x):
            view = x
            for n, kind in enumerate(kinds):
                view = step(view, kind, data, log)
                if np.ndim(view) == 0:
                    break
                x[..., 0] = 50.0 + n
                view[...] = view * 2 + np.reshape(iota(*np.shape(view)), np.shape(view))
            return x, view
        return f
    program(True)(iota(*shape))
    want = program(False)(iota(*shape))
    for g, w in zip(run(program(False), iota(*shape)), want, strict=True):
        np.testing.assert_array_equal(g, w)


def test_what_is_read_from_flat_is_a_copy():
    def f(x):
        m = np.outer(x, x)
        diagonal, rest, flat = m.flat[::4], x.flat[1:], m.flat
        part = flat[2:4]
        m[:, 2] = 0.5
        m.flat[3] = 7.0
        flat[::2] = 4.0
        x.flat[2] = 3.0
        return diagonal, rest, part, m, x.flat[2], np.sum(flat)
    x = np.array([0.4, 0.6, 0.3])
    for got, want in zip(T.jit(f)(x.copy()), f(x.copy())):
        np.testing.assert_allclose(got, want)


def test_view_of_the_whole_array():
    def fn(x):
        y = x * 2
        z = y.view()
        z[0] = 5.0
        return y
    x = np.arange(3.0)
    for transform in (T.jit, T.vmap):
        np.testing.assert_array_equal(transform(fn)(x if transform is T.jit else x[None]).reshape(3), fn(x))
    with pytest.raises(T.TransformError, match="as another type"):
        T.jit(lambda x: x.view(np.complex128))(np.arange(4.0))
