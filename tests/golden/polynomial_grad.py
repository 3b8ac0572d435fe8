import numpy as np


# polynomial_grad(x: float, y: float)
def polynomial_grad(x, y):
    # reverse
    y_bar = np.multiply(4, x * y)
    y_bar = 1.0 / x - y_bar + x ** 3
    product_1 = 3 * (y * x ** 2)
    x_bar = np.subtract(-2 * y ** 2, y / x / x) + product_1
    return x_bar, y_bar
