# halve_grad(x: float)
def halve_grad(x):
    rounds = 0
    while x > 1.0:
        x = x / 2.0
        rounds += 1
    # reverse
    x_bar = 1.0
    for k in range(rounds - 1, -1, -1):
        x_bar = x_bar / 2.0
    return x_bar
