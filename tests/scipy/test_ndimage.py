"""scipy.ndimage: filters and images at places between their elements."""

import numpy as np
import pytest
import scipy.ndimage as nd

import transformer
from tests.scipy.checks import check, check_value

RNG = np.random.default_rng(0)
X, LINE = RNG.normal(size=(5, 6)), RNG.normal(size=7)
THREE, FOUR, ELEVEN = RNG.normal(size=3), RNG.normal(size=4), RNG.normal(size=11)
SMALL, LARGE = RNG.normal(size=(2, 3)), RNG.normal(size=(3, 4))
MODES = ["reflect", "grid-mirror", "mirror", "nearest", "wrap", "grid-wrap", "constant", "grid-constant"]


@pytest.mark.parametrize("mode", MODES)
def test_filters_at_the_edges(mode):
    for fn in (nd.correlate1d, nd.convolve1d):
        for w, origin in ((THREE, 0), (THREE, 1), (FOUR, -1), (ELEVEN, 0)):
            check_value(lambda x, fn=fn, w=w, o=origin: fn(x, w, 0, mode=mode, cval=0.7, origin=o), X)
    for fn in (nd.correlate, nd.convolve):
        for w, origin in ((SMALL, 0), (SMALL, [0, -1]), (LARGE, 0), (LARGE, [0, -1])):
            check_value(lambda x, fn=fn, w=w, o=origin: fn(x, w, mode=mode, cval=0.7, origin=o), X)
    check_value(lambda x: nd.gaussian_filter(x, [0.8, 1.5], mode=mode, cval=0.3), X)
    check_value(lambda x: nd.uniform_filter(x, [3, 4], mode=mode, cval=0.3, origin=[0, -1]), X)
    check_value(lambda x: nd.sobel(x, 0, mode=mode) + nd.prewitt(x, mode=mode) + nd.laplace(x, mode=mode, cval=0.4), X)
    check_value(lambda x: nd.gaussian_laplace(x, 1.0, mode=mode) + nd.gaussian_gradient_magnitude(x, 1.0, mode=mode), X)


@pytest.mark.parametrize("order", [0, 1])
@pytest.mark.parametrize("mode", MODES)
def test_places_between_elements(mode, order):
    places = RNG.uniform(-14, 20, size=(2, 40))
    places[:, :6] = [[0, 4, -0.3, 4.2, -0.5, 4.5], [5, 0, 5.3, 2, -1.5, -6.5]]
    check_value(lambda x, p: nd.map_coordinates(x, p, order=order, mode=mode, cval=0.5), X, places)
    check_value(lambda x, p: nd.map_coordinates(x, p, order=order, mode=mode, cval=0.5), LINE, places[:1])
    for steps in ([1.3, -0.6], [-13.3, 7.6]):
        check_value(lambda x, s=steps: nd.shift(x, s, order=order, mode=mode, cval=0.5), X)
    for grid in (False, True) if mode not in ("constant", "wrap") else (False,):
        check_value(lambda x, g=grid: nd.zoom(x, [1.7, 0.6], order=order, mode=mode, cval=0.5, grid_mode=g), X)


@pytest.mark.parametrize("order", range(5))
def test_derivatives_of_the_normal_density(order):
    check_value(lambda x: nd.gaussian_filter1d(x, 1.3, order=order), X)


def test_axes_and_outputs():
    check_value(lambda x: nd.correlate(x, THREE, axes=0), X)
    check_value(lambda x: nd.correlate(x, SMALL, axes=(1, 0), origin=(-1, 1)), X)
    check_value(lambda x: nd.gaussian_filter(x, 1.0, axes=1), X)
    check_value(lambda x: nd.laplace(x, output="float32"), X, rtol=1e-5)
    single = transformer.jit(lambda x: nd.gaussian_filter(x, 1.0))(X.astype("f"))
    assert single.dtype == np.float32
    np.testing.assert_allclose(single, nd.gaussian_filter(X.astype("f"), 1.0), rtol=1e-5, atol=1e-6)


FILTERS = {
    "correlate1d": (lambda x, w: nd.correlate1d(x, w), X, THREE), "convolve1d": (lambda x, w: nd.convolve1d(x, w, mode="wrap"), X, ELEVEN),
    "convolve": (lambda x, w: nd.convolve(x, w, mode="constant", cval=1.0), X, SMALL), "correlate": (lambda x, w: nd.correlate(x, w), X, LARGE),
    "gaussian_filter": (lambda x: nd.gaussian_filter(x, 1.0), X), "uniform_filter": (lambda x: nd.uniform_filter(x, 3), X),
    "width": (lambda x, s: nd.gaussian_filter(x, s[()] if isinstance(s, np.ndarray) else s, radius=3), X, np.float64(1.2)),
    "gradient magnitude": (lambda x: nd.gaussian_gradient_magnitude(x, 1.0), X), "laplace": (nd.laplace, X), "sobel": (nd.sobel, X),
    "map_coordinates": (lambda x, p: nd.map_coordinates(x, p, order=1, mode="mirror"), X, RNG.uniform(-3, 8, (2, 5))),
    "map_coordinates constant": (lambda x, p: nd.map_coordinates(x, p, order=1, cval=0.5), X, RNG.uniform(-3, 8, (2, 5))),
    "shift": (lambda x, s: nd.shift(x, s, order=1, mode="wrap"), X, np.array([1.3, 0.4])), "zoom": (lambda x: nd.zoom(x, 2, order=1), X),
}


@pytest.mark.parametrize("name", FILTERS)
def test_compiled_and_derivatives(name):
    fn, *args = FILTERS[name]
    check(fn, *args, order2=name in ("gradient magnitude", "map_coordinates", "correlate1d"))


@pytest.mark.parametrize("call, words", [
    (lambda x: nd.map_coordinates(x, [[0.5], [0.5]]), "order=3"), (lambda x: nd.zoom(x, 2), "order=3"), (lambda x: nd.sobel(x, mode="odd"), "odd"),
    (lambda x: x[0, 0] * nd.correlate1d(x.astype(int), THREE), "round"), (lambda x: nd.correlate1d(x, THREE, origin=2), "origin"),
    (lambda x: nd.correlate1d(x, 1j * THREE), "complex"), (lambda x: nd.correlate(x, THREE), "axes"), (lambda x: nd.gaussian_filter(x, [1.0]), "axes"),
    (lambda x: nd.median_filter(x, 3), "median_filter is not known"),
])
def test_refusals(call, words):
    with pytest.raises(transformer.TransformError, match=words):
        transformer.grad(lambda x: np.sum(call(x)))(X)
