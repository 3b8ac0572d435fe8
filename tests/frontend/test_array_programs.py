"""Whole programs of array code as people write them, compiled: results, and what is stored into the arguments."""

import numpy as np

from transformer import jit


def check_stores(f, *args):
    """The compiled function does to its arguments, and returns, what NumPy does."""
    mine, theirs = ([np.copy(a) if isinstance(a, np.ndarray) else a for a in args] for _ in range(2))
    got, want = jit(f)(*mine), f(*theirs)
    assert (got is None) == (want is None)
    for one, two in zip([got, *mine], [want, *theirs], strict=True):
        if two is not None:
            np.testing.assert_allclose(np.asarray(one), two, rtol=1e-12, atol=1e-12)


def set_first(a):
    a[0] = 5.0


def running_sum(a):
    for i in range(1, a.shape[0]):
        a[i] += a[i - 1]


def test_stores_without_a_result_reach_the_arguments():
    check_stores(set_first, np.arange(4.0))
    check_stores(running_sum, np.arange(40.0))
