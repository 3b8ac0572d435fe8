"""Lowering of Core programs: values and dtypes against NumPy."""

import numpy as np
import pytest

import transformer
from backend.array import Array, array
from transformer.core import Aval
from transformer.errors import TransformError
from transformer.executable import executable
from transformer.lower import lower

from .programs import branch, build, either, fail, loop, rebind, show, variable, while_loop


def run(program, *arguments):
    results = executable(program)(list(arguments))
    for result, atom in zip(results, program.outputs, strict=True):
        assert isinstance(result, Array)
        assert (result.shape, result.dtype) == (program.aval(atom).shape, program.aval(atom).dtype)
    return [np.asarray(r) for r in results]


def test_straight_line():
    x = np.linspace(0, 1, 6).reshape(2, 3).astype(np.float32)
    program = build(lambda b, x: [np.exp(x) * 2 + 1, np.sum(x), x.T], x)
    y, s, t = run(program, x)
    np.testing.assert_allclose(y, np.exp(x) * 2 + 1, rtol=1e-6)
    assert y.dtype == np.float32
    np.testing.assert_allclose(s, x.sum(), rtol=1e-6)
    np.testing.assert_array_equal(t, x.T)


def test_python_scalars_stay_weak():
    x = np.ones(3, np.float32)
    program = build(lambda b, x, k: [x * k, k * 2], x, 1.5)
    y, k = run(program, x, 1.5)
    assert (y.dtype, k.dtype) == (np.float32, np.float64)


def test_for_loop_carries_what_changes():
    def decay(b, x, k):
        x = variable(b, x)
        with loop(b, 0, 100):
            rebind(b, x, x - k * x ** 2)
        return [np.sum(x)]
    x = np.array([0.1, 0.5, 0.9])
    program = build(decay, x, 0.01)
    want = x
    for _ in range(100):
        want = want - 0.01 * want ** 2
    np.testing.assert_allclose(run(program, x, 0.01)[0], want.sum(), rtol=1e-14)


@pytest.mark.parametrize(("lo", "hi", "step"), [(0, 5, 1), (4, -1, -1), (1, 10, 3), (3, 3, 1), (0, -5, 1)])
def test_for_ranges(lo, hi, step):
    def fill(b, lo, hi):
        out = variable(b, b.constant(np.zeros(12, int)))
        total = variable(b, b.constant(np.array(0)))
        with loop(b, lo, hi, step) as i:
            out[i] = i + 1
            rebind(b, total, total * 3 + i)
        return [out, total]
    want, total = np.zeros(12, int), 0
    for i in range(lo, hi, step):
        want[i] = i + 1
        total = total * 3 + i
    for arguments in ((lo, hi), (np.int64(lo), np.int64(hi))):
        a, t = run(build(fill, *arguments), *arguments)
        np.testing.assert_array_equal(a, want)
        assert t == total


@pytest.mark.parametrize("step", [1, -1, 3])
@pytest.mark.parametrize("trips", [0, 1, 7, 8, 9, 16, 21])
def test_short_rounds_go_in_groups(trips, step):
    """Loops over numbers: whole groups, the rest, all as straight code; with bounds known and not."""
    def f(b, lo, hi, x):
        total = variable(b, b.constant(np.array(1.0)))
        with loop(b, lo, hi, step) as i:
            rebind(b, total, total * 0.5 + x[i])
        return [total]
    start = 20 if step < 0 else 2
    x, hi, want = np.sin(np.arange(80.0)), start + step * trips, 1.0
    for i in range(start, hi, step):
        want = want * 0.5 + x[i]
    for bounds in ((start, hi), (np.int64(start), np.int64(hi))):
        np.testing.assert_allclose(run(build(f, *bounds, x), *bounds, x)[0], want, rtol=1e-14)
    known = lower(build(lambda b, x: f(b, start, hi, x), x)).text
    assert known.count("stablehlo.while") == (0 if trips <= 8 else 2)
    np.testing.assert_allclose(run(build(lambda b, x: f(b, start, hi, x), x), x)[0], want, rtol=1e-14)


def test_what_the_test_of_a_while_computes_is_not_carried():
    """It is computed again in the body: a value handed on from round to round goes through memory."""
    def escape(c, limit):
        count = 0
        for k in range(5):
            x, n = 0.5 * k, 0
            while x * x < 4.0 and n < limit:
                x = x * x + c
                n += 1
            count += n
        return count
    jitted = transformer.jit(escape)
    loops = [line.partition(" = ")[0] for line in jitted.lower(0.3, 50).as_text().splitlines() if '"stablehlo.while"' in line]
    assert [results.count("%") for results in loops] == [2, 2]
    assert jitted(0.3, 50) == escape(0.3, 50)


