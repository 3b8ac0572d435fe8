"""Calls by glue: the same answers as in general, and no answer where types, structure or what the function reads have changed."""

import collections
import dataclasses
import inspect
import os
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import transformer
import transformer.numpy as jnp
from backend import staging
from transformer import enable_x64, grad, jit, tree_util, value_and_grad
from transformer.glue import chain

ones = np.ones(3, np.float32)


class PassedOn(Exception):
    pass


def warm(f, *args, **kwargs):
    """Call until there is glue, then let nothing else answer; the result."""
    for _ in range(3):
        result = f(*args, **kwargs)
    assert f.cache.glues

    def refuse(*args, **kwargs):
        raise PassedOn
    chain(f.cache.glues, refuse)
    return result


def is_passed_on(f, *args, **kwargs):
    try:
        f(*args, **kwargs)
    except PassedOn:
        return True
    return False


def double(x):
    return x * 2


# arguments ------------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("argument", [1.5, 2, 1j, ones, np.float32(1.5), np.int64(3), np.zeros((0, 2)), np.ones((2, 3))[:, ::2], np.array(2.0)])
def test_answers_for_each_kind_of_argument(argument):
    f = jit(double)
    expected = warm(f, argument)
    result = f(argument)
    assert type(result) is transformer.Array and result.dtype == expected.dtype
    np.testing.assert_array_equal(result, expected)


@pytest.mark.parametrize("other", [1, np.float32(1.0), np.float64(1.0), np.ones(()), ones, True, None, "1.0", 1j])
def test_other_types_are_passed_on(other):
    f = jit(double)
    warm(f, 1.0)
    assert is_passed_on(f, other)


@pytest.mark.parametrize("other", [np.ones(4, np.float32), np.ones(3), np.ones((3, 1), np.float32), np.ones(3, ">f4"), np.ma.ones(3, np.float32)])
def test_other_shapes_and_dtypes_are_passed_on(other):
    f = jit(double)
    warm(f, ones)
    assert is_passed_on(f, other)


def test_number_of_arguments_and_keywords():
    f = jit(lambda x, y=1.0: x + y)
    warm(f, 1.0)
    assert is_passed_on(f) and is_passed_on(f, 1.0, 2.0) and is_passed_on(f, 1.0, y=2.0)


def test_keyword_arguments():
    f = jit(lambda x, *, a, b: x * a - b)
    assert warm(f, ones, a=2.0, b=1.0)[0] == 1
    assert f(ones, a=4.0, b=3.0)[0] == 1
    assert is_passed_on(f, ones, a=2.0, c=1.0)


def test_weak_arrays_are_told_from_strong_ones():
    f = jit(lambda x: jnp.asarray(x) * jnp.ones(2, jnp.bfloat16))
    weak, strong = jnp.asarray(1.0), jnp.float32(1.0)
    assert weak.weak_type and not strong.weak_type
    assert warm(f, weak).dtype == "bfloat16"
    assert is_passed_on(f, strong)


def test_static_values():
    f = jit(lambda x, mode, scale: x * scale if mode == "up" else x / scale, static_argnums=(1, 2))
    assert warm(f, 6.0, "up", 3) == 18
    assert f(7.0, "up", 3) == 21
    assert is_passed_on(f, 6.0, "down", 3) and is_passed_on(f, 6.0, "up", 2) and is_passed_on(f, 6.0, "up", 3.0) and is_passed_on(f, 6.0, "up", True)


def test_static_containers_are_compared_by_their_contents():
    sizes = [1.0, 2.0]
    f = jit(lambda x, sizes: x * sum(sizes), static_argnums=1)
    for _ in range(3):
        assert f(1.0, sizes) == 3
    sizes[0] = 5.0
    assert f(1.0, sizes) == 7


@pytest.mark.parametrize("transform", [jit, grad])
def test_arrays_of_strings_and_objects_are_static_by_their_contents(transform):
    f = transform(lambda x, names: x * len(names[0]))
    scale = 2.0 if transform is jit else 1.0
    for kind in ("U3", object):
        for name in ("a", "bcd", "a", "bcd", "bcd"):
            assert f(2.0, np.array([name], kind)) == scale * len(name)


def test_numbers_that_set_a_size():
    f = jit(lambda n, x: np.zeros(n) + x)
    assert warm(f, 3, 1.0).shape == (3,)
    assert f(3, 2.0).shape == (3,)
    assert is_passed_on(f, 4, 1.0)


