"""Random keys: raw ones are uint32 arrays of two words, typed ones wrap such an array; both carry the same stream."""

import math
import operator

import numpy as np

from .. import eager, tree
from ..config import x64
from ..errors import ShapeError, TransformError, TypeMismatch
from ..executable import Array
from ..frontend.reference import is_reference
from ..ops.op import TABLE, aval_of

IMPLEMENTATION = "threefry2x32"
LOW = 0xFFFFFFFF
NAMES = (None, IMPLEMENTATION, "threefry")


class KeyType:
    """The dtype of typed keys."""

    name = "key<fry>"
    itemsize = 8

    def __repr__(self):
        return self.name

    def __eq__(self, other):
        return isinstance(other, KeyType)

    def __hash__(self):
        return hash(KeyType)


class KeyArray:
    """An array of typed keys: `keys[0]`, iteration, reshape and len give keys; `key_data` gives the words. A pytree of its words."""

    dtype = KeyType()

    def __init__(self, data):
        self._data = data

    @property
    def shape(self):
        return tuple(self._data.shape[:-1])

    @property
    def ndim(self):
        return len(self.shape)

    @property
    def size(self):
        return math.prod(self.shape)

    @property
    def T(self):
        return self.reshape(self.shape) if self.ndim < 2 else KeyArray(np.transpose(self._data, (*range(self.ndim)[::-1], self.ndim)))

    def reshape(self, *shape):
        """The same keys in another shape."""
        shape = shape[0] if len(shape) == 1 and isinstance(shape[0], tuple | list) else shape
        if -1 in shape:
            known = -math.prod(shape)
            shape = tuple(self.size // known if n == -1 else n for n in shape)
        return KeyArray(self._data.reshape((*shape, 2)))

    def ravel(self):
        """The keys in one axis."""
        return self.reshape(self.size)

    flatten = ravel

    def __len__(self):
        if not self.ndim:
            raise TypeMismatch("len() of a single key", "Only arrays of keys have a length.")
        return self.shape[0]

    def __iter__(self):
        return (self[i] for i in range(len(self)))

    def __getitem__(self, index):
        index = index if isinstance(index, tuple) else (index,)
        return KeyArray(self._data[(*index, slice(None))] if Ellipsis in index else self._data[(*index, ..., slice(None))])

    def __repr__(self):
        if is_reference(self._data):
            return f"<abstract keys {self.shape}>"
        return f"Array({self.shape}, dtype={self.dtype}) overlaying:\n{np.asarray(self._data)}"


tree.register(KeyArray, lambda keys: ((keys._data,), None), lambda meta, children: KeyArray(children[0]))


# checks -----------------------------------------------------------------------------------------------------------------
def words(key, function="a random function"):
    """The raw words of a key that a user gives; TypeMismatch or ShapeError if it is none, or a whole array of keys."""
    data = key._data if isinstance(key, KeyArray) else key
    advice = "Make one with random.key(seed) or random.PRNGKey(seed)."
    if not is_reference(data) and not isinstance(data, np.ndarray | Array):
        raise TypeMismatch(f"{function} needs a key as its first argument, not a value of type {type(key).__name__}", advice)
    if data.dtype != np.uint32 or not data.shape or data.shape[-1] != 2:
        raise TypeMismatch(f"{function} needs a key as its first argument, not an array of type {data.dtype} and shape {tuple(data.shape)}", advice)
    if len(data.shape) > 1:
        raise ShapeError(f"{function} takes one key, but was given an array of keys of shape {tuple(data.shape[:-1])}", "Use vmap for a batch of keys.")
    return data


def as_shape(shape, function="a random function"):
    """A shape that a user gives, as a tuple of ints."""
    try:
        return tuple(map(operator.index, shape)) if not isinstance(shape, int | np.integer) else (operator.index(shape),)
    except TypeError:
        raise TypeMismatch(f"{function}: {shape!r} is no shape", "Give a tuple of integers, such as (3, 2).") from None


def check_implementation(impl, dtype=None):
    impl = getattr(impl, "name", impl) if dtype is None else getattr(dtype, "name", dtype)
    if impl not in (*NAMES, KeyType.name):
        raise TransformError(f"there is no implementation {impl!r} of random keys", f"There is one: {IMPLEMENTATION!r}.")


# keys -------------------------------------------------------------------------------------------------------------------
def seed_words(seed):
    """The words of a seed: its low 32 bits, and its high ones if it has 64."""
    aval = aval_of(seed)
    if aval.shape or aval.dtype.kind not in "iu":
        raise TypeMismatch(f"a seed must be one integer, not {aval}", "Pass an int.")
    if type(seed) is int and not -(1 << 63) <= seed < 1 << 63:
        raise TypeMismatch(f"a seed of {seed.bit_length()} bits is too large", "Pass an integer of 64 bits.")
    wide = x64() and aval.dtype.itemsize == 8
    if type(seed) is int:
        return np.array([seed >> 32 & LOW if wide else 0, seed & LOW], np.uint32)
    seed = np.reshape(seed, (1,))
    high = np.astype(seed >> 32, np.uint32) if wide else np.zeros(1, np.uint32)
    return np.concatenate([high, np.astype(seed, np.uint32)])


def PRNGKey(seed, *, impl=None):
    """A raw key: a uint32 array of two words.

    seed: an integer; without 64-bit types its low 32 bits count.

    >>> PRNGKey(42)
    Array([ 0, 42], dtype=uint32)
    """
    check_implementation(impl)
    return eager.call(seed_words, (seed,), {}, typed=True)


def key(seed, *, impl=None, dtype=None):
    """A typed key.

    seed: an integer; without 64-bit types its low 32 bits count.

    >>> key(42).shape, key_data(key(42))
    ((), Array([ 0, 42], dtype=uint32))
    """
    check_implementation(impl, dtype)
    return KeyArray(PRNGKey(seed))


def key_data(keys):
    """The words of typed keys: uint32, one more axis of length 2."""
    return keys._data if isinstance(keys, KeyArray) else keys


def wrap_key_data(key_bits_array, *, impl=None, dtype=None):
    """Typed keys of the given words."""
    check_implementation(impl, dtype)
    data = key_bits_array
    if getattr(data, "dtype", None) != np.uint32 or not data.shape or data.shape[-1] != 2:
        raise TypeMismatch("key data must be a uint32 array whose last axis has length 2", "Use key_data of a key, or PRNGKey(seed).")
    return KeyArray(eager.new_array(data) if isinstance(data, np.ndarray) else data)


def key_impl(keys):
    """The name of the implementation of keys."""
    if not isinstance(keys, KeyArray):
        words(keys, "key_impl")
    return IMPLEMENTATION


def key_dtype(impl=None):
    """The dtype of typed keys."""
    check_implementation(impl)
    return KeyArray.dtype


def like(key, data):
    """New keys of the same kind as `key`."""
    return KeyArray(data) if isinstance(key, KeyArray) else data


def split_words(words, shape=(2,)):
    """New keys as words."""
    return TABLE["random_split"].bind(words, shape=shape)


def split(key, num=2):
    """New keys in a new leading axis (or axes: num may be a shape).

    >>> split(PRNGKey(42))
    Array([[1832780943,  270669613],
           [  64467757, 2916123636]], dtype=uint32)
    """
    from .calling import compiled
    return like(key, compiled(split_words, words(key, "random.split"), shape=as_shape(num, "random.split")))


def fold_in(key, data):
    """A new key from a key and an integer.

    >>> fold_in(PRNGKey(42), 7)
    Array([2547012911, 1371500959], dtype=uint32)
    """
    aval = aval_of(data) if not isinstance(data, Array) else data
    if aval.shape or aval.dtype.kind not in "iub":
        raise TypeMismatch(f"random.fold_in needs one integer, not {aval}", "Use vmap for several.")
    data = np.uint32(data & LOW) if type(data) is int else data
    return like(key, eager.call(TABLE["random_fold_in"].bind, (words(key, "random.fold_in"), data), {}, typed=True))


def clone(key):
    """The same key."""
    return key


__all__ = ["KeyArray", "PRNGKey", "as_shape", "clone", "fold_in", "key", "key_data", "key_dtype", "key_impl", "split", "wrap_key_data"]
