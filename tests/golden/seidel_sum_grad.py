import numpy as np


# seidel_grad(a: float64[4, 4])
def seidel_grad(a):
    a = np.copy(a)
    a_tape = np.empty((6, 2, 2))
    for t in range(6):
        for i in range(1, 3):
            for j in range(1, 3):
                item_1 = a[i, j]
                product_1 = item_1 * item_1
                total_1 = a[i - 1, j] + a[i, j - 1] + product_1
                total_1 = total_1 + a[i + 1, j] + a[i, j + 1]
                a_tape[t, i - 1, j - 1] = item_1
                a[i, j] = total_1 / 5.0
    # reverse
    a_bar = np.ones((4, 4))
    for t in range(5, -1, -1):
        for i in range(2, 0, -1):
            for j in range(2, 0, -1):
                a_1 = a_tape[t, i - 1, j - 1]
                a[i, j] = a_1
                item_1 = a_bar[i, j]
                a_bar[i, j] = 0.0
                total_bar = item_1 / 5.0
                a_bar[i, j + 1] += total_bar
                a_bar[i + 1, j] += total_bar
                a_bar[i, j] += 2.0 * (total_bar * a_1)
                a_bar[i, j - 1] += total_bar
                a_bar[i - 1, j] += total_bar
    return a_bar
