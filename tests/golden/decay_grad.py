import numpy as np


# decay_grad(x: float64[3], k: float, n: int)
def decay_grad(x, k, n):
    x_tape = np.empty((n, 3))
    for i in range(n):
        x_tape[i] = x
        x = x - k * x ** 2
    # reverse
    x_bar = np.ones(3)
    k_bar = 0.0
    for i in range(n - 1, -1, -1):
        x = x_tape[i]
        k_bar = k_bar - np.sum(x_bar * x ** 2)
        x_bar = x_bar - 2 * (x_bar * k * x)
    return x_bar, k_bar
