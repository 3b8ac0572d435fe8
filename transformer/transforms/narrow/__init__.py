"""Masks of ranges become slices again, in programs that run on NumPy.

The frontend computes with an array whose length only the running program knows as with a whole one of which some places count (see
`frontend.ragged`): so that every transform and the compiler see static shapes. What is run on NumPy, and read, has the slices back:

Before:                                                   After:
    inside = np.arange(6) < j                                 s = s + A[i, :j] @ b[:j]
    s = s + np.where(inside, A[i], 0.0) @ np.where(inside, b, 0.0)

>>> import numpy as np
>>> from transformer import grad
>>> def squares(x):
...     s = 0.0
...     for i in range(5, 9):
...         s += np.sum(x[:i] ** 2)
...     return s
>>> print(grad(squares).show(np.ones(9)))
import numpy as np
<BLANKLINE>
<BLANKLINE>
# squares_grad(x: float64[9])
def squares_grad(x):
    # reverse
    x_bar = np.zeros(9)
    for i in range(8, 4, -1):
        x_bar[:i] += 2 * x[:i]
    return x_bar
<BLANKLINE>

Only masks of the op `places` count, those that the frontend has made: a mask that a user writes stays. The results are those of NumPy's
own slices, bit by bit, where sums over a whole array with zeros in it may be rounded in another order.
"""

from ...core import Apply, walk
from ...ops.op import TABLE
from ..simplify import simplify
from ..simplify.rewriting import count_uses
from .needs import Needs
from .outside import Outside
from .regions import Facts
from .rewrite import Narrowing


def narrow(program):
    """The program with slices in place of masks; the same object if there are none."""
    if not any(type(s) is Apply and s.op is TABLE["places"] for s in walk(program.body)):
        return program
    facts = Facts(program)
    uses = count_uses(program)
    needs = Needs(facts, Outside(facts, uses), uses)
    needs.whole(program.outputs)
    needs.run(list(walk(program.body)))
    return simplify(Narrowing(program, facts, needs).run())


__all__ = ["narrow"]