def test_integers_that_are_differentiated():
    g = grad(lambda x: x ** 3)
    assert warm(g, 2) == 12
    assert g(3) == 27 and is_passed_on(g, 3.0)


# pytrees --------------------------------------------------------------------------------------------------------------------
Point = collections.namedtuple("Point", "x y")


@dataclasses.dataclass
class Body:
    mass: float
    place: Point


class Box:
    def __init__(self, content, label):
        self.content, self.label = content, label


tree_util.register_pytree_node(Box, lambda box: ((box.content,), box.label), lambda label, children: Box(children[0], label))


@pytest.mark.parametrize("argument", [
    {"b": 1.0, "a": (ones, [2.0])}, Point(1.0, ones), Body(1.0, Point(ones, 2.0)), collections.OrderedDict(b=1.0, a=ones), (None, [], 1.0),
    collections.defaultdict(list, a=1.0), {1: 1.0, (2, "x"): ones}, Box({"a": 1.0}, "name")])
def test_structure_of_arguments_and_results(argument):
    f = jit(lambda t: transformer.tree.map(double, t))
    expected = warm(f, argument)
    result = f(argument)
    assert transformer.tree.structure(result) == transformer.tree.structure(argument)
    for leaf, wanted, given in zip(*map(transformer.tree.leaves, (result, expected, argument)), strict=True):
        np.testing.assert_array_equal(leaf, wanted)
        np.testing.assert_array_equal(leaf, np.multiply(given, 2))


def test_other_structures_are_passed_on():
    for value, others in [({"a": 1.0, "b": 2.0}, [{"b": 2.0, "a": 1.0}, {"a": 1.0}, {"a": 1.0, "c": 2.0}, collections.OrderedDict(a=1.0, b=2.0)]),
                          ([1.0, 2.0], [(1.0, 2.0), [1.0], [1.0, 2.0, 3.0], [1.0, None], [1.0, [2.0]]]),
                          (Box(1.0, "left"), [Box(1.0, "right"), Box([1.0], "left"), 1.0])]:
        f = jit(lambda t: transformer.tree.leaves(t))
        warm(f, value)
        for other in others:
            assert is_passed_on(f, other), other


def test_keys_of_results_are_in_the_order_of_the_argument():
    f = jit(lambda t: {k: v + 1 for k, v in t.items()})
    assert list(warm(f, {"z": 1.0, "a": 2.0})) == ["z", "a"]
    result = f({"z": 1.0, "a": 2.0})
    assert list(result) == ["z", "a"] and result["z"] == 2 and result["a"] == 3


# what a function reads -------------------------------------------------------------------------------------------------------
FACTOR, TABLE = 2.0, {"shift": [1.0, 2.0]}


def helper(x):
    return x * FACTOR


def calls_helper(x):
    return helper(x) + TABLE["shift"][1]


def test_changed_globals_and_redefined_helpers(monkeypatch):
    f = jit(calls_helper)
    assert warm(f, 1.0) == 4
    monkeypatch.setitem(globals(), "FACTOR", 3.0)
    assert is_passed_on(f, 1.0)
    f = jit(calls_helper)
    assert warm(f, 1.0) == 5
    monkeypatch.setitem(globals(), "helper", lambda x: -x)
    assert is_passed_on(f, 1.0)
    f = jit(calls_helper)
    assert warm(f, 1.0) == 1
    monkeypatch.setitem(TABLE, "shift", [1.0, 7.0])
    assert is_passed_on(f, 1.0)


def test_equal_globals_are_no_change(monkeypatch):
    f = jit(calls_helper)
    warm(f, 1.0)
    monkeypatch.setitem(globals(), "FACTOR", float("2.0"))
    assert f(1.0) == 4


def test_changed_closure_variables_and_defaults():
    scale = 2.0

    def inner(x, shift=1.0, *, power=1):
        return (x * scale + shift) ** power
    f = jit(lambda x: inner(x))
    assert warm(f, 1.0) == 3
    scale = 3.0
    assert is_passed_on(f, 1.0)
    f = jit(lambda x: inner(x))
    assert warm(f, 1.0) == 4
    inner.__kwdefaults__ = {"power": 2}
    assert is_passed_on(f, 1.0)
    f = jit(lambda x: inner(x))
    assert warm(f, 1.0) == 16
    inner.__defaults__ = (2.0,)
    assert is_passed_on(f, 1.0)


