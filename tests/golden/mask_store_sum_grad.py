# mask_store_grad(x: float64[4])
def mask_store_grad(x):
    y = x.copy()
    test_1 = x < 0
    y[test_1] = 0
    # reverse
    y_bar = 2.0 * y
    y_bar[test_1] = 0.0
    return y_bar
