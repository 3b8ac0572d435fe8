"""What the loops and branches of `control` carry: trees as tuples of leaves, checked for type from round to round."""

import operator

import numpy as np

from backend import client

from .. import tree
from ..core import Aval
from ..errors import ShapeError, TransformError, TypeMismatch
from ..frontend.builder import current
from ..frontend.promotion import STRONG
from ..frontend.reference import is_reference
from ..ops.op import TABLE
from .values import array, aval_of, is_number, is_transforming, leaf, result, strong, typed

KINDS = "biufc"


def as_leaves(operands):
    """Operands of a branch, their leaves as control flow takes them."""
    return tuple(tree.tree_map(leaf, o) for o in operands)


def with_keyword(operands, keywords):
    """The operands of `cond`, of which one may be given as `operand=`."""
    if set(keywords) - {"operand", "linear"} or (operands and "operand" in keywords):
        raise TypeMismatch(f"cond does not take the keywords {', '.join(keywords)} here", "Write cond(pred, true_fun, false_fun, *operands).")
    return (keywords["operand"],) if "operand" in keywords else operands


def of_platform(functions, default):
    """The function for the platform that programs run on."""
    name = client.platform()
    name = "cuda" if name == "gpu" else name
    found = functions.get(name, default)
    if found is None:
        raise TransformError(f"platform_dependent has no function for {name} and no default", "Pass default=.")
    return found


def predicate(pred):
    """The condition of `cond`. Inside of transformed code it counts as unknown, so that both branches are checked."""
    test(pred, "cond takes a scalar as its predicate")
    if is_reference(pred) or not is_transforming():
        return pred
    builder = current()
    name = builder.fresh("pred", Aval((), np.dtype(bool)))
    builder.move(name, np.bool_(pred))
    return builder.reference(name)


def test(value, what="cond_fun of while_loop must return a boolean scalar"):
    """A condition, which must be a scalar."""
    if not is_number(value) or np.shape(value) != ():
        found = typed(aval_of(value)) if is_number(value) else type(value).__name__
        raise TypeMismatch(f"{what}, not {found}", "Return one bool; np.any and np.all make one of an array.")
    return value


def branch_names(branches):
    if not branches:
        raise TypeMismatch("switch needs at least one branch", "Pass a list of functions.")
    return tuple(f"branches[{k}]" for k in range(len(branches)))


def clamped(index, count):
    """The index of a branch, moved into range."""
    if not is_number(index) or aval_of(index).dtype.kind not in "iu" or np.shape(index) != ():
        raise TypeMismatch(f"switch takes an integer scalar as its index, not {typed(aval_of(index)) if is_number(index) else index!r}",
                           "Convert it with astype.")
    if is_reference(index):
        return np.clip(index, 0, count - 1)
    return min(max(int(index), 0), count - 1)


def bound(value):
    """A bound of fori_loop as `range` takes it."""
    return value if is_reference(value) else operator.index(value)


def index(i):
    """The index of a round: outside of transformed code an integer Array, as inside."""
    return i if is_reference(i) or is_transforming() else array(i)


class Outcome:
    """The results of the branches of one `cond` or `switch`, which must agree in structure, shapes and dtypes."""

    __transformer_opaque__ = True

    def __init__(self, where, names):
        self.where, self.names = where, names
        self.treedef = None

    def note(self, branch, value):
        """The leaves of the result of a branch."""
        leaves, treedef = tree.flatten(value)
        avals = [aval_of(v) for v in leaves if self.check_leaf(v, branch)]
        if self.treedef is not None:
            self.compare(branch, treedef, avals)
        else:
            self.branch, self.treedef, self.avals, self.paths = branch, treedef, avals, tree.paths(value, "result")
        return tuple(leaves)

    def check_leaf(self, value, branch):
        if not is_number(value):
            raise TypeMismatch(f"{self.where}: {self.names[branch]} returns a value of type {type(value).__name__}",
                               "Return arrays, numbers and containers of them.")
        return True

    def compare(self, branch, treedef, avals):
        first, second = self.names[self.branch], self.names[branch]
        if treedef != self.treedef:
            raise TypeMismatch(f"{self.where}: the branches return different structures: {first} {shape_of(self.treedef)}, "
                               f"{second} {shape_of(treedef)}", "Return the same containers from each branch.")
        for path, one, two in zip(self.paths, self.avals, avals):
            if one.shape != two.shape or (one.dtype != two.dtype and not (one.weak or two.weak)):
                raise TypeMismatch(f"{self.where}: the branches return different types: {path} is {typed(one)} from {first} and "
                                   f"{typed(two)} from {second}", "Give both the same shape and dtype.")

    def result(self, leaves):
        return tree.unflatten(self.treedef, map(result, leaves))


