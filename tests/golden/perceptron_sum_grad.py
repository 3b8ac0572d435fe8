import numpy as np


# perceptron_grad(params_0_0: float64[3, 4], params_0_1: float64[4], params_1_0: float64[4, 2], params_1_1: float64[2], x: float64[3])
def perceptron_grad(params_0_0, params_0_1, params_1_0, params_1_1, x):
    z = x @ params_0_0 + params_0_1
    x_1 = np.maximum(z, 0.1)
    # reverse
    z_bar = np.ones(2)
    matmul_1 = params_1_0 @ z_bar
    params_1_0_bar = np.outer(x_1, z_bar)
    z_bar_1 = np.where(z > 0.1, matmul_1, np.where(z == 0.1, 0.5 * matmul_1, 0))
    params_0_0_bar = np.outer(x, z_bar_1)
    return params_0_0_bar, z_bar_1, params_1_0_bar, z_bar
