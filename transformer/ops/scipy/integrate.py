"""scipy.integrate.odeint: entered like user code, a loop of steps of an embedded Runge-Kutta method of order 5 with controlled size.

scipy's own integrator (LSODA) cannot be looked into; this one meets the same tolerances. Stiff systems need many steps.
Derivatives are those of the steps.
Source: J. R. Dormand and P. J. Prince, A family of embedded Runge-Kutta formulae (1980).
"""

import numpy as np
import scipy.integrate

from ...errors import TransformError
from ..op import FUNCTIONS

NODES = (0.2, 0.3, 0.8, 8 / 9, 1.0, 1.0)
STAGES = ((1 / 5,), (3 / 40, 9 / 40), (44 / 45, -56 / 15, 32 / 9), (19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729),
          (9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656), (35 / 384, 0.0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84))
ERROR = (71 / 57600, 0.0, -71 / 16695, 71 / 1920, -17253 / 339200, 22 / 525, -1 / 40)
TOLERANCE = 1.49012e-8
FIRST_STEP = 0.05


def check(options):
    """Options of LSODA that have no meaning here are refused."""
    for name, value in options.items():
        if value:
            raise TransformError(f"odeint({name}=...) is not known to transformer", "Leave it out.")


def steps(function, y, start, span, rtol, atol):
    """The solution at start + span of y' = function(y, t), from y at start; time runs from 0 to 1 in units of the span."""
    s, h = 0.0, FIRST_STEP
    while s < 1.0:
        h = np.minimum(h, 1.0 - s)
        slopes = [span * function(y, start + s * span)]
        for node, weights in zip(NODES, STAGES):
            moved = y + h * sum([w * k for w, k in zip(weights, slopes) if w != 0.0])
            slopes.append(span * function(moved, start + (s + node * h) * span))
        error = h * sum([w * k for w, k in zip(ERROR, slopes) if w != 0.0])
        size = np.max(np.abs(error) / (atol + rtol * np.maximum(np.abs(y), np.abs(moved))))
        accepted = size <= 1.0
        s = np.where(accepted, np.where(h >= 1.0 - s, 1.0, s + h), s)
        y = np.where(accepted, moved, y)
        h = h * np.clip(0.9 * np.maximum(size, 1e-10) ** -0.2, 0.2, 5.0)
    return y


def odeint(func, y0, t, args=(), Dfun=None, col_deriv=0, full_output=0, ml=None, mu=None, rtol=None, atol=None, tcrit=None, h0=0.0,
           hmax=0.0, hmin=0.0, ixpr=0, mxstep=0, mxhnil=0, mxordn=12, mxords=5, printmessg=0, tfirst=False):
    """scipy.integrate.odeint without LSODA's options."""
    check({"full_output": full_output, "tcrit": tcrit is not None, "hmax": hmax, "hmin": hmin})
    args = args if isinstance(args, tuple) else (args,)
    y, t = np.ravel(np.asarray(y0) * 1.0), np.asarray(t)
    rtol = TOLERANCE if rtol is None else rtol
    atol = TOLERANCE if atol is None else atol

    def function(y, now):
        return np.asarray(func(now, y, *args)) if tfirst else np.asarray(func(y, now, *args))

    rows = np.zeros((t.shape[0], y.shape[0]), y.dtype)
    rows[0] = y
    for i in range(1, t.shape[0]):
        y = steps(function, y, t[i - 1], t[i] - t[i - 1], rtol, atol)
        rows[i] = y
    return rows


odeint.entered = True
FUNCTIONS[scipy.integrate.odeint] = odeint
