"""Checks of functions of scipy: values against scipy itself, derivatives against finite differences."""

import numpy as np

import transformer


def leaves(value):
    return [np.asarray(v) for v in transformer.tree.leaves(tuple(value) if isinstance(value, tuple) else value)]


def assert_same(found, wanted, rtol=1e-9, atol=1e-11):
    for a, b in zip(leaves(found), leaves(wanted), strict=True):
        assert a.shape == b.shape
        np.testing.assert_allclose(a, b, rtol=rtol, atol=atol)


def transformed(fn, *args):
    """The value of a function as the generated program computes it."""
    with np.errstate(all="ignore"):
        return transformer.value_and_grad(lambda *a: (0.0 * np.sum(np.real(a[0])), fn(*a)), has_aux=True)(*args)[0][1]


def check_value(fn, *args, jit=False, rtol=1e-9):
    """The transformed function has scipy's values; jit: the compiled one, too."""
    with np.errstate(all="ignore"):
        wanted = fn(*args)
        assert_same(transformed(fn, *args), wanted, rtol)
        if jit:
            assert_same(transformer.jit(fn)(*args), wanted, rtol)


def check_batch(fn, *args, rtol=1e-9):
    stacks = [np.stack([a, 1.01 * a]) for a in args]
    found = transformer.vmap(fn)(*stacks)
    for lane in (0, 1):
        assert_same([leaf[lane] for leaf in leaves(found)], leaves(fn(*(s[lane] for s in stacks))), rtol)


def directions(args):
    rng = np.random.default_rng(5)
    return [rng.normal(size=np.shape(a)) for a in args]


def difference(f, args, dots, step=1e-5):
    """The derivative of f along the directions."""
    def at(e):
        return f(*(a + e * d for a, d in zip(args, dots)))
    return (8 * (at(step) - at(-step)) - (at(2 * step) - at(-2 * step))) / (12 * step)


def along(gradients, dots):
    return sum(np.sum(np.asarray(g) * d) for g, d in zip(gradients, dots))


def check_derivatives(fn, *args, rtol=2e-6, atol=1e-8, order2=True, jit=True):
    """grad, jvp, jit(grad) and the gradient of the gradient of a sum of squares, along a direction."""
    def total(*a):
        return sum(np.sum(np.real(v) ** 2 + 0.3 * np.imag(v) + 0.1 * np.real(v)) for v in transformer.tree.leaves(fn(*a)))
    numbers, dots = tuple(range(len(args))), directions(args)
    wanted = difference(total, args, dots)
    np.testing.assert_allclose(along(transformer.grad(total, numbers)(*args), dots), wanted, rtol, atol)
    np.testing.assert_allclose(transformer.jvp(total, tuple(args), tuple(dots))[1], wanted, rtol, atol)
    if jit:
        np.testing.assert_allclose(along(transformer.jit(transformer.grad(total, numbers))(*args), dots), wanted, rtol, atol)
    if order2:
        def slope(*a):
            return sum(np.sum(g * d) for g, d in zip(transformer.grad(total, numbers)(*a), dots))
        np.testing.assert_allclose(along(transformer.grad(slope, numbers)(*args), dots), difference(slope, args, dots, 1e-4), 1e-4, 1e-6)


def check(fn, *args, rtol=1e-9, order2=True):
    """Value, compiled, batched, derivatives."""
    check_value(fn, *args, jit=True, rtol=rtol)
    check_batch(fn, *args, rtol=rtol)
    check_derivatives(fn, *args, order2=order2)
