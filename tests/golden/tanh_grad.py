import numpy as np


# tanh_grad(x: float)
def tanh_grad(x):
    y = np.exp(-2.0 * x)
    total_1 = 1.0 + y
    # reverse
    y_bar = -1.0 / total_1 - (1.0 - y) / total_1 / total_1
    return -2.0 * (y_bar * y)
