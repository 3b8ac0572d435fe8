import numpy as np


# heat_grad(u: float64[12], k: float)
def heat_grad(u, k):
    u = np.copy(u)
    u_tape = np.empty((7, 10))
    for i in range(7):
        item_1 = u[1:-1]
        u_tape[i] = item_1
        u[1:-1] = item_1 + k * (u[2:] - 2.0 * item_1 + u[:-2])
    # reverse
    u_bar = np.ones(12)
    k_bar = 0.0
    for i in range(6, -1, -1):
        u[1:-1] = u_tape[i]
        item_1 = u_bar[1:-1].copy()
        u_bar[1:-1] = 0.0
        sum_1 = np.sum(item_1 * (u[2:] - 2.0 * u[1:-1] + u[:-2]))
        total_bar = item_1 * k
        u_bar[:-2] += total_bar
        u_bar[2:] += total_bar
        u_bar[1:-1] += item_1 - 2.0 * total_bar
        k_bar = k_bar + sum_1
    return u_bar, k_bar
