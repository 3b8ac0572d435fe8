"""Lowering of linear algebra on CPU: calls of LAPACK through jaxlib's typed foreign functions.

Matrices go in column-major layout, which XLA arranges. Where LAPACK reports failure (a singular matrix, one that is not positive
definite, no convergence) NumPy raises LinAlgError; compiled code gives nan in that matrix's result.
"""

import numpy as np

from ..errors import TransformError

PREFIX = {"f": "s", "d": "d", "F": "c", "D": "z"}
INT32 = np.dtype(np.int32)


def real_dtype(dtype):
    return np.dtype({"F": np.float32, "D": np.float64}.get(dtype.char, dtype))


def layout(value_ndim, matrix):
    """Minor-to-major order of the axes: column-major for matrices."""
    order = list(range(value_ndim))[::-1]
    if matrix:
        order[0], order[1] = order[1], order[0]
    return f"dense<{order}> : tensor<{value_ndim}xindex>"


def call(hlo, routine, operands, results, **config):
    """A LAPACK call; values of as many axes as the first operand are stacks of matrices. Returns the results."""
    if hlo.platform != "cpu":
        raise TransformError(f"linear algebra ({routine}) is compiled for CPU only", "Call the function without jit, or on CPU.")
    ndim = len(operands[0].shape)

    def listed(shapes):
        return "[" + ", ".join(layout(len(s), len(s) == ndim) for s in shapes) + "]"

    attrs = f"operand_layouts = {listed(o.shape for o in operands)}, result_layouts = {listed(s for s, _ in results)}"
    if config:
        entries = ", ".join(f"{k} = {ord(v)} : ui8" for k, v in config.items())
        attrs += f", backend_config = {{{entries}}}"
    return hlo.custom_call(f"lapack_{PREFIX[operands[0].dtype.char]}{routine}_ffi", operands, results, attrs)


def checked(hlo, value, info):
    """value, or nan where the info of its matrix is not 0."""
    ok = hlo.compare("EQ", info, hlo.full(info.shape, 0, INT32))
    ok = hlo.broadcast_in_dim(ok, value.shape, tuple(range(len(info.shape))))
    return hlo.select(ok, value, hlo.full(value.shape, np.nan, value.dtype))


def swapped(hlo, x, conjugate=True):
    """The (conjugate) transpose of each matrix."""
    n = len(x.shape)
    x = hlo.transpose(x, (*range(n - 2), n - 1, n - 2))
    if x.dtype.kind != "c" or not conjugate:
        return x
    return hlo.complex(hlo.real(x), hlo.negate(hlo.imag(x)))


def matmul(hlo, x, y):
    lead = tuple(range(len(x.shape) - 2))
    return hlo.dot_general(x, y, batch=(lead, lead), contract=((len(x.shape) - 1,), (len(x.shape) - 2,)))


def triangle(hlo, x, direction):
    """x where row `direction` column, else 0."""
    n, int64 = len(x.shape), np.dtype(np.int64)
    keep = hlo.compare(direction, hlo.iota(x.shape, int64, n - 2), hlo.iota(x.shape, int64, n - 1))
    return hlo.select(keep, x, hlo.full(x.shape, 0, x.dtype))


def identity(hlo, shape, dtype):
    return triangle(hlo, hlo.full(shape, 1, dtype), "EQ")


def diagonal(hlo, x):
    return hlo.reduce(triangle(hlo, x, "EQ"), 0, (len(x.shape) - 1,), "add")


def columns(hlo, x, start, stop, axis=-1):
    """A range of columns (axis -1) or rows (axis -2)."""
    axis %= len(x.shape)
    limits = tuple(stop if i == axis else n for i, n in enumerate(x.shape))
    return hlo.slice(x, tuple(start if i == axis else 0 for i in range(len(x.shape))), limits, (1,) * len(x.shape))


# systems -----------------------------------------------------------------------------------------------------------------------

def lu(hlo, a):
    """LU factors in one matrix, pivots (from 1), info."""
    batch = a.shape[:-2]
    return call(hlo, "getrf", [a], [(a.shape, a.dtype), ((*batch, min(a.shape[-2:])), INT32), (batch, INT32)])


def permutation(hlo, pivots):
    """The row order that a sequence of row swaps amounts to: index i of the result is the row that ends up at i."""
    axis, n = len(pivots.shape) - 1, pivots.shape[-1]
    place = hlo.iota(pivots.shape, INT32, axis)

    def pick(values, at):
        return hlo.reduce(hlo.select(at, values, hlo.full(values.shape, 0, INT32)), 0, (axis,), "add")

    def spread(values):
        return hlo.broadcast_in_dim(values, pivots.shape, tuple(range(axis)))

    def step(i, order):
        here = hlo.compare("EQ", place, hlo.broadcast_to(i, place.shape))
        there = hlo.compare("EQ", place, spread(hlo.subtract(pick(pivots, here), 1)))
        a, b = spread(pick(order, here)), spread(pick(order, there))
        return [hlo.add(i, 1), hlo.select(here, b, hlo.select(there, a, order))]

    start = [hlo.constant(0, INT32), place]
    return hlo.while_(start, lambda i, order: hlo.compare("LT", i, hlo.constant(n, INT32)), step)[1]


