"""Which engine runs a compiled function, and that NumPy keeps what jit promises."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import transformer
import transformer.numpy as jnp
from transformer import Array, TransformError, config, grad, jit

SMALL = np.arange(4, dtype=np.float32)
SQUARE = np.arange(9, dtype=np.float32).reshape(3, 3) / 9


def engine_of(f, *args):
    return f.explain(*args).engine


@pytest.fixture
def auto():
    before = config.read("jit_engine")
    config.update("jit_engine", "auto")
    yield
    config.update("jit_engine", before)


PROGRAMS = [
    (lambda x: x + 1, SMALL), (lambda x: -x * 2, SMALL), (lambda x: x @ x, SQUARE), (lambda x: x.T, SQUARE), (lambda x: x[1:], SMALL),
    (lambda x: np.sum(x), SMALL), (lambda x: np.where(x > 1, x, 0), SMALL), (lambda x: x, SMALL), (lambda x: (x, [x * 2, {"a": x}]), SMALL),
    (lambda x: jnp.exp(x) / 2, SMALL), (lambda x: np.reshape(x, (2, 2)), SMALL), (lambda x: x / 0, SMALL), (lambda x: x.reshape(3, 3, 1) + x, SQUARE),
]


@pytest.mark.parametrize("number", range(len(PROGRAMS)))
def test_results_are_those_of_the_executable(number):
    f, x = PROGRAMS[number]
    ours, compiled = jit(f, engine="numpy"), jit(f, engine="xla")
    for argument in (x, transformer.device_put(x)):
        for _ in range(4):
            found, wanted = ours(argument), compiled(argument)
            assert transformer.tree.structure(found) == transformer.tree.structure(wanted)
            for a, b in zip(*map(transformer.tree.leaves, (found, wanted)), strict=True):
                assert type(a) is Array and a.spec is b.spec
                np.testing.assert_allclose(a, b, rtol=1e-6)
    assert x.flags.writeable and engine_of(ours, x) == "numpy" and engine_of(compiled, x) == "xla"


def test_results_share_no_memory_with_arguments():
    f, x = jit(lambda x: (x, x.T, x + 0), engine="numpy"), SQUARE.copy()
    for _ in range(4):
        results = f(x)
        x += 1
        assert all(r[0, 0] == x[0, 0] - 1 for r in results)
        with pytest.raises(ValueError, match="read-only"):
            np.asarray(results[0])[0] = 1


def test_auto_takes_numpy_for_a_statement_or_two_and_xla_for_more(auto):
    assert engine_of(jit(lambda x: x + 1), SMALL) == "numpy"
    assert engine_of(jit(lambda x: x @ x), SQUARE) == "numpy"
    assert engine_of(jit(grad(lambda x: np.sum(np.tanh(x) ** 2 * np.exp(x)))), SMALL) == "xla"
    assert engine_of(jit(lambda x: x * 2 + 1), np.ones(1_000_000, np.float32)) == "xla"


def test_a_signature_has_one_engine(auto):
    engines = {engine_of(jit(lambda x: x + 1), SMALL) for _ in range(5)}
    assert engines == {"numpy"}


@pytest.mark.parametrize(("f", "args", "why"), [
    (lambda x: x + 1, (1,), "integers"), (lambda x: x + 1, (1.0,), "Python numbers"), (lambda x: x // 2, (np.arange(3),), "integers"),
    (lambda x: x * x, (np.ones(3, np.float16),), "half precision"), (lambda x: np.sort(x), (SMALL,), "sort"),
    (lambda x: x if x[0] > 0 else -x, (SMALL,), "branches")])
def test_what_numpy_does_not_take_over(f, args, why, auto):
    explanation = jit(f).explain(*args)
    assert explanation.engine == "xla" and why in explanation.reason
    with pytest.raises(TransformError, match="NumPy cannot run"):
        jit(f, engine="numpy")(*args)


def test_donated_and_stored_arguments_stay_with_xla(auto):
    def fill(x):
        x[0] = 5
        return x * 2
    assert "donated" in jit(lambda x: x + 1, donate_argnums=0).explain(SMALL).reason
    x, f = SMALL.copy(), jit(fill)
    f(x)
    assert x[0] == 5 and engine_of(f, x) == "xla"


def test_jit_wins_over_the_configuration(auto):
    assert engine_of(jit(lambda x: x + 1, engine="xla"), SMALL) == "xla"
    assert engine_of(grad(jit(lambda x: x + 1, engine="xla")), np.float32(1)) == "xla"


def test_lowered_programs_are_those_of_xla(auto):
    f = jit(lambda x: x + 1)
    run = f.lower(SMALL).compile()
    assert engine_of(f, SMALL) == "numpy" and "fusion" in run.as_text()
    np.testing.assert_array_equal(run(SMALL), SMALL + 1)
    assert type(f(SMALL)) is Array and "stablehlo" in f.lower(SMALL).as_text()


def test_no_warnings_of_numpy():
    f = jit(lambda x: x / (x - x), engine="numpy")
    for _ in range(4):
        assert np.isnan(f(SMALL)[0]) and np.isinf(f(SMALL)[1])


def test_unknown_engines():
    with pytest.raises(TransformError, match="engine 'numba'"):
        jit(lambda x: x, engine="numba")
    with pytest.raises(TransformError, match="engine 'fast'"):
        config.update("jit_engine", "fast")


def test_explanation_of_a_function_without_jit():
    explanation = grad(lambda x: x * x).explain(1.0)
    assert explanation.engine == "numpy" and "no jit" in str(explanation)


def test_explanation_names_the_estimates():
    assert "estimates: numpy" in str(jit(lambda x: x + 1, engine="auto").explain(SMALL))


def test_threads_with_numpy():
    f, wrong = jit(lambda x: x * 2 + 1, engine="numpy"), []

    def work(number):
        x = np.full(8, number, np.float32)
        for _ in range(200):
            if not np.all(np.asarray(f(x)) == 2 * number + 1):
                wrong.append(number)
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, range(4)))
    assert not wrong