def test_rounds_that_store_go_in_smaller_groups_on_cpu():
    def f(b, x):
        x = variable(b, x)
        with loop(b, 1, 50) as i:
            x[i] = x[i - 1] * 0.5
        return [x]
    program = build(f, np.ones(50))
    assert [lower(program, platform=p).text.count("dynamic_update_slice") for p in ("cpu", "cuda")] == [4 + 1, 1]
    np.testing.assert_allclose(run(program, np.ones(50))[0], 0.5 ** np.arange(50))


def test_a_failure_in_a_group_of_rounds_is_raised():
    def f(b, x, n):
        total = variable(b, b.constant(np.array(0.0)))
        with loop(b, 0, n) as i:
            rebind(b, total, total + x[i])
        return [total]
    x = np.arange(13.0)
    program = build(f, x, np.int64(13))
    assert run(program, x, np.int64(13))[0] == x.sum()
    with pytest.raises(IndexError, match="index 13 is out of bounds for axis 0 with size 13"):
        run(program, x, np.int64(20))


def test_indices_that_cannot_be_negative_are_not_counted_from_the_end():
    def f(b, x, n):
        total = variable(b, b.constant(np.array(0.0)))
        with loop(b, 1, n) as i:
            rebind(b, total, total + x[i - 1] * x[i])
        return [total]

    def backwards(b, x, n):
        return [x[n]]
    x, n = np.arange(50.0), np.int64(50)
    assert "stablehlo.select" not in lower(build(lambda b, x: f(b, x, 50), x)).text
    assert run(build(f, x, n), x, n)[0] == (x[1:] * x[:-1]).sum()
    assert run(build(backwards, x, np.int64(-2)), x, np.int64(-2))[0] == 48.0


def test_text_does_not_grow_with_trip_counts():
    def f(b, x):
        x = variable(b, x)
        with loop(b, 0, n):
            rebind(b, x, np.sin(x))
        return [x]
    texts = []
    for n in (10, 10000):
        texts.append(lower(build(f, np.ones(3))).text)
    assert len(texts[0]) + 6 >= len(texts[1])


def test_if_merges_and_gives_zeros_for_the_side_not_taken():
    def f(b, x, c):
        y = variable(b, x)
        test = c > 0
        either(b, test, lambda: rebind(b, y, np.sin(x)), lambda: rebind(b, y, x * 2))
        return [y]
    x = np.arange(3.0)
    program = build(f, x, 1.0)
    np.testing.assert_allclose(run(program, x, 1.0)[0], np.sin(x))
    np.testing.assert_allclose(run(program, x, -1.0)[0], x * 2)


def test_scalar_if_becomes_a_select():
    def f(b, x):
        y = variable(b, x)
        with branch(b, x > 0.5):
            rebind(b, y, x * 2)
        return [y]
    program = build(f, 1.0)
    assert "stablehlo.if" not in lower(program).text
    assert run(program, 1.0)[0] == 2
    assert run(program, 0.25)[0] == 0.25


def test_while_with_counter():
    def f(b, x):
        x = variable(b, x)
        n = b.fresh("n", Aval((), np.dtype(np.int64), True))
        while_loop(b, lambda: x > 1.0, lambda: rebind(b, x, x / 2), n)
        return [x, b.reference(n)]
    program = build(f, 100.0)
    x, n = run(program, 100.0)
    assert (x, n) == (100 / 128, 7)


def test_while_body_reads_names_of_the_head():
    def f(b, x):
        x = variable(b, x)
        seen = []

        def test():
            seen.append(np.sum(x ** 2))
            return seen[0] > 1.0
        while_loop(b, test, lambda: rebind(b, x, x / np.sqrt(seen[0] + 1)))
        return [x]
    x = np.array([3.0, 4.0])
    want = x
    while (s := np.sum(want ** 2)) > 1.0:
        want = want / np.sqrt(s + 1)
    np.testing.assert_allclose(run(build(f, x), x)[0], want)


def test_nested_loops_with_stores():
    def f(b, a):
        a = variable(b, a)
        with loop(b, 1, 5) as i:
            with loop(b, 1, 6) as j:
                a[i, j] = (a[i - 1, j] + a[i, j - 1] + a[i, j]) / 3
        return [a]
    a = np.random.default_rng(0).normal(size=(6, 7))
    want = a.copy()
    for i in range(1, 5):
        for j in range(1, 6):
            want[i, j] = (want[i - 1, j] + want[i, j - 1] + want[i, j]) / 3
    program = build(f, a)
    assert "?" not in lower(program).text
    assert not lower(program).failures
    np.testing.assert_allclose(run(program, a)[0], want)


