"""Collectives among groups of lanes, under vmap and on devices."""

import numpy as np
import pytest

import transformer
from transformer import grad, lax, pmap, vmap

X = np.random.default_rng(0).normal(size=(8, 4))
GROUPS = [[0, 2, 4, 6], [7, 5, 3, 1]]
PAIRS = [[0, 1], [2, 3], [4, 5], [6, 7]]


def by_group(function, groups=GROUPS):
    """What each lane has: function(the rows of its group, its place there)."""
    found = {lane: function(X[group], place) for group in groups for place, lane in enumerate(group)}
    return np.stack([found[k] for k in range(8)])


CASES = {
    "psum": (lambda x: lax.psum(x, "d", axis_index_groups=GROUPS), by_group(lambda rows, k: rows.sum(0))),
    "pmean": (lambda x: lax.pmean(x, "d", axis_index_groups=PAIRS), by_group(lambda rows, k: rows.mean(0), PAIRS)),
    "pmax": (lambda x: lax.pmax(x, "d", axis_index_groups=GROUPS), by_group(lambda rows, k: rows.max(0))),
    "pmin": (lambda x: lax.pmin(x, "d", axis_index_groups=GROUPS), by_group(lambda rows, k: rows.min(0))),
    "gather": (lambda x: lax.all_gather(x, "d", axis_index_groups=GROUPS, axis=1), by_group(lambda rows, k: rows.T)),
    "gather tiled": (lambda x: lax.all_gather(x, "d", axis_index_groups=PAIRS, tiled=True), by_group(lambda rows, k: rows.ravel(), PAIRS)),
    "scatter": (lambda x: lax.psum_scatter(x, "d", axis_index_groups=GROUPS), by_group(lambda rows, k: rows.sum(0)[k])),
    "scatter tiled": (lambda x: lax.psum_scatter(x, "d", axis_index_groups=PAIRS, tiled=True),
                      by_group(lambda rows, k: rows.sum(0).reshape(2, 2)[k], PAIRS)),
    "all to all": (lambda x: lax.all_to_all(x, "d", 0, 0, axis_index_groups=GROUPS), by_group(lambda rows, k: rows[:, k])),
    "all to all tiled": (lambda x: lax.all_to_all(x, "d", 0, 0, axis_index_groups=PAIRS, tiled=True),
                         by_group(lambda rows, k: rows.reshape(2, 2, 2)[:, k].ravel(), PAIRS)),
}


@pytest.mark.parametrize("mapping", [vmap, pmap])
@pytest.mark.parametrize("name", CASES)
def test_each_lane_has_the_result_of_its_group(name, mapping):
    f, wanted = CASES[name]
    np.testing.assert_allclose(mapping(f, axis_name="d")(X), wanted, atol=1e-12)


def test_derivatives():
    weights = np.random.default_rng(1).normal(size=(8, 4))
    found = grad(lambda x: np.sum(weights * vmap(CASES["psum"][0], axis_name="d")(x)))(X)
    totals = {lane: weights[group].sum(0) for group in GROUPS for lane in group}
    np.testing.assert_allclose(found, np.stack([totals[k] for k in range(8)]))


@pytest.mark.parametrize("groups", [[[0, 1], [2, 3]], [[0, 1, 2, 3, 4], [5, 6, 7]], [[0, 0, 1, 2], [3, 4, 5, 6]]])
def test_groups_that_do_not_split_the_axis(groups):
    with pytest.raises(transformer.TransformError, match="groups of one size"):
        vmap(lambda x: lax.psum(x, "d", axis_index_groups=groups), axis_name="d")(X)
