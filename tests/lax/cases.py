"""Calls of `lax` functions, written once for both libraries: name -> (function of lax and arrays, arrays)."""

import numpy as np

RNG = np.random.default_rng(0)
CASES = {}


def case(name, function, *args):
    CASES[name] = (function, args)


def named(names, *args, suffix="", **kwargs):
    """The functions of these names, called with the arguments."""
    for name in names.split():
        case(name + suffix, lambda lax, *a, name=name: getattr(lax, name)(*a, **kwargs), *args)


def normal(*shape):
    return RNG.normal(size=shape).astype(np.float32)


A, B, S3, R3 = normal(4, 5), normal(5, 3), normal(2, 3, 4), normal(2, 4, 5)
P = np.abs(A) * np.float32(0.3) + np.float32(0.1)
I, J = RNG.integers(-20, 20, (4, 5)).astype(np.int32), RNG.integers(1, 5, (4, 5)).astype(np.int32)
U = RNG.integers(0, 200, (4, 5)).astype(np.uint32)
IMAGE, KERNEL = normal(2, 4, 7, 6), normal(6, 2, 3, 2)
CHANNELS_LAST = np.ascontiguousarray(IMAGE.transpose(0, 2, 3, 1))

named("neg abs sign floor ceil exp exp2 expm1 sin cos tan atan sinh cosh tanh asinh cbrt square erf erfc logistic is_finite conj", A)
named("log log1p sqrt rsqrt asin acos atanh lgamma digamma erf_inv bessel_i0e bessel_i1e reciprocal", P)
named("add sub mul div rem max min pow atan2 nextafter eq ne lt le gt ge complex", P, P[::-1].copy())
named("add sub mul div rem max min bitwise_and bitwise_or bitwise_xor shift_left shift_right_arithmetic shift_right_logical", I, J, suffix="_int")
named("bitwise_not population_count clz neg abs sign", I, suffix="_int")
named("bitwise_not population_count clz sign", U, suffix="_uint")
case("round", lambda lax, x: lax.round(x), A * 3)
case("round_even", lambda lax, x: lax.round(x, lax.RoundingMethod.TO_NEAREST_EVEN), A * 3)
case("clamp", lambda lax, x: lax.clamp(np.float32(-0.5), x, np.float32(0.5)), A)
case("integer_pow", lambda lax, x: lax.integer_pow(x, 3), A)
case("select", lambda lax, x, y: lax.select(x > 0, x, y), A, P)
case("select_n", lambda lax, w, x: lax.select_n(w, x, 2 * x, 3 * x), J % 3, A)
case("convert", lambda lax, x: lax.convert_element_type(x, np.int32), A)
case("bitcast", lambda lax, x: lax.bitcast_convert_type(x, np.int32), A)

case("broadcast", lambda lax, x: lax.broadcast(x, (2, 3)), A)
case("broadcast_in_dim", lambda lax, x: lax.broadcast_in_dim(x, (4, 2, 5), (0, 2)), A)
case("stack", lambda lax, x: lax.stack([x, x * 2], 1), A)
case("reduce_precision", lambda lax, x: (lax.reduce_precision(x, 8, 7), lax.reduce_precision(x, 5, 10)), A)
case("reduce_precision of small values", lambda lax, x: lax.reduce_precision(1e-5 * x, 5, 10), A)
case("expand_dims", lambda lax, x: lax.expand_dims(x, (0, 2)), A)
case("squeeze", lambda lax, x: lax.squeeze(x, (0,)), A[:1])
case("reshape", lambda lax, x: lax.reshape(x, (2, 10)), A)
case("reshape_dimensions", lambda lax, x: lax.reshape(x, (2, 10), (1, 0)), A)
case("collapse", lambda lax, x: lax.collapse(x, 1, 3), S3)
case("transpose", lambda lax, x: lax.transpose(x, (2, 0, 1)), S3)
case("rev", lambda lax, x: lax.rev(x, (0, 2)), S3)
case("concatenate", lambda lax, x: lax.concatenate([x, x * 2], 1), A)
case("tile", lambda lax, x: lax.tile(x, (2, 1)), A)
case("split", lambda lax, x: lax.split(x, (2, 3), 1), A)
case("pad", lambda lax, x: lax.pad(x, np.float32(7), ((1, 2, 1), (-1, 2, 0))), A)
case("pad_cut", lambda lax, x: lax.pad(x, np.float32(0), ((-1, -1, 2), (1, 0, 0))), A)
case("slice", lambda lax, x: lax.slice(x, (1, 0), (4, 5), (2, 3)), A)
case("slice_in_dim", lambda lax, x: lax.slice_in_dim(x, 1, 4, 2, axis=1), A)
case("index_in_dim", lambda lax, x: lax.index_in_dim(x, -1, axis=1), A)
case("iota", lambda lax, x: lax.iota(np.int32, 4) * x[:, 0], A)
case("broadcasted_iota", lambda lax, x: lax.broadcasted_iota(np.float32, (4, 5), 1) * x, A)

