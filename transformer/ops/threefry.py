"""Random bits from keys: the counter-based generator threefry2x32 with 20 rounds, as JAX's default implementation uses it.

A key is a uint32 array whose last axis holds its two words; axes before it are a batch of keys. The functions here take and give
ndarrays; generated source calls them as `threefry.bits(key, (3,))`. `transformer.random` has the samplers.

Source: Salmon, Moraes, Dror, Shaw, Parallel random numbers: as easy as 1, 2, 3 (2011); erf_inv: Giles, Approximating the erfinv
function (2010).
"""

import math

import numpy as np

from ..core import Aval
from ..errors import TypeMismatch
from .elementwise import at_result_type
from .op import TABLE, Op, aval_of, broadcast, op, register

WORD = np.dtype(np.uint32)
PARITY = 0x1BD11BDA
BLOCK = 1 << 14
"""How many numbers are hashed at once: what stays in the fastest memory."""

ROTATIONS = ((13, 15, 26, 6), (17, 29, 16, 24))


def hash_words(key, high, low):
    """The two hashes of counters (two arrays of one shape) under a key (two arrays that broadcast against them)."""
    keys = (*key, key[0] ^ key[1] ^ WORD.type(PARITY))
    x, y = high + keys[0], low + keys[1]
    spare = np.empty_like(y)
    for block in range(5):
        for distance in ROTATIONS[block % 2]:
            x += y
            np.right_shift(y, 32 - distance, out=spare)
            y <<= distance
            y |= spare
            y ^= x
        x += keys[(block + 1) % 3]
        y += keys[(block + 2) % 3] + WORD.type(block + 1)
    return x, y


