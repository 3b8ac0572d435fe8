"""Plain NumPy functions in; readable gradients, Jacobians, batches and XLA programs out.

    import numpy as np
    import transformer

    @transformer.grad
    def slope(x):
        return np.tanh(x) ** 2

    slope(0.5)            the derivative
    print(slope.source)   the derivative as Python source
"""

from . import ops, tree, tree_util
from .api import grad, hessian, jacfwd, jacrev, jit, jvp, linearize, value_and_grad, vjp, vmap
from .errors import TransformError
from .executable import Array

__version__ = "0.1.0"

__all__ = ["Array", "TransformError", "grad", "hessian", "jacfwd", "jacrev", "jit", "jvp", "linearize", "ops", "tree", "tree_util",
           "value_and_grad", "vjp", "vmap"]
