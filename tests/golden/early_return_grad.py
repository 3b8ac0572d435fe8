import numpy as np


# early_return_grad(x: float)
def early_return_grad(x):
    test_1 = x > 2
    if not test_1:
        test_2 = x < 0
    # reverse
    if test_1:
        x_bar = 2.0
    elif test_2:
        x_bar = 2.0 * x
    else:
        x_bar = np.cos(x)
    return x_bar
