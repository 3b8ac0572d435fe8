"""Random numbers equal JAX's: the same bits for integers, keys and uniform numbers, other floats to two units in the last place.

The unit is that of the number, or of 1 where the number is smaller. Compiled numbers come from XLA as JAX's do. Un-jitted ones come from
NumPy, whose logarithms are right to half a unit; those that JAX compiles for a CPU are off by up to 64 in double precision, and so is the
comparison. Numbers that come out of rejection (gamma and what is made of it) are compared with a tolerance.
"""

import numpy as np
import pytest

from transformer import enable_x64, jit, random

jax = pytest.importorskip("jax")

SHAPES = [(), (1,), (7,), (4, 3), (2, 0, 3), (1025,)]
FLOATS = ["float16", "float32", "float64", "bfloat16"]
INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]

CASES = {}


def case(name, draw, dtype=None):
    CASES[name] = draw, dtype


def each(name, draw, shapes=SHAPES, dtypes=(None,)):
    """`draw(random, key, shape, dtype)` for these shapes and types."""
    for shape in shapes:
        for dtype in dtypes:
            label = f"{name}-{'x'.join(map(str, shape))}-{dtype or 'default'}"
            case(label, lambda r, k, shape=shape, dtype=dtype: draw(r, k, shape, **({"dtype": dtype} if dtype else {})), dtype)


each("bits", lambda r, k, s, **o: r.bits(k, s, **o), SHAPES[:5], [None, "uint8", "uint16", "uint32", "uint64"])
each("randint", lambda r, k, s, **o: r.randint(k, s, 3, 101, **o), [(7,), (4, 3)], INTEGERS)
each("randint-wide", lambda r, k, s, **o: r.randint(k, s, -100, 27, **o), [(33,)], ["int8", "int16", "int32", "int64"])
each("uniform", lambda r, k, s, **o: r.uniform(k, s, **o), SHAPES, FLOATS)
each("uniform-between", lambda r, k, s, **o: r.uniform(k, s, minval=-2, maxval=5, **o), [(4, 3)], FLOATS)
each("normal", lambda r, k, s, **o: r.normal(k, s, **o), SHAPES, FLOATS)
each("exponential", lambda r, k, s, **o: r.exponential(k, s, **o), [(), (4, 3), (1025,)], ["float32", "float64"])
each("gumbel", lambda r, k, s, **o: r.gumbel(k, s, **o), [(), (4, 3), (1025,)], ["float32", "float64"])
each("laplace", lambda r, k, s, **o: r.laplace(k, s, **o), [(), (4, 3), (1025,)], ["float32", "float64"])
each("logistic", lambda r, k, s, **o: r.logistic(k, s, **o), [(), (4, 3), (1025,)], ["float32", "float64"])
each("cauchy", lambda r, k, s, **o: r.cauchy(k, s, **o), [(), (4, 3)], ["float32", "float64"])
each("pareto", lambda r, k, s, **o: r.pareto(k, 3.0, s, **o), [(), (4, 3)], ["float32", "float64"])
each("rayleigh", lambda r, k, s, **o: r.rayleigh(k, 2.0, s, **o), [(), (4, 3)], ["float32", "float64"])
each("weibull_min", lambda r, k, s, **o: r.weibull_min(k, 2.0, 1.5, s, **o), [(), (4, 3)], ["float32", "float64"])
each("maxwell", lambda r, k, s, **o: r.maxwell(k, s, **o), [(), (4, 3)], ["float32", "float64"])
each("truncated_normal", lambda r, k, s, **o: r.truncated_normal(k, -1.0, 2.0, s, **o), [(), (4, 3), (1025,)], ["float32", "float64"])
each("bernoulli", lambda r, k, s: r.bernoulli(k, 0.3, s), SHAPES)
each("rademacher", lambda r, k, s, **o: r.rademacher(k, s, **o), SHAPES[:4], [None, "int8", "float32"])
each("permutation", lambda r, k, s: r.permutation(k, s[0]), [(1,), (7,), (1025,)])
each("permutation-rows", lambda r, k, s: r.permutation(k, np.arange(np.prod(s), dtype="int32").reshape(s)), [(7,), (4, 3)])
each("permutation-independent", lambda r, k, s: r.permutation(k, np.arange(12, dtype="int32").reshape(s), axis=1, independent=True), [(4, 3), (2, 6)])
each("choice", lambda r, k, s: r.choice(k, 10, s), [(), (7,), (4, 3)])
each("choice-distinct", lambda r, k, s: r.choice(k, 20, s, replace=False), [(7,), (4, 3)])
each("choice-weighted", lambda r, k, s: r.choice(k, 4, s, p=np.array([0.1, 0.2, 0.3, 0.4], "float32")), [(), (7,), (4, 3)])
each("categorical", lambda r, k, s: r.categorical(k, np.log(np.array([0.1, 0.2, 0.7], "float32")), shape=s), SHAPES[:4])
each("multivariate_normal", lambda r, k, s: r.multivariate_normal(k, np.zeros(2, "float32"), np.eye(2, dtype="float32") * 4, s), [(), (7,)])
for n in (1, 2, 5, (3, 2)):
    case(f"split-{n}", lambda r, k, n=n: r.key_data(r.split(k, n)))
