import numpy as np


# break_else_grad(x: float)
def break_else_grad(x):
    test_1 = x > 10.0
    if not test_1:
        _break = False
        for i in range(5):
            if not _break:
                if x * i > 6.0:
                    _break = True
                else:
                    x = x + i
        test_2 = np.logical_not(_break)
    # reverse
    if test_1:
        x_bar = 2.0
    elif test_2:
        x_bar = -1.0
    else:
        x_bar = 0.5
    return x_bar
