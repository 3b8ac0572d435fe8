import numpy as np


# tanh_grad_grad(x: float)
def tanh_grad_grad(x):
    y = np.exp(-2.0 * x)
    total_1 = 1.0 + y
    ratio_1 = (1.0 - y) / total_1
    # reverse
    ratio_2 = ratio_1 / total_1
    y_bar = -1.0 / total_1 - ratio_2
    # reverse
    y_bar_bar = -2.0 * y
    ratio_3 = y_bar_bar / total_1
    ratio_1 = ratio_3 * ratio_1 / total_1
    total_bar = y_bar_bar / total_1 ** 2 + y_bar_bar * ratio_2 / total_1 + ratio_1
    y_bar = -2.0 * y_bar + total_bar + ratio_3 / total_1
    return -2.0 * (y_bar * y)
