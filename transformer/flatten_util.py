"""A pytree of arrays as one vector, under the name that JAX users know."""

import numpy as np

from . import tree


def ravel_pytree(pytree):
    """The leaves of a pytree in one vector, and the function that takes such a vector back to the pytree.

    Arguments: pytree, of arrays and numbers of any shapes.
    Returns: (vector, unravel): the vector has one axis and the type that the leaves promote to (float64 for a pytree without
    leaves); `unravel(vector)` gives each leaf its shape and type again, and raises ValueError for a vector of another shape.

    >>> vector, unravel = ravel_pytree({"w": np.ones((2, 2)), "b": np.array([3.0])})
    >>> vector
    array([3., 1., 1., 1., 1.])
    >>> unravel(2 * vector)["w"]
    array([[2., 2.],
           [2., 2.]])
    """
    leaves, treedef = tree.flatten(pytree)
    shapes = [np.shape(leaf) for leaf in leaves]
    dtypes = [np.result_type(leaf) for leaf in leaves]
    sizes = [int(np.prod(shape)) for shape in shapes]

    def unravel(vector):
        if np.shape(vector) != (sum(sizes),):
            raise ValueError(f"the vector has shape {np.shape(vector)}; the pytree needs ({sum(sizes)},)")
        parts, start = [], 0
        for shape, dtype, size in zip(shapes, dtypes, sizes):
            parts.append(np.reshape(vector[start:start + size], shape).astype(dtype))
            start += size
        return tree.unflatten(treedef, parts)

    return np.concatenate([np.ravel(leaf) for leaf in leaves]) if leaves else np.zeros(0), unravel