def test_closed_over_arrays_are_read_at_each_call():
    weights = np.ones(3)
    f = jit(lambda x: np.sum(weights * x))
    assert warm(f, 1.0) == 3
    weights[0] = 5.0
    assert f(1.0) == 7
    weights = np.ones(4)
    assert is_passed_on(f, 1.0)


def test_attributes_of_an_object():
    class Model:
        rate = 2.0

        @jit
        def apply(self, x):
            return self.rate * x
    model = Model()
    assert [float(model.apply(1.0)) for _ in range(3)] == [2, 2, 2]
    model.rate = 3.0
    assert model.apply(1.0) == 3


def test_64_bit_mode():
    f = jit(lambda x: jnp.asarray(x) + 1)
    assert warm(f, 1.0).dtype == np.float32
    with enable_x64(True):
        assert is_passed_on(f, 1.0)
        seen = []
        thread = threading.Thread(target=lambda: seen.append(f(1.0).dtype))
        thread.start()
        thread.join()
        assert seen == [np.float32]
    assert f(1.0).dtype == np.float32


# memory ---------------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("size", [3, 1000, 1 << 21])
def test_the_callers_array_is_free_after_the_call(size):
    f, x = jit(lambda x: x + 0), np.zeros(size, np.float32)
    warm(f, x)
    first = f(x)
    x[...] = 1
    second = f(x)
    x[...] = 2
    assert np.all(np.asarray(first) == 0) and np.all(np.asarray(second) == 1)


def test_large_arguments_are_not_all_kept():
    f = jit(lambda t: [x[0] for x in t])
    arrays = [np.full(1 + (1 << 19), float(k))[1:] for k in range(6)]  # at addresses that no buffer shares
    warm(f, arrays)
    for array in arrays:
        array += 1
    assert [float(v) for v in f(arrays)] == [1, 2, 3, 4, 5, 6]
    assert [len(s.signature) for s in stagings_of(f)] == [4]


def stagings_of(f):
    return [v for v in f.cache.glues[0].__globals__.values() if type(v).__name__ == "Staging"]


def test_memory_that_a_buffer_can_share_is_not_copied():
    f, x = jit(lambda x: (x, x + 1)), staging.aligned((1 << 18,), np.dtype(float))
    warm(f, x)
    first = f(x)
    x[...] = 5
    assert not np.any(np.asarray(first[0])) and np.all(np.asarray(first[1]) == 1)
    assert np.all(np.asarray(f(x)[0]) == 5) and not stagings_of(f)
    assert np.all(np.asarray(f(np.full(1 + (1 << 18), 7.0)[1:])[1]) == 8)


@pytest.mark.parametrize("size", [3, 1 << 20])
def test_arguments_that_are_not_read_are_not_copied(size):
    def fill(out, x):
        out[:] = x * 2.0
    f, out, x = jit(fill), np.zeros(size), np.arange(float(size))
    warm(f, out, x)
    out[:] = -1.0
    f(out, x)
    assert np.array_equal(out, 2 * x)
    memories, _ = stagings_of(f)[0].take()
    assert not np.any(memories[0])


def test_results_never_share_memory_with_staged_arguments():
    f = jit(lambda x, y: (x, y, x.T))
    x = np.arange(6.0).reshape(2, 3)
    warm(f, x, 1.0)
    first = f(x, 1.0)
    f(-x, 2.0)
    assert np.array_equal(first[0], x) and first[1] == 1 and np.array_equal(first[2], x.T)


def test_donated_arguments():
    f = jit(lambda x, y: x + y, donate_argnums=0)
    y = transformer.device_put(ones)
    second = f(f(transformer.device_put(ones), y), y)
    seen = np.asarray(second)
    x = f(f(second, y), y)
    assert np.all(np.asarray(x) == 5) and np.all(seen == 3)
    before = f(x, y)
    f(before, y)
    with pytest.raises(RuntimeError, match="donated"):
        np.asarray(before)


def test_donated_ndarrays_are_never_written():
    f, x = jit(lambda x: x + 1, donate_argnums=0), np.zeros(16)
    warm(f, x)
    f(x)
    assert not x.any()


def test_arrays_that_are_only_on_the_host():
    f = jit(double)
    warm(f, transformer.device_put(ones))
    host = jnp.asarray(ones) + jnp.asarray(ones)
    assert host._buffer is None and f(host)[0] == 4


