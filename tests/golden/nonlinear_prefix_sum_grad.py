import numpy as np


# nonlinear_prefix_grad(x: float64[6])
def nonlinear_prefix_grad(x):
    y = np.zeros(6)
    y[0] = x[0]
    for i in range(1, 6):
        item_1 = y[i - 1]
        y[i] = np.sin(item_1) * x[i] + item_1 ** 2
    # reverse
    y_bar = np.ones(6)
    x_bar = np.zeros(6)
    for i in range(5, 0, -1):
        item_1 = y_bar[i]
        item_2 = y[i - 1]
        x_bar[i] += item_1 * np.sin(item_2)
        product_1 = item_1 * x[i] * np.cos(item_2)
        y_bar[i - 1] += 2 * (item_1 * item_2) + product_1
    x_bar[0] += y_bar[0]
    return x_bar
