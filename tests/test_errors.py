"""Bad input: each error names the place, the fault and what to do."""

import re

import numpy as np
import pytest

import transformer as T

TOTAL = 0.0
LOG = []


def message(fn, *args, kind=T.TransformError):
    with pytest.raises(kind) as caught:
        fn(*args)
    return str(caught.value)


def line_of(fn, text):
    """`file:line` of the line of `fn` that contains `text`."""
    import inspect
    lines, first = inspect.getsourcelines(fn)
    return f"{inspect.getsourcefile(fn)}:{first + next(i for i, line in enumerate(lines) if text in line)}"


def test_no_source():
    scope = {}
    exec("def f(x):\n    return x * 2.0", scope)
    text = message(T.grad(scope["f"]), 1.0)
    assert "no source" in text and "linecache" in text


def test_generator():
    def numbers(x):
        yield x
    text = message(T.grad(numbers), 1.0)
    assert "generator" in text and __file__ in text


def test_global_written():
    def count(x):
        global TOTAL
        TOTAL = TOTAL + 1.0
        return x * TOTAL
    text = message(T.jit(count), 1.0)
    assert "TOTAL" in text and re.search(r"test_errors.py:\d+:\d+", text)


def test_global_list_mutated():
    def logged(x):
        LOG.append(x)
        return x
    text = message(T.grad(logged), 1.0)
    assert line_of(logged, "LOG.append") in text and "LOG" in text
    assert LOG == []


def test_argument_container_mutated():
    def change(p):
        p["a"] = p["a"] * 2.0
        return p["a"]
    p = {"a": 1.0}
    text = message(T.grad(change), p)
    assert line_of(change, 'p["a"] = ') in text and p == {"a": 1.0}


def test_random_under_jit():
    def noisy(x):
        return x + np.random.rand()
    text = message(T.jit(noisy), 1.0)
    assert "np.random.rand" in text and line_of(noisy, "np.random") in text


def test_random_is_drawn_anew_where_it_runs_on_numpy():
    gradient = T.grad(lambda x: x * np.random.rand())
    assert gradient(1.0) != gradient(1.0)


def test_shape_mismatch_names_both_shapes_and_the_line():
    def add(x, y):
        z = x * 2.0
        return np.sum(z + y)
    text = message(T.grad(add), np.ones(3), np.ones(4))
    assert "(3,)" in text and "(4,)" in text and line_of(add, "z + y") in text and "^" in text


def test_matmul_mismatch():
    def product(x, y):
        return np.sum(x @ y)
    text = message(T.jit(product), np.ones((2, 3)), np.ones((4, 2)))
    assert "(2, 3)" in text and "(4, 2)" in text and line_of(product, "x @ y") in text


def test_unknown_numpy_function_names_the_nearest():
    def mask(x):
        return np.sum(np.nanmedian(x, axis=0)) + np.sum(np.lib.stride_tricks.as_strided(x))
    text = message(T.grad(mask), np.ones(3))
    assert "as_strided" in text and line_of(mask, "as_strided") in text


def test_unknown_method():
    def call(x):
        return x.tobytes()
    text = message(T.grad(call), np.ones(3))
    assert "tobytes" in text and line_of(call, "tobytes") in text


def test_output_not_scalar():
    text = message(T.grad(lambda x: x * 2.0), np.ones(3))
    assert "scalar" in text and "(3,)" in text and "jacrev" in text


def test_output_is_a_container():
    assert "scalar" in message(T.grad(lambda x: (x, x)), 1.0)


def test_integer_argument_is_promoted():
    assert T.grad(np.tanh)(2) == pytest.approx(1 - np.tanh(2.0) ** 2)
    slope = T.grad(lambda a: np.log(np.sum(np.exp(a))))(np.array([1, 2, 3]))
    assert slope.dtype == np.float64
    np.testing.assert_allclose(slope, np.exp([1.0, 2, 3]) / np.sum(np.exp([1.0, 2, 3])))


def test_string_argument():
    text = message(T.grad(lambda x: 1.0), "text")
    assert "argument 0" in text and "string" in text


def test_argnums_out_of_range():
    text = message(T.grad(lambda x: x, argnums=2), 1.0)
    assert "argnums 2" in text and "1 positional" in text


def test_argnums_of_wrong_type():
    assert "argnums" in message(T.grad(lambda x: x, argnums="x"), 1.0)


def test_unhashable_static_argument():
    class Unhashable:
        __hash__ = None
    text = message(T.jit(lambda x, s: x, static_argnums=1), 1.0, Unhashable())
    assert "unhashable" in text and "Unhashable" in text


def test_array_of_another_library():
    class Tensor:
        def __array__(self, dtype=None, copy=None):
            return np.ones(2)
    for transform in (T.jit, T.grad):
        text = message(transform(lambda x: np.sum(x * 2.0)), Tensor())
        assert "another library" in text and "Tensor" in text and "np.asarray" in text


def test_array_as_static_argument():
    assert "static" in message(T.jit(lambda x, s: x, static_argnums=1), 1.0, np.ones(2))


def test_device_array_is_not_changed():
    def store(x):
        x[0] = 1.0
        return np.sum(x)
    device = T.jit(lambda x: x * 1.0)(np.ones(3))
    text = message(T.jit(store), device)
    assert "device array" in text and line_of(store, "x[0] = 1.0") in text


