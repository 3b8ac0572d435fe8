"""One call of every function of `transformer.numpy`, as an expression over these arrays. `xp` is the namespace."""

import numpy as np

RNG = np.random.default_rng(7)
ARRAYS = {
    "F": RNG.normal(size=(3, 4)).astype(np.float32), "G": RNG.normal(size=(3, 4)).astype(np.float32),
    "P": RNG.uniform(0.1, 0.9, (3, 4)).astype(np.float32), "V": np.array([0.5, -1.5, 2.0, 0.25], np.float32),
    "W": np.array([1.0, 2.0, -0.5, 3.0], np.float32), "X": np.array([0.0, 1.0, 2.5, 4.0], np.float32),
    "I": np.array([3, 1, 2, 3, 0, 1], np.int32), "J": np.array([5, -2, 7, 1, 4, 2], np.int32), "U": np.array([6, 4, 9, 250], np.uint8),
    "B": np.array([True, False, True, True]), "D": np.array([False, False, True, True]), "C": np.array([1 + 2j, -0.5j, 3.0], np.complex64),
    "M": RNG.normal(size=(3, 3)).astype(np.float32) + 3 * np.eye(3, dtype=np.float32), "N": np.array([1.0, np.nan, 3.0, -np.inf], np.float32),
    "K": np.arange(8.0, dtype=np.float32),
}

UNARY = """abs absolute acosh1 angle asin acos arccos arcsin arcsinh arctan arctanh asinh atan atanh cbrt ceil conj conjugate cos cosh deg2rad degrees exp exp2
expm1 fabs floor i0 log log10 log1p log2 negative positive rad2deg radians reciprocal rint round around sign signbit sin sinc sinh spacing sqrt
square tan tanh trunc real imag isreal iscomplex isfinite isnan isinf isneginf isposinf nan_to_num logical_not"""
BINARY = """add subtract multiply divide true_divide arctan2 atan2 copysign floor_divide fmod mod remainder hypot logaddexp logaddexp2 maximum minimum fmax
fmin power pow float_power nextafter equal not_equal less less_equal greater greater_equal logical_and logical_or logical_xor heaviside isclose"""
INTEGER = "gcd lcm bitwise_and bitwise_or bitwise_xor"
REDUCE = """sum prod mean var std max min amax amin ptp median nansum nanprod nanmean nanvar nanstd nanmax nanmin nanmedian average argmax argmin nanargmax
nanargmin all any count_nonzero cumsum cumprod nancumsum nancumprod cumulative_sum cumulative_prod sort argsort diff"""

