import numpy as np


# nonlinear_prefix_grad(x: float64[6])
def nonlinear_prefix_grad(x):
    c = np.zeros(6)
    c[0] = x[0]
    c_tape = np.empty(5)
    for i in range(1, 6):
        difference_1 = i - 1
        item_1 = c[difference_1]
        c_1 = c[i]
        c_tape[difference_1] = c_1
        c[i] = np.sin(item_1) * x[i] + item_1 ** 2
    # reverse
    c_bar = np.ones(6)
    x_bar = np.zeros(6)
    for i in range(5, 0, -1):
        difference_1 = i - 1
        c_1 = c_tape[difference_1]
        c[i] = c_1
        item_1 = c_bar[i]
        c_bar[i] = 0.0
        item_2 = c[difference_1]
        x_bar[i] += item_1 * np.sin(item_2)
        product_1 = item_1 * x[i] * np.cos(item_2)
        c_bar[difference_1] += 2 * (item_1 * item_2) + product_1
    x_bar[0] += c_bar[0]
    return x_bar
