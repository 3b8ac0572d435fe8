# abs_val_grad(x: float)
def abs_val_grad(x):
    # reverse
    if x > 0:
        x_bar = 1.0
    else:
        x_bar = -1.0
    return x_bar
