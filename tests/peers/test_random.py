"""Random numbers equal JAX's: the same bits for integers and keys, floats to two units in the last place.

Each case is drawn at once by both, and in jitted functions by both: with parameters that are arguments of these, and with numbers that are
built in. JAX's own draws of gamma numbers differ between the first and the last of these, by what CONSTANT says; ours do not.
"""

from contextlib import contextmanager

import numpy as np
import pytest

from transformer import enable_x64, eval_shape, jit, random
from transformer.errors import TypeMismatch

jax = pytest.importorskip("jax")
BFLOAT16 = jax.numpy.bfloat16

FLOATS = ["float16", "bfloat16", "float32", "float64"]
INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
SHAPES = [(), (7,), (4, 3), (2, 0, 3)]
ONE_SHAPE = [(1025,)]
LIMIT = 2
"""Units in the last place; most are equal to the last bit."""

PRODUCT_LIMIT = 64
"""The same for the vectors of multivariate_normal: jaxlib multiplies small matrices by another routine for JAX, which adds in another order.
Both are within 1.4 units of the sum of the magnitudes of the terms, which is more where these cancel."""

CASES = {}


def each(name, *parameters, shapes=SHAPES, dtypes=(None,), label=None, **settings):
    """A case for each of these shapes and types of the sampler's result."""
    for shape in shapes:
        for dtype in dtypes:
            kind = {"dtype": BFLOAT16 if dtype == "bfloat16" else np.dtype(dtype)} if dtype else {}
            CASES[f"{label or name}-{'x'.join(map(str, shape))}-{dtype or 'default'}"] = name, parameters, {"shape": shape, **settings, **kind}


each("bits", dtypes=[None, "uint8", "uint16", "uint32", "uint64"])
each("randint", minval=3, maxval=101, shapes=[(7,), (4, 3)], dtypes=INTEGERS)
each("randint", minval=-100, maxval=27, shapes=[(33,)], dtypes=INTEGERS[:4], label="randint-signed")
each("uniform", shapes=[*SHAPES, (1025,)], dtypes=FLOATS)
each("uniform", minval=-2, maxval=5, shapes=[(4, 3)], dtypes=FLOATS, label="uniform-between")
each("normal", shapes=[*SHAPES, (1025,)], dtypes=FLOATS)
each("normal", shapes=ONE_SHAPE, dtypes=["complex64", "complex128"])
for sampler in ("exponential", "gumbel", "laplace", "logistic", "cauchy", "maxwell"):
    each(sampler, shapes=[(), (1025,)], dtypes=FLOATS)
each("gumbel", mode="high", shapes=ONE_SHAPE, dtypes=FLOATS, label="gumbel-high")
for sampler, numbers in {"truncated_normal": (-1.0, 2.0), "lognormal": (0.5,), "pareto": (3.0,), "rayleigh": (2.0,), "weibull_min": (2.0, 1.5),
                         "triangular": (0.0, 1.0, 3.0), "double_sided_maxwell": (1.0, 2.0), "wald": (1.5,)}.items():
    each(sampler, *numbers, shapes=ONE_SHAPE, dtypes=FLOATS)
each("truncated_normal", 3.0, 5.0, shapes=ONE_SHAPE, dtypes=FLOATS, label="truncated_normal-tail")
each("bernoulli", 0.3)
each("bernoulli", 1e-3, mode="high", shapes=ONE_SHAPE, label="bernoulli-high")
each("rademacher", dtypes=[None, "int8", "float32"])
each("geometric", 0.3, shapes=[(), (1025,)], dtypes=["int32"])
each("choice", 10)
each("choice", 20, replace=False, shapes=[(7,), (4, 3)], label="choice-distinct")
each("choice", 4, p=np.array([0.1, 0.2, 0.3, 0.4], "float32"), shapes=[(), (7,), (1025,)], label="choice-weighted")
each("categorical", np.log(np.array([0.1, 0.2, 0.7], "float32")), shapes=[(), (7,), (1025,)])
for factor in ("cholesky", "eigh", "svd"):
    each("multivariate_normal", np.zeros(3, "float32"), np.array([[2.0, 0.5, 0.1], [0.5, 1.5, -0.2], [0.1, -0.2, 1.0]], "float32"), shapes=[(7,), (4, 3)],
         dtypes=["float32"], label=f"multivariate_normal-{factor}", method=factor)
each("orthogonal", 4, shapes=[(), (7,)], dtypes=["float32", "float64"])
each("gamma", 2.5, shapes=[(), (1025,)], dtypes=FLOATS)
each("gamma", 0.3, shapes=ONE_SHAPE, dtypes=FLOATS, label="gamma-small")
each("gamma", np.array([0.1, 1.0, 30.0], "float32"), shapes=[(2, 3)], label="gamma-array")
each("loggamma", 0.3, shapes=ONE_SHAPE, dtypes=FLOATS)
for sampler, numbers in {"beta": (0.7, 2.0), "chisquare": (3.0,), "f": (3.0, 5.0), "t": (4.0,), "generalized_normal": (1.5,)}.items():
    each(sampler, *numbers, shapes=ONE_SHAPE, dtypes=["float32", "float64"])