for n in (0, 1, 7, 2 ** 31):
    case(f"fold_in-{n}", lambda r, k, n=n: r.key_data(r.fold_in(k, np.uint32(n))))
for seed in (0, 1, -1, 42, 2 ** 31 - 1):
    case(f"key-{seed}", lambda r, k, seed=seed: r.key_data(r.key(seed)))
    case(f"PRNGKey-{seed}", lambda r, k, seed=seed: r.PRNGKey(seed))

APPROXIMATE = {}
for draw, arguments in {"gamma": (2.5,), "loggamma": (0.3,), "beta": (0.7, 2.0), "dirichlet": (np.array([0.5, 1.0, 3.0], "float32"),), "t": (3.0,),
                        "chisquare": (4.0,), "poisson": (6.5,), "binomial": (10, 0.3), "f": (3.0, 7.0)}.items():
    for shape in [(), (7,), (4, 3)]:
        APPROXIMATE[f"{draw}-{'x'.join(map(str, shape))}"] = lambda r, k, d=draw, a=arguments, s=shape: getattr(r, d)(k, *a, shape=s)


def both(draw, dtype, seed=5, through=lambda f: f):
    wide = "64" in (dtype or "")
    with jax.enable_x64(wide), enable_x64(wide):
        theirs = np.asarray(draw(jax.random, jax.random.key(seed)))
        ours = np.asarray(through(lambda key: draw(random, key))(random.key(seed)))
    assert (ours.dtype, ours.shape) == (theirs.dtype, theirs.shape)
    return ours, theirs


def steps(ours, theirs):
    """The largest difference in units in the last place."""
    wide = np.asarray(theirs, "float64")
    unit = 2.0 ** np.floor(np.log2(np.maximum(np.abs(wide), 1.0))) * float(jax.numpy.finfo(theirs.dtype).eps)
    return np.max(np.abs(np.asarray(ours, "float64") - wide) / unit, initial=0.0)


def check(name, ours, theirs, limit=2.0):
    if ours.dtype.kind in "biu" or name.startswith("uniform-") and "between" not in name:
        np.testing.assert_array_equal(ours, theirs)
    else:
        assert steps(ours, theirs) <= limit


@pytest.mark.parametrize("name", CASES)
def test_equal(name):
    coarse = name.endswith("float64") or name.startswith("truncated_normal")
    check(name, *both(*CASES[name]), limit=64.0 if coarse else 2.0)


@pytest.mark.parametrize("name", [name for name in CASES if not name.startswith(("key", "PRNGKey"))])
def test_equal_when_compiled(name):
    check(name, *both(*CASES[name], seed=6, through=jit))


@pytest.mark.parametrize("name", APPROXIMATE)
def test_close(name):
    ours, theirs = both(APPROXIMATE[name], None)
    np.testing.assert_allclose(ours, theirs, rtol=2e-5, atol=1e-6)


def test_there_are_enough():
    assert len(CASES) >= 200
