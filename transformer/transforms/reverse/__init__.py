"""Reverse mode: a sweep that undoes the program statement by statement and pulls cotangents back.

    def f(x):                              def f(x, y_bar):
        y = np.exp(-2.0 * x)                   y = np.exp(-2.0 * x)
        return y                               # reverse
                                               x_bar = -2.0 * (y_bar * y)
                                               return y, x_bar

`driver` goes through the statements, `control` through branches and loops, `values` finds the primal values that rules ask
for, `tapes` keeps those that a loop would lose, `bars` holds the cotangents, `splitting` cuts the result at the seam.
"""

from .driver import reverse
from .splitting import split

__all__ = ["reverse", "split"]
