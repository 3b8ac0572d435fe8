"""Keys: seeds, splitting, typed keys, errors, and how they pass through transforms."""

import numpy as np
import pytest

import transformer
from transformer import TransformError, lax, random, tree
from transformer.random import threefry

SPLIT = [[1832780943, 270669613], [64467757, 2916123636]]


def exact(found, wanted):
    np.testing.assert_array_equal(np.asarray(found), wanted)


@pytest.mark.parametrize("seed, words", [(0, [0, 0]), (42, [0, 42]), (-1, [0, 4294967295]), (2 ** 31 + 5, [0, 2147483653]), (2 ** 40 + 3, [0, 3])])
def test_seeds(seed, words):
    exact(random.PRNGKey(seed), words)
    assert random.PRNGKey(seed).dtype == np.uint32


def test_seeds_of_64_bits():
    with transformer.enable_x64(True):
        exact(random.PRNGKey(-1), [4294967295, 4294967295])
        exact(random.PRNGKey(2 ** 40 + 3), [256, 3])


def test_seeds_may_be_abstract():
    exact(transformer.jit(random.PRNGKey)(-1), [0, 4294967295])
    exact(transformer.vmap(random.PRNGKey)(np.array([1, 42])), [[0, 1], [0, 42]])


def test_threefry_as_published():
    """The reference values of Random123 for threefry2x32 with 20 rounds."""
    from transformer.ops.threefry import hash_words
    ones = np.array([0xFFFFFFFF], np.uint32)
    zero = np.array([0], np.uint32)
    digits = [np.array([w], np.uint32) for w in (0x13198A2E, 0x03707344, 0x243F6A88, 0x85A308D3)]
    for key, counter, wanted in [((zero, zero), (zero, zero), (0x6B200159, 0x99BA4EFE)), ((ones, ones), (ones, ones), (0x1CB996FC, 0xBB002BE7)),
                                 (digits[:2], digits[2:], (0xC4923A9C, 0x483DF7A0))]:
        exact(np.concatenate(hash_words(key, *counter)), wanted)


def test_split_and_fold_in():
    key = random.PRNGKey(42)
    exact(random.split(key), SPLIT)
    exact(random.split(key, (2, 2)), [SPLIT, [[2465931498, 255383827], [3134548294, 894150801]]])
    exact(random.fold_in(key, 7), [2547012911, 1371500959])
    exact(transformer.jit(random.fold_in)(key, 0), SPLIT[0])
    exact(transformer.vmap(random.fold_in, (None, 0))(key, np.arange(2)), [SPLIT[0], random.fold_in(key, 1)])
    pairs = transformer.vmap(transformer.vmap(random.fold_in, (None, 0)), (0, None))(random.split(key), np.arange(3))
    exact(pairs[1, 2], random.fold_in(random.split(key)[1], 2))


@pytest.mark.parametrize("dtype, wanted", [("uint8", [162, 217, 249]), ("uint16", [5026, 12505, 63993]), ("uint32", [2098992034, 2919706841, 2646866425])])
def test_bits(dtype, wanted):
    found = random.bits(random.PRNGKey(42), (3,), dtype)
    exact(found, wanted)
    assert found.dtype == dtype


def test_bits_in_blocks():
    whole = threefry.bits(np.array([0, 42], np.uint32), (40000,))
    x, y = threefry.split(np.array([0, 42], np.uint32), (40000,)).T
    exact(whole, x ^ y)


def test_typed_keys_carry_the_same_stream():
    key = random.key(42)
    assert key.shape == () and random.split(key, (4, 3)).shape == (4, 3) and random.key_impl(key) == "threefry2x32"
    exact(random.key_data(key), [0, 42])
    exact(random.key_data(random.split(key)), SPLIT)
    exact(random.uniform(key, (3,)), random.uniform(random.PRNGKey(42), (3,)))
    exact(random.key_data(random.wrap_key_data(random.PRNGKey(42))), [0, 42])
    assert "key<fry>" in repr(key) and key.dtype == random.key_dtype()


