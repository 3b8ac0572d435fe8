"""Control flow under JAX's names: plain Python loops and branches, which the transformer compiles as it compiles the user's.

Inside of a transformed function these definitions are entered like user code: `scan` becomes one rolled loop, `cond` an `if`.
Outside they run as they stand, on real arrays.
"""

from ..directional import jvp
from ..ops.barriers import stop_gradient
from ..transposition import linear_transpose
from ..tree import tree_map
from . import carries, solves


def cond(pred, true_fun, false_fun, *operands, **keywords):
    """`true_fun(*operands)` if `pred`, else `false_fun(*operands)`; both must return the same structure, shapes and dtypes.

    >>> cond(2.0 > 1.0, lambda x: x + 1.0, lambda x: x, 3.0)
    Array(4., dtype=float32)
    """
    outcome = carries.Outcome("cond", ("true_fun", "false_fun"))
    operands = carries.as_leaves(carries.with_keyword(operands, keywords))
    if carries.predicate(pred):
        leaves = outcome.note(0, true_fun(*operands))
    else:
        leaves = outcome.note(1, false_fun(*operands))
    return outcome.result(leaves)


def switch(index, branches, *operands):
    """`branches[index](*operands)`, the index clamped into range.

    >>> switch(7, [lambda x: x, lambda x: 10.0 * x], 3.0)
    Array(30., dtype=float32)
    """
    outcome = carries.Outcome("switch", carries.branch_names(branches))
    operands = carries.as_leaves(operands)
    index = carries.clamped(index, len(branches))
    return outcome.result(pick(outcome, index, branches, operands, 0, len(branches)))


def pick(outcome, index, branches, operands, first, last):
    """The leaves of the branch `index` among first, ..., last - 1."""
    if last - first == 1:
        return outcome.note(first, branches[first](*operands))
    middle = (first + last) // 2
    if index < middle:
        leaves = pick(outcome, index, branches, operands, first, middle)
    else:
        leaves = pick(outcome, index, branches, operands, middle, last)
    return leaves


def platform_dependent(*args, default=None, **per_platform):
    """The function of `per_platform` (cpu=, cuda=, rocm=, tpu=) that is named after the platform in use, or `default`, of the arguments.

    >>> platform_dependent(3.0, cpu=lambda x: x + 1.0, default=lambda x: x)
    4.0
    """
    return carries.of_platform(per_platform, default)(*args)


def while_loop(cond_fun, body_fun, init_val):
    """Apply `body_fun` to the value as long as `cond_fun` of it holds. Reverse mode works: what it needs is kept on a tape.

    >>> while_loop(lambda x: x < 100.0, lambda x: x * x, 3.0)
    Array(6561., dtype=float32)
    """
    loop = carries.Carry("while_loop", "body_fun", init_val)
    carry = loop.leaves
    while carries.test(cond_fun(loop.tree(carry))):
        carry = loop.next(body_fun(loop.tree(carry)))
    return loop.result(carry)


def fori_loop(lower, upper, body_fun, init_val, *, unroll=None):
    """`val = body_fun(i, val)` for i in range(lower, upper). Bounds may be abstract, in reverse mode too.

    >>> fori_loop(1, 4, lambda i, total: total + i, 0)
    Array(6, dtype=int32)
    """
    loop = carries.Carry("fori_loop", "body_fun", init_val)
    carry = loop.leaves
    for i in range(carries.bound(lower), carries.bound(upper)):
        carry = loop.next(body_fun(carries.index(i), loop.tree(carry)))
    return loop.result(carry)


def scan(f, init, xs=None, length=None, reverse=False, unroll=1, _split_transpose=False):
    """`carry, y = f(carry, x)` for each row x of xs; the last carry, and the ys stacked.

    f: function of the carry and a row. init: tree, the first carry. xs: tree of arrays with one leading size, or None together
    with `length`. reverse: from the last row to the first. unroll: accepted; the compiler decides.
    Raises TypeMismatch or ShapeError where the carry changes its structure, shape or dtype.

    >>> import numpy as np
    >>> scan(lambda total, x: (total + x, total), 0, np.array([1, 2, 3]))
    (Array(6, dtype=int32), Array([0, 1, 3], dtype=int32))
    """
    rows = carries.Rows(xs, length)
    loop = carries.Carry("scan", "f", init)
    stack = carries.Stack(rows.length)
    carry = loop.leaves
    if rows.length == 0 and not carries.is_transforming():
        stack.empty(f, init, rows)
    for i in rows.order(reverse):
        after, y = loop.pair(f(loop.tree(carry), rows.row(i)))
        carry = loop.next(after)
        stack.put(i, y)
    return loop.result(carry), stack.result(reverse)


