"""scipy.cluster.vq with JAX's types."""

import numpy as np

from ...errors import ShapeError
from ...nn.activations import by_jnp_rules


@by_jnp_rules
def nearest(obs, code_book):
    squares = np.sum(np.square(obs[:, None, :] - code_book[None, :, :]), axis=-1)
    code = np.argmin(squares, axis=1)
    gap = obs - code_book[code]
    return code, np.linalg.norm(gap, axis=-1)


def vq(obs, code_book, check_finite=True):
    """(number of the nearest row of `code_book`, distance to it) for each row of `obs`; of equally near ones the first.

    >>> vq(np.array([[0.0, 1.0], [4.0, 4.0]]), np.array([[0.0, 0.0], [4.0, 4.0]]))
    (Array([0, 1], dtype=int32), Array([1., 0.], dtype=float32))
    """
    shapes = np.shape(obs), np.shape(code_book)
    if {len(s) for s in shapes} not in ({1}, {2}) or len(shapes[0]) == 2 and shapes[0][1] != shapes[1][1]:
        raise ShapeError(f"vq of observations of shape {shapes[0]} and a code book of shape {shapes[1]}", "Both need rows of equal length.")
    return nearest(obs, code_book) if len(shapes[0]) == 2 else nearest(obs[:, None], code_book[:, None])


__all__ = ["vq"]
