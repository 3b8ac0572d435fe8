import numpy as np


# logsumexp_grad(x: float64[6])
def logsumexp_grad(x):
    max_1 = np.max(x)
    exp_1 = np.exp(x - max_1)
    # reverse
    difference_bar = exp_1 / np.sum(exp_1)
    test_1 = x == max_1
    ratio_1 = (1.0 - np.sum(difference_bar)) / np.sum(test_1)
    return difference_bar + np.where(test_1, ratio_1, 0)