def take_rows(hlo, x, order):
    """The rows of each matrix in another order."""
    batch, (n, m) = x.shape[:-2], x.shape[-2:]
    count = int(np.prod(batch))
    flat, rows = hlo.reshape(x, (count, n, m)), hlo.reshape(order, (count, n, 1))
    index = hlo.concatenate([hlo.iota((count, n, 1), INT32, 0), rows], 2)
    taken = hlo.gather(flat, index, offset_dims=(2,), collapsed_slice_dims=(0, 1), start_index_map=(0, 1), slice_sizes=(1, 1, m))
    return hlo.reshape(taken, x.shape)


def triangular_solve(hlo, a, b, lower, unit):
    flag = {True: "true", False: "false"}
    return hlo.op("triangular_solve", [a, b], b.shape, b.dtype,
                  f"left_side = true, lower = {flag[lower]}, unit_diagonal = {flag[unit]}, "
                  "transpose_a = #stablehlo<transpose NO_TRANSPOSE>")


def solve_matrices(hlo, a, b):
    """a @ x = b for stacks of equal leading axes."""
    factors, pivots, info = lu(hlo, a)
    rows = take_rows(hlo, b, permutation(hlo, pivots))
    inner = triangular_solve(hlo, factors, rows, lower=True, unit=True)
    return checked(hlo, triangular_solve(hlo, factors, inner, lower=False, unit=False), info)


def solve(hlo, out, a, b):
    a, b = hlo.convert(a, out.dtype), hlo.convert(b, out.dtype)
    lower = triangle_of(hlo, a)
    vector = len(b.shape) == 1
    if vector:
        b = hlo.reshape(b, (*b.shape, 1))
    batch = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    a, b = hlo.broadcast_to(a, (*batch, *a.shape[-2:])), hlo.broadcast_to(b, (*batch, *b.shape[-2:]))
    x = solve_matrices(hlo, a, b) if lower is None else triangular_solve(hlo, a, b, lower, unit=False)
    return hlo.reshape(x, out.shape)


def triangle_of(hlo, x):
    """Whether a matrix is a triangular factor of `cholesky`, or its transpose: True for a lower triangle, False for an upper one, else
    None. Such systems need no factorisation (the gradient of a factor of 1000x1000: 570 -> 300 ms of CPU time)."""
    op, operands = hlo.made.get(x.name, ("parameter", ()))
    if op == "transpose" and x.ndim == 2:
        found = triangle_of(hlo, operands[0])
        return None if found is None else not found
    return hlo.triangles.get(x.name)


def inverse(hlo, out, a):
    a = hlo.convert(a, out.dtype)
    return solve_matrices(hlo, a, identity(hlo, a.shape, out.dtype))


def pivot_sign(hlo, pivots, dtype):
    """-1 for each row swap, multiplied."""
    axis = len(pivots.shape) - 1
    moved = hlo.compare("NE", pivots, hlo.add(hlo.iota(pivots.shape, INT32, axis), 1))
    signs = hlo.select(moved, hlo.full(pivots.shape, -1, dtype), hlo.full(pivots.shape, 1, dtype))
    return hlo.reduce(signs, 1, (axis,), "multiply")


def determinant(hlo, out, a):
    factors, pivots, _ = lu(hlo, hlo.convert(a, out.dtype))
    product = hlo.reduce(diagonal(hlo, factors), 1, (len(pivots.shape) - 1,), "multiply")
    return hlo.multiply(product, pivot_sign(hlo, pivots, out.dtype))


def sign_and_log(hlo, out, a, part):
    dtype = np.result_type(a.dtype, out.dtype) if a.dtype.kind == "c" else out.dtype
    factors, pivots, _ = lu(hlo, hlo.convert(a, dtype))
    entries = diagonal(hlo, factors)
    size, axis = hlo.abs(entries), len(pivots.shape) - 1
    if part == "logabsdet":
        return hlo.reduce(hlo.log(size), 0, (axis,), "add")
    none = hlo.compare("EQ", size, hlo.full(size.shape, 0, size.dtype))
    units = hlo.select(none, hlo.full(size.shape, 0, dtype), hlo.divide(entries, hlo.convert(size, dtype)))
    return hlo.multiply(hlo.reduce(units, 1, (axis,), "multiply"), pivot_sign(hlo, pivots, dtype))


# factorisations ---------------------------------------------------------------------------------------------------------------

def cholesky(hlo, out, a, upper):
    a = hlo.convert(a, out.dtype)
    factor, info = call(hlo, "potrf", [a], [(a.shape, a.dtype), (a.shape[:-2], INT32)], uplo="U" if upper else "L")
    factor = checked(hlo, triangle(hlo, factor, "LE" if upper else "GE"), info)
    hlo.triangles[factor.name] = not upper
    return factor