def tape_program(b, x):
    """A while loop whose states go on a tape, read backwards."""
    from transformer.core import Apply, Hole, Update
    from transformer.ops.op import TABLE
    x = variable(b, x)
    n = b.fresh("n", Aval((), np.dtype(np.int64), True))
    tape = b.fresh("tape", Aval((None,), np.dtype(np.float64)))
    b.add(Apply(tape, TABLE["tape"], (), {"shape": (), "dtype": np.dtype(np.float64)}))

    def body():
        b.add(Update(tape, (Hole(0),), (n,), x.storage.name))
        rebind(b, x, x - 1.0)
    while_loop(b, lambda: x > 0.0, body, n)
    total = variable(b, b.constant(np.array(0.0)))
    count = b.reference(n)
    with loop(b, count - 1, -1, -1) as i:
        value = b.emit(TABLE["getitem"], (b.reference(tape), i), {"index": (Hole(0),)})
        rebind(b, total, total * 0.5 + value)
    return [total, count]


@pytest.mark.parametrize("x", [3.0, 64.0, 65.0, 1000.0])
def test_tape_grows_by_recompiling(x):
    total = 0.0
    for value in np.arange(1, x + 1):
        total = total * 0.5 + value
    run_compiled = executable(build(tape_program, 1.0))
    got, count = run_compiled([x])
    assert (float(got), int(count)) == (total, x)
    assert run_compiled.lowered.capacity >= x


def test_raise_is_deferred():
    def f(b, x):
        with branch(b, np.any(x < 0)):
            fail(b, "raise ValueError(f'bad {_0} at {_1}')", ValueError, np.min(x), x[0])
        with branch(b, np.any(x > 5)):
            fail(b, "raise KeyError('big')", KeyError)
        return [np.sqrt(x)]
    program = build(f, np.ones(3))
    np.testing.assert_array_equal(run(program, np.ones(3))[0], np.ones(3))
    with pytest.raises(ValueError, match=r"bad -3.0 at 9.0"):
        run(program, np.array([9.0, -3.0, 1.0]))
    with pytest.raises(KeyError):
        run(program, np.array([9.0, 3.0, 1.0]))


def test_a_loop_that_would_not_end_after_a_raise_ends():
    def f(b, n):
        n = variable(b, n)

        def body():
            with branch(b, n < 0):
                fail(b, "raise ValueError(_0)", ValueError, n)
            rebind(b, n, n - 2)
        while_loop(b, lambda: n != 0, body)
        return [n]
    program = build(f, 6)
    assert run(program, 6)[0] == 0
    with pytest.raises(ValueError, match="-1"):
        run(program, 7)


def test_index_out_of_range_raises():
    def f(b, x, i):
        return [x[i]]
    x = np.arange(5.0)
    program = build(f, x, 0)
    assert run(program, x, 4)[0] == 4
    assert run(program, x, -5)[0] == 0
    for i in (5, -6):
        with pytest.raises(IndexError, match=f"index {i} is out of bounds for axis 0 with size 5"):
            run(program, x, i)


def test_index_arrays_out_of_range_raise():
    def f(b, x, i):
        x = variable(b, x)
        x[i] = 1.0
        return [x]
    x, i = np.arange(5.0), np.array([0, -1, 2])
    program = build(f, x, i)
    np.testing.assert_array_equal(run(program, x, i)[0], [1, 1, 1, 3, 1])
    with pytest.raises(IndexError, match="index 7 "):
        run(program, x, np.array([0, 7, 9]))


def test_an_index_is_checked_once():
    def f(b, x, i, j):
        x = variable(b, x)
        x[i] = x[i] + x[j]
        with branch(b, x[i] > 0):
            x[j] = x[i]
        return [x]
    x = np.arange(5.0)
    program = build(f, x, 0, 0)
    assert len(lower(program).failures) == 2
    np.testing.assert_array_equal(run(program, x, 1, -1)[0], [0, 5, 2, 3, 5])


