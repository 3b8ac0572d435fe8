import numpy as np


# polynomial_jacrev_jacfwd(x: float, y: float)
def polynomial_jacrev_jacfwd(x, y):
    basis = np.ones(1)
    ratio_1 = basis * (y / x) / x
    # reverse
    x_bar_dot = np.broadcast_to(ratio_1, (1, 1)) / x + ratio_1[:, None] / x
    x_bar_dot = x_bar_dot + 6 * ((basis * x)[:, None] * (basis * y))
    return np.reshape(x_bar_dot, ())
