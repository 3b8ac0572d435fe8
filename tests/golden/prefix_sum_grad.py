import numpy as np


# prefix_grad(x: float64[7])
def prefix_grad(x):
    # reverse
    x_bar = np.ones(7)
    for i in range(6, 0, -1):
        x_bar[i - 1] += 0.5 * x_bar[i]
    return x_bar
