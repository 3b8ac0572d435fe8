# fibonacci_like_grad(a: float, b: float)
def fibonacci_like_grad(a, b):
    for i in range(9):
        b_1 = a * 0.5 + b
        a = b
        b = b_1
    # reverse
    b_bar = a
    a_bar = b
    for i in range(8, -1, -1):
        a_bar_1 = 0.5 * b_bar
        b_bar = a_bar + b_bar
        a_bar = a_bar_1
    return a_bar, b_bar
