"""Lowering of reads and Updates at index templates, and what templates mean."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from backend.compile import compile
from backend.hlo import Hlo
from transformer import ops  # noqa: F401
from transformer.core import Aval, Hole
from transformer.errors import TransformError
from transformer.ops import index_lowering
from transformer.ops.composition import Selection, compose, whole
from transformer.ops.index_templates import FULL, Window, canonical, fill, result_shape
from transformer.ops.op import TABLE, aval_of

from .compiled import run_lowering

A = np.arange(24.0).reshape(2, 3, 4)
I2 = np.array([1, 0, -1])
MASK = np.array([True, False, True])
STATIC = [(0,), (slice(None), slice(1, None)), (Ellipsis, slice(None, None, -1)), (1, slice(None, None, 2), None, slice(3, 0, -2)), (slice(0, 0),),
          (slice(None), slice(None), slice(None, None, 3)), (Ellipsis, -1), (slice(None, None, -1), 0)]
DYNAMIC = [((Hole(0), FULL, FULL), (np.int64(-1),)), ((FULL, Hole(0), slice(1, 4, 2)), (np.int64(2),)), ((1, Hole(0), Hole(1)), (np.int64(-3), np.int64(0))),
           ((FULL, Window(0, 2), slice(3, None, -1)), (np.int64(1),)), ((Hole(0), FULL, FULL), (np.array([1, 0, 1]),)), ((FULL, Hole(0), FULL), (I2,)),
           ((FULL, FULL, Hole(0)), (np.array([[0, -1], [2, 2]]),)), ((Hole(0), FULL, Hole(1)), (np.array([0, 1]), np.array([3, 3]))),
           ((0, FULL, Hole(0)), (I2,)), ((Hole(0), None, Hole(1), slice(1, 3)), (np.int64(1), I2)), ((slice(1, 2), Hole(0), Hole(1)), (I2, I2)),
           ((FULL, Hole(0), slice(None, None, -2)), (I2,)), ((Window(0, 1), Hole(1), FULL), (np.int64(1), I2))]


def run_update(x, value, template, operands, mode="set"):
    """The Update through StableHLO and XLA."""
    hlo = Hlo("update")
    arrays = [np.asarray(a) for a in (x, value, *operands)]
    target, new, *rest = (hlo.parameter(a.shape, a.dtype) for a in arrays)
    out = index_lowering.update(hlo, target, new, template, rest, mode)
    assert (out.shape, out.dtype) == (target.shape, target.dtype)
    return np.asarray(compile(hlo.finish([out])).call(arrays)[0])


def check_update(x, template, operands):
    index, shape = fill(template, operands), np.shape(x[fill(template, operands)])
    value = 100.0 + np.arange(float(np.prod(shape, dtype=int))).reshape(shape)
    for new in (value, value[..., :1] if shape and shape[-1] else value, np.float32(5.0)):
        want = x.copy()
        want[index] = new
        np.testing.assert_array_equal(run_update(x, new, template, operands), want)
    want = x.copy()
    np.add.at(want, index, value)
    np.testing.assert_array_equal(run_update(x, value, template, operands, "add"), want)


@pytest.mark.parametrize("index", STATIC)
def test_static_index(index):
    template, operands = canonical(index, A.shape)
    np.testing.assert_array_equal(run_lowering(TABLE["getitem"], (A,), {"index": template}), A[index])
    check_update(A, template, operands)


@pytest.mark.parametrize("template, operands", DYNAMIC)
def test_dynamic_index(template, operands):
    np.testing.assert_array_equal(run_lowering(TABLE["getitem"], (A, *operands), {"index": template}), A[fill(template, operands)])
    check_update(A, template, operands)


@pytest.mark.parametrize("template, mask, value", [
    ((Hole(0), FULL, FULL), np.array([True, False]), 7.0), ((FULL, Hole(0), FULL), MASK, 7.0), ((Hole(0),), A > 9, 7.0), ((1, Hole(0), FULL), MASK, 7.0),
    ((FULL, Hole(0), FULL), MASK, np.arange(4.0)), ((slice(1, 2), Hole(0)), A[0] > 5, 7.0), ((Hole(0), slice(0, 4, 2)), A[:, :, 0] > 5, np.array([1.0, 2.0])),
    ((FULL, Hole(0), FULL), MASK, np.arange(8.0).reshape(2, 1, 4)), ((Hole(0), FULL, FULL), np.array([True, False]), np.arange(12.0).reshape(1, 3, 4))])
def test_store_at_a_mask(template, mask, value):
    for mode in ("set", "add"):
        want = A.copy()
        want[fill(template, (mask,))] = value + (want[fill(template, (mask,))] if mode == "add" else 0)
        np.testing.assert_array_equal(run_update(A, value, template, (mask,), mode), want)


def test_masks_whose_count_matters_are_refused():
    with pytest.raises(TransformError, match="np.where"):
        run_update(A, np.arange(2.0)[None, :, None], (FULL, Hole(0), FULL), (MASK,))
    with pytest.raises(TransformError, match="np.where"):
        run_lowering(TABLE["getitem"], (A, MASK), {"index": (FULL, Hole(0), FULL)})


def test_stores_of_integers_and_booleans():
    x = np.arange(4)
    np.testing.assert_array_equal(run_update(x, np.float64(2.7), (1,), ()), [0, 2, 2, 3])
    flags = np.zeros(3, bool)
    np.testing.assert_array_equal(run_update(flags, np.array([True, False, True]), (Hole(0),), (np.array([0, 0, 2]),), "add"), [True, False, True])


def test_canonical_forms():
    assert canonical((-1, Ellipsis), (3, 4)) == ((2, FULL), ())
    assert canonical(slice(0, 3), (3,)) == ((FULL,), ())
    assert canonical(slice(None, None, -1), (3,)) == ((slice(2, None, -1),), ())
    assert canonical((None, slice(1, 9)), (3,)) == ((None, slice(1, 3, 1)), ())
    assert canonical(slice(5, 2), (9,)) == ((slice(0, 0, 1),), ())
    assert canonical(slice(-3, None), (None,)) == ((slice(-3, None, None),), ())


def test_compositions():
    first = Selection((1, FULL, slice(3, None, -1)), (), (1, 0))
    assert compose(first, Selection((slice(1, 3, 1), 0), (), (0,)), A.shape) == ((1, 0, slice(2, 0, -1)), (), (0,))
    assert compose(whole(2), Selection((None, 0, FULL), (), (0, 1)), (3, 4)).template == (None, 0, FULL)


@settings(max_examples=200, deadline=None)
@given(st.data())
def test_random_compositions(data):
    """Indexing a view equals indexing the base with the composed selection."""
    def basic(shape):
        return tuple(data.draw(st.one_of(st.integers(-n, n - 1), st.slices(n))) if n else slice(None) for n in shape[: data.draw(st.integers(0, len(shape)))])
    base = np.arange(60).reshape(3, 4, 5)
    template, _ = canonical(basic(base.shape), base.shape)
    order = tuple(data.draw(st.permutations(range(base[template].ndim))))
    view = base[template].transpose(order)
    second, operands = canonical((*basic(view.shape[:-1]), None) if view.ndim else (), view.shape)
    ndim = len(result_shape(second, view.shape, operands))
    joined = compose(Selection(template, (), order), Selection(second, operands, tuple(range(ndim))), base.shape)
    if joined is not None:
        np.testing.assert_array_equal(base[joined.template].transpose(joined.order), view[second])


def test_infer_knows_the_result():
    for template, operands in DYNAMIC:
        want = A[fill(template, operands)]
        assert TABLE["getitem"].infer(aval_of(A), *map(aval_of, operands), index=template) == Aval(want.shape, want.dtype)
