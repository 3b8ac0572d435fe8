"""NumPy's functions that make an array to be filled give an ndarray of a device array: plain, and under every transform."""

import numpy as np
import pytest

import transformer as T
import transformer.numpy as jnp

MAKERS = {
    "copy": np.copy, "array": np.array, "of a list": lambda x: np.array([x, x]), "asarray": lambda x: np.asarray([x[0], x[1]]),
    "full": lambda x: np.full((2, 3), x), "full of a number": lambda x: np.full(3, x[0]), "zeros_like": np.zeros_like, "ones_like": np.ones_like,
    "full_like": lambda x: np.full_like(x, 2.0), "r_": lambda x: np.r_[x, x], "c_": lambda x: np.c_[x, x],
}
IMMUTABLE = {"jnp.copy": jnp.copy, "jnp.array": jnp.array, "method": lambda x: x.copy(), "negative": np.negative, "jnp.zeros_like": jnp.zeros_like,
             "jnp.full_like": lambda x: jnp.full_like(x, 2.0)}


def add_to(x, y):
    x += y


def bumped(make):
    def run(x):
        made = make(x)
        add_to(made, 1.5)
        return made
    return run


@pytest.mark.parametrize("name", [*MAKERS, *IMMUTABLE])
def test_a_callee_changes_what_it_changes_in_plain_python(name):
    x, run = jnp.arange(3.0), bumped({**MAKERS, **IMMUTABLE}[name])
    want = run(x)
    assert isinstance(want, np.ndarray) == (name in MAKERS)
    if name in MAKERS:
        assert want.tolist() == run(np.arange(3.0)).tolist()
    for transformed in (T.jit(run), lambda x: T.vmap(run)(jnp.stack([x, x]))[1], lambda x: T.jvp(run, (x,), (x,))[0]):
        assert np.asarray(transformed(x)).tolist() == want.tolist()


def test_the_types_of_an_ndarray_of_a_device_array_follow_numpy():
    def types(x):
        return np.array(x) / np.arange(1, 4), np.array(x, np.float64), x / np.arange(1, 4)
    x = jnp.arange(3.0)
    with T.enable_x64():
        assert [y.dtype.name for y in T.jit(types)(x)] == [y.dtype.name for y in types(x)]