def test_device_array_item_assignment_says_what_to_write():
    device = T.jit(lambda x: x * 1.0)(np.ones(3))
    with pytest.raises(TypeError, match="np.array"):
        device[0] = 2.0


def test_while_whose_carry_changes_shape():
    def grow(x):
        while np.sum(x) < 10.0:
            x = np.concatenate([x, x])
        return np.sum(x)
    text = message(T.jit(grow), np.ones(2))
    assert line_of(grow, "while") in text and "shape" in text
    assert T.grad(grow)(np.ones(2)).tolist() == [8.0, 8.0]


def test_value_dependent_recursion_under_jit():
    def factorial(x):
        if x < 1:
            return 1.0
        return x * factorial(x - 1)
    assert "recursion" in message(T.jit(factorial), 4.5)
    assert T.grad(factorial)(4.5) == pytest.approx(sum(4.5 * 3.5 * 2.5 * 1.5 / t for t in (4.5, 3.5, 2.5, 1.5)))


def test_index_out_of_range():
    def last(x):
        return x[5]
    text = message(T.grad(last), np.ones(3), kind=IndexError)
    assert "5" in text and "3" in text and line_of(last, "x[5]") in text


def test_one_sided_name_is_an_error_when_used():
    def partial(x):
        if x > 0:
            y = x
        return y * 2.0
    text = message(T.jit(partial), 1.0)
    assert "y" in text and line_of(partial, "return y") in text


def test_construct_that_is_not_transformed():
    def counted(x):
        global calls
        calls = calls + 1
        return x * 2.0
    text = message(T.grad(counted), 8.0)
    assert "calls" in text and line_of(counted, "calls = ") in text


def test_error_of_user_code_keeps_its_type_and_names_the_line():
    def broken(x, options):
        return x * options["gain"]
    with pytest.raises(KeyError) as caught:
        T.grad(broken)(1.0, {"scale": "2"})
    assert any(__file__ in note for note in caught.value.__notes__)


def test_raise_on_a_value_in_compiled_code():
    def checked(x):
        if x < 0:
            raise ValueError(f"negative: {x}")
        return np.sqrt(x)
    compiled = T.jit(checked)
    assert float(compiled(4.0)) == 2.0
    with pytest.raises(ValueError, match="negative: -1.0"):
        compiled(-1.0)


def test_not_a_function():
    assert "function" in message(T.grad, 3.0)


def test_vmap_sizes_differ():
    text = message(T.vmap(lambda x, y: x + y), np.ones(3), np.ones(4))
    assert "3" in text and "4" in text


def test_vmap_axis_missing():
    assert "axis 1" in message(T.vmap(lambda x: x, in_axes=1), np.ones(3))


def test_vmap_maps_nothing():
    assert "in_axes" in message(T.vmap(lambda x: x, in_axes=None), np.ones(3))


def test_tangent_of_wrong_shape():
    text = message(lambda: T.jvp(lambda x: x, (np.ones(3),), (np.ones(2),)))
    assert "(2,)" in text and "(3,)" in text


def test_cotangent_of_wrong_shape():
    _, pullback = T.vjp(lambda x: x * 2.0, np.ones(3))
    assert "(2,)" in message(pullback, np.ones(2))


def test_unknown_stage():
    assert "stages" in message(lambda: T.grad(lambda x: x).show(1.0, stage="nothing"))


def test_source_before_a_call_that_needs_arrays():
    assert "show(" in message(lambda: T.grad(lambda x: np.sum(x[0] * x[1])).source)


def test_an_axis_that_does_not_exist_is_both_kinds_of_error():
    for f in (lambda x: np.sum(x, axis=2), lambda x: np.flip(x, axis=2), lambda x: T.numpy.max(x, axis=-3), lambda x: np.moveaxis(x, 4, 0)):
        for kind in (IndexError, ValueError):
            with pytest.raises(kind, match="axis"):
                T.jit(f)(np.ones((2, 2)))
    with pytest.raises(ValueError, match="twice"):
        T.jit(lambda x: np.sum(x, axis=(0, 0)))(np.ones((2, 2)))


def test_results_that_differ_from_lane_to_lane_need_an_axis():
    with pytest.raises(ValueError, match="out_axes is None"):
        T.vmap(lambda x: x, out_axes=None)(np.ones(2))


@pytest.mark.parametrize("transform, f, x, message", [
    (T.jacfwd, np.abs, 1 + 2j, "real arguments"),
    (T.jacrev, lambda z: z * np.conj(z), 1 + 2j, "real results"),
    (T.jacrev, lambda t: np.exp(1j * t), 0.3, "real results"),
    (T.hessian, np.abs, 1 + 2j, "real arguments"),
    (lambda f: T.grad(f, holomorphic=True), lambda z: z ** 2, 2.0, "complex arguments"),
    (lambda f: T.jacfwd(f, holomorphic=True), np.abs, 1 + 2j, "complex arguments and results"),
])
def test_half_of_a_complex_derivative_is_refused(transform, f, x, message):
    with pytest.raises(TypeError, match=message):
        transform(f)(x)
