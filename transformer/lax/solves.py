"""Linear systems and roots whose derivatives follow from what they solve, however that is done."""

from .. import pipeline, tree
from ..call_sites import Part
from ..custom import Custom
from ..errors import TypeMismatch
from ..frontend.specialise.calls import call
from ..transforms.custom_calls import cotangent_aval
from ..transforms.solves import Solved
from . import control


def is_differentiated():
    """Whether a derivative will be taken of what is being transformed."""
    return pipeline.current_options().pending


class Solver:
    """solve(matvec, b) as a function of b."""

    __transformer_opaque__ = True
    __name__ = "solve"

    def __init__(self, solve, matvec):
        self.solve, self.matvec = solve, matvec

    def __call__(self, b):
        return self.solve(self.matvec, b)

    def __transformer_call__(self, ev, args, kwargs):
        return call(ev, self.solve, (self.matvec, *args), {}, None)


class Transposed:
    """The transpose of a linear function at vectors like its argument."""

    __transformer_opaque__ = True
    __name__ = "vecmat"

    def __init__(self, matvec):
        self.matvec = matvec

    def __call__(self, y):
        return control.transposed(self.matvec, y)

    def __transformer_call__(self, ev, args, kwargs):
        return call(ev, control.transposed, (self.matvec, *args), {}, None)


class LinearSolve(Custom):
    """A solver of a linear system, called with the right side."""

    def __init__(self, matvec, solve, transpose_solve=None, symmetric=False, has_aux=False):
        if has_aux:
            raise TypeMismatch("custom_linear_solve(has_aux=True) is not known here", "Return the solution only.")
        super().__init__(Solver(solve, matvec))
        self.matvec, self.transpose = matvec, None
        if symmetric:
            self.transpose = Solver(solve if transpose_solve is None else transpose_solve, matvec)
        elif transpose_solve is not None:
            self.transpose = Solver(transpose_solve, Transposed(matvec))

    def require_rules(self):
        """The rules follow from the functions."""

    def node(self, count):
        return Solved("solve", count)

    def rules(self, site):
        found = [self.part(site, self.matvec, "x", lambda aval: aval)]
        if self.transpose is not None:
            found.append(self.part(site, self.transpose, "x_bar", cotangent_aval))
        return found

    def part(self, site, function, name, kind):
        leaves, treedef = tree.flatten(site.params[0])
        params = [site.param(kind(p.aval), name) for p in leaves]
        spec = site.build(function, [tree.unflatten(treedef, params)])
        if spec.out_tree != treedef:
            raise TypeMismatch("a function of custom_linear_solve returns another structure than that of b", "Return the containers of b.")
        slots = [(name, k, p.aval) for k, p in enumerate(params)]
        return Part(spec, slots, before=slots)


__all__ = ["LinearSolve", "is_differentiated"]