def test_arrays_of_typed_keys():
    keys = random.split(random.key(0), (2, 3))
    assert len(keys) == 2 and keys[1].shape == (3,) and keys[1, 2].shape == () and keys[..., 0].shape == (2,) and keys.T.shape == (3, 2)
    assert keys.reshape(-1).shape == (6,) and keys.ravel().shape == (6,) and keys.size == 6
    exact(random.key_data(keys.reshape(3, 2)[2, 1]), random.key_data(keys[1, 2]))
    first, second = random.split(random.key(1))
    assert first.ndim == 0 and len(tree.leaves(second)) == 1


def test_typed_keys_pass_transforms():
    keys = random.split(random.key(0), 3)
    exact(transformer.jit(transformer.vmap(lambda k: random.bits(k, (2,))))(keys), [random.bits(k, (2,)) for k in keys])
    exact(random.key_data(transformer.jit(lambda k: random.split(k)[1])(keys[0])), random.key_data(random.split(keys[0])[1]))

    def walk(key, _):
        key, sub = random.split(key)
        return key, random.bits(sub)

    last, drawn = lax.scan(walk, random.key(5), None, length=3)
    key, wanted = random.key(5), []
    for _ in range(3):
        key, sub = random.split(key)
        wanted.append(random.bits(sub))
    exact(drawn, wanted)
    exact(random.key_data(last), random.key_data(key))


def test_keys_in_loops_of_python():
    def walk(key, n):
        total = 0.0
        for _ in range(n):
            key, sub = random.split(key)
            total = total + random.uniform(sub)
        return total

    key, wanted = random.PRNGKey(1), 0.0
    for _ in range(20):
        key, sub = random.split(key)
        wanted += float(random.uniform(sub))
    assert float(transformer.jit(walk)(random.PRNGKey(1), 20)) == pytest.approx(wanted, rel=1e-6)


@pytest.mark.parametrize("draw, words", [
    (lambda: random.normal(1.5, (2,)), "float"), (lambda: random.split(np.ones(5)), "float64 and shape"),
    (lambda: random.uniform([0, 1]), "list"), (lambda: random.bits(np.zeros(3, np.uint32)), "shape"),
    (lambda: random.uniform(random.split(random.PRNGKey(0), 3)), "vmap"), (lambda: random.gamma("key", 1.0), "str"),
    (lambda: transformer.jit(random.uniform)(np.float32(1.0)), "float32"), (lambda: random.wrap_key_data(np.zeros(2)), "uint32"),
])
def test_what_is_no_key(draw, words):
    with pytest.raises(TransformError, match=words) as error:
        draw()
    assert "key" in str(error.value)


@pytest.mark.parametrize("make, words", [
    (lambda key: random.PRNGKey(1.5), "integer"), (lambda key: random.PRNGKey(np.arange(2)), "integer"), (lambda key: random.PRNGKey(2 ** 70), "large"),
    (lambda key: random.key(0, impl="rbg"), "rbg"), (lambda key: random.fold_in(key, 1.5), "integer"),
    (lambda key: random.uniform(key, 1.5), "shape"), (lambda key: random.normal(key, dtype="int32"), "int32"),
    (lambda key: random.randint(key, (2,), 0, 5, "float32"), "integer"), (lambda key: random.bits(key, dtype="int32"), "int32"),
    (lambda key: random.uniform(key, (2,), minval=np.zeros(3)), "fit"), (lambda key: random.bernoulli(key, 1), "float"),
    (lambda key: random.permutation(key, 1.5), "integer"), (lambda key: random.permutation(key, np.zeros(3), axis=1), "axis"),
    (lambda key: random.choice(key, 3, (4,), replace=False), "replacement"), (lambda key: random.choice(key, 3, (4,), p=np.ones(2)), "p has shape"),
    (lambda key: random.categorical(key, np.zeros(3), shape=(4, 2), axis=3), "axis"),
    (lambda key: random.multivariate_normal(key, np.zeros(2), np.eye(3)), "fit"), (lambda key: random.gumbel(key, mode="odd"), "odd"),
])
def test_arguments_that_do_not_fit(make, words):
    with pytest.raises(TransformError, match=words):
        make(random.PRNGKey(0))
