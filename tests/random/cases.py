"""Draws that are compared with stored values and with JAX: name, arguments, keywords, and how many ulp floats may differ.

Draws at once stay within 2. Where the number of ulp is more, it is for draws in jitted functions that have the parameters built in: XLA
folds these, and contracts other products and sums than where they are inputs (JAX's own draws differ as much); and for normal vectors,
whose sums of products are added in another order.
"""

import numpy as np

LOGITS = np.linspace(-2.0, 2.0, 24, dtype=np.float32).reshape(4, 6)[:, ::-1] ** 2
P = np.array([0.1, 0.1, 0.1, 0.2, 0.3, 0.2], np.float32)
COVARIANCE = np.array([[2.0, 0.5, 0.1], [0.5, 1.5, -0.2], [0.1, -0.2, 1.0]], np.float32)
SHAPES = [(7,), (3, 50)]


def direct():
    """Formulas of uniform numbers."""
    for shape in SHAPES:
        for dtype in ({}, {"dtype": "float16"}, {"dtype": "bfloat16"}):
            for name in ("uniform", "normal", "exponential", "laplace", "cauchy", "maxwell"):
                yield name, (shape,), dtype, 2
        yield "logistic", (shape,), {}, 2
        yield "gumbel", (shape,), {}, 2
        yield "rademacher", (shape,), {}, 0
        for dtype in ("uint8", "uint16", "uint32"):
            yield "bits", (shape,), {"dtype": dtype}, 0
    yield "uniform", ((5,),), {"minval": -2.0, "maxval": 5.0}, 2
    yield "uniform", ((2, 3),), {"minval": np.array([-1.0, 0.0, 3.0], np.float32), "maxval": np.array([[1.0], [7.0]], np.float32)}, 2
    yield "normal", ((6,),), {"dtype": "complex64"}, 2
    yield "gumbel", ((30,),), {"mode": "high"}, 2
    yield "truncated_normal", (-1.0, 2.0, (50,)), {}, 2
    yield "truncated_normal", (np.array([-1.0, 0.5], np.float32), 3.0), {}, 2
    yield "lognormal", (0.5, (30,)), {}, 2
    yield "pareto", (2.0, (30,)), {}, 2
    yield "rayleigh", (2.0, (30,)), {}, 2
    yield "weibull_min", (2.0, 1.5, (30,)), {}, 2
    yield "triangular", (0.0, 1.0, 3.0, (30,)), {}, 2
    yield "double_sided_maxwell", (1.0, 2.0, (30,)), {}, 2
    yield "geometric", (0.3, (30,)), {}, 0
    yield "wald", (1.5, (30,)), {}, 200
    yield "bernoulli", (0.3, (50,)), {}, 0
    yield "bernoulli", (np.linspace(0, 1, 11, dtype=np.float32),), {}, 0
    yield "bernoulli", (1e-3, (50,), "high"), {}, 0


def integers():
    for dtype in ("int8", "uint8", "int16", "uint16", "int32", "uint32"):
        yield "randint", ((40,), 0, 100), {"dtype": dtype}, 0
    yield "randint", ((40,), np.repeat([-5, 3], 20), np.full(40, 5)), {}, 0
    yield "randint", ((40,), -2 ** 31, 2 ** 31 - 1), {}, 0
    yield "randint", ((40,), 0, 256), {"dtype": "uint8"}, 0
    yield "randint", ((40,), -128, 128), {"dtype": "int8"}, 0
    yield "randint", ((), 3, 3), {}, 0
    yield "randint", ((9,), 5, 2), {}, 0
    yield "randint", ((2, 3), 0, np.array([10, 200, 3000])), {"dtype": "int16"}, 0


def arrangements():
    for size in (1, 2, 17, 2000):
        yield "permutation", (size,), {}, 0
    for axis in (0, 1, -1):
        for independent in (False, True):
            yield "permutation", (np.arange(12).reshape(4, 3),), {"axis": axis, "independent": independent}, 0
    yield "choice", (10, (4, 5)), {}, 0
    yield "choice", (np.arange(12, dtype=np.float32).reshape(4, 3), (5,)), {"axis": 1}, 0
    yield "choice", (np.arange(12).reshape(4, 3), (2,)), {"replace": False}, 0
    yield "choice", (6, (4,)), {"p": P, "replace": False}, 0
    yield "choice", (6, (40,)), {"p": P}, 0
    yield "categorical", (LOGITS,), {}, 0
    yield "categorical", (LOGITS,), {"axis": 0}, 0
    yield "categorical", (LOGITS,), {"shape": (10, 4)}, 0
    yield "categorical", (LOGITS,), {"shape": (3, 4), "replace": False}, 0
    yield "categorical", (LOGITS,), {"axis": 0, "shape": (3, 6), "replace": False}, 0
    yield "multivariate_normal", (np.zeros(3, np.float32), COVARIANCE, (20,)), {}, 20
    yield "multivariate_normal", (np.zeros(3, np.float32), COVARIANCE), {"method": "eigh"}, 20
    yield "orthogonal", (4,), {}, 20
    yield "orthogonal", (4, (2,)), {"m": 2}, 20
    yield "orthogonal", (2,), {"m": 4}, 20


def rejection():
    """Loops that draw until a proposal is accepted."""
    yield "gamma", (np.array([0.1, 0.5, 1.0, 3.0, 30.0], np.float32),), {}, 8
    yield "gamma", (2.5, (30,)), {}, 8
    yield "loggamma", (0.01, (30,)), {}, 8
    yield "beta", (0.5, 2.0, (30,)), {}, 16
    yield "dirichlet", (np.array([0.5, 1.0, 4.0], np.float32), (10,)), {}, 16
    yield "chisquare", (3.0, (20,)), {}, 8
    yield "f", (3.0, 5.0, (20,)), {}, 16
    yield "t", (4.0, (20,)), {}, 8
    yield "generalized_normal", (1.5, (20,)), {}, 8
    yield "ball", (3, 2, (8,)), {}, 8
    yield "poisson", (3.0, (30,)), {}, 0
    yield "poisson", (np.array([0.0, 0.5, 20.0, 1e4], np.float32),), {}, 0
    yield "binomial", (10.0, 0.3, (20,)), {}, 0
    yield "binomial", (np.array([50.0, 1000.0], np.float32), 0.6), {}, 0
    yield "multinomial", (50.0, np.array([0.2, 0.3, 0.5], np.float32)), {}, 0


CASES = [*direct(), *integers(), *arrangements(), *rejection()]


def label(case):
    name, args, kwargs, _ = case
    shapes = [str(np.shape(a)) if isinstance(a, np.ndarray) else str(a) for a in (*args, *kwargs.values())]
    return f"{name}-{'-'.join(shapes)}".replace(" ", "")