each("ball", 3, 2.0, shapes=[(101,)], dtypes=["float32"])
each("ball", 3, shapes=[(101,)], dtypes=FLOATS, label="ball-default")
each("generalized_normal", 1.5, shapes=[(101,)], dtypes=FLOATS[:2])
each("dirichlet", np.array([0.5, 1.0, 4.0], "float32"), shapes=[(101,)], dtypes=["float32"])
each("poisson", 6.5, shapes=[(), (1025,)], dtypes=["int32"])
each("poisson", 40.0, shapes=ONE_SHAPE, dtypes=["int32"], label="poisson-large")
each("binomial", 10.0, 0.3, shapes=ONE_SHAPE, dtypes=["float32"])
each("binomial", 1000.0, 0.3, shapes=ONE_SHAPE, dtypes=["float32"], label="binomial-large")

CONSTANT = {"gamma-float32": 16, "gamma-float64": 16, "gamma-small-float64": 32, "loggamma-float64": 128, "beta-float64": 32, "f-float32": 16,
            "f-float64": 16, "generalized_normal-float16": 16, "generalized_normal-float32": 16}
"""How many units jitted draws may differ by where the parameters are numbers of the function.

XLA folds JAX's d = alpha - 1/3 and 1 / (3 sqrt(d)) of gamma numbers into constants, with which it contracts other products and sums than
where they are inputs; loggamma cancels near 1. JAX's own numbers of either kind differ as much: ours are those that both draw at once.
"""


def limit_of(name):
    return PRODUCT_LIMIT if name.startswith("multivariate_normal") else LIMIT


def draw(module, key, case, parameters):
    name, _, settings = case
    return getattr(module, name)(key, *parameters, **settings)


@contextmanager
def wide_enough(case):
    """64-bit types are on where the case needs them."""
    wide = any(size in str(case[2].get("dtype")) for size in ("64", "128"))
    with jax.enable_x64(wide), enable_x64(wide):
        yield


def drawn(case, ours, theirs):
    """(our numbers, JAX's) of two functions of a module, a key and the parameters."""
    with wide_enough(case):
        return np.asarray(ours(random.key(5))), np.asarray(theirs(jax.random.key(5)))


def order(values):
    """Floats as integers such that neighbours differ by 1; Python's, so that differences are exact."""
    size = 8 * values.dtype.itemsize
    words = np.ascontiguousarray(values).reshape(-1).view(f"uint{size}")
    return [w if w < 1 << size - 1 else (1 << size - 1) - w for w in words.tolist()]


def check(ours, theirs, limit):
    assert (ours.dtype, ours.shape) == (theirs.dtype, theirs.shape)
    if ours.dtype.kind == "c":
        for part in ("real", "imag"):
            check(getattr(ours, part), getattr(theirs, part), limit)
    elif ours.dtype.kind in "biu":
        np.testing.assert_array_equal(ours, theirs)
    else:
        np.testing.assert_array_equal(np.isnan(ours), np.isnan(theirs))
        finite = ~np.isnan(theirs)
        steps = max((abs(a - b) for a, b in zip(order(ours[finite]), order(theirs[finite]))), default=0)
        assert steps <= limit


@pytest.mark.parametrize("name", CASES)
def test_equal_at_once(name):
    case = CASES[name]
    check(*drawn(case, lambda key: draw(random, key, case, case[1]), lambda key: draw(jax.random, key, case, case[1])), limit_of(name))


def is_input(value):
    return isinstance(value, float | np.ndarray)


def check_jitted(case, inputs, limit):
    """The parameters are arguments of the jitted functions; where JAX refuses to round them, so must we."""
    def function(module):
        def f(key, inputs):
            rest = iter(inputs)
            return draw(module, key, case, [next(rest) if is_input(v) else v for v in case[1]])
        return f
    with wide_enough(case):
        try:
            theirs = jax.jit(function(jax.random))(jax.random.key(5), inputs)
        except jax.dtypes.TypePromotionError:
            with pytest.raises(TypeMismatch, match="rounded"):
                jit(function(random))(random.key(5), inputs)
        else:
            check(np.asarray(jit(function(random))(random.key(5), inputs)), np.asarray(theirs), limit)


@pytest.mark.parametrize("name", CASES)
def test_equal_when_jitted(name):
    check_jitted(CASES[name], [np.asarray(v, "float32") for v in CASES[name][1] if is_input(v)], limit_of(name))


