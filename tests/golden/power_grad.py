import numpy as np


# power_grad(x: float, n: int)
def power_grad(x, n):
    p = 1.0
    p_tape = np.empty(n)
    for i in range(n):
        p_tape[i] = p
        p = p * x
    # reverse
    p_bar = 1.0
    x_bar = 0.0
    for i in range(n - 1, -1, -1):
        p = p_tape[i]
        x_bar = x_bar + p_bar * p
        p_bar = p_bar * x
    return x_bar