def shape_of(treedef):
    """A structure in words."""
    if treedef.kind is None:
        return "*"
    if treedef.kind is type(None):
        return "None"
    inner = ", ".join(map(shape_of, treedef.children))
    if treedef.kind is dict:
        return "{" + ", ".join(f"{k!r}: {shape_of(c)}" for k, c in zip(treedef.meta[1], treedef.children)) + "}"
    if treedef.kind is list:
        return f"[{inner}]"
    return f"({inner})" if treedef.kind is tuple else f"{treedef.kind.__name__}({inner})"


class Carry:
    """The carry of one loop. `leaves` is the first one as a flat tuple."""

    __transformer_opaque__ = True

    def __init__(self, where, function, init):
        self.where, self.function = where, function
        leaves, self.treedef = tree.flatten(init)
        self.leaves = tuple(map(leaf, leaves))
        self.paths = tree.paths(init, "carry")
        for path, value in zip(self.paths, self.leaves):
            if not is_number(value):
                raise TypeMismatch(f"{where}: {path} is a value of type {type(value).__name__}",
                                   "Carry arrays, numbers and containers of them.")
        self.avals = list(map(aval_of, self.leaves))

    def tree(self, leaves):
        """The carry as the user's container."""
        return tree.unflatten(self.treedef, leaves)

    def result(self, leaves):
        return tree.unflatten(self.treedef, map(result, leaves))

    def pair(self, value):
        """What the body of a scan returns, taken apart."""
        if not isinstance(value, tuple | list) or len(value) != 2:
            raise TypeMismatch(f"{self.where}: {self.function} must return a pair (carry, y), not {type(value).__name__}",
                               "Return (carry, None) if there is nothing to stack.")
        return tuple(value)

    def next(self, value):
        """The leaves of the carry that a round has computed; its type must be that of the first one."""
        leaves, treedef = tree.flatten(value)
        if treedef != self.treedef:
            raise TypeMismatch(f"{self.where}: the carry changes its structure: it is {shape_of(self.treedef)} at first, and "
                               f"{self.function} returns {shape_of(treedef)}", "Return a carry with the structure of the first one.")
        for path, aval, new in zip(self.paths, self.avals, leaves):
            self.check(path, aval, new)
        return tuple(map(leaf, leaves))

    def check(self, path, aval, new):
        if not is_number(new):
            raise TypeMismatch(f"{self.where}: {path} becomes a value of type {type(new).__name__}", "Carry arrays and numbers.")
        found = aval_of(new)
        if found.shape != aval.shape or not fits(aval, found):
            raise TypeMismatch(f"{self.where}: the carry changes its type: {path} is {typed(aval)} at first, and {self.function} returns "
                               f"{typed(found)}", "Give the first value the shape and dtype of the later ones, or convert the result.")


def fits(first, later):
    """Whether a carry of aval `first` may become one of aval `later`: only Python numbers take the dtype of what they meet."""
    if first.dtype == later.dtype:
        return True
    narrower = KINDS.index(first.dtype.kind) <= KINDS.index(later.dtype.kind)
    return (first.weak and narrower) or (later.weak and (not narrower or first.dtype.kind == later.dtype.kind))