def test_stores_reach_the_callers_array():
    def fill(x, value):
        x[0] = value
        return np.sum(x)
    f, x = jit(fill), np.zeros(3)
    warm(f, x, 5.0)
    assert f(x, 6.0) == 6 and x[0] == 6


def test_integers_that_do_not_fit():
    f = jit(double)
    warm(f, 1)
    with pytest.raises(OverflowError):
        f(2 ** 70)
    assert f(3) == 6


def test_an_index_out_of_range_is_passed_on_and_raises():
    f = jit(lambda x, i: x[i])
    for _ in range(3):
        assert f(ones, 1) == 1
    with pytest.raises(IndexError, match="index 7 is out of bounds for axis 0 with size 3"):
        f(ones, 7)
    assert warm(f, ones, 2) == 1 and is_passed_on(f, ones, 3) and is_passed_on(f, ones, -4) and not is_passed_on(f, ones, -3)


# calls --------------------------------------------------------------------------------------------------------------------
def decay(x, n):
    for _ in range(n):
        x = x - 0.01 * x ** 2
    return x


def shrinking(x):
    while x > 1.0:
        x = x * 0.95 + 0.01 * np.tanh(x)
    return x


@pytest.mark.parametrize("f, few, many", [(decay, (0.5, 5), (0.5, 3000)), (shrinking, (3.0,), (1e120,))])
def test_tapes_that_are_too_small_are_passed_on_once(f, few, many):
    compiled, plain = jit(grad(f)), grad(f)
    assert np.isclose(warm(compiled, *few), plain(*few)) and is_passed_on(compiled, *many)
    compiled = jit(grad(f))
    for args in (few, few, few, many, many, few, many):
        np.testing.assert_allclose(compiled(*args), plain(*args))
    assert np.isclose(warm(compiled, *few), plain(*few)) and not is_passed_on(compiled, *many)


def test_two_signatures_in_turns():
    f = jit(double)
    small, large = np.ones(2), np.ones(3)
    for _ in range(3):
        f(small), f(large)
    warm(f, small)
    for _ in range(3):
        assert f(small).shape == (2,) and f(large).shape == (3,)
    assert len(f.cache.glues) == 2


def test_source_is_that_of_the_last_call():
    f = jit(double)
    for _ in range(3):
        f(1.0), f(ones)
    f(1.0)
    assert "double(x: float)" in f.source
    f(ones)
    assert "float32[3]" in f.source


def test_un_jitted_functions_have_glue_too():
    g = value_and_grad(lambda p, x: np.sum(p["w"] * x))
    warm(g, {"w": ones}, ones)
    value, gradient = g({"w": 2 * ones}, ones)
    assert value == 6 and np.array_equal(gradient["w"], ones) and type(gradient["w"]) is np.ndarray


def test_random_draws_have_none():
    rng = np.random.default_rng(0)
    f = grad(lambda x: x * rng.normal())
    assert len({float(f(1.0)) for _ in range(5)}) == 5


def test_threads_with_one_function():
    f = jit(lambda x, y: x * 2 + y)
    warm(f, np.zeros(64), 0.0)
    wrong = []

    def work(number):
        x = np.full(64, float(number))
        for k in range(300):
            if not np.all(np.asarray(f(x, float(k))) == 2 * number + k):
                wrong.append((number, k))
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, range(4)))
    assert not wrong


def test_signature_is_that_of_the_function():
    assert str(inspect.signature(jit(lambda x, *, scale=2.0: x * scale))) == "(x, *, scale=2.0)"
    assert "fn" in inspect.signature(type(jit(double))).parameters


def test_programs_from_disk_have_glue_without_the_frontend(tmp_path):
    (tmp_path / "program.py").write_text("""import sys
import numpy as np
import transformer

@transformer.jit
def f(x):
    return np.sum(x * 2)

for _ in range(3):
    f(np.ones(4))
print(len(f.cache.glues), 'transformer.frontend.specialise' in sys.modules)
""")
    variables = {**os.environ, "TRANSFORMER_CACHE_DIR": str(tmp_path / "cache"), "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
    printed = [subprocess.run([sys.executable, tmp_path / "program.py"], env=variables, capture_output=True, text=True, check=True).stdout.strip()
               for _ in range(2)]
    assert printed == ["1 True", "1 False"]
