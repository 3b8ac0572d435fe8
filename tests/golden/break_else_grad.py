# break_else_grad(x: float)
def break_else_grad(x):
    test_1 = x > 10.0
    if not test_1:
        broke = False
        i = 0
        while not broke and i < 5:
            if x * i > 6.0:
                broke = True
            else:
                x = x + i
            i += 1
        test_2 = not broke
    # reverse
    if test_1:
        x_bar = 2.0
    elif test_2:
        x_bar = -1.0
    else:
        x_bar = 0.5
    return x_bar