def hashes(key, shape):
    """Hashes of the numbers of the elements of `shape`, for each key of a batch."""
    key = np.asarray(key)
    rows, size = key.reshape(-1, 2), math.prod(shape)
    found = np.empty((2, len(rows), size), WORD)
    step = max(1, BLOCK // max(1, len(rows)))
    with np.errstate(over="ignore"):
        for start in range(0, size, step):
            numbers = np.arange(start, min(start + step, size), dtype=np.uint64)
            high, low = ((numbers >> np.uint64(32)).astype(WORD), numbers.astype(WORD))
            spread = [np.broadcast_to(c, (len(rows), len(numbers))) for c in (high, low)]
            found[:, :, start:start + step] = hash_words([rows[:, :1], rows[:, 1:]], *spread)
    return found.reshape((2, *key.shape[:-1], *shape))


def bits(key, shape=(), dtype=WORD):
    """Random bits of an unsigned integer type."""
    high, low = hashes(key, shape)
    dtype = np.dtype(dtype)
    if dtype.itemsize == 8:
        return (high.astype(dtype) << np.uint64(32)) | low
    return (high ^ low).astype(dtype)


def split(key, shape=(2,)):
    """New keys."""
    return np.stack(hashes(key, shape), axis=-1)


def fold_in(key, data):
    """A new key from a key and an integer; batches of both broadcast."""
    key, data = np.asarray(key), np.asarray(data).astype(WORD)
    shape = np.broadcast_shapes(key.shape[:-1], data.shape)
    low = np.broadcast_to(data, shape).reshape(shape or (1,))
    with np.errstate(over="ignore"):
        new = hash_words([np.broadcast_to(key[..., k], low.shape) for k in (0, 1)], np.zeros_like(low), low)
    return np.stack(new, axis=-1).reshape((*shape, 2))


# StableHLO ----------------------------------------------------------------------------------------------------------------
def lower_hashes(hlo, key, high, low):
    """`hash_words`; on the CPU as a loop, which compiles faster."""
    def word(value):
        return hlo.broadcast_to(value, low.shape)

    def rotated(y, distance):
        left = hlo.op("shift_left", [y, distance], y.shape, WORD)
        back = hlo.subtract(hlo.full(y.shape, 32, WORD), distance)
        return hlo.or_(left, hlo.op("shift_right_logical", [y, back], y.shape, WORD))

    def four(x, y, distances):
        for distance in distances:
            x = hlo.add(x, y)
            y = hlo.op("xor", [rotated(y, distance), x], y.shape, WORD)
        return x, y

    third = hlo.op("xor", [hlo.op("xor", list(key), key[0].shape, WORD), hlo.full(key[0].shape, PARITY, WORD)], key[0].shape, WORD)
    x, y = hlo.add(high, word(key[0])), hlo.add(low, word(key[1]))
    if hlo.platform != "cpu":
        keys = (*key, third)
        for block in range(5):
            x, y = four(x, y, [hlo.full(y.shape, d, WORD) for d in ROTATIONS[block % 2]])
            x = hlo.add(x, word(keys[(block + 1) % 3]))
            y = hlo.add(y, hlo.add(word(keys[(block + 2) % 3]), hlo.full(y.shape, block + 1, WORD)))
        return x, y
    return _lower_loop(hlo, four, word, (x, y), (key[1], third, key[0]))


def _lower_loop(hlo, four, word, start, keys):
    """The five blocks as a loop that rotates the words of the key."""
    one = hlo.constant(1, WORD)

    def test(i, x, y, a, b, c):
        return hlo.compare("LE", i, hlo.constant(5, WORD))

    def body(i, x, y, a, b, c):
        odd = hlo.compare("EQ", hlo.op("and", [i, one], (), WORD), one)
        chosen = [hlo.select(odd, hlo.constant(p, WORD), hlo.constant(q, WORD)) for p, q in zip(*ROTATIONS)]
        x, y = four(x, y, [hlo.broadcast_to(d, y.shape) for d in chosen])
        return [hlo.add(i, one), hlo.add(x, word(a)), hlo.add(y, hlo.add(word(b), word(i))), b, c, a]

    return hlo.while_([one, *start, *keys], test, body)[1:3]


def lower_words(hlo, key, shape):
    """The words of a batch of keys, spread over the elements of `shape` that each key hashes."""
    batch = key.shape[:-1]
    words = []
    for k in (0, 1):
        one = hlo.slice(key, (*(0,) * len(batch), k), (*batch, k + 1))
        words.append(hlo.broadcast_in_dim(hlo.reshape(one, batch), (*batch, *shape), range(len(batch))) if batch else hlo.reshape(one, ()))
    return words


def lower_counters(hlo, batch, shape):
    """The numbers of the elements of `shape` as two words, for each key of a batch."""
    size = math.prod(shape)
    wide = np.dtype(np.uint64) if size >> 32 else WORD
    numbers = hlo.reshape(hlo.iota((size,), wide, 0), shape)
    numbers = hlo.broadcast_in_dim(numbers, (*batch, *shape), range(len(batch), len(batch) + len(shape)))
    if wide == WORD:
        return hlo.full(numbers.shape, 0, WORD), numbers
    high = hlo.op("shift_right_logical", [numbers, hlo.full(numbers.shape, 32, wide)], numbers.shape, wide)
    return hlo.convert(high, WORD), hlo.convert(numbers, WORD)


def lower_drawn(hlo, key, shape):
    return lower_hashes(hlo, lower_words(hlo, key, shape), *lower_counters(hlo, key.shape[:-1], shape))


def lower_pair(hlo, x, y):
    """Two words as a last axis."""
    return hlo.concatenate([hlo.reshape(w, (*w.shape, 1)) for w in (x, y)], len(x.shape))


# ops ------------------------------------------------------------------------------------------------------------------------
def _key_batch(key):
    if key.dtype != WORD or not key.shape or key.shape[-1] != 2:
        raise TypeMismatch(f"{key} is no random key", "Make keys with random.key(seed) and random.split(key).")
    return key.shape[:-1]


def _key_samples(rng):
    return [((rng.integers(0, 1 << 32, (*batch, 2), dtype=np.uint32),), {"shape": shape}) for batch in ((), (3,)) for shape in ((), (2, 3))]


@op(differentiable=False)
class random_bits:
    """Random bits of an unsigned type, for each key of a batch an array of `shape`."""

    impl = bits

    def infer(key, shape, dtype):
        return Aval((*_key_batch(key), *shape), np.dtype(dtype))

    def lower(hlo, out, key, shape, dtype):
        x, y = lower_drawn(hlo, key, shape)
        if out.dtype.itemsize < 8:
            return hlo.convert(hlo.op("xor", [x, y], x.shape, WORD), out.dtype)
        high, low = hlo.convert(x, out.dtype), hlo.convert(y, out.dtype)
        return hlo.or_(hlo.op("shift_left", [high, hlo.full(x.shape, 32, out.dtype)], x.shape, out.dtype), low)

    def batch(axes, key, shape, dtype):
        return TABLE["random_bits"].bind(key, shape=shape, dtype=dtype), 0

    def notation(key, shape, dtype):
        return f"threefry.bits({{0}}, {shape}" + (")" if dtype == WORD else f", np.{dtype})")

    def samples(rng):
        return [(args, {**params, "dtype": np.dtype(t)}) for args, params in _key_samples(rng) for t in ("uint8", "uint32", "uint64")]


@op(differentiable=False)
class random_split:
    """New keys, for each key of a batch an array of `shape`."""

    impl = split
    samples = _key_samples

    def infer(key, shape):
        return Aval((*_key_batch(key), *shape, 2), WORD)

    def lower(hlo, out, key, shape):
        return lower_pair(hlo, *lower_drawn(hlo, key, shape))

    def batch(axes, key, shape):
        return TABLE["random_split"].bind(key, shape=shape), 0

    def notation(key, shape):
        return f"threefry.split({{0}}, {shape})"


@op(differentiable=False)
class random_fold_in:
    """A new key from a key and an integer."""

    impl = fold_in

    def infer(key, data):
        return Aval((*broadcast(_key_batch(key), data.shape), 2), WORD)

    def lower(hlo, out, key, data):
        shape = out.shape[:-1]
        key = hlo.broadcast_to(key, (*shape, 2))
        low = hlo.broadcast_to(hlo.convert(data, WORD), shape)
        return lower_pair(hlo, *lower_hashes(hlo, lower_words(hlo, key, ()), hlo.full(shape, 0, WORD), low))

    def batch(axes, key, data):
        ndims = [len(aval_of(v).shape) - k - (axis == 0) for v, k, axis in zip((key, data), (1, 0), axes)]
        key, data = (_aligned(v, axis, max(ndims) - n) for v, axis, n in zip((key, data), axes, ndims))
        return TABLE["random_fold_in"].bind(key, data), 0

    notation = staticmethod(lambda key, data: "threefry.fold_in({0}, {1})")

    def samples(rng):
        return [((args[0], rng.integers(0, 100, args[0].shape[:-1])), {}) for args, params in _key_samples(rng)[::2]]


def _aligned(value, axis, missing):
    """New axes behind a batch axis, so that the other operand's axes have partners."""
    shape = aval_of(value).shape
    return np.reshape(value, (shape[0], *(1,) * missing, *shape[1:])) if axis == 0 and missing else value


# the normal distribution's quantiles ---------------------------------------------------------------------------------------
SINGLE = (
    (5.0, 2.5, (2.81022636e-08, 3.43273939e-07, -3.5233877e-06, -4.39150654e-06, 0.00021858087, -0.00125372503, -0.00417768164, 0.246640727, 1.50140941)),
    (math.inf, 3.0, (-0.000200214257, 0.000100950558, 0.00134934322, -0.00367342844, 0.00573950773, -0.0076224613, 0.00943887047,
                           1.00167406, 2.83297682)),
)
DOUBLE = (
    (6.25, 3.125, (
        -3.6444120640178196996e-21, -1.685059138182016589e-19, 1.2858480715256400167e-18, 1.115787767802518096e-17,
        -1.333171662854620906e-16, 2.0972767875968561637e-17, 6.6376381343583238325e-15, -4.0545662729752068639e-14,
        -8.1519341976054721522e-14, 2.6335093153082322977e-12, -1.2975133253453532498e-11, -5.4154120542946279317e-11,
        1.051212273321532285e-09, -4.1126339803469836976e-09, -2.9070369957882005086e-08, 4.2347877827932403518e-07,
        -1.3654692000834678645e-06, -1.3882523362786468719e-05, 0.0001867342080340571352, -0.00074070253416626697512,
        -0.0060336708714301490533, 0.24015818242558961693, 1.6536545626831027356)),
    (16.0, 3.25, (
        2.2137376921775787049e-09, 9.0756561938885390979e-08, -2.7517406297064545428e-07, 1.8239629214389227755e-08,
        1.5027403968909827627e-06, -4.013867526981545969e-06, 2.9234449089955446044e-06, 1.2475304481671778723e-05,
        -4.7318229009055733981e-05, 6.8284851459573175448e-05, 2.4031110387097893999e-05, -0.0003550375203628474796,
        0.00095328937973738049703, -0.0016882755560235047313, 0.0024914420961078508066, -0.0037512085075692412107,
        0.005370914553590063617, 1.0052589676941592334, 3.0838856104922207635)),
    (math.inf, 5.0, (
        -2.7109920616438573243e-11, -2.5556418169965252055e-10, 1.5076572693500548083e-09, -3.7894654401267369937e-09,
        7.6157012080783393804e-09, -1.4960026627149240478e-08, 2.9147953450901080826e-08, -6.7711997758452339498e-08,
        2.2900482228026654717e-07, -9.9298272942317002539e-07, 4.5260625972231537039e-06, -1.9681778105531670567e-05,
        7.5995277030017761139e-05, -0.00021503011930044477347, -0.00013871931833623122026, 1.0103004648645343977, 4.8499064014085844221)),
)
"""Pieces of erf_inv(x) / x in w = -log(1 - x * x): the piece's end, a shift, the polynomial in w - shift (but for
the first piece: in sqrt(w) - shift)."""


def polynomial(coefficients, x):
    """A polynomial by Horner's scheme, the highest power first."""
    total = np.full_like(x, coefficients[0])
    for coefficient in coefficients[1:]:
        total *= x
        total += coefficient
    return total


def erf_inv(x):
    """The inverse of the error function, by the same polynomials as XLA's; float32 and narrower to single precision."""
    x = np.asarray(x)
    single = x if x.dtype == np.float64 else x.astype(np.float32)
    wide = x.astype(np.float64).reshape(-1)
    pieces = DOUBLE if x.dtype == np.float64 else SINGLE
    with np.errstate(all="ignore"):
        w = -np.log1p(-(single * single).astype(np.float64)).reshape(-1)
        factors = polynomial(pieces[0][2], w - pieces[0][1])
        for (start, *_), (_, shift, coefficients) in zip(pieces, pieces[1:]):
            tail = np.flatnonzero(w >= start)
            factors[tail] = polynomial(coefficients, np.sqrt(w[tail]) - shift)
        factors[np.abs(wide) == 1] = np.inf
        return (factors * wide).reshape(x.shape).astype(x.dtype)[()]


def _d_erf_inv(g, x, out):
    return (math.sqrt(math.pi) / 2) * g * np.exp(out ** 2)


register(Op("erf_inv", erf_inv, lambda x: Aval(x.shape, x.dtype), at_result_type("chlo.erf_inv"), partials=(_d_erf_inv,), singular=True,
            notation=lambda x: "threefry.erf_inv({0})", samples=lambda rng: [((rng.uniform(-0.9, 0.9, (2, 3)),), {})]))

__all__ = ["bits", "erf_inv", "fold_in", "split"]
