"""Samplers: stored values of JAX 0.10.2's default generator, moments, derivatives, transforms, generated source."""

import numpy as np
import pytest

import transformer
import transformer.numpy as jnp
from transformer import TransformError, random
from transformer.random import calling

KEY = np.array([0, 42], np.uint32)
EXACT = [
    ("uniform", ((5,),), {}, [0.48870956897735596, 0.6797971725463867, 0.6162714958190918, 0.5610160827636719, 0.4506446123123169]),
    ("uniform", ((3,),), {"dtype": "float16"}, [0.076171875, 0.1904296875, 0.9755859375]),
    ("randint", ((8,), 0, 10), {}, [4, 4, 1, 9, 9, 9, 7, 7]),
    ("randint", ((6,), -50, 1000), {}, [994, 214, 871, 269, 459, 919]),
    ("randint", ((6,), 0, 200, "uint8"), {}, [44, 114, 71, 169, 109, 19]),
    ("permutation", (10,), {}, [7, 4, 2, 5, 3, 6, 8, 9, 0, 1]),
    ("permutation", (np.array([3, 1, 4, 1, 5, 9]),), {}, [5, 4, 9, 1, 3, 1]),
    ("permutation", (np.arange(6).reshape(3, 2),), {}, [[4, 5], [0, 1], [2, 3]]),
    ("permutation", (np.arange(6).reshape(2, 3),), {"axis": 1}, [[2, 0, 1], [5, 3, 4]]),
    ("choice", (10, (6,)), {}, [4, 4, 1, 9, 9, 9]),
    ("choice", (10, (6,)), {"replace": False}, [7, 4, 2, 5, 3, 6]),
    ("choice", (4, (8,)), {"p": np.array([0.1, 0.2, 0.3, 0.4], "f")}, [2, 2, 2, 2, 2, 2, 3, 1]),
    ("bernoulli", (0.3, (12,)), {}, [0] * 6 + [1] + [0] * 5),
    ("categorical", (np.array([[0.0, 1.0, 2.0], [3.0, 0.0, 0.0]], "f"),), {}, [2, 0]),
    ("rademacher", ((6,),), {}, [1, -1, -1, -1, 1, -1]),
]
CLOSE = [
    ("normal", ((5,),), {}, [-0.02830461598932743, 0.4671318531036377, 0.2957029640674591, 0.15354591608047485, -0.12403281778097153]),
    ("exponential", ((3,),), {}, [0.670817494392395, 1.1388006210327148, 0.9578199982643127]),
    ("gumbel", ((3,),), {}, [0.3340933918952942, 0.952019453048706, 0.7255305647850037]),
    ("laplace", ((3,),), {}, [0.022839652374386787, -0.4456535577774048, -0.2646729052066803]),
    ("truncated_normal", (-1.0, 2.0, (3,)), {}, [0.14770005643367767, 0.5684449076652527, 0.42102551460266113]),
    ("logistic", ((3,),), {}, [-0.0451694130897522, 0.7528398036956787, 0.47375231981277466]),
    ("gamma", (np.array([0.1, 0.5, 1.0, 3.0, 10.0, 100.0], "f"),), {},
     [1.0568515e-02, 5.0632739e-01, 2.0072460, 1.9913787, 7.6786590, 96.002602]),
    ("uniform", ((3,),), {"minval": -2.0, "maxval": 5.0}, [1.4209669828, 2.7585802078, 2.3139004707]),
]


def draw(name, args, kwargs, key=KEY):
    return getattr(random, name)(key, *args, **kwargs)


def name_of(value):
    return value if isinstance(value, str) else ""


@pytest.mark.parametrize("name, args, kwargs, wanted", EXACT, ids=name_of)
def test_exact(name, args, kwargs, wanted):
    found = draw(name, args, kwargs)
    np.testing.assert_array_equal(np.asarray(found), np.asarray(wanted, found.dtype))
    np.testing.assert_array_equal(np.asarray(transformer.jit(lambda key: draw(name, args, kwargs, key))(KEY)), np.asarray(found))


@pytest.mark.parametrize("name, args, kwargs, wanted", CLOSE, ids=name_of)
def test_close(name, args, kwargs, wanted):
    np.testing.assert_allclose(draw(name, args, kwargs), wanted, rtol=5e-6, atol=1e-6)
    np.testing.assert_allclose(transformer.jit(lambda key: draw(name, args, kwargs, key))(KEY), wanted, rtol=5e-6, atol=1e-6)


PARAMETERS = [("uniform", (-2.0, 5.0), ("minval", "maxval")), ("gumbel", (), ()), ("truncated_normal", (-1.0, 2.0), ("lower", "upper")),
              ("wald", (1.5,), ("mean",)), ("gamma", (2.5,), ("a",)), ("poisson", (4.0,), ("lam",)), ("binomial", (20.0, 0.3), ("n", "p"))]