for start in (-7, -2, 0, 3, 9):
    i = np.int32(start)
    case(f"dynamic_slice {i}", lambda lax, x, i: lax.dynamic_slice(x, (i, 1), (2, 3)), A, i)
    case(f"dynamic_update_slice {i}", lambda lax, x, u, i: lax.dynamic_update_slice(x, u, (i, i)), A, P[:2, :2], i)
    case(f"dynamic_slice_in_dim {i}", lambda lax, x, i: lax.dynamic_slice_in_dim(x, i, 2, axis=1), A, i)
    case(f"dynamic_index_in_dim {i}", lambda lax, x, i: lax.dynamic_index_in_dim(x, i, axis=1, keepdims=False), A, i)
    case(f"dynamic_update_index_in_dim {i}", lambda lax, x, i: lax.dynamic_update_index_in_dim(x, x[0] * 2, i, 0), A, i)
    case(f"dynamic_update_slice_in_dim {i}", lambda lax, x, i: lax.dynamic_update_slice_in_dim(x, x[:2] * 2, i, 0), A, i)

case("dot", lambda lax, x, y: lax.dot(x, y), A, B)
case("batch_matmul", lambda lax, x, y: lax.batch_matmul(x, y), S3, R3)
case("dot_general_batch", lambda lax, x, y: lax.dot_general(x, y, (((2,), (1,)), ((0,), (0,)))), S3, R3)
case("dot_general", lambda lax, x, y: lax.dot_general(x, y, (((1,), (0,)), ((), ()))), S3, B[:3])
case("conv_groups", lambda lax, x, k: lax.conv_general_dilated(x, k, (2, 1), ((1, 1), (0, 1)), feature_group_count=2), IMAGE, KERNEL)
case("conv_patches", lambda lax, x: lax.conv_general_dilated_patches(x, (2, 3), (1, 2), "SAME"), IMAGE)
case("conv_same", lambda lax, x, k: lax.conv_general_dilated(x, k, (1, 2), "SAME", rhs_dilation=(2, 1)), IMAGE, normal(3, 4, 3, 2))
case("conv_dilated", lambda lax, x, k: lax.conv_general_dilated(x, k, (1, 1), ((2, -1), (0, 1)), lhs_dilation=(2, 3),
                                                                dimension_numbers=("NHWC", "HWIO", "NHWC")), CHANNELS_LAST, normal(3, 2, 4, 3))
for padding in ("SAME", "VALID"):
    case(f"conv_transpose {padding}", lambda lax, x, k, p=padding: lax.conv_transpose(x, k, (2, 3), p), CHANNELS_LAST, normal(3, 2, 4, 3))
    case(f"conv_transpose_kernel {padding}", lambda lax, x, k, p=padding: lax.conv_transpose(x, k, (2, 1), p, transpose_kernel=True), CHANNELS_LAST,
         normal(3, 2, 3, 4))

case("pool_max", lambda lax, x: lax.reduce_window(x, np.float32(-np.inf), lax.max, (1, 1, 3, 2), (1, 1, 2, 2), "SAME"), IMAGE)
case("pool_min", lambda lax, x: lax.reduce_window(x, np.float32(np.inf), lax.min, (1, 1, 3, 2), (1, 1, 1, 2), "VALID"), IMAGE)
case("pool_add", lambda lax, x: lax.reduce_window(x, np.float32(0), lax.add, (1, 1, 3, 2), (1, 1, 2, 2), ((0, 0), (0, 0), (1, 0), (1, 1)),
                                                  base_dilation=(1, 1, 2, 1), window_dilation=(1, 1, 1, 2)), IMAGE)
