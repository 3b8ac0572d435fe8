import numpy as np


# dictionary_grad(p_b: float, p_extra_0: float64[2], p_w: float64[3])
def dictionary_grad(p_b, p_extra_0, p_w):
    product_1 = p_b * 2.0
    sum_1 = np.sum(p_w * 2.0)
    total = 0.0 + np.sum(product_1) + np.sum(p_extra_0 ** 2) + sum_1
    # reverse
    p_w_bar = 2.0 * np.broadcast_to(p_b, (3,))
    p_extra_0_bar = 2 * (p_b * p_extra_0)
    p_b_bar = total + product_1
    return p_b_bar, p_extra_0_bar, p_w_bar