def test_print_in_order(capfd):
    def f(b, x, n):
        show(b, "print('start', _0)", x)
        with loop(b, 0, n) as i:
            show(b, "print('row', _0, end=';')", i)
        show(b, "print('done', _0, _1)", np.sum(x), n)
        return [x * 2]
    x = np.arange(3.0)
    run(build(f, x, 3), x, 3)
    assert capfd.readouterr().out == "start [0. 1. 2.]\nrow 0;row 1;row 2;done 3.0 3\n"


def test_print_without_results(capfd):
    def f(b, x):
        show(b, "print(_0)", x)
        return []
    assert run(build(f, 2.0), 2.0) == []
    assert capfd.readouterr().out == "2.0\n"


def test_donated_argument_is_consumed():
    program = build(lambda b, x: [x + 1.0], np.ones(1000))
    step = executable(program, donate=(0,))
    x, = step([np.ones(1000)])
    y, = step([x])
    np.testing.assert_array_equal(np.asarray(y), np.full(1000, 3.0))
    with pytest.raises(RuntimeError, match="donated"):
        np.asarray(x)


def test_donation_never_changes_an_ndarray():
    program = build(lambda b, x: [x + 1.0], np.ones(4096))
    step = executable(program, donate=(0,))
    raw = np.zeros(4096 + 8)
    shift = (-raw.ctypes.data % 64) // 8
    source = raw[shift: shift + 4096]
    x, = step([source])
    view = np.asarray(x)
    y, = step([x])
    z, = step([array(source)])
    assert source.max() == 0
    assert view.max() == 1
    assert (np.asarray(y).min(), np.asarray(z).min()) == (2, 1)


def test_index_check_in_the_head_of_a_while():
    def f(b, x, i):
        i = variable(b, i)
        while_loop(b, lambda: x[i] > 0, lambda: rebind(b, i, i + 1))
        return [i]
    x = np.array([3.0, 2.0, 0.0, 1.0])
    program = build(f, x, 0)
    assert run(program, x, 0)[0] == 2
    with pytest.raises(IndexError, match="index 4 "):
        run(program, x, 3)


def test_partial_names():
    """A name bound in one branch, read in a later `if` on the same test."""
    def f(b, x, c):
        test = c > 0
        total = variable(b, np.sum(x))
        kept = []
        with branch(b, test):
            kept.append(np.exp(x))
        with branch(b, test):
            rebind(b, total, np.sum(kept[0]))
        return [total]
    x = np.arange(3.0)
    program = build(f, x, 1.0)
    np.testing.assert_allclose(run(program, x, 1.0)[0], np.exp(x).sum())
    assert run(program, x, 0.0)[0] == 3


def test_swap_by_moves():
    def f(b, x, y):
        x, y = variable(b, x), variable(b, y)
        with loop(b, 0, 3):
            temp = variable(b, x, "t")
            rebind(b, x, y)
            rebind(b, y, temp)
        return [x, y]
    x, y = run(build(f, 1.0, 2.0), 1.0, 2.0)
    assert (x, y) == (2, 1)


def test_branches_in_loops_in_branches():
    def f(b, x, n):
        x = variable(b, x)

        def yes():
            with loop(b, 0, n) as i:
                with branch(b, i % 2 == 0):
                    rebind(b, x, x + np.sin(x) * i)
                with branch(b, x[0] > 100):
                    fail(b, "raise OverflowError(f'at {_0}')", OverflowError, i)

        def no():
            rebind(b, x, x * 0.5)
        either(b, n > 2, yes, no)
        return [x]
    x = np.array([1.0, 2.0])
    program = build(f, x, 3)
    want = x
    for i in range(0, 7, 2):
        want = want + np.sin(want) * i
    np.testing.assert_allclose(run(program, x, 7)[0], want)
    np.testing.assert_allclose(run(program, x, 1)[0], x / 2)
    with pytest.raises(OverflowError, match="at 0"):
        run(program, x + 200, 7)


def test_unknown_sizes_are_refused():
    def f(b, x):
        return [x[x > 0]]
    with pytest.raises(TransformError, match="size"):
        lower(build(f, np.ones(3)))


def test_outputs_may_be_parameters_literals_and_repeated():
    program = build(lambda b, x: [x, x, 2.0, np.float32(1)], np.ones(3))
    a, c, two, one = run(program, np.ones(3))
    np.testing.assert_array_equal(a, c)
    assert (two, one) == (2, 1)