case("pool_mul", lambda lax, x: lax.reduce_window(x, np.float32(1), lax.mul, (2, 2), (1, 1), "SAME"), A)
case("reduce_add", lambda lax, x: lax.reduce(x, np.float32(0), lax.add, (0,)), A)
case("reduce_maximum", lambda lax, x: lax.reduce(x, np.float32(-np.inf), lax.max, (0, 1)), A)
case("reduce_function", lambda lax, x: lax.reduce(x, np.float32(1), lambda a, b: a * b, (0, 1)), A)
named("reduce_sum reduce_prod reduce_max reduce_min", A, axes=(1,))
case("reduce_and", lambda lax, x: lax.reduce_and(x > 0, (0,)), A)
case("reduce_or", lambda lax, x: lax.reduce_or(x > 0, (0,)), A)
case("reduce_xor", lambda lax, x: lax.reduce_xor(x, (1,)), I)
case("approx_max_k", lambda lax, x: lax.approx_max_k(x, 2), A)
case("approx_min_k", lambda lax, x: lax.approx_min_k(x, 2), A)
case("argmax", lambda lax, x: lax.argmax(x, 1, np.int32), A)
case("argmin", lambda lax, x: lax.argmin(x, 0, np.int32), A)
named("cumsum cumprod cummax cummin cumlogsumexp", A, axis=1)
named("cumsum cumprod cummax cummin cumlogsumexp", A, suffix="_reverse", axis=1, reverse=True)
case("cumsum_int", lambda lax, x: lax.cumsum(x, axis=0), I)

case("sort", lambda lax, x: lax.sort(x, dimension=0), A)
case("sort_pair", lambda lax, x, y: lax.sort((x, y), dimension=1, num_keys=1), I, A)
case("sort_two_keys", lambda lax, x, y: lax.sort((x, y), dimension=1, num_keys=2), J, I)
case("sort_key_val", lambda lax, x, y: lax.sort_key_val(x, y), A, I)
case("top_k", lambda lax, x: lax.top_k(x, 3), A)
case("top_k_int", lambda lax, x: lax.top_k(x, 3), J)

INDEX = np.array([[0, 1], [3, 4], [2, 9]], np.int32)
case("gather_clip", lambda lax, x: lax.gather(x, INDEX, lax.GatherDimensionNumbers((1,), (0,), (0, 1)), (1, 1), mode="clip"), A)
case("gather_fill", lambda lax, x: lax.gather(x, INDEX, lax.GatherDimensionNumbers((0,), (0,), (0, 1)), (1, 2), mode="fill"), A)
case("gather_at_operands", lambda lax, x, i: lax.gather(x, i, lax.GatherDimensionNumbers((1,), (0,), (0, 1)), (1, 1), mode="clip"), A, INDEX)
case("scatter_add", lambda lax, x, u: lax.scatter_add(x, INDEX, u, lax.ScatterDimensionNumbers((), (0, 1), (0, 1))), A, P[0, :3])
case("scatter_at_operands", lambda lax, x, u, i: lax.scatter_add(x, i, u, lax.ScatterDimensionNumbers((), (0, 1), (0, 1))), A, P[0, :3], INDEX)
case("scatter_sub", lambda lax, x, u: lax.scatter_sub(x, INDEX, u, lax.ScatterDimensionNumbers((), (0, 1), (0, 1))), A, P[0, :3])
case("scatter_rows", lambda lax, x, u: lax.scatter(x, INDEX[:, :1], u, lax.ScatterDimensionNumbers((1,), (0,), (0,))), A, P[:3])

case("scan", lambda lax, x: lax.scan(lambda c, v: (c * 0.5 + v, c * v), x[0], x), A)
case("scan_reverse", lambda lax, x: lax.scan(lambda c, v: (c * v["a"], {"y": c, "n": None}), x[0], {"a": x}, reverse=True), A)
case("associative_scan", lambda lax, x: lax.associative_scan(lambda a, b: a * b, x, axis=1), A)
case("associative_scan_reverse", lambda lax, x: lax.associative_scan(lambda a, b: a + b, x, reverse=True, axis=0), A)
case("map", lambda lax, x: lax.map(lambda r: (r * 2, r.sum()), x), A)
case("map_batch", lambda lax, x: lax.map(lambda r: (r * 2, r.sum()), x, batch_size=3), A)
case("while_loop", lambda lax, x: lax.while_loop(lambda c: c[1] < 4, lambda c: (c[0] * 1.5, c[1] + 1), (x, np.int32(0))), A)
case("fori_loop", lambda lax, x: lax.fori_loop(0, 5, lambda i, c: c * 0.5 + i, x), A)
case("cond", lambda lax, x: lax.cond(x[0, 0] > 0, lambda v: v * 2, lambda v: -v, x), A)
case("cond_operand", lambda lax, x: lax.cond(x[0, 0] > 0, lambda v: v[0] * 2, lambda v: -v[1], operand=(x, x)), A)
case("barrier", lambda lax, x: lax.optimization_barrier(x) * lax.stop_gradient(x), A)
case("switch", lambda lax, x: lax.switch(x[0, 0].astype(np.int32) + 1, [lambda v: v, lambda v: v * 2, lambda v: v * 3], x), A)
