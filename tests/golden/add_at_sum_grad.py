import numpy as np


# add_at_grad(w: float64[5])
def add_at_grad(w):
    c = np.zeros(4)
    c_1 = np.array([0, 0, 2, 3, 2])
    np.add.at(c, c_1, w)
    # reverse
    c_bar = 2.0 * c
    return c_bar[c_1]
