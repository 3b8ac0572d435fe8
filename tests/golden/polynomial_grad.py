# polynomial_grad(x: float, y: float)
def polynomial_grad(x, y):
    # reverse
    y_bar = 1.0 / x - 4 * (x * y) + x ** 3
    product_1 = 3 * (y * x ** 2)
    x_bar = -2 * y ** 2 - y / x / x + product_1
    return x_bar, y_bar