@pytest.mark.parametrize("name", [name for name, case in CASES.items() if name.endswith("float16") and any(map(is_input, case[1]))])
def test_equal_with_parameters_in_half_precision(name):
    case = CASES[name]
    check_jitted(case, [np.asarray(v, case[2]["dtype"]) for v in case[1] if is_input(v)], limit_of(name))


@pytest.mark.parametrize("name", [name for name, case in CASES.items() if any(map(is_input, case[1]))])
def test_equal_with_numbers_built_in(name):
    case = CASES[name]
    kind = f"{name.partition('-1')[0].partition('--')[0]}-{name.rpartition('-')[2]}"
    check(*drawn(case, jit(lambda key: draw(random, key, case, case[1])), jax.jit(lambda key: draw(jax.random, key, case, case[1]))),
          CONSTANT.get(kind, limit_of(name)))


@pytest.mark.parametrize("seed", [0, 1, -1, 42, 2 ** 31 - 1])
def test_keys(seed):
    np.testing.assert_array_equal(random.key_data(random.key(seed)), jax.random.key_data(jax.random.key(seed)))
    np.testing.assert_array_equal(random.PRNGKey(seed), jax.random.PRNGKey(seed))


@pytest.mark.parametrize("number", [1, 2, 5, (3, 2)])
def test_split(number):
    np.testing.assert_array_equal(random.split(random.PRNGKey(3), number), jax.random.split(jax.random.PRNGKey(3), number))


@pytest.mark.parametrize("number", [0, 1, 7, 2 ** 31])
def test_fold_in(number):
    np.testing.assert_array_equal(random.fold_in(random.PRNGKey(3), np.uint32(number)), jax.random.fold_in(jax.random.PRNGKey(3), np.uint32(number)))


@pytest.mark.parametrize("x, settings", [(7, {}), (1025, {}), (np.arange(12, dtype="int32").reshape(4, 3), {}),
                                         (np.arange(12, dtype="int32").reshape(2, 6), {"axis": 1, "independent": True})])
def test_permutation(x, settings):
    np.testing.assert_array_equal(random.permutation(random.PRNGKey(3), x, **settings), jax.random.permutation(jax.random.PRNGKey(3), x, **settings))


PARAMETERS = {"uniform": {"minval": 0.5, "maxval": 2.0}, "truncated_normal": {"lower": -1.0, "upper": 2.0}, "lognormal": {"sigma": 0.5},
              "pareto": {"b": 3.0}, "rayleigh": {"scale": 2.0}, "weibull_min": {"scale": 2.0, "concentration": 1.5}, "wald": {"mean": 1.5},
              "triangular": {"left": 0.0, "mode": 1.0, "right": 3.0}, "double_sided_maxwell": {"loc": 1.0, "scale": 2.0}, "gamma": {"a": 2.5},
              "loggamma": {"a": 2.5}, "beta": {"a": 0.5, "b": 2.0}, "chisquare": {"df": 3.0}, "f": {"dfnum": 3.0, "dfden": 4.0}, "t": {"df": 3.0},
              "generalized_normal": {"p": 1.5}, "ball": {"p": 1.5}, "dirichlet": {"alpha": [0.5, 2.0]},
              "multivariate_normal": {"mean": [0.0, 0.0], "cov": [[1.0, 0.0], [0.0, 1.0]]}}


def outcome(module, shapes, refusal, name, values, dtype):
    """The type of a draw with these parameters, or "refused"."""
    settings = {} if dtype is None else {"dtype": dtype}
    try:
        first = (3,) if name == "ball" else ()
        return str(shapes(lambda key, values: getattr(module, name)(key, *first, **values, **settings), module.key(0), values).dtype)
    except refusal:
        return "refused"


@pytest.mark.parametrize("wide", [False, True], ids=["32", "64"])
@pytest.mark.parametrize("given", ["int32", "float16", "bfloat16", "float32", "float64", "number"])
@pytest.mark.parametrize("name", PARAMETERS)
def test_types_of_draws(name, given, wide):
    """Parameters decide the type, are rounded to it, or are refused, as in JAX."""
    kind = None if given == "number" else BFLOAT16 if given == "bfloat16" else np.dtype(given)
    values = {k: v if kind is None else np.asarray(v, kind) for k, v in PARAMETERS[name].items()}
    if given == "number" and any(isinstance(v, list) for v in values.values()):
        pytest.skip("no parameter is a number")
    with jax.enable_x64(wide), enable_x64(wide):
        for dtype in (None, "float16", BFLOAT16, "float32"):
            assert (outcome(random, eval_shape, TypeMismatch, name, values, dtype)
                    == outcome(jax.random, jax.eval_shape, jax.dtypes.TypePromotionError, name, values, dtype)), dtype


def test_there_are_enough():
    assert len(CASES) >= 200
