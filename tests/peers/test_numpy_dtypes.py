"""Every function of `transformer.numpy` of one or two arrays, for every type, against JAX: values, types, and what is refused.

Un-jitted, and all functions in one compiled program. `DIFFERENT` lists what differs on purpose.
"""

import ml_dtypes
import numpy as np
import pytest

import transformer
from transformer import numpy as jnp

jax = pytest.importorskip("jax")

DTYPES = {n: np.dtype(getattr(ml_dtypes, n, n)) for n in "bool int8 int16 int32 uint8 float16 bfloat16 float32 complex64".split()}

ONE = """abs all angle any argmax argmin argsort around average arccos arccosh arcsin arcsinh
arctan arctanh bitwise_count bitwise_invert bitwise_not cbrt ceil conj conjugate copy corrcoef cos cosh count_nonzero cov cumprod cumsum deg2rad
degrees diag diagflat diagonal diff ediff1d exp exp2 expm1 fabs flip fliplr flipud floor frexp gradient i0 imag invert iscomplex isfinite isinf
isnan isneginf isposinf isreal log log10 log1p log2 logical_not matrix_transpose max mean median min modf nan_to_num nanargmax nanargmin nancumprod
nancumsum nanmax nanmean nanmedian nanmin nanprod nanstd nansum nanvar negative ones_like packbits positive prod ptp rad2deg radians ravel real
reciprocal rint rot90 round sign signbit sin sinc sinh sort sort_complex spacing sqrt square squeeze std sum tan tanh trace transpose trapezoid tril
triu trunc unwrap vander var zeros_like""".split()
TWO = """add allclose append arctan2 array_equal array_equiv atan2 bitwise_and bitwise_left_shift bitwise_or bitwise_right_shift bitwise_xor convolve
copysign correlate cross digitize divide divmod dot equal float_power floor_divide fmax fmin fmod gcd greater greater_equal heaviside hypot inner
isclose isin kron lcm ldexp left_shift less less_equal logaddexp logaddexp2 logical_and logical_or logical_xor maximum minimum mod multiply
nextafter not_equal outer polyadd polymul polysub polyval pow power remainder right_shift searchsorted subtract tensordot true_divide vdot
vecdot""".split()
VECTORS = set("convolve correlate cross diag digitize dot inner polyadd polymul polysub polyval searchsorted sort_complex vander vdot".split())

HALF = ("float16", "bfloat16")
MORE = "is defined here, as NumPy has it; JAX refuses it"
DIFFERENT = {  # name -> (types, why)
    **dict.fromkeys("argmax argmin nanargmax nanargmin isneginf isposinf median nanmedian".split(), (["complex64"], MORE)),
    **dict.fromkeys("vander kron polyadd".split(), (["bool"], MORE)),
    **dict.fromkeys("floor_divide divmod fmod mod remainder".split(), (["bool"], "a division by zero, which JAX leaves open")),
    **dict.fromkeys("arctan2 atan2 logaddexp logaddexp2".split(), (["complex64"], "NumPy has it for real numbers only")),
    **dict.fromkeys("pow power".split(), (["int8", "int16", "int32"], "whole numbers to negative powers are an error here, as in NumPy")),
}


def operands(name, dtype):
    """Arrays on which the function is tried: no operand is a zero that something is divided by."""
    first, second = np.array([[0.25, 1.5, -2.0], [3.0, 0.5, -0.75]]), np.array([[1.0, -2.0, 3.0], [0.5, 2.0, 0.75]])
    if dtype.kind in "iu":
        first, second = np.round(4 * first), np.round(2 * second)
    if dtype.kind == "u" or name.endswith("shift"):
        first, second = abs(first), abs(second)
    if dtype.kind == "c":
        first, second = first + 0.5j * first[:, ::-1], second - 0.25j
    arrays = [(a > 0.3 if dtype.kind == "b" else a).astype(dtype) for a in ([first] if name in ONE else [first, second])]
    if name == "ldexp":
        arrays[1] = np.array([[1, 2, 3]] * 2, np.int32)
    if name in VECTORS:
        arrays = [a.ravel()[:3] for a in arrays]
    if name in ("searchsorted", "digitize"):
        arrays = [np.sort(arrays[0]), arrays[1]] if name == "searchsorted" else [arrays[0], np.sort(arrays[1])]
    return arrays


def outcome(look, *args):
    """The result of `look`, or the error it raises."""
    try:
        return look(*args)
    except Exception as error:
        return error


def compiled(jit, namespace, given):
    """The results of many functions, in one program."""
    return jit(lambda given: {name: getattr(namespace, name)(*arrays) for name, arrays in given.items()})(given)


def difference(ours, theirs):
    """What differs between two results, in words; None if nothing does."""
    ours, theirs = (list(map(np.asarray, jax.tree.leaves(r))) for r in (ours, theirs))
    if [(a.dtype, a.shape) for a in ours] != [(b.dtype, b.shape) for b in theirs]:
        return f"{[f'{a.dtype}{a.shape}' for a in ours]} instead of {[f'{b.dtype}{b.shape}' for b in theirs]}"
    for a, b in zip(ours, theirs):
        tolerance = {"float16": 4e-3, "bfloat16": 3e-2}.get(a.dtype.name, 2e-5)
        if not np.allclose(a.astype(complex), b.astype(complex), tolerance, tolerance, equal_nan=True):
            return f"{a.ravel()[:6]} instead of {b.ravel()[:6]}"
    return None


@pytest.mark.parametrize("label", DTYPES)
def test_functions_of_arrays(label):
    given = {name: operands(name, DTYPES[label]) for name in ONE + TWO if label not in DIFFERENT.get(name, [()])[0]}
    theirs = {name: outcome(jax.eval_shape, getattr(jax.numpy, name), *arrays) for name, arrays in given.items()}
    defined = {name: arrays for name, arrays in given.items() if not isinstance(theirs[name], Exception)}
    wanted = compiled(jax.jit, jax.numpy, defined)
    found = {name: outcome(getattr(jnp, name), *map(jnp.asarray, arrays)) for name, arrays in given.items()}
    wrong = {name: f"is {found[name]!r}, JAX raises {theirs[name]!r}" for name in given.keys() - defined.keys()
             if not isinstance(found[name], Exception)}
    wrong |= {name: f"raises {found[name]!r}" for name in defined if isinstance(found[name], Exception)}
    refused = {name for name, arrays in given.items()
               if isinstance(outcome(transformer.eval_shape, lambda *args, name=name: getattr(jnp, name)(*args), *arrays), Exception)}
    wrong |= {f"{name} in a program": f"is {'refused' if name in refused else 'defined'}" for name in refused ^ (given.keys() - defined.keys())}
    both = {name: arrays for name, arrays in defined.items() if name not in refused}
    for results, where in ((found, ""), (compiled(transformer.jit, jnp, both), " in a program")):
        parts = {name: difference(results[name], wanted[name]) for name in both if not isinstance(results[name], Exception)}
        wrong |= {name + where: what for name, what in parts.items() if what}
    assert not wrong, "\n" + "\n".join(f"{name}: {what}" for name, what in sorted(wrong.items()))


def test_every_difference_is_one():
    for name, (labels, why) in DIFFERENT.items():
        assert why and set(labels) <= set(DTYPES) and name in ONE + TWO
