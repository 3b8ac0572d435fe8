import numpy as np


# softmax_rows_grad(x: float64[4, 6])
def softmax_rows_grad(x):
    max_1 = np.max(x, axis=1, keepdims=True)
    e = np.exp(x - max_1)
    sum_1 = np.sum(e, axis=1, keepdims=True)
    # reverse
    reshape_1 = np.sum(e / sum_1 / sum_1, axis=1, keepdims=True)
    e_bar = np.ones((4, 6)) / sum_1 - reshape_1
    difference_bar = e_bar * e
    test_1 = x == max_1
    sum_1 = np.sum(test_1, axis=1, keepdims=True)
    ratio_1 = -(np.sum(difference_bar, axis=1, keepdims=True) / sum_1)
    return difference_bar + np.where(test_1, ratio_1, 0)
