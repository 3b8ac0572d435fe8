import numpy as np


# abs_val_grad_batched(x: float64[3])
def abs_val_grad_batched(x):
    # reverse
    x_bar = np.where(x > 0, 1.0, -1.0)
    return x_bar