@pytest.mark.parametrize("name, values, names", PARAMETERS, ids=name_of)
def test_draws_at_once_equal_jitted_ones(name, values, names):
    """To the last bit, where the parameters are arguments of the jitted function too."""
    found = getattr(random, name)(KEY, **dict(zip(names, values)), shape=(40,))
    jitted = transformer.jit(lambda key, values: getattr(random, name)(key, **dict(zip(names, values)), shape=(40,)))
    np.testing.assert_array_equal(found, jitted(KEY, [np.asarray(v, "f") for v in values]))


BUILT_IN = {"wald": (1.5,), "gamma": (0.3,), "generalized_normal": (1.5,)}


@pytest.mark.parametrize("name", BUILT_IN)
def test_draws_at_once_equal_jitted_ones_with_numbers_built_in(name):
    """Numbers that are known while compiling are operands all the same, so that XLA contracts the same products and sums."""
    values = BUILT_IN[name]
    jitted = transformer.jit(lambda key: getattr(random, name)(key, *values, shape=(400,)))
    np.testing.assert_array_equal(getattr(random, name)(KEY, *values, shape=(400,)), jitted(KEY))


def test_parameters_that_would_be_rounded_are_refused():
    with pytest.raises(TransformError, match="wald draws float16 numbers, but has a parameter of type float32"):
        random.wald(KEY, np.float32(1.5), (3,), "float16")
    with transformer.disable_jit():
        assert random.wald(KEY, np.float16(1.5), (3,), "float16").dtype == np.float16


def test_programs_are_kept_by_type_and_setting():
    """Other values of a parameter run the same program; other shapes, types and settings do not; numbers that compare equal are told apart."""
    calling.program.cache_clear()
    for rate in (1.0, 2.0, 3.0):
        random.pareto(KEY, rate, (2,))
    assert calling.program.cache_info().misses == 1
    random.pareto(KEY, 1.0, [2])
    assert calling.program.cache_info().misses == 1
    random.pareto(KEY, 1.0, (3,))
    random.pareto(KEY, 1.0, (2,), "float16")
    assert calling.program.cache_info().misses == 3
    with pytest.raises(TransformError, match="no shape"):
        random.pareto(KEY, 1.0, (2.0,))


@pytest.mark.parametrize("number", [2, 5, (3, 2)])
def test_keys_are_split_by_a_program(number):
    calling.program.cache_clear()
    found = random.split(KEY, number)
    assert calling.program.cache_info().misses == 1
    with transformer.disable_jit():
        np.testing.assert_array_equal(found, random.split(KEY, number))
    assert calling.program.cache_info().misses == 1


def test_the_number_of_programs_is_bounded():
    assert calling.program.cache_info().maxsize == calling.PROGRAMS


def test_draws_at_once_run_on_numpy_without_jit():
    calling.program.cache_clear()
    with transformer.disable_jit():
        np.testing.assert_allclose(random.exponential(KEY, (3,)), [0.670817494392395, 1.1388006210327148, 0.9578199982643127], rtol=5e-6)
    assert calling.program.cache_info().misses == 0


def test_half_precision_is_kept():
    for dtype in ("float16", "bfloat16"):
        for name, values in (("gamma", (2.5,)), ("beta", (2.0, 3.0)), ("maxwell", ())):
            assert getattr(random, name)(KEY, *values, shape=(2,), dtype=dtype).dtype.name == dtype


def test_double_precision():
    with transformer.enable_x64(True):
        u = random.uniform(KEY, (3,))
        assert u.dtype == np.float64 and u.tolist() == [0.4267275666499091, 0.015010069515314584, 0.5741444178995352]
        np.testing.assert_allclose(random.normal(KEY, (3,)), [-0.18471174528191162, -2.169824560397754, 0.18693555179382582], rtol=1e-13)
        assert random.randint(KEY, (4,), 0, 2 ** 40).tolist() == [1035216336437, 739902740158, 138006711447, 1022492192815]


DISTRIBUTIONS = [
    ("uniform", (), 1 / 2, 1 / 12), ("normal", (), 0, 1), ("exponential", (), 1, 1), ("laplace", (), 0, 2), ("logistic", (), 0, np.pi ** 2 / 3),
    ("gumbel", (), 0.5772, np.pi ** 2 / 6), ("maxwell", (), 1.5958, 0.4535), ("rademacher", (), 0, 1), ("gamma", (2.5,), 2.5, 2.5),
    ("gamma", (0.3,), 0.3, 0.3), ("beta", (2.0, 3.0), 0.4, 0.04), ("poisson", (4.0,), 4, 4), ("poisson", (50.0,), 50, 50),
    ("binomial", (20.0, 0.3), 6, 4.2), ("binomial", (100.0, 0.6), 60, 24), ("chisquare", (3.0,), 3, 6), ("t", (10.0,), 0, 1.25),
    ("pareto", (6.0,), 1.2, 0.06), ("rayleigh", (2.0,), 2.5066, 1.7168), ("triangular", (0.0, 1.0, 2.0), 1, 1 / 6), ("wald", (2.0,), 2, 8),
    ("geometric", (0.4,), 2.5, 3.75), ("lognormal", (0.25,), 1.0317, 0.0687), ("generalized_normal", (2.0,), 0, 0.5),
]