def test_a_store_in_a_branch_keeps_the_array_in_place():
    def f(b, x):
        x = variable(b, x)
        with loop(b, 0, 6) as i:
            def yes():
                x[i] = x[i] * 2

            def no():
                with branch(b, x[i + 1] > 3):
                    x[i] = x[i + 1] - x[i]
                x[i + 1] = x[i + 1] + 1
            either(b, x[i] > 0, yes, no)
        return [x]
    x = np.array([1.0, -2.0, 5.0, -1.0, -1.0, 4.0, 2.0])
    want = x.copy()
    for i in range(6):
        if want[i] > 0:
            want[i] = want[i] * 2
        else:
            if want[i + 1] > 3:
                want[i] = want[i + 1] - want[i]
            want[i + 1] = want[i + 1] + 1
    program = build(f, x)
    assert "stablehlo.if" not in lower(program).text
    np.testing.assert_array_equal(run(program, x)[0], want)


def test_element_loops_copy_no_array():
    def f(b, x, x_bar):
        x, x_bar = variable(b, x), variable(b, x_bar)
        with loop(b, 999, 0, -1) as i:
            g = x_bar[i] * 1.0
            x_bar[i] = 0.0
            x_bar[i - 1] = x_bar[i - 1] + g * x[i]
            x_bar[i] = x_bar[i] + g * x[i - 1]
            x[i] = g
        return [x, x_bar]
    x, x_bar = np.linspace(0.0, 1.0, 1000), np.ones(1000)
    program = build(f, x, x_bar)
    text = executable(program).hlo_text()
    assert text.count("f64[1000]{0} copy(") <= 2
    want, want_bar = x.copy(), x_bar.copy()
    for i in range(999, 0, -1):
        g = want_bar[i]
        want_bar[i] = 0.0
        want_bar[i - 1] += g * want[i]
        want_bar[i] += g * want[i - 1]
        want[i] = g
    for got, expected in zip(run(program, x, x_bar), (want, want_bar), strict=True):
        np.testing.assert_allclose(got, expected)


def test_a_value_added_at_several_places_is_padded_once():
    x = np.random.default_rng(0).normal(size=(12, 13))

    def spread(b, v):
        out = b.constant(np.zeros((12, 13)))
        for rows, columns in ((slice(0, -2), slice(2, None)), (slice(2, None), slice(1, -1)), (slice(1, -1), slice(0, -2))):
            np.add.at(out, (rows, columns), v)
        return [out]
    v = x[1:-1, 1:-1]
    program = build(spread, v)
    want = np.zeros((12, 13))
    want[:-2, 2:] += v
    want[2:, 1:-1] += v
    want[1:-1, :-2] += v
    np.testing.assert_array_equal(run(program, v)[0], want)
    assert len({line.split("=")[1] for line in lower(program).text.splitlines() if "stablehlo.pad" in line}) == 1


def test_large_stores_are_in_place_unless_they_read_elements_beside():
    x = np.random.default_rng(0).normal(size=(9, 8))

    def store(value):
        def body(b, x, y):
            out = variable(b, x)
            out[1:-1, 1:-1] = value(out, y)
            return [out]
        program = build(body, x, x + 1)
        want = x.copy()
        want[1:-1, 1:-1] = value(x, x + 1)
        np.testing.assert_array_equal(run(program, x, x + 1)[0], want)
        return "stablehlo.dynamic_update_slice" in lower(program).text
    assert store(lambda out, y: y[1:-1, 2:] * 2.0)
    assert store(lambda out, y: out[1:-1, 1:-1] - y[1:-1, :-2])
    assert not store(lambda out, y: out[1:-1, 2:] + np.copy(out)[1:-1, :-2])


def test_rows_are_cut_out_before_parts_of_them():
    def f(b, x, i):
        return [x[i, 1:-1] + x[i, ::-2][:2] + x[i, 3:1:-1]]
    x = np.arange(24.0).reshape(6, 4)
    program = build(f, x, 4)
    text = lower(program).text
    assert text.count("stablehlo.dynamic_slice") == 3 and "stablehlo.slice\"(%arg0)" not in text
    np.testing.assert_array_equal(run(program, x, 4)[0], x[4, 1:-1] + x[4, ::-2] + x[4, 3:1:-1])


@pytest.mark.parametrize("part", [slice(None, None, 3), slice(None, None, -3), slice(5, 1, -2), slice(4, 4), slice(-3, None)])
def test_parts_of_rows_at_dynamic_places(part):
    x = np.arange(63.0).reshape(3, 7, 3)
    program = build(lambda b, x, i: [x[i, part], x[part, i], x[i, part, i]], x, 2)
    for got, want in zip(run(program, x, 2), [x[2, part], x[part, 2], x[2, part, 2]], strict=True):
        np.testing.assert_array_equal(got, want)
