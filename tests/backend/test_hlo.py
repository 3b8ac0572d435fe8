"""The StableHLO builder against NumPy."""

import numpy as np
import pytest

from backend.compile import compile
from backend.hlo import Hlo

INEXACT = [np.float32, np.float64, np.complex64, np.complex128]
INTEGERS = [np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64]
REAL = [*INTEGERS, np.float16, np.float32, np.float64]
DTYPES = [np.bool_, *REAL, np.complex64, np.complex128]


def evaluate(function, *arguments):
    """Run `function(hlo, *values)`, which returns a list of values, on ndarrays."""
    arguments = [np.asarray(a) for a in arguments]
    hlo = Hlo("test")
    values = function(hlo, *(hlo.parameter(a.shape, a.dtype) for a in arguments))
    results = compile(hlo.finish(values)).call(arguments)
    for result, value in zip(results, values, strict=True):
        assert (result.shape, result.dtype) == (value.shape, value.dtype)
    return [np.asarray(r) for r in results]


def check(function, want, *arguments, exact=True):
    got, = evaluate(lambda hlo, *xs: [function(hlo, *xs)], *arguments)
    want = np.asarray(want)
    assert (got.shape, got.dtype) == (want.shape, want.dtype)
    if exact:
        np.testing.assert_array_equal(got, want)
    else:
        np.testing.assert_allclose(got, want, rtol=1e-5)


def sample(dtype, shape=(3, 4), seed=0):
    rng = np.random.default_rng(seed)
    values = rng.normal(size=shape) * 4
    if np.dtype(dtype).kind == "c":
        values = values + 1j * rng.normal(size=shape)
    if np.dtype(dtype).kind == "u":
        values = np.abs(values)
    return (values > 0) if dtype == np.bool_ else values.astype(dtype)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(), (3,), (2, 20), (0, 2)])
def test_constants_are_exact(dtype, shape):
    value = sample(dtype, shape)
    check(lambda hlo: hlo.constant(value), value)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, -0.0, 0.1, 5e-324, 1e308, 2**53 + 1])
def test_special_floats(value):
    got, = evaluate(lambda hlo: [hlo.constant(value, np.float64)])
    assert got.tobytes() == np.float64(value).tobytes()


@pytest.mark.parametrize("source", DTYPES)
def test_convert_is_astype(source):
    x = np.concatenate([sample(source, (9,)), np.zeros(1, source), np.ones(1, source)])
    if source == np.bool_ or np.dtype(source).kind in "fc":
        x = np.abs(x).astype(source) if np.dtype(source).kind != "b" else x
    with np.errstate(all="ignore"):
        wants = [(x.real if x.dtype.kind == "c" and np.dtype(t).kind not in "cb" else x).astype(t) for t in DTYPES]
    gots = evaluate(lambda hlo, x: [hlo.convert(x, t) for t in DTYPES], x)
    for got, want in zip(gots, wants, strict=True):
        assert got.dtype == want.dtype
        np.testing.assert_array_equal(got, want)


def test_negative_floats_truncate():
    x = np.array([-1.7, 1.7, -0.2, 3.0])
    check(lambda hlo, x: hlo.convert(x, np.int32), x.astype(np.int32), x)


@pytest.mark.parametrize(("name", "dtype"), [(name, dtype) for name in ("EQ", "NE", "LT", "LE", "GT", "GE") for dtype in DTYPES
                                             if name in ("EQ", "NE") or np.dtype(dtype).kind != "c"])
def test_compare(name, dtype):
    x, y = sample(dtype, (40,)), sample(dtype, (40,), 1)
    y[:20] = x[:20]
    want = getattr(np, {"EQ": "equal", "NE": "not_equal", "LT": "less", "LE": "less_equal", "GT": "greater", "GE": "greater_equal"}[name])(x, y)
    check(lambda hlo, x, y: hlo.compare(name, x, y), want, x, y)


def test_compare_with_a_python_int_out_of_range():
    x = np.array([0, 200], np.uint8)
    check(lambda hlo, x: hlo.compare("GT", x, hlo.constant(-1)), np.array([True, True]), x)


