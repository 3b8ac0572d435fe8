"""Every function of `transformer.numpy`: values against NumPy, the same types eagerly and compiled, and those of JAX where it is there."""

import warnings

import numpy as np
import pytest

import transformer as T
import transformer.numpy as jnp
from tests.numpy.cases import ARRAYS, CASES, STATIC, UNCALLED, UNLIKE_NUMPY, evaluate, fall, fused
from tests.test_jax_names import make_names

DEVICE = {name: jnp.asarray(value) for name, value in ARRAYS.items()}


def flat(value):
    if isinstance(value, tuple | list):
        return [leaf for v in value for leaf in flat(v)]
    return [value]


def compare(found, wanted, types=True, rtol=2e-4):
    found, wanted = flat(found), flat(wanted)
    assert len(found) == len(wanted)
    for one, two in zip(found, wanted):
        if not hasattr(one, "shape"):
            assert one == two
            continue
        assert one.shape == np.shape(two)
        if types:
            assert one.dtype == two.dtype
        np.testing.assert_allclose(np.asarray(one), np.asarray(two), rtol=rtol, atol=1e-5)


def test_every_name_has_a_case():
    assert set(make_names.lists()["jax.numpy"]) == set(CASES) | UNCALLED
    assert not set(CASES) & UNCALLED


@pytest.mark.parametrize("name", CASES)
def test_values_are_those_of_numpy(name):
    if name in UNLIKE_NUMPY or not hasattr(np, name):
        pytest.skip("NumPy has no such call")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        compare(evaluate(CASES[name], jnp, DEVICE), evaluate(CASES[name], np, ARRAYS), types=False)


def used(name):
    """The arrays that a case reads."""
    code = compile(CASES[name], name, "eval")
    inner = [n for c in code.co_consts if hasattr(c, "co_names") for n in c.co_names]
    return [n for n in (*code.co_names, *inner) if n in ARRAYS]


@pytest.mark.parametrize("name", [n for n in CASES if n not in STATIC])
def test_compiled_is_the_same(name):
    names = used(name)
    namespace = {"xp": jnp, "np": np, "ARRAYS": ARRAYS, "fall": fall, "fused": fused}
    source = f"def case({', '.join(names)}):\n    return {CASES[name]}\n"
    function = made(source, namespace, name)
    found = T.jit(function)(*[DEVICE[n] for n in names])
    wanted = evaluate(CASES[name], jnp, DEVICE)
    if all(hasattr(leaf, "shape") for leaf in flat(wanted)):
        compare(found, wanted)


def made(source, namespace, name):
    """A function of a text that transformer can read."""
    import linecache
    file = f"<case {name}>"
    linecache.cache[file] = (len(source), None, source.splitlines(True), file)
    exec(compile(source, file, "exec"), namespace)
    return namespace["case"]


@pytest.mark.parametrize("name", CASES)
def test_types_are_those_of_jax(name):
    jax = pytest.importorskip("jax")
    if name in ("mask_indices", "fromiter", "finfo", "iinfo", "result_type", "promote_types", "array_repr", "array_str", "fromfunction", "einsum_path",
                "argpartition", "from_dlpack"):
        pytest.skip("no array, or another convention")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        wanted = evaluate(CASES[name], jax.numpy, {n: jax.numpy.asarray(v) for n, v in ARRAYS.items()})
    compare(evaluate(CASES[name], jnp, DEVICE), wanted)
