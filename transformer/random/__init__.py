"""Random numbers from explicit keys, equal to those of JAX's default generator.

    key = random.key(0)                     or random.PRNGKey(0)
    key, sub = random.split(key)
    x = random.normal(sub, (3,))

The same key gives the same numbers, un-jitted, compiled and in batches. Samples are differentiable in their parameters.

What is promised on a CPU: keys, bits, integers and choices are those of JAX, and floats lie within 2 units in the last place of JAX's
(nearly all are the same to the last bit), for draws at the top level, which run compiled, and for draws in jitted functions, whether their
parameters are arguments or numbers written there. Three things differ by more. Gamma numbers and what is made of these, in a jitted
function that has their parameters built in as numbers: JAX's own draws differ there from those it makes un-jitted, ours do not. Normal
vectors, whose sums of products are added in another order. Draws inside of un-jitted generated source (`grad`, `vmap`), which use NumPy's
logarithms and sums: these are right to a unit where XLA's need not be.

Types are JAX's too: most samplers round their parameters to the dtype of the draw, some refuse to (lognormal, pareto, rayleigh, wald,
triangular, beta, chisquare, f, t), and some give the type that both promote to (weibull_min, double_sided_maxwell, generalized_normal,
ball, multivariate_normal).
"""

from .arrays import categorical, choice, multivariate_normal, orthogonal, permutation
from .keys import KeyArray, PRNGKey, clone, fold_in, key, key_data, key_dtype, key_impl, split, wrap_key_data
from .samplers import (
    bernoulli,
    bits,
    cauchy,
    double_sided_maxwell,
    exponential,
    geometric,
    gumbel,
    laplace,
    logistic,
    lognormal,
    maxwell,
    normal,
    pareto,
    rademacher,
    randint,
    rayleigh,
    triangular,
    truncated_normal,
    uniform,
    wald,
    weibull_min,
)

LAZY = ("ball", "beta", "binomial", "chisquare", "dirichlet", "f", "gamma", "generalized_normal", "loggamma", "multinomial", "poisson", "t")
"""Samplers by rejection, imported when first asked for."""


def __getattr__(name):
    if name not in LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from . import calling, rejection
    globals()[name] = value = calling.Entered(getattr(rejection, name), fixed=("d",))
    return value


def __dir__():
    return sorted({*globals(), *LAZY})
