import numpy as np


# overwritten_grad(x: float64[4])
def overwritten_grad(x):
    y = x * x
    sum_1 = np.sum(y ** 2)
    y_1 = y[1:3].copy()
    y[1:3] = x[0]
    s = sum_1 + np.sum(y ** 3)
    y_2 = 2.0 * x
    sum_1 = np.sum(y_2 ** 2)
    # reverse
    y_bar = 3 * (sum_1 * y ** 2)
    y[1:3] = y_1
    item_bar = np.sum(y_bar[1:3])
    y_bar[1:3] = 0.0
    x_bar = 4.0 * (s * y_2)
    x_bar[0] += item_bar
    y_bar = y_bar + 2 * (sum_1 * y)
    product_1 = y_bar * x
    return x_bar + product_1 + product_1