@pytest.mark.parametrize("name, args, mean, variance", DISTRIBUTIONS, ids=name_of)
def test_moments(name, args, mean, variance):
    x = np.asarray(draw(name, (*args, (20000,)), {}), np.float64)
    assert abs(x.mean() - mean) < 5 * np.sqrt(variance / x.size)
    assert abs(x.var() / variance - 1) < 0.12


def test_vectors():
    shares = np.asarray(random.dirichlet(KEY, np.array([1.0, 2.0, 3.0], "f"), (5000,)))
    np.testing.assert_allclose(shares.sum(-1), 1, rtol=1e-5)
    np.testing.assert_allclose(shares.mean(0), np.array([1, 2, 3]) / 6, atol=0.02)
    cov = np.array([[2.0, 0.6], [0.6, 1.0]], "f")
    x = np.asarray(random.multivariate_normal(KEY, np.array([1.0, -1.0], "f"), cov, (20000,)))
    np.testing.assert_allclose(np.cov(x.T), cov, atol=0.06)
    q = np.asarray(random.orthogonal(KEY, 4, (2,)))
    np.testing.assert_allclose(q @ q.swapaxes(-1, -2), np.broadcast_to(np.eye(4), (2, 4, 4)), atol=1e-5)
    assert np.all(np.sum(np.asarray(random.ball(KEY, 3, 2, (500,))) ** 2, axis=-1) <= 1)
    counts = np.asarray(random.multinomial(KEY, 30.0, np.array([0.2, 0.3, 0.5], "f")))
    assert counts.sum() == 30
    z = np.asarray(random.normal(KEY, (2000,), "complex64"))
    assert abs(np.mean(np.abs(z) ** 2) - 1) < 0.1


def test_samples_are_differentiable_in_their_parameters():
    def f(mu, sigma):
        return jnp.mean((mu + sigma * random.normal(KEY, (5,))) ** 2)

    z = np.asarray(random.normal(KEY, (5,)), np.float64)
    found = transformer.grad(f, (0, 1))(0.5, 2.0)
    np.testing.assert_allclose(found, ((2 * (0.5 + 2 * z)).mean(), (2 * (0.5 + 2 * z) * z).mean()), rtol=1e-5)
    u = np.asarray(random.uniform(KEY, (5,)))
    low, high = transformer.grad(lambda a, b: jnp.sum(random.uniform(KEY, (5,), minval=a, maxval=b)), (0, 1))(0.0, 2.0)
    np.testing.assert_allclose([low, high], [np.sum(1 - u), np.sum(u)], rtol=1e-5)


@pytest.mark.parametrize("name", ["gamma", "loggamma"])
def test_derivative_of_gamma_numbers(name):
    """The derivative of the inverse distribution function, against differences."""
    alphas = np.array([0.5, 1.0, 3.0, 10.0, 100.0], "f")
    key = random.PRNGKey(7)
    found = transformer.grad(lambda a: jnp.sum(getattr(random, name)(key, a)))(alphas)
    x = np.asarray(getattr(random, name)(key, alphas), np.float64)
    import scipy.special as sp
    log_x = np.log(x) if name == "gamma" else x
    at, step = np.exp(log_x), 1e-4 * alphas.astype(float)
    slope = (sp.gammainc(alphas + step, at) - sp.gammainc(alphas - step, at)) / (2 * step)
    density = np.exp((alphas - 1) * log_x - at - sp.gammaln(alphas.astype(float)))
    expected = -slope / density / (at if name == "loggamma" else 1)
    np.testing.assert_allclose(found, expected, rtol=2e-4)


def test_transforms_agree():
    keys = random.split(KEY, 3)
    for f in (lambda k: random.normal(k, (4,)), lambda k: random.permutation(k, 10), lambda k: random.gamma(k, 2.0, (3,)), lambda k: random.poisson(k, 3.0)):
        loop = np.stack([np.asarray(f(k)) for k in keys])
        np.testing.assert_allclose(transformer.vmap(f)(keys), loop, rtol=2e-6)
        np.testing.assert_allclose(transformer.jit(transformer.vmap(f))(keys), loop, rtol=2e-6)
        np.testing.assert_allclose(transformer.jit(f)(keys[1]), loop[1], rtol=2e-6)


def test_source_names_the_draw_and_runs_alone():
    @transformer.grad
    def f(x, key):
        return jnp.sum(x * random.normal(key, (3,)))

    x = np.ones(3, "f")
    wanted = f(x, KEY)
    assert "threefry.bits(key, (3,))" in f.source and "from transformer.random import threefry" in f.source
    scope = {}
    exec(f.source, scope)
    np.testing.assert_array_equal(scope["f_grad"](x, KEY), wanted)


def test_numpy_code_may_draw():
    """In plain NumPy code the draw has JAX's types too."""
    def f(key, x):
        return np.sum(random.uniform(key, (3,)) * x)

    assert float(f(KEY, np.ones(3, "f"))) == pytest.approx(float(transformer.jit(f)(KEY, np.ones(3, "f"))), rel=1e-6)
