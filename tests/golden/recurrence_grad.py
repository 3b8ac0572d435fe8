import numpy as np


# recurrence_grad(x: float64[6], a: float)
def recurrence_grad(x, a):
    s = 0.0
    s_tape = np.empty(6)
    for i in range(6):
        s_tape[i] = s
        s = a * s + np.sin(x[i])
    # reverse
    acc_bar = 1.0
    s_bar = 0.0
    x_bar = np.zeros(6)
    a_bar = 0.0
    for i in range(5, -1, -1):
        s_1 = s_tape[i]
        product_1 = acc_bar * s
        s_bar_1 = s_bar + product_1 + product_1
        x_bar[i] += s_bar_1 * np.cos(x[i])
        s = s_1
        s_bar = s_bar_1 * a
        a_bar = a_bar + s_bar_1 * s_1
    return x_bar, a_bar
