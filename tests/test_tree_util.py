"""Pytrees: leaves, structures, paths, and classes made containers."""

import collections
import dataclasses

import numpy as np
import pytest

import transformer
from transformer import TransformError, tree, tree_util

Pair = collections.namedtuple("Pair", "left right")
TREE = {"b": [1, (2, 3)], "a": Pair(4, {"z": 5, "y": None}), "c": ()}


class Interval:
    def __init__(self, lo, hi, name):
        self.lo, self.hi, self.name = lo, hi, name


tree_util.register_pytree_node(Interval, lambda i: ((i.lo, i.hi), i.name), lambda name, c: Interval(*c, name))


@tree_util.register_pytree_with_keys_class
class Layer:
    def __init__(self, w, b):
        self.w, self.b = w, b

    def tree_flatten_with_keys(self):
        return [(tree_util.GetAttrKey("w"), self.w), (tree_util.DictKey("b"), self.b)], "linear"

    @classmethod
    def tree_unflatten(cls, aux, children):
        assert aux == "linear"
        return cls(*children)


@tree_util.register_dataclass
@dataclasses.dataclass
class State:
    value: object
    tag: str = dataclasses.field(default="none", metadata={"static": True})


@tree_util.register_static
@dataclasses.dataclass(frozen=True)
class Mode:
    fast: bool


def test_leaves_come_in_order():
    assert tree.leaves(TREE) == tree_util.tree_leaves(TREE) == [4, 5, 1, 2, 3]
    assert tree.leaves(None) == [] and tree.leaves(7) == [7]
    assert tree.leaves([None, 1], is_leaf=lambda v: v is None) == [None, 1]


def test_an_ordered_dict_keeps_its_order():
    ordered = collections.OrderedDict([("z", 1), ("a", 2)])
    assert tree.leaves(ordered) == [1, 2]
    assert tree.structure(ordered) != tree.structure(collections.OrderedDict([("a", 2), ("z", 1)]))


def test_structures_of_dicts_compare_by_their_keys():
    one, two = {"a": 1, "b": 2}, {"b": 3, "a": 4}
    assert tree.structure(one) == tree.structure(two) and hash(tree.structure(one)) == hash(tree.structure(two))
    assert list(tree.map(lambda v: v, two)) == ["b", "a"]
    assert tree.structure(one) != tree.structure({"a": 1, "c": 2})


def test_dicts_of_another_order_are_built_anew():
    @transformer.grad
    def first(params):
        return next(iter(params.values())) * 2.0

    assert first({"a": 1.0, "b": 1.0}) == {"a": 2.0, "b": 0.0}
    assert first({"b": 1.0, "a": 1.0}) == {"a": 0.0, "b": 2.0}


def test_orders_of_keys_know_their_place():
    ab, ba = {"a": 1, "b": 2}, {"b": 1, "a": 2}
    orders = [tree.key_orders(tree.structure(t)) for t in ([ab, ab], [ab, ba], [ba, ab], [[ba], ab])]
    assert len(set(orders)) == 4


def test_structure_is_readable():
    assert repr(tree.structure(TREE)) == "PyTreeDef({'a': Pair(left=*, right={'y': None, 'z': *}), 'b': [*, (*, *)], 'c': ()})"
    assert tree.structure(TREE).num_leaves == 5 and tree.structure(TREE).num_nodes == 12


@pytest.mark.parametrize("leaves", [[1], [1, 2, 3]])
def test_unflatten_needs_the_right_number(leaves):
    with pytest.raises(TransformError, match="2 leaves"):
        tree.unflatten(tree.structure((0, 0)), leaves)


def test_map_takes_deeper_trees_whole():
    assert tree.map(lambda a, b: (a, b), [1, 2], [[3, 4], 5]) == [(1, [3, 4]), (2, 5)]


@pytest.mark.parametrize("other, where", [([1], "of 2"), ({"p": 1}, "list"), ([1, (2, 3)], None)])
def test_map_names_what_differs(other, where):
    if where is None:
        assert tree.map(lambda a, b: b, [1, 2], other) == other
        return
    with pytest.raises(TransformError, match=where):
        tree.map(lambda a, b: a, [1, 2], other)


def test_map_names_keys_and_place_that_differ():
    with pytest.raises(TransformError, match=r"\['p'\]\[1\].*\['k'\] and \['q'\]"):
        tree.map(lambda a, b: a, {"p": [0, {"q": 1}]}, {"p": [0, {"k": 1}]})


def test_paths():
    flat, treedef = tree_util.tree_flatten_with_path({"a": [10, Pair(20, 30)], "i": Interval(1, 2, "n"), "l": Layer(3, 4)})
    assert [tree_util.keystr(p) for p, _ in flat] == ["['a'][0]", "['a'][1].left", "['a'][1].right", "['i'][<flat index 0>]",
                                                       "['i'][<flat index 1>]", "['l'].w", "['l']['b']"]
    assert treedef.num_leaves == 7
    assert tree_util.keystr(flat[1][0], simple=True, separator="/") == "a/1/left"
    assert tree.map_with_path(lambda p, v, w: f"{tree_util.keystr(p)}={v + w}", {"w": [1]}, {"w": [2]}) == {"w": ["['w'][0]=3"]}
    assert tree.leaves_with_path((5,)) == [((tree_util.SequenceKey(0),), 5)]