def map(f, xs, *, batch_size=None):
    """`f` of each row of xs, stacked; batch_size: that many rows at a time, by vmap.

    >>> import numpy as np
    >>> map(lambda x: x * x, np.array([1.0, 2.0]))
    Array([1., 4.], dtype=float32)
    """
    if batch_size is None:
        return scan(lambda carry, x: (carry, f(x)), (), xs)[1]
    from ..api import vmap
    several = vmap(f)
    blocks, rest = carries.Rows(xs, None).split(batch_size)
    if blocks is None:
        return several(rest)
    ys = carries.unblocked(scan(lambda carry, x: (carry, several(x)), (), blocks)[1])
    if rest is None:
        return ys
    return carries.joined(ys, several(rest))


def associative_scan(fn, elems, reverse=False, axis=0):
    """All prefixes of `elems` along an axis under an associative `fn`, in a number of steps that grows with log(length).

    fn: function of two trees of arrays, elementwise along the axis. reverse: suffixes instead of prefixes.
    Source: Blelloch, Prefix sums and their applications (1990).
    """
    prefix = carries.Prefix(elems, reverse, axis)
    return prefix.result(prefixes(fn, prefix, prefix.leaves))


def prefixes(fn, prefix, leaves):
    """The prefixes of lists of arrays: those of pairs first, then the ones between."""
    if prefix.length(leaves) < 2:
        return leaves
    pairs = prefix.flat(fn(prefix.tree(prefix.part(leaves, 0, -1, 2)), prefix.tree(prefix.part(leaves, 1, None, 2))))
    odd = prefixes(fn, prefix, pairs)
    before = odd if prefix.length(leaves) % 2 else prefix.part(odd, 0, -1, 1)
    if prefix.length(before) == 0:
        return prefix.interleaved(leaves, None, odd)
    even = prefix.flat(fn(prefix.tree(before), prefix.tree(prefix.part(leaves, 2, None, 2))))
    return prefix.interleaved(leaves, even, odd)


def custom_linear_solve(matvec, b, solve, transpose_solve=None, symmetric=False, has_aux=False):
    """x of matvec(x) = b, found by solve(matvec, b); derivatives solve the system again instead of going through `solve`.

    matvec: a linear function of arrays like b; what it closes over has derivatives too. transpose_solve(vecmat, x_bar): solves the
    transposed system, which reverse mode needs; symmetric: the matrix is its own transpose. has_aux is not known.
    Source: Christianson, Reverse accumulation and implicit functions (1998).

    >>> import numpy as np
    >>> from transformer import grad
    >>> def f(a):
    ...     return custom_linear_solve(lambda x: a * x, 6.0, lambda matvec, b: b / matvec(1.0), symmetric=True)
    >>> print(f(2.0), grad(f)(2.0))
    3.0 -1.5
    """
    solver = solves.LinearSolve(matvec, solve, transpose_solve, symmetric, has_aux)
    return solver(b)


def custom_root(f, initial_guess, solve, tangent_solve, has_aux=False):
    """x of f(x) = 0, found by solve(f, initial_guess); derivatives solve a linear system at x instead of going through `solve`.

    f: function of arrays like x; what it closes over has derivatives, up to the third. tangent_solve(g, y): solves g(x) = y for a linear
    g. has_aux: solve returns (x, aux). Source: Christianson, Reverse accumulation and implicit functions (1998).

    >>> from transformer import grad
    >>> def root(a):
    ...     def newton(f, x):
    ...         return fori_loop(0, 20, lambda i, x: 0.5 * (x + a / x), x)
    ...     return custom_root(lambda x: x * x - a, 1.0, newton, lambda g, y: y / g(1.0))
    >>> print(root(4.0), grad(root)(4.0))
    2.0 0.25
    """
    found = solve(f, initial_guess)
    x, aux = found if has_aux else (found, None)
    x = stop_gradient(x)
    if solves.is_differentiated():
        x = corrected(f, corrected(f, x, tangent_solve), tangent_solve)
    return (x, aux) if has_aux else x


def corrected(f, x, tangent_solve):
    """x itself, with the derivatives of the root by what f closes over: x - J^-1 (f(x) - its own value)."""
    value = f(x)
    right = tree_map(lambda v: v - stop_gradient(v), value)
    step = custom_linear_solve(lambda v: jvp(f, (x,), (v,))[1], right, tangent_solve, tangent_solve)
    return tree_map(lambda a, b: a - b, x, step)


def transposed(matvec, y):
    """The transpose of a linear function of vectors like y, at y."""
    transpose = linear_transpose(matvec, y)
    return transpose(y)[0]


__all__ = ["associative_scan", "cond", "custom_linear_solve", "custom_root", "fori_loop", "map", "platform_dependent", "scan", "switch", "while_loop"]
