import numpy as np


# abs_val_grad_batched(x: float64[3])
def abs_val_grad_batched(x):
    # reverse
    return np.where(x > 0, 1.0, -1.0)