def eigh(hlo, out, a, part, uplo):
    dtype = a.dtype if a.dtype.kind == "c" else out.dtype
    a = hlo.convert(a, dtype)
    results = [(a.shape, dtype), (a.shape[:-1], real_dtype(dtype)), (a.shape[:-2], INT32)]
    routine = "heevd" if dtype.kind == "c" else "syevd"
    vectors, values, info = call(hlo, routine, [a], results, mode="N" if part == "only" else "V", uplo=uplo)
    return checked(hlo, vectors if part == "vectors" else values, info)


def eig(hlo, out, a, part):
    dtype = a.dtype if a.dtype.kind == "c" else real_dtype(out.dtype)
    a = hlo.convert(a, dtype)
    square, line = (a.shape, out.dtype), (a.shape[:-1], dtype)
    results = [*([line, line] if dtype.kind == "f" else [line]), square, square, (a.shape[:-2], INT32)]
    *values, _, vectors, info = call(hlo, "geev", [a], results, compute_left="N", compute_right="N" if part == "only" else "V")
    if part == "vectors":
        return checked(hlo, vectors, info)
    return checked(hlo, hlo.complex(*values) if len(values) == 2 else values[0], info)


def svd_parts(hlo, a, mode):
    """U, S, Vh of a; mode N (S only), S (reduced) or A (full)."""
    batch, (m, n) = a.shape[:-2], a.shape[-2:]
    k = min(m, n)
    u, vh = ((m, m), (n, n)) if mode == "A" else ((m, k), (k, n))
    results = [(a.shape, a.dtype), ((*batch, k), real_dtype(a.dtype)), ((*batch, *u), a.dtype), ((*batch, *vh), a.dtype), (batch, INT32)]
    _, s, u, vh, info = call(hlo, "gesdd", [a], results, mode=mode)
    return tuple(checked(hlo, part, info) for part in (u, s, vh))


def svd(hlo, out, a, part, full_matrices):
    a = hlo.convert(a, a.dtype if a.dtype.kind == "c" else out.dtype)
    mode = "N" if full_matrices is None else "A" if full_matrices else "S"
    return svd_parts(hlo, a, mode)[("U", "S", "Vh").index(part)]


def qr(hlo, out, a, part, mode):
    a = hlo.convert(a, out.dtype)
    batch, (m, n) = a.shape[:-2], a.shape[-2:]
    k = min(m, n)
    packed, taus = call(hlo, "geqrf", [a], [(a.shape, a.dtype), ((*batch, k), a.dtype)])
    if part == "R":
        return triangle(hlo, columns(hlo, packed, 0, out.shape[-2], axis=-2), "LE")
    reflectors = columns(hlo, packed, 0, k)
    if out.shape[-1] > k:
        zeros = (0,) * len(a.shape)
        reflectors = hlo.pad(reflectors, 0, zeros, (*zeros[1:], out.shape[-1] - k), zeros)
    routine = "ungqr" if out.dtype.kind == "c" else "orgqr"
    return call(hlo, routine, [reflectors, taus], [(reflectors.shape, reflectors.dtype)])[0]


def pseudoinverse(hlo, a, rcond):
    """Vh^H / S @ U^H, the singular values up to rcond times the largest left out."""
    u, s, vh = svd_parts(hlo, a, "S")
    largest = hlo.reduce(s, None, (len(s.shape) - 1,), "maximum")
    cutoff = hlo.broadcast_in_dim(hlo.multiply(largest, hlo.constant(rcond, s.dtype)), s.shape, tuple(range(len(largest.shape))))
    keep = hlo.compare("GT", s, cutoff)
    one = hlo.full(s.shape, 1, s.dtype)
    inverse = hlo.select(keep, hlo.divide(one, hlo.select(keep, s, one)), hlo.full(s.shape, 0, s.dtype))
    v = swapped(hlo, vh)
    scale = hlo.broadcast_in_dim(hlo.convert(inverse, a.dtype), v.shape, (*range(len(s.shape) - 1), len(v.shape) - 1))
    return matmul(hlo, hlo.multiply(v, scale), swapped(hlo, u))


def pinv(hlo, out, a, rcond):
    if rcond is None:
        rcond = 1e-15 if real_dtype(out.dtype) == np.float64 else 10 * max(a.shape[-2:]) * float(np.finfo(out.dtype).eps)
    return pseudoinverse(hlo, hlo.convert(a, out.dtype), rcond)


def lstsq(hlo, out, a, b, rcond):
    a, b = hlo.convert(a, out.dtype), hlo.convert(b, out.dtype)
    rcond = np.finfo(out.dtype).eps * max(a.shape) if rcond is None else rcond
    return hlo.dot_general(pseudoinverse(hlo, a, float(rcond)), b, contract=((1,), (0,)))
