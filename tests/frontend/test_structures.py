"""Values whose structure depends on a condition: what is alike on both sides is used, what is not is refused wherever it is read."""

import numpy as np
import pytest

from transformer import TransformError, grad, jit, tree_util
from transformer.transformed import Transformed


def chosen(x, flag):
    return (x, flag, "long") if flag else (x + x, flag, "short")


def reads_what_is_alike(x, flag):
    return chosen(x, flag)[1] * x[0]


def sums_the_other(x, flag):
    return sum(chosen(x, flag)[0])


def passes_all_on(x, flag):
    return sum([np.sum(leaf) for leaf in tree_util.tree_leaves(chosen(x, flag)[:2])])


def unpacks(x, flag):
    items, _, _ = chosen(x, flag)
    return x[0] * len(items)


def compares_the_text(x, flag):
    return x[0] if chosen(x, flag)[2] == "long" else x[1]


def in_a_dictionary(x, flag):
    found = {"items": x} if flag else {"items": x + x}
    return sum(tree_util.tree_leaves(found))


READERS = [sums_the_other, passes_all_on, unpacks, in_a_dictionary]


@pytest.mark.parametrize("f", [reads_what_is_alike, compares_the_text, *READERS], ids=lambda f: f.__name__)
def test_the_values_decide_in_calls_that_are_not_compiled(f):
    for flag in (0, 1):
        np.testing.assert_allclose(Transformed(f)([1.5, 2.5], flag), f([1.5, 2.5], flag))
        shifted = [(f([1.5 + d, 2.5 + e], flag) - f([1.5 - d, 2.5 - e], flag)) / 2e-6 for d, e in 1e-6 * np.eye(2)]
        np.testing.assert_allclose(grad(f)([1.5, 2.5], flag), shifted, rtol=1e-6)


@pytest.mark.parametrize("f", READERS, ids=lambda f: f.__name__)
def test_compiled_functions_refuse_what_differs(f):
    with pytest.raises(TransformError, match="(?s)test_structures.py.*on each side, depending on a condition on array values"):
        jit(f)([1.5, 2.5], 1)


def test_compiled_functions_use_what_is_alike():
    for flag in (0, 1):
        for f in (reads_what_is_alike, compares_the_text):
            np.testing.assert_allclose(jit(f)([1.5, 2.5], flag), f([1.5, 2.5], flag))


def test_results_of_two_structures():
    assert Transformed(lambda x, flag: chosen(x, flag)[:2])([1.5], 0) == ([1.5, 1.5], 0)
    with pytest.raises(TransformError, match="item 0 is another list on each side.*(?s:.*)Return the same structure"):
        jit(lambda x, flag: chosen(x, flag)[:2])([1.5], 1)