@pytest.mark.parametrize("kind", ["add", "multiply", "maximum", "minimum"])
@pytest.mark.parametrize("dtype", [np.int32, np.uint8, np.float32, np.float64])
def test_reduce(kind, dtype):
    x = sample(dtype, (3, 4, 5))
    reduce = {"add": np.sum, "multiply": np.prod, "maximum": np.max, "minimum": np.min}[kind]
    for axes in [(0,), (1, 2), (0, 1, 2)]:
        extra = {"dtype": dtype} if kind in ("add", "multiply") else {}
        check(lambda hlo, x, axes=axes: hlo.reduce(x, None, axes, kind), reduce(x, axis=axes, **extra), x, exact=np.dtype(dtype).kind != "f")


@pytest.mark.parametrize("kind", ["max", "min"])
@pytest.mark.parametrize("dtype", [np.bool_, *REAL])
def test_argreduce_takes_the_first(kind, dtype):
    x = (sample(dtype, (6, 50)) * 2).astype(dtype)
    for axis in (0, 1):
        check(lambda hlo, x, axis=axis: hlo.argreduce(x, axis, kind), getattr(np, "arg" + kind)(x, axis=axis), x)


@pytest.mark.parametrize("kind", ["max", "min"])
def test_argreduce_takes_the_first_nan(kind):
    x = np.array([[1.0, np.nan, 3, np.nan], [np.inf, -np.inf, np.inf, -np.inf], [np.nan] * 4])
    check(lambda hlo, x: hlo.argreduce(x, 1, kind), getattr(np, "arg" + kind)(x, axis=1), x)


@pytest.mark.parametrize("n", [1, 2, 7, 64, 65, 300])
@pytest.mark.parametrize("kind", ["add", "multiply", "maximum", "minimum"])
def test_cumulative(kind, n):
    ufunc = getattr(np, kind)
    for dtype in (np.int64, np.float64):
        x = sample(dtype, (2, n, 3)) if kind != "multiply" else 1 + sample(np.float64, (2, n, 3)).astype(dtype) / 100
        x = x.astype(dtype)
        check(lambda hlo, x: hlo.cumulative(x, 1, kind), ufunc.accumulate(x, axis=1), x, exact=n > 64 or dtype == np.int64)


def test_cumulative_maximum_keeps_nan():
    for n in (5, 100):
        x = np.arange(float(n))
        x[3] = np.nan
        check(lambda hlo, x: hlo.cumulative(x, 0, "maximum"), np.maximum.accumulate(x), x)
        check(lambda hlo, x: hlo.cumulative(x, 0, "add", reverse=True), np.cumsum(x[::-1])[::-1], x, exact=False)


def test_cumulative_for_accelerators():
    x = sample(np.float64, (200,))
    hlo = Hlo("test", platform="cuda")
    text = hlo.finish([hlo.cumulative(hlo.parameter(x.shape, x.dtype), 0, "add")])
    assert "while" not in text
    np.testing.assert_allclose(np.asarray(compile(text).call([x])[0]), np.cumsum(x))


@pytest.mark.parametrize("dtype", [np.bool_, *REAL, np.complex128])
def test_sort(dtype):
    x = sample(dtype, (5, 40))
    if np.dtype(dtype).kind in "fc":
        x[0, 3] = x[0, 7] = np.nan
        x[1, :4] = -0.0
    for axis in (0, 1):
        check(lambda hlo, x, axis=axis: hlo.sort([x], axis)[0], np.sort(x, axis=axis), x)
        index = np.argsort(x, axis=axis, kind="stable")
        check(lambda hlo, x, axis=axis: hlo.sort([x, hlo.iota(x.shape, np.int64, axis)], axis)[1], index, x)


def test_sort_descending_puts_nan_last():
    x = np.array([1.0, np.nan, 3, 2])
    check(lambda hlo, x: hlo.sort([x], 0, descending=True)[0], np.array([3, 2, 1, np.nan]), x)


