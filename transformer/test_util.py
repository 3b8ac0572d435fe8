"""Checks of derivatives against finite differences."""

import numpy as np

from . import tree
from .directional import jvp, vjp
from .errors import TransformError

STEP = 1e-4
TOLERANCE = {"float16": 1e-1, "bfloat16": 3e-1, "float32": 2e-2, "float64": 1e-6, "complex64": 2e-2, "complex128": 1e-6}


def check_grads(f, args, order, modes=("fwd", "rev"), atol=None, rtol=None, eps=None):
    """Compare the derivatives of `f` at `args`, up to `order`, with central differences along random directions.

    modes: "fwd" (jvp) and "rev" (vjp). atol, rtol: tolerances, by default from the dtypes. eps: the step of the differences.
    Raises AssertionError, with the numbers, where they differ.

    >>> check_grads(np.tanh, (0.3,), order=2)
    """
    modes = (modes,) if isinstance(modes, str) else tuple(modes)
    if not set(modes) <= {"fwd", "rev"}:
        raise TransformError(f"check_grads does not know the modes {modes}", 'Use "fwd" and "rev".')
    args = tuple(args)
    check_order(f, args, order, modes, (atol, rtol, eps), np.random.default_rng(0))


def check_order(f, args, order, modes, settings, rng):
    if "fwd" in modes:
        check_jvp(f, args, settings, rng)
    if "rev" in modes:
        check_vjp(f, args, settings, rng)
    if order <= 1:
        return
    directions = random_like(args, rng)
    if "fwd" in modes:
        check_order(lambda *a: jvp(f, a, directions)[1], args, order - 1, modes, settings, rng)
    if "rev" in modes:
        bars = random_like(f(*args), rng)
        check_order(lambda *a: vjp(f, *a)[1](bars), args, order - 1, modes, settings, rng)


def check_jvp(f, args, settings, rng):
    """Forward mode against differences."""
    dots = random_like(args, rng)
    compare("jvp", jvp(f, args, dots)[1], difference(f, args, dots, settings[2]), settings)


def check_vjp(f, args, settings, rng):
    """Reverse mode: <cotangent, difference> against <pullback, direction>."""
    dots = random_like(args, rng)
    result, pullback = vjp(f, *args)
    bars = random_like(result, rng)
    compare("vjp", inner(pullback(bars), dots), inner(bars, difference(f, args, dots, settings[2])), settings, result)


def random_like(value, rng):
    """A direction for a tree of arrays and numbers."""
    def leaf(x):
        dtype = dtype_of(x)
        found = rng.normal(size=np.shape(x))
        if dtype.kind == "c":
            found = found + 1j * rng.normal(size=np.shape(x))
        return np.asarray(found).astype(dtype) if np.shape(x) else dtype.type(found)
    return tree.tree_map(leaf, value)


def dtype_of(x):
    dtype = np.asarray(x).dtype
    return dtype if dtype.kind not in "biu" else np.dtype(float)


def difference(f, args, dots, eps):
    """The central difference of f along a direction, in double precision where the arguments have it."""
    eps = STEP if eps is None else eps
    ends = [tree.flatten(f(*shifted(args, dots, sign * eps)))[0] for sign in (1, -1)]
    treedef = tree.flatten(f(*args))[1]
    return tree.unflatten(treedef, [(np.asarray(a) * 1.0 - np.asarray(b) * 1.0) / (2 * eps) for a, b in zip(*ends)])


def shifted(args, dots, step):
    return tree.tree_map(lambda x, d: (np.asarray(x) + step * np.asarray(d)).astype(dtype_of(x))[()], args, dots)


def inner(x, y):
    """The sum of products over all leaves (without conjugation)."""
    pairs = zip(tree.flatten(x)[0], tree.flatten(y)[0])
    return sum(np.sum(np.asarray(a).astype(complex) * np.asarray(b)).real for a, b in pairs)


def compare(what, found, wanted, settings, like=None):
    atol, rtol, _ = settings
    dtypes = [dtype_of(v) for v in tree.flatten(found if like is None else like)[0]]
    default = max((TOLERANCE.get(d.name, 1e-2) for d in dtypes), default=1e-2)
    for one, two in zip(tree.flatten(found)[0], tree.flatten(wanted)[0], strict=True):
        np.testing.assert_allclose(np.asarray(one), np.asarray(two), rtol=default if rtol is None else rtol,
                                   atol=default if atol is None else atol, err_msg=f"{what} differs from finite differences")


__all__ = ["check_grads"]
