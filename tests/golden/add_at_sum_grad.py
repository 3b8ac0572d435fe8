import numpy as np


# add_at_grad(w: float64[5])
def add_at_grad(w):
    h = np.zeros(4)
    c = np.array([0, 0, 2, 3, 2])
    np.add.at(h, c, w)
    # reverse
    h_bar = 2.0 * h
    return h_bar[c]