class Rows:
    """The rows of a tree of arrays with one leading size."""

    __transformer_opaque__ = True

    def __init__(self, xs, length):
        leaves, self.treedef = tree.flatten(xs)
        self.leaves = [as_operand(v) for v in leaves]
        sizes = {}
        for path, value in zip(tree.paths(xs, "xs"), self.leaves):
            if np.ndim(value) == 0:
                raise ShapeError(f"scan: {path} is a scalar: it has no leading axis to go along", "Pass arrays, or close over the value.")
            sizes.setdefault(np.shape(value)[0], path)
        if length is not None:
            sizes.setdefault(operator.index(length), "length")
        if len(sizes) > 1:
            found = ", ".join(f"{size} ({path})" for size, path in sizes.items())
            raise ShapeError(f"scan: the leading axes have different sizes (lengths): {found}", "All of xs need one leading size.")
        if not sizes:
            raise TypeMismatch("scan: the number of rounds is not known: xs is empty and length is not given", "Pass length=.")
        self.length = next(iter(sizes))

    def row(self, i):
        return tree.unflatten(self.treedef, [v[i] for v in self.leaves])

    def order(self, reverse):
        return range(self.length - 1, -1, -1) if reverse else range(self.length)

    def split(self, size):
        """(rows in blocks of `size`, what is left); each None if it is empty."""
        size = operator.index(size)
        if size <= 0:
            raise TypeMismatch(f"map: batch_size must be positive, not {size}", "Leave it out to go row by row.")
        count, rest = divmod(self.length, size)
        blocks = [np.reshape(v[:count * size], (count, size, *np.shape(v)[1:])) for v in self.leaves] if count else None
        left = [v[count * size:] for v in self.leaves] if rest or not count else None
        return tuple(None if part is None else tree.unflatten(self.treedef, map(result, part)) for part in (blocks, left))


def as_operand(value):
    """An array of xs: a reference inside of transformed code, else an Array."""
    if is_reference(value) or not is_number(value):
        return leaf(value)
    return leaf(np.asarray(value))


def unblocked(ys):
    return tree.tree_map(lambda y: result(np.reshape(y, (-1, *np.shape(y)[2:]))), ys)


def joined(ys, rest):
    return tree.tree_map(lambda a, b: join([a, b], 0), ys, rest)


def join(parts, axis):
    if any(map(is_reference, parts)):
        return np.concatenate(parts, axis=axis)
    return result(np.concatenate([np.asarray(p) for p in parts], axis=axis))


class Stack:
    """The stacked second results of a scan. Inside of transformed code they are arrays that the rounds store into, made in the
    block around the loop when the first round has shown their types."""

    __transformer_opaque__ = True

    def __init__(self, length):
        self.length, self.treedef = length, None
        self.rows, self.arrays = [], None
        self.depth = len(current().stack) if is_transforming() else None

    def put(self, i, y):
        leaves, treedef = tree.flatten(y)
        for value in leaves:
            if not is_number(value):
                raise TypeMismatch(f"scan: y holds a value of type {type(value).__name__}", "Stack arrays and numbers, or return None.")
        if self.treedef is not None and treedef != self.treedef:
            raise TypeMismatch(f"scan: y changes its structure from {shape_of(self.treedef)} to {shape_of(treedef)}",
                               "Return the same containers in each round.")
        self.treedef = treedef
        if self.depth is None:
            self.rows.append(leaves)
            return
        avals = [strong(aval_of(v)) for v in leaves]
        if self.arrays is None or [a.aval._replace(shape=a.shape[1:]) for a in self.arrays] != avals:
            self.arrays = list(map(self.make, avals))
        for target, value in zip(self.arrays, leaves):
            target[i] = value

    def make(self, aval):
        builder = current()
        with builder.nested(builder.stack[self.depth - 1]):
            ref = builder.append(TABLE["empty"], (), {"shape": (self.length, *aval.shape), "dtype": aval.dtype}, "ys")
        ref.storage.known, ref.storage.jnp = None, STRONG
        builder.uses_jnp = True
        return ref

    def empty(self, f, init, rows):
        """The structure of no rows at all."""
        from ..aot import eval_shape
        row = tree.unflatten(rows.treedef, [np.zeros(np.shape(v)[1:], v.dtype) for v in rows.leaves])
        y = eval_shape(f, init, row)[1]
        leaves, self.treedef = tree.flatten(y)
        self.none = [np.zeros((0, *v.shape), v.dtype) for v in leaves]

    def result(self, reverse):
        if self.arrays is not None or self.depth is not None:
            return tree.unflatten(self.treedef, self.arrays or [])
        if not self.rows:
            return tree.unflatten(self.treedef, map(result, self.none))
        rows = self.rows[::-1] if reverse else self.rows
        return tree.unflatten(self.treedef, [result(stacked(column)) for column in zip(*rows)])


