import numpy as np


# conditional_store_grad(x: float64[4])
def conditional_store_grad(x):
    # reverse
    y_bar = np.ones(4)
    x_bar = np.zeros(4)
    for i in range(3, -1, -1):
        item_1 = x[i]
        if item_1 > 0.5:
            item_bar = 2 * (y_bar[i] * item_1)
        else:
            item_bar = -y_bar[i]
        x_bar[i] += item_bar
    return x_bar
