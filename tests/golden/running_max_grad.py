import numpy as np


# running_max_grad(a: float64[5])
def running_max_grad(a):
    biggest = a[0]
    biggest_tape = np.empty(4)
    for i in range(1, 5):
        biggest_tape[i - 1] = biggest
        biggest_1 = a[i]
        if biggest_1 > biggest:
            biggest = biggest_1
    total = 0.0
    for i in range(5):
        total = total + np.exp(a[i] - biggest)
    # reverse
    biggest_bar = 1.0
    a_bar = np.zeros(5)
    for i in range(4, -1, -1):
        difference_bar = np.exp(a[i] - biggest) / total
        a_bar[i] += difference_bar
        biggest_bar = biggest_bar - difference_bar
    for i in range(4, 0, -1):
        biggest = biggest_tape[i - 1]
        if a[i] > biggest:
            item_bar = biggest_bar
            biggest_bar = 0.0
        else:
            item_bar = 0.0
        a_bar[i] += item_bar
    a_bar[0] += biggest_bar
    return a_bar
