import numpy as np


# single_precision_grad(x: float32[3])
def single_precision_grad(x):
    # reverse
    x_bar = np.zeros(3, dtype=np.float32)
    for i in range(5, -1, -1):
        x_bar = x_bar + x / (i + 1)
    return x_bar
