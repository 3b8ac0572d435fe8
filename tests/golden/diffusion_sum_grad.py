import numpy as np


# diffusion_grad(u: float64[20], rate: float64[20])
def diffusion_grad(u, rate):
    # reverse
    v_bar = np.ones(20)
    u_bar = np.zeros(20)
    item_1 = v_bar[1:-1]
    total_bar = item_1 * rate[1:-1]
    item_bar = item_1 - 2.0 * total_bar
    v_bar[1:-1] = 0.0
    u_bar[:-2] += total_bar
    u_bar[1:-1] += item_bar
    u_bar[2:] += total_bar
    return u_bar + v_bar