def stacked(column):
    """Numbers or arrays of one shape, stacked."""
    aval = strong(aval_of(column[0]))
    return np.stack([np.asarray(v) for v in column]).astype(aval.dtype, copy=False)


class Prefix:
    """The lists of arrays on which an associative scan works."""

    __transformer_opaque__ = True

    def __init__(self, elems, reverse, axis):
        leaves, self.treedef = tree.flatten(elems)
        leaves = list(map(as_operand, leaves))
        if not leaves:
            raise TypeMismatch("associative_scan: elems has no arrays", "Pass a tree of arrays.")
        self.axes = []
        for path, value in zip(tree.paths(elems, "elems"), leaves):
            if not -np.ndim(value) <= axis < np.ndim(value):
                raise ShapeError(f"associative_scan: {path} of shape {np.shape(value)} has no axis {axis}", "Choose another axis.")
            self.axes.append(axis % np.ndim(value))
        sizes = [np.shape(v)[a] for v, a in zip(leaves, self.axes)]
        if len(set(sizes)) > 1:
            raise ShapeError(f"associative_scan: the arrays have different sizes along the axis: {sizes}", "Give them one size.")
        self.step = -1 if reverse else 1
        self.leaves = self.part(leaves, None, None, self.step)

    def length(self, leaves):
        return np.shape(leaves[0])[self.axes[0]]

    def part(self, leaves, start, stop, step):
        return [v[(slice(None),) * a + (slice(start, stop, step),)] for v, a in zip(leaves, self.axes)]

    def tree(self, leaves):
        return tree.unflatten(self.treedef, leaves)

    def flat(self, value):
        leaves, treedef = tree.flatten(value)
        if treedef != self.treedef:
            raise TypeMismatch(f"associative_scan: fn returns {shape_of(treedef)} for operands {shape_of(self.treedef)}",
                               "Return a tree of the structure of the operands.")
        return leaves

    def interleaved(self, leaves, even, odd):
        """The first element, the even prefixes after it, and the odd ones between them."""
        first = self.part(leaves, 0, 1, 1)
        even = first if even is None else [join([a, b], axis) for a, b, axis in zip(first, even, self.axes)]
        return [self.weave(a, b, axis) for a, b, axis in zip(even, odd, self.axes)]

    def weave(self, even, odd, axis):
        count = np.shape(odd)[axis]
        head = even[(slice(None),) * axis + (slice(0, count),)]
        shape = np.shape(odd)
        both = np.stack([head, odd], axis=axis + 1)
        both = np.reshape(both, (*shape[:axis], 2 * count, *shape[axis + 1:]))
        if np.shape(even)[axis] == count:
            return both
        return join([both, even[(slice(None),) * axis + (slice(count, None),)]], axis)

    def result(self, leaves):
        return tree.unflatten(self.treedef, map(result, self.part(leaves, None, None, self.step)))


__all__ = ["Carry", "Outcome", "Prefix", "Rows", "Stack"]
