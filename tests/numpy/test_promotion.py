"""Types follow JAX's lattice: between arrays, with Python numbers, in compiled code, through loops and branches."""

import numpy as np
import pytest

import transformer as T
import transformer.numpy as jnp

LATTICE = """
bool int8 int8|bool uint8 uint8|bool float16 float16|int8 uint8 int16|int8 int32 int32|uint8 int8 int16|int16 uint16 int32|int32 uint32 int32
int32 float16 float16|int32 bfloat16 bfloat16|int8 float32 float32|uint32 float32 float32|float16 bfloat16 float32|bfloat16 float32 float32
float16 float32 float32|int32 complex64 complex64|float32 complex64 complex64|uint16 int16 int32|int8 bfloat16 bfloat16
"""
PAIRS = [entry.split() for line in LATTICE.split("\n") for entry in line.split("|") if entry]


def plus(a, b):
    return a + b


@pytest.mark.parametrize("one, two, wanted", PAIRS)
def test_lattice(one, two, wanted):
    a, b = jnp.ones(2, one), jnp.ones(2, two)
    for found in (a + b, b + a, jnp.add(a, b), T.jit(plus)(a, b)):
        assert found.dtype.name == wanted
    assert jnp.promote_types(one, two).name == wanted
    assert jnp.result_type(a, b).name == wanted


@pytest.mark.parametrize("dtype, number, wanted", [
    ("float32", 2.5, "float32"), ("float16", 2.5, "float16"), ("bfloat16", 2.5, "bfloat16"), ("int32", 2.5, "float32"), ("int8", 1, "int8"),
    ("uint8", 1, "uint8"), ("bool", 1, "int32"), ("float32", 1j, "complex64"), ("bfloat16", 3, "bfloat16"), ("bool", 1.0, "float32"),
])
def test_python_numbers_give_way(dtype, number, wanted):
    x = jnp.ones(2, dtype)
    for found in (x * number, number * x, jnp.multiply(x, number), T.jit(lambda x: x * number)(x), jnp.where(x > 0, x, number)):
        assert found.dtype.name == wanted


def test_a_number_as_an_argument_gives_way():
    assert T.jit(lambda x, s: x * s)(jnp.ones(2, "bfloat16"), 2.0).dtype.name == "bfloat16"
    assert T.grad(lambda s, x: jnp.sum(x * s))(2.0, jnp.ones(2)).dtype == np.float32


def test_arrays_made_of_numbers_give_way():
    assert jnp.asarray(2.0).weak_type and jnp.sin(1.0).weak_type and not jnp.float32(2.0).weak_type
    assert (jnp.ones(2, "float16") * jnp.asarray(2.0)).dtype == np.float16
    assert (jnp.ones(2, "int32") * 1.5).weak_type


@pytest.mark.parametrize("function, dtype, wanted", [
    (jnp.sum, "int8", "int32"), (jnp.sum, "uint8", "uint32"), (jnp.sum, "bool", "int32"), (jnp.mean, "int32", "float32"), (jnp.sin, "int8", "float32"),
    (jnp.argmax, "float32", "int32"), (jnp.argsort, "float32", "int32"), (jnp.cumsum, "int8", "int8"), (jnp.sqrt, "bool", "float32"),
    (jnp.mean, "bfloat16", "bfloat16"), (jnp.floor, "int32", "int32"), (jnp.count_nonzero, "float32", "int32"), (jnp.linalg.norm, "int32", "float32"),
    (jnp.fft.fft, "float32", "complex64"), (jnp.std, "float16", "float16"), (jnp.absolute, "complex64", "float32"), (jnp.square, "bool", "int32"),
])
def test_results_keep_to_32_bits(function, dtype, wanted):
    x = jnp.ones(3, dtype)
    assert function(x).dtype.name == wanted
    assert T.jit(lambda x: function(x))(x).dtype.name == wanted


def test_methods_follow_the_same_rules():
    i = jnp.arange(4)
    assert (i / 2).dtype == i.mean().dtype == np.float32
    assert i.sum().dtype == i.argmax().dtype == i.astype(int).dtype == np.int32
    found = T.jit(lambda i: (i / 2, i.mean(), i.sum(), i.argmax(), i.astype(float)))(i)
    assert [f.dtype.name for f in found] == ["float32", "float32", "int32", "int32", "float32"]


def test_numpy_arrays_are_narrowed_where_they_meet():
    assert (jnp.ones(3) * np.ones(3)).dtype == np.float32
    assert (np.ones(3) * jnp.ones(3)).dtype == np.float32
    assert jnp.sin(np.ones(3)).dtype == np.float32
    assert T.jit(lambda x: jnp.sin(x) + np.ones(3))(np.ones(3)).dtype == np.float32


def test_arrays_of_64_bits_keep_them():
    wide = T.jit(lambda x: x * 2)(np.ones(3))
    assert wide.dtype == (wide + 1).dtype == (wide * np.ones(3)).dtype == jnp.sum(wide).dtype == np.float64


def test_plain_numpy_code_keeps_numpys_rules():
    assert T.jit(lambda i, x: i * x)(np.ones(3, np.int32), np.ones(3, np.float32)).dtype == np.float64
    assert T.jit(lambda i: np.sum(i))(np.ones(3, np.int32)).dtype == np.int64


def loop_with_carry(x, n):
    total = 0
    for i in range(n):
        total = total + jnp.sum(x * i)
    return total / 2


def branch(x, flag):
    y = 1
    if flag > 0:
        y = jnp.max(x)
    return y + x


def test_loops_and_branches_keep_the_rules():
    i = jnp.arange(3)
    assert T.jit(loop_with_carry)(i, 12).dtype == np.float32
    assert float(T.jit(loop_with_carry)(i, 12)) == 99.0
    assert T.jit(branch)(i, 1.0).dtype == np.int32
    assert T.jit(branch)(jnp.ones(2, "bfloat16"), 1.0).dtype.name == "bfloat16"


def updates_of_a_name(x):
    y = x
    y += 1.0
    return x, y


def test_augmented_assignment_makes_a_new_array():
    x, y = T.jit(updates_of_a_name)(jnp.zeros(2))
    assert x.tolist() == [0.0, 0.0] and y.tolist() == [1.0, 1.0]
    assert jnp.zeros(2).tolist() == updates_of_a_name(jnp.zeros(2))[0].tolist()


def test_nested_transforms_keep_the_rules():
    slopes = T.vmap(T.grad(lambda s, x: jnp.sum(jnp.tanh(x * s) / 2)), (0, None))
    found = T.jit(lambda s, i: slopes(s, i) * i[0])(jnp.ones(4), jnp.arange(3))
    assert found.dtype == np.float32


def test_half_precision_differentiates():
    def f(x):
        return jnp.sum(jnp.sin(x) * x)
    for dtype in ("float16", "bfloat16"):
        x = jnp.ones(3, dtype)
        for g in (T.grad(f), T.jit(T.grad(f)), T.jit(T.vmap(T.grad(lambda v: jnp.sin(v) * v)))):
            assert g(x).dtype.name == dtype
            np.testing.assert_allclose(np.asarray(g(x).astype(jnp.float32)), np.sin(1) + np.cos(1), rtol=1e-2)


def test_an_unknown_pair_is_refused():
    with pytest.raises(T.TransformError, match="no implicit type"):
        jnp.ones(2, jnp.float8_e4m3fn) + jnp.ones(2, jnp.float8_e5m2)
