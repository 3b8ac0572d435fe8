"""`pure_callback`: a value computed by Python code on the host, in the middle of a program."""

import numpy as np

from . import eager, tree
from .errors import TypeMismatch
from .frontend.promotion import STRONG
from .frontend.reference import is_device_array
from .frontend.specialise.calls import Closure
from .ops import hosts


class PureCallback:
    """Call it like a function; see `__call__`."""

    __transformer_opaque__ = True
    __name__ = "pure_callback"

    def __call__(self, callback, result_shape_dtypes, *args, sharding=None, vmap_method=None, **kwargs):
        """`callback(*args, **kwargs)` of NumPy arrays, a function without side effects, as part of the program.

        result_shape_dtypes: tree of ShapeDtypeStructs for the result. Batches call it lane by lane. It has no derivative: wrap it
        in `custom_jvp` or `custom_vjp`.

        >>> from transformer import ShapeDtypeStruct, jit
        >>> print(jit(lambda x: pure_callback(lambda v: v * 2, ShapeDtypeStruct((), np.float32), x))(3.0))
        6.0
        """
        leaves, treedef = tree.flatten(result_shape_dtypes)
        found = kept(callback, treedef, leaves, args, kwargs)(*map(np.asarray, tree.flatten((args, kwargs))[0]))
        return tree.unflatten(treedef, [eager.new_array(v) for v in found])

    def __transformer_call__(self, ev, args, kwargs):
        from .debug import native
        kwargs = {k: ev.open(v) for k, v in kwargs.items() if k not in ("sharding", "vmap_method")}
        callback, structs, *args = map(ev.open, args)
        leaves, treedef = tree.flatten(structs)
        number = hosts.keep(kept(native(callback) if isinstance(callback, Closure) else callback, treedef, leaves, tuple(args), kwargs))
        operands = [ev.builder.operand(np.asarray(v) if is_device_array(v) else v) for v in tree.flatten((tuple(args), kwargs))[0]]
        refs = []
        for position, leaf in enumerate(leaves):
            params = {"number": number, "position": position, "shape": tuple(leaf.shape), "dtype": np.dtype(leaf.dtype)}
            ref = ev.builder.append(hosts.host_call, operands, params)
            ref.storage.jnp, ref.storage.known, ev.builder.uses_jnp = STRONG, None, True
            refs.append(ref)
        return tree.unflatten(treedef, refs)


def kept(callback, treedef, structs, args, kwargs):
    """A function of the leaves of the arguments that gives the leaves of the result, checked."""
    arg_tree = tree.flatten((tuple(args), kwargs))[1]

    def run(*values):
        args, kwargs = tree.unflatten(arg_tree, values)
        leaves, found = tree.flatten(callback(*args, **kwargs))
        if found != treedef:
            raise TypeMismatch("pure_callback: the callback returns another structure than result_shape_dtypes says", "Make both agree.")
        for leaf, struct in zip(leaves, structs):
            if np.shape(leaf) != tuple(struct.shape):
                raise TypeMismatch(f"pure_callback: the callback returns an array of shape {np.shape(leaf)} where {tuple(struct.shape)} is declared",
                                   "Make both agree.")
        return tuple(np.asarray(leaf, struct.dtype) for leaf, struct in zip(leaves, structs))
    return run


pure_callback = PureCallback()

__all__ = ["pure_callback"]
