"""`numpy.linalg` with JAX's types."""

import numpy as np

from .overrides import table_functions

globals().update(table_functions(np.linalg, "transformer.numpy.linalg"))
__all__ = sorted(table_functions(np.linalg, "transformer.numpy.linalg"))
