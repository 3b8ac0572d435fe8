"""Square roots of sums of squares get an op of their own, whose derivative at 0 is 0, as that of a norm.

The root has a corner there, as `abs` has, and 0 lies between the slopes on all sides; the chain rule would multiply infinity by 0.
Roots of other values keep their infinite derivative.

>>> from .simplify.example import example, np
>>> def ops(fn):
...     return [stmt.op.name for stmt in root_squares(example(fn)).body]
>>> ops(lambda x: np.sqrt(x * x))
['multiply', 'root']
>>> ops(lambda x: np.sqrt(x * x + 1e-9)), ops(lambda x: np.sqrt(x))
(['multiply', 'add', 'sqrt'], ['sqrt'])
"""

from ..analysis.squares import Squares
from ..core import Apply, walk
from .simplify.rewriting import Rewriter


def root_squares(program):
    """The program with `root`s of sums of squares."""
    if not any(isinstance(s, Apply) and s.op.of_squares for s in walk(program.body)):
        return program
    return Roots(program).run()


class Roots(Rewriter):
    def __init__(self, program):
        super().__init__(program)
        self.squares = Squares(program)

    def apply(self, stmt):
        op = stmt.op.of_squares(*stmt.args) if stmt.op.of_squares and self.squares.is_minimum(stmt.args[0]) else None
        self.emit(stmt if op is None else Apply(stmt.target, op, stmt.args, stmt.params, stmt.origin))