CASES = {name: f"xp.{name}(P)" for name in UNARY.split() if not name.endswith("1") or name in ("expm1", "log1p")}
CASES |= {name: f"xp.{name}(P, G)" if name not in ("power", "pow", "float_power") else f"xp.{name}(P, 1.5)" for name in BINARY.split()}
CASES |= {name: f"xp.{name}(I, J)" for name in INTEGER.split()}
CASES |= {name: f"xp.{name}(F, axis=1)" for name in REDUCE.split()}
CASES |= dict(
    acosh="xp.acosh(1 + P)", arccosh="xp.arccosh(1 + P)", frexp="xp.frexp(F)", modf="xp.modf(F)", ldexp="xp.ldexp(V, U[:4] % 4)",
    divmod="xp.divmod(F, P)", bitwise_count="xp.bitwise_count(U)", bitwise_not="xp.bitwise_not(I)", bitwise_invert="xp.bitwise_invert(I)",
    invert="xp.invert(I)", left_shift="xp.left_shift(I, 2)", right_shift="xp.right_shift(J, 1)", bitwise_left_shift="xp.bitwise_left_shift(I, 2)",
    bitwise_right_shift="xp.bitwise_right_shift(J, 1)", clip="xp.clip(F, -0.5, 0.5)", where="xp.where(F > 0, F, 0.0)",
    select="xp.select([F > 1, F > 0], [F, 2 * F], 0.0)", piecewise="xp.piecewise(V, [V < 0, V >= 1], [lambda v: -v, lambda v: v * 2, 1.0])",
    choose="xp.choose(I[:4] % 2, [V, W], mode='clip')", quantile="xp.quantile(F, 0.3, axis=1)", percentile="xp.percentile(F, 30.0, axis=1)",
    nanquantile="xp.nanquantile(F, 0.3, axis=1)", nanpercentile="xp.nanpercentile(F, 30.0, axis=1)", cov="xp.cov(F)", corrcoef="xp.corrcoef(F)",
    ediff1d="xp.ediff1d(V)", gradient="xp.gradient(V)", trapezoid="xp.trapezoid(V, X)", cross="xp.cross(F[:, :3], G[:, :3])",
    array="xp.array([[1.0, 2.0], [3.0, 4.0]])", asarray="xp.asarray([1, 2])", astype="xp.astype(F, xp.int32)", copy="xp.copy(F)",
    zeros="xp.zeros((2, 3), xp.float32)", ones="xp.ones(3, xp.int32)", empty="xp.empty((0, 2), xp.float32)", full="xp.full((2,), 2.5, xp.float32)",
    zeros_like="xp.zeros_like(F)", ones_like="xp.ones_like(I)", empty_like="xp.empty_like(F[:0])", full_like="xp.full_like(F, 2.0)",
    arange="xp.arange(2, 9, 3, xp.int32)", linspace="xp.linspace(0.0, 1.0, 5)", logspace="xp.logspace(0.0, 1.0, 4)",
    geomspace="xp.geomspace(1.0, 8.0, 4)", eye="xp.eye(3, 4, 1, xp.float32)", identity="xp.identity(3, xp.float32)", tri="xp.tri(3, 4, dtype=xp.float32)",
    meshgrid="xp.meshgrid(V, X)", indices="xp.indices((2, 3))", diag_indices="xp.diag_indices(3)", diag_indices_from="xp.diag_indices_from(M)",
    tril_indices="xp.tril_indices(3)", triu_indices="xp.triu_indices(3, 1)", tril_indices_from="xp.tril_indices_from(M)",
    triu_indices_from="xp.triu_indices_from(M)", mask_indices="xp.mask_indices(3, np.triu)", ix_="xp.ix_(I[:2], J[:3])",
    bartlett="xp.bartlett(5)", blackman="xp.blackman(5)", hamming="xp.hamming(5)", hanning="xp.hanning(5)", kaiser="xp.kaiser(5, 3.0)",
    vander="xp.vander(V, 3)", fromfunction="xp.fromfunction(fused, (2, 3), dtype=xp.float32)", frombuffer="xp.frombuffer(b'\\x01\\x02', xp.uint8)",
    fromiter="xp.fromiter(iter([1, 2]), xp.int32)", fromstring="xp.fromstring('1 2', xp.int32, sep=' ')", from_dlpack="xp.from_dlpack(np.arange(3))",
    reshape="xp.reshape(F, (4, 3))", ravel="xp.ravel(F)", transpose="xp.transpose(F)", permute_dims="xp.permute_dims(F, (1, 0))",
    matrix_transpose="xp.matrix_transpose(F)", swapaxes="xp.swapaxes(F, 0, 1)", moveaxis="xp.moveaxis(F, 0, 1)", rollaxis="xp.rollaxis(F, 1)",
    expand_dims="xp.expand_dims(F, 1)", squeeze="xp.squeeze(F[:, None])", broadcast_to="xp.broadcast_to(V, (3, 4))",
    broadcast_arrays="xp.broadcast_arrays(F, V)", atleast_1d="xp.atleast_1d(V[0])", atleast_2d="xp.atleast_2d(V)", atleast_3d="xp.atleast_3d(F)",
    concatenate="xp.concatenate([F, G], axis=1)", concat="xp.concat([F, G], axis=1)", stack="xp.stack([V, W], axis=1)", vstack="xp.vstack([F, G])",
    hstack="xp.hstack([F, G])", dstack="xp.dstack([F, G])", column_stack="xp.column_stack([V, W])", block="xp.block([[F, G], [G, F]])",
    append="xp.append(V, W)", insert="xp.insert(V, 1, 9.0)", delete="xp.delete(V, 1)", split="xp.split(V, 2)", hsplit="xp.hsplit(F, 2)",
    vsplit="xp.vsplit(F, 3)", dsplit="xp.dsplit(F[None], 2)", array_split="xp.array_split(V, 3)", unstack="xp.unstack(F)", tile="xp.tile(V, 2)",
    repeat="xp.repeat(V, 2)", roll="xp.roll(F, 1, axis=1)", flip="xp.flip(F)", fliplr="xp.fliplr(F)", flipud="xp.flipud(F)", rot90="xp.rot90(F)",
    resize="xp.resize(V, (2, 3))", pad="xp.pad(V, (1, 2))", trim_zeros="xp.trim_zeros(np.array([0.0, 1.0, 0.0], 'f'))", tril="xp.tril(M)",
    triu="xp.triu(M)", diag="xp.diag(V)", diagflat="xp.diagflat(V)", diagonal="xp.diagonal(M)", trace="xp.trace(M)",
    fill_diagonal="xp.fill_diagonal(M, 5.0, inplace=False)", take="xp.take(F, I[:2], axis=1)",
    take_along_axis="xp.take_along_axis(F, np.argsort(ARRAYS['F'], 1), axis=1)", put="xp.put(V, np.array([0, 2]), W[:2], inplace=False)",
    put_along_axis="xp.put_along_axis(F, np.array([[0], [1], [2]]), 9.0, 1, inplace=False)", place="xp.place(V, V > 0, 1.0, inplace=False)",
    compress="xp.compress(np.array([True, False, True]), F, axis=0)", extract="xp.extract(V > 0, V)", nonzero="xp.nonzero(I > 1)",
    flatnonzero="xp.flatnonzero(I > 1)", argwhere="xp.argwhere(I > 1)", searchsorted="xp.searchsorted(X, V)", digitize="xp.digitize(V, X)",
    argpartition="xp.argpartition(V, 1)[:2]", partition="xp.partition(V, 1)[1]", lexsort="xp.lexsort((I, J))", sort_complex="xp.sort_complex(C)",
    unique="xp.unique(I)", unique_all="xp.unique_all(I)", unique_counts="xp.unique_counts(I)", unique_inverse="xp.unique_inverse(I)",
    unique_values="xp.unique_values(I)", union1d="xp.union1d(I, J)", intersect1d="xp.intersect1d(I, J)", setdiff1d="xp.setdiff1d(I, J)",
    setxor1d="xp.setxor1d(I, J)", isin="xp.isin(I, J)", bincount="xp.bincount(I, length=5)", histogram="xp.histogram(V, 3)",
    histogram_bin_edges="xp.histogram_bin_edges(V, 3)", histogram2d="xp.histogram2d(V, W, 3)", histogramdd="xp.histogramdd(F[:, :2], 2)[0]",
    dot="xp.dot(F, V)", matmul="xp.matmul(M, F)", inner="xp.inner(V, W)", outer="xp.outer(V, W)", tensordot="xp.tensordot(F, G, axes=([0, 1], [0, 1]))",
    vdot="xp.vdot(C, C)", vecdot="xp.vecdot(F, G)", matvec="xp.matvec(M, F[:, 0])", vecmat="xp.vecmat(F[:, 0], M)", kron="xp.kron(V, W)",
    einsum="xp.einsum('ij,ij->i', F, G)", einsum_path="xp.einsum_path('ij,jk->ik', M, M)", convolve="xp.convolve(V, W)", correlate="xp.correlate(V, W, 'same')",
    interp="xp.interp(V, X, W)", polyval="xp.polyval(W, V)", polyadd="xp.polyadd(V, W[:2])", polysub="xp.polysub(V, W[:2])",
    polymul="xp.polymul(V, W)", polydiv="xp.polydiv(V, W[:2])", polyder="xp.polyder(V)", polyint="xp.polyint(V)", poly="xp.poly(V)",
    polyfit="xp.polyfit(X, V, 1)", roots="xp.sort_complex(xp.roots(np.array([1.0, -3.0, 2.0], 'f')))", unwrap="xp.unwrap(3 * V)",
    apply_along_axis="xp.apply_along_axis(fall, 1, F)", apply_over_axes="xp.apply_over_axes(xp.sum, F, [0])",
    vectorize="xp.vectorize(fused)(V, W)", frompyfunc="xp.frompyfunc(fused, 2, 1)(V, W)",
    packbits="xp.packbits(np.array([1, 0, 1], np.uint8))", unpackbits="xp.unpackbits(np.array([5], np.uint8))",
    allclose="xp.allclose(F, F + 1e-9)", array_equal="xp.array_equal(F, F)", array_equiv="xp.array_equiv(V, V)", iscomplexobj="xp.iscomplexobj(C)",
    isrealobj="xp.isrealobj(F)", isscalar="xp.isscalar(3.0)", ndim="xp.ndim(F)", shape="xp.shape(F)", size="xp.size(F)", iterable="xp.iterable(F)",
    broadcast_shapes="xp.broadcast_shapes((3, 1), (4,))", result_type="xp.result_type(I, V)", promote_types="xp.promote_types('int8', 'uint8')",
    can_cast="xp.can_cast('int8', 'int32')", issubdtype="xp.issubdtype(xp.float32, xp.floating)", isdtype="xp.isdtype(xp.float32, 'real floating')",
    ravel_multi_index="xp.ravel_multi_index((I[:3] % 2, J[2:5] % 3), (2, 8), mode='clip')", unravel_index="xp.unravel_index(I, (2, 3))",
    finfo="float(xp.finfo(xp.float32).eps)", iinfo="xp.iinfo(xp.int16).max", array_repr="xp.array_repr(xp.asarray(V))[:5]", array_str="xp.array_str(xp.asarray(V))",
)

