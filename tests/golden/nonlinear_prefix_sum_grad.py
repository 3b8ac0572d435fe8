import numpy as np


# nonlinear_prefix_grad(x: float64[6])
def nonlinear_prefix_grad(x):
    c = np.zeros(6)
    c[0] = x[0]
    for i in range(1, 6):
        item_1 = c[i - 1]
        c[i] = np.sin(item_1) * x[i] + item_1 ** 2
    # reverse
    c_bar = np.ones(6)
    x_bar = np.zeros(6)
    for i in range(5, 0, -1):
        item_1 = c_bar[i]
        item_2 = c[i - 1]
        x_bar[i] += item_1 * np.sin(item_2)
        product_1 = item_1 * x[i] * np.cos(item_2)
        c_bar[i - 1] += 2 * (item_1 * item_2) + product_1
    x_bar[0] += c_bar[0]
    return x_bar