def test_paths_stop_where_told():
    flat, _ = tree.flatten_with_path([(1, 2), {"k": 3}], is_leaf=lambda v: isinstance(v, tuple))
    assert [v for _, v in flat] == [(1, 2), 3]
    flat, _ = tree_util.tree_flatten_with_path([(1, 2), (3,)], is_leaf=lambda path, v: path[-1:] == (tree_util.SequenceKey(1),), is_leaf_takes_path=True)
    assert [v for _, v in flat] == [1, (2), (3,)]


def test_reduce_all_transpose_broadcast():
    assert tree.reduce(lambda a, b: a + b, TREE) == 15 and tree.reduce(lambda a, b: a + b, None, 7) == 7
    assert tree.all({"x": True, "y": [True]}) and not tree.all([True, False]) and tree.all([])
    outer, inner = tree.structure([0, 0]), tree.structure({"a": 0, "b": 0})
    assert tree.transpose(outer, inner, [{"a": 1, "b": 2}, {"a": 3, "b": 4}]) == {"a": [1, 3], "b": [2, 4]}
    assert tree.transpose(outer, None, [(1, 2), (3, 4)]) == ([1, 3], [2, 4])
    assert tree.broadcast({"a": 1, "b": 2}, {"a": (0, 0), "b": [0]}) == {"a": (1, 1), "b": [2]}


def test_a_class_is_registered_once():
    with pytest.raises(TransformError, match="already"):
        tree_util.register_pytree_node(Interval, None, None)
    with pytest.raises(TransformError, match="already"):
        tree_util.register_pytree_node(dict, None, None)


def test_registered_classes_pass_transforms():
    grad = transformer.grad(lambda i, k: (i.hi - i.lo) ** 2 * k)(Interval(1.0, 4.0, "t"), 2.0)
    assert (grad.lo, grad.hi, grad.name) == (-12.0, 12.0, "t")
    many = Interval(np.zeros(3), np.arange(3.0), "m")
    assert transformer.vmap(lambda i: i.hi - i.lo)(many).tolist() == [0.0, 1.0, 2.0]
    layer = transformer.grad(lambda p: p.w * p.b)(Layer(2.0, 3.0))
    assert (layer.w, layer.b) == (3.0, 2.0)


def test_static_data_selects():
    @transformer.jit
    def advance(state, mode):
        return State(state.value + (10.0 if state.tag == "fast" else 1.0) * (2.0 if mode.fast else 1.0), state.tag)

    assert float(advance(State(1.0, "slow"), Mode(False)).value) == 2.0
    assert float(advance(State(1.0, "fast"), Mode(True)).value) == 21.0
    assert tree.leaves(Mode(True)) == []


def test_fields_of_a_registered_dataclass_are_checked():
    @dataclasses.dataclass
    class Odd:
        a: int
        b: int

    with pytest.raises(TransformError, match=r"\['b'\]"):
        tree_util.register_dataclass(Odd, data_fields=["a"], meta_fields=[])


def test_partial_is_a_container():
    scale = tree_util.Partial(lambda k, x: k * x, 3.0)
    assert tree.leaves(scale) == [3.0] and scale(2.0) == 6.0
    assert transformer.grad(lambda f: f(2.0))(scale).args == (2.0,)
    assert float(transformer.jit(lambda f, x: f(x))(scale, 5.0)) == 15.0


def test_structures_of_structures():
    parts = tree_util.treedef_children(tree.structure((1, [2])))
    assert tree_util.treedef_tuple(parts) == tree.structure((1, [2])) and tree_util.treedef_is_leaf(parts[0])
    assert tree_util.all_leaves([1, "a"]) and not tree_util.all_leaves([[1]])


def test_one_level():
    assert tree_util.flatten_one_level({"b": [1], "a": 2})[0] == [2, [1]]
    assert tree_util.flatten_one_level_with_keys((1, 2))[0] == [(tree_util.SequenceKey(0), 1), (tree_util.SequenceKey(1), 2)]
    with pytest.raises(TransformError, match="leaf"):
        tree_util.flatten_one_level(3)


def test_reduce_associative():
    assert tree.reduce_associative(lambda a, b: a + b, list("abcde")) == "abcde"
    assert tree.reduce_associative(max, [], identity=0) == 0
    with pytest.raises(TransformError, match="identity"):
        tree.reduce_associative(max, ())


def test_static_fields():
    @tree_util.register_dataclass
    @dataclasses.dataclass
    class Op:
        x: object
        kind: str = tree.static(default="add")

    assert tree.leaves(Op(1.0)) == [1.0] and tree.structure(Op(1.0)) != tree.structure(Op(1.0, "sub"))
