import numpy as np


# newton_sqrt_grad(a: float)
def newton_sqrt_grad(a):
    x = a
    x_tape = []
    rounds = 0
    while abs(x * x - a) > 1e-10:
        x_tape.append(x)
        x = 0.5 * (x + a / x)
        rounds += 1
    # reverse
    x_bar = np.float64(1.0)
    a_bar = 0.0
    for k in range(rounds - 1, -1, -1):
        x = np.float64(x_tape[k])
        total_bar = 0.5 * x_bar
        x_bar = total_bar - total_bar * (a / x) / x
        a_bar = a_bar + total_bar / x
    return a_bar + x_bar