def test_shapes():
    x = sample(np.float32, (2, 3, 4))
    check(lambda hlo, x: hlo.transpose(x, (2, 0, 1)), x.transpose(2, 0, 1), x)
    check(lambda hlo, x: hlo.slice(x, (0, 1, 0), (2, 3, 4), (1, 1, 2)), x[:, 1:3, ::2], x)
    check(lambda hlo, x: hlo.reverse(x, (0, 2)), x[::-1, :, ::-1], x)
    check(lambda hlo, x: hlo.pad(x, 7, (0, 1, 0), (0, 0, 2), (0, 0, 0)), np.pad(x, ((0, 0), (1, 0), (0, 2)), constant_values=7), x)
    check(lambda hlo, x: hlo.concatenate([x, x], 1), np.concatenate([x, x], 1), x)
    check(lambda hlo, x: hlo.broadcast_to(x, (5, 2, 3, 4)), np.broadcast_to(x, (5, 2, 3, 4)), x)
    check(lambda hlo, x: hlo.iota((2, 3), np.int32, 1), np.broadcast_to(np.arange(3, dtype=np.int32), (2, 3)), x)


def test_dot_general():
    x, y = sample(np.float32, (5, 2, 3)), sample(np.float32, (5, 3, 4), 1)
    check(lambda hlo, x, y: hlo.dot_general(x, y, ((0,), (0,)), ((2,), (1,))), x @ y, x, y, exact=False)


def test_gather_and_scatter():
    x, i = sample(np.float64, (5, 3)), np.array([[4], [0], [4]])
    check(lambda hlo, x, i: hlo.gather(x, i, offset_dims=(1,), collapsed_slice_dims=(0,), start_index_map=(0,), slice_sizes=(1, 3)),
          x[i[:, 0]], x, i)
    want = x.copy()
    np.add.at(want, i[:, 0], 1.0)
    numbers = {"update_window_dims": (1,), "inserted_window_dims": (0,), "scatter_dims_to_operand_dims": (0,)}
    check(lambda hlo, x, i: hlo.scatter(x, i, hlo.full((3, 3), 1.0, np.float64), "add", **numbers), want, x, i)


def test_dynamic_slices():
    x = sample(np.float64, (5, 3))
    check(lambda hlo, x, i: hlo.dynamic_slice(x, [i, 0], (2, 3)), x[2:4], x, np.int32(2))
    want = x.copy()
    want[1:2] = 7
    check(lambda hlo, x, i: hlo.dynamic_update_slice(x, hlo.full((1, 3), 7, np.float64), [i, 0]), want, x, np.int64(1))


def test_loop_and_branch_use_outer_values():
    def function(hlo, x, n):
        y = hlo.multiply(x, 2.0)
        _, total = hlo.while_([hlo.constant(0), hlo.full((), 0, np.float64)], lambda i, t: hlo.compare("LT", i, n),
                              lambda i, t: [hlo.add(i, 1), hlo.add(t, y)])
        return hlo.if_(hlo.compare("GT", total, y), lambda: [hlo.add(total, x)], lambda: [hlo.constant(0.0, np.float64)])[0]
    check(function, 7 * 2 * 1.5 + 1.5, np.float64(1.5), np.int64(7))


def test_promotion_of_sugar():
    x = sample(np.float32, (3,))
    check(lambda hlo, x: hlo.add(1, hlo.multiply(x, 2.0)), x * np.float32(2) + 1, x)
    check(lambda hlo, x: hlo.select(hlo.compare("GT", x, 0), x, 0), np.where(x > 0, x, np.float32(0)), x)


def test_shifted_update_of_the_same_operand():
    """openxla#49176: an update whose update is a shifted slice of the same operand, then reshaped."""
    x = np.arange(12.0)
    want = x.copy()
    want[1:] = x[:-1]
    check(lambda hlo, x: hlo.reshape(hlo.dynamic_update_slice(x, hlo.slice(x, (0,), (11,)), [1]), (3, 4)), want.reshape(3, 4), x)


def test_invalid_text_says_where():
    hlo = Hlo("test")
    x = hlo.parameter((), np.float32)
    with pytest.raises(ValueError, match=r'expected 2 operands[\s\S]*%1 = "stablehlo.add"\(%arg0\)'):
        compile(hlo.finish([hlo.op("add", [x], (), x.dtype)]))


def test_callback():
    def double(x):
        return (np.asarray(x) * 2,)
    hlo = Hlo("test")
    x = hlo.parameter((3,), np.float64)
    y, = hlo.callback(double, [x], [((3,), np.dtype(float))])
    run = compile(hlo.finish([y]), callbacks=hlo.callbacks)
    np.testing.assert_array_equal(np.asarray(run.call([np.arange(3.0)])[0]), [0, 2, 4])
