import numpy as np


# early_return_batched(x: float64[3])
def early_return_batched(x):
    y = x * x
    result = np.where(x < 0, y + 1.0, np.sin(x))
    result = np.where(x > 2, x * 2.0, result)
    return result