UNCALLED = set("""ComplexWarning bfloat16 bool bool_ c_ cdouble character complex128 complex64 complex_ complexfloating csingle double dtype e euler_gamma fft
flexible float16 float32 float4_e2m1fn float64 float6_e2m3fn float6_e3m2fn float8_e3m4 float8_e4m3 float8_e4m3b11fnuz float8_e4m3fn float8_e4m3fnuz float8_e5m2
float8_e5m2fnuz float8_e8m0fnu float_ floating fromfile generic get_printoptions index_exp inexact inf int1 int16 int2 int32 int4 int64 int8 int_ integer
linalg load
mgrid nan ndarray newaxis number object_ ogrid pi printoptions r_ s_ save savez set_printoptions signedinteger single ufunc uint uint1 uint16 uint2 uint32 uint4
uint64 uint8 unsignedinteger""".split())
"""Names that are no functions of arrays, and those that read or write files; test_namespace.py looks at them."""

UNLIKE_NUMPY = set("bincount fill_diagonal put put_along_axis place fromfunction unwrap array_repr matvec vecmat frompyfunc vectorize roots sort_complex "
                   "mask_indices isscalar histogram from_dlpack packbits apply_over_axes piecewise unique_values polydiv result_type promote_types".split())
"""NumPy has no such keyword, or the result is meant to differ."""

STATIC = set("""trim_zeros extract nonzero flatnonzero argwhere unique unique_all unique_counts unique_inverse unique_values union1d intersect1d setdiff1d
setxor1d compress array_repr array_str einsum_path fromiter frombuffer fromstring from_dlpack histogram2d iterable result_type promote_types""".split())
"""Not compiled: the result's shape depends on values, or it is no array."""


def fall(line):
    return line[0] - line[-1]


def fused(a, b):
    return a * b + 1


def evaluate(expression, xp, arrays):
    return eval(expression, {"xp": xp, "np": np, "ARRAYS": ARRAYS, "fall": fall, "fused": fused, **arrays})
