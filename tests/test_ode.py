"""`experimental.ode.odeint` against closed forms; its derivatives, batches and compiled programs."""

import numpy as np
import pytest

import transformer as T
import transformer.numpy as jnp
from transformer.experimental.ode import odeint

TIMES = np.linspace(0.0, 2.0, 5)


def swing(y, t, stiffness):
    return {"x": y["v"], "v": -stiffness * y["x"]}


START = {"x": 1.0, "v": 0.0}


@pytest.mark.parametrize("wrap", [lambda f: f, T.jit])
def test_pytrees_follow_the_closed_form(wrap):
    with T.enable_x64(True):
        found = wrap(lambda y, k: odeint(swing, y, TIMES, k))(START, 4.0)
        np.testing.assert_allclose(found["x"], np.cos(2 * TIMES), atol=1e-7)
        np.testing.assert_allclose(found["v"], -2 * np.sin(2 * TIMES), atol=1e-7)


def test_single_precision_stays_so():
    found = odeint(lambda y, t: jnp.sin(t) * y, np.array([1.0, 2.0], np.float32), TIMES.astype(np.float32), rtol=1e-5, atol=1e-5)
    assert found.dtype == np.float32 and found.shape == (5, 2)
    np.testing.assert_allclose(found[:, 0], np.exp(1 - np.cos(TIMES)), rtol=1e-4)


def test_time_may_run_backwards():
    with T.enable_x64(True):
        np.testing.assert_allclose(odeint(lambda y, t: -y, 1.0, -TIMES), np.exp(TIMES), rtol=1e-6)


def test_derivatives():
    with T.enable_x64(True):
        f = lambda k, t: odeint(swing, START, t, k, rtol=1e-10, atol=1e-10)["x"][-1]  # noqa: E731
        wanted = -2 * np.sin(4.0), -2.0 * np.sin(4.0) / 4
        for g in (T.grad(f, (1, 0)), T.jit(T.grad(f, (1, 0)))):
            by_time, by_stiffness = g(4.0, TIMES)
            np.testing.assert_allclose(by_time[-1], wanted[0], rtol=1e-6)
            np.testing.assert_allclose(by_stiffness, wanted[1], rtol=1e-6)
        np.testing.assert_allclose(T.jacfwd(f)(4.0, TIMES), wanted[1], rtol=1e-6)


def test_batches():
    found = T.vmap(lambda k: odeint(swing, START, TIMES, k, rtol=1e-6, atol=1e-6)["x"])(np.array([1.0, 4.0], np.float32))
    np.testing.assert_allclose(found, np.cos(np.outer([1.0, 2.0], TIMES)), atol=1e-4)


def test_steps_are_bounded():
    few = odeint(lambda y, t: -y, 1.0, TIMES, mxstep=1)
    assert abs(few[1] - np.exp(-0.5)) > 1e-2
    with pytest.raises(TypeError, match="odeint"):
        odeint(lambda y, t: jnp.stack([y, y]), 1.0, TIMES)
