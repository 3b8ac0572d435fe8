"""Loops: range, while, break, continue, else, nested, over arrays and containers."""

import numpy as np

from . import sample


@sample(np.array([0.5, 0.25, 1.0]), 0.1, 10, wrt=(0, 1))
def decay(x, k, n):
    for i in range(n):
        x = x - k * x ** 2
    return np.sum(x)


@sample(2.0)
@sample(9.0)
def newton_sqrt(a):
    x = a
    while abs(x * x - a) > 1e-10:
        x = 0.5 * (x + a / x)
    return x


@sample(1.1, 7)
def power(x, n):
    p = 1.0
    for _ in range(n):
        p = p * x
    return p


@sample(11.0)
@sample(3.0)
@sample(-20.0)
def break_else(x):
    if x > 10.0:
        return x * 2.0
    for i in range(5):
        if x * i > 6.0:
            break
        x = x + i
    else:
        return -x
    return x / 2.0


@sample(np.array([1.0, -2.0, 3.0, -0.5, 0.25, 2.0]))
def continue_loop(x):
    total = 0.0
    for v in x:
        if v < 0:
            continue
        total += v * v
    return total


@sample(np.array([1.0, 3.0, 2.0, 4.0, 0.5]))
def running_max(a):
    total = 0.0
    biggest = a[0]
    for i in range(1, len(a)):
        if a[i] > biggest:
            biggest = a[i]
    for i in range(len(a)):
        total += np.exp(a[i] - biggest)
    return np.log(total) + biggest


@sample(np.arange(1.0, 13.0).reshape(3, 4) / 7.0)
def nested_loops(x):
    total = 0
    rows, cols = x.shape
    for i in range(rows):
        for j in range(i, cols):
            total = total + x[i, j] ** 2 * (j + 1)
    return total


@sample(np.linspace(0.1, 1.0, 12).reshape(6, 2))
def enumerate_zip(x):
    total = 0.0
    for k, row in enumerate(x):
        for a, b in zip(row[:-1], row[1:]):
            total += (k + 1) * a * b
    return total


@sample(20.0)
@sample(3.0)
def halve(x):
    count = 0
    while x > 1.0:
        x = x / 2.0
        count += 1
    if count > 2:
        return x + 10.0
    return x


@sample(1.3, 0.7, wrt=(0, 1))
def fibonacci_like(a, b):
    for _ in range(9):
        a, b = b, a * 0.5 + b
    return a * b


@sample(np.array([0.3, 0.5, 0.9, 1.1, 0.2, 0.8]), 0.5, wrt=(0, 1))
def recurrence(x, a):
    s = 0.0
    acc = 0.0
    for i in range(len(x)):
        s = a * s + np.sin(x[i])
        acc = acc + s * s
    return acc


@sample(1.5)
def while_break(x):
    n = 0
    while True:
        x = x * 1.2
        n += 1
        if x > 5.0 or n > 30:
            break
    return x * n


@sample(np.array([0.2, 0.4, 0.6, 0.8, 1.0]), 3)
def downward(x, n):
    y = 1.0
    for i in range(len(x) - 1, -1, -1):
        y = y * x[i] + n
    return y


@sample(2.0)
def loop_in_while(x):
    rounds = 0
    while x < 50.0:
        for i in range(6):
            x = x + 0.1 * i * x
        rounds += 1
    return x + rounds


@sample(np.linspace(0.2, 1.2, 8), 0.9, wrt=(0, 1))
def while_in_loop(x, r):
    total = 0.0
    for i in range(8):
        v = x[i]
        while v < 3.0:
            v = v * (1.0 + r)
        total += v * x[i]
    return total


@sample(np.array([[0.5, -0.2], [0.1, 0.3]]), np.array([1.0, 2.0]), wrt=(0, 1))
def matrix_powers(a, v):
    for _ in range(7):
        v = np.tanh(a @ v) + v
    return v
