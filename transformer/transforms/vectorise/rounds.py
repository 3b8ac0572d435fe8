"""All rounds of one loop at once: each name that depends on the index gets a leading axis with one entry a round."""

import numpy as np

from ...analysis.bounds import Linear, combined
from ...core import Apply, Aval, Update, is_name
from ...ops.index_templates import FULL, result_shape
from ...ops.op import TABLE
from . import stores
from .places import Dependent, at_once, ends, find_place, values
from .rounding import check_rounding

LARGEST = 2**31
"""Of the integers that are computed from an index: far from where arithmetic wraps or rounds."""


class Rounds:
    """forms: integers that are linear in the index. names: what depends on the index -> the array of all rounds; `before`: -> its aval
    in one round. made: arrays made by the way."""

    def __init__(self, owner, loop):
        self.owner, self.loop, self.aval = owner, loop, owner.aval
        if is_name(loop.lo) or is_name(loop.hi):
            raise Dependent("the number of rounds is not known")
        rounds = range(int(loop.lo), int(loop.hi), loop.step)
        if not rounds or max(abs(rounds[0]), abs(rounds[-1])) > LARGEST:
            raise Dependent("there is no round, or an index is huge")
        self.rounds = rounds if loop.step > 0 else rounds[::-1]
        self.forms = {loop.index: Linear(0, ((loop.index, 1),))}
        self.names, self.before, self.made, self.out = {}, {}, {}, []
        self.updates = [s for s in loop.body if type(s) is Update]
        self.stored = {s.target for s in self.updates}

    def statements(self):
        """The array code. Raises Dependent where the loop has to stay."""
        body = self.loop.body
        if not self.updates or {type(s) for s in body} - {Apply, Update}:
            raise Dependent("the body is more than operations and stores, or nothing is stored")
        if self.stored & {s.target for s in body if type(s) is Apply}:
            raise Dependent("a store into an array that each round makes anew")
        for stmt in body:
            if type(stmt) is Apply:
                self.apply(stmt)
        stores.emit(self)
        return self.out

    # atoms ------------------------------------------------------------------------------------
    def depends(self, atom):
        return is_name(atom) and (atom in self.names or atom in self.forms)

    def aval_before(self, atom):
        """The aval of an atom in one round."""
        return self.before[atom] if is_name(atom) and atom in self.before else self.aval(atom)

    def form(self, atom):
        """An integer as a linear form in the index; None for what is none."""
        if is_name(atom):
            return self.forms.get(atom)
        return Linear(atom) if type(atom) is int and abs(atom) <= LARGEST else None

    def check_indices(self, args):
        """The operands of an index are numbers that are no elements of arrays, or do not depend on the round."""
        if any(self.aval(a).shape or self.aval(a).dtype.kind not in "iu" or a in self.names for a in args):
            raise Dependent("an index that is read from an array")

    def check_whole(self, atoms):
        if self.stored.intersection(filter(is_name, atoms)):
            raise Dependent("an array that is stored into is read as a whole")

    # statements ---------------------------------------------------------------------------------
    def apply(self, stmt):
        if stmt.op is TABLE["getitem"]:
            self.getitem(stmt)
            return
        self.check_whole(stmt.args)
        if not stmt.op.elementwise and stmt.op is not TABLE["constant"]:
            raise Dependent(f"{stmt.op.name} is not elementwise")
        if not any(map(self.depends, stmt.args)):
            self.out.append(stmt)
        elif not self.is_index(stmt):
            self.elementwise(stmt)

    def is_index(self, stmt):
        """Whether a statement computes an integer that is linear in the index; it is then kept as a form."""
        if len(stmt.args) != 2 or not self.aval(stmt.target).weak:
            return False
        form = combined(stmt, self.form)
        if form is None or not form.terms or max(map(abs, ends(form, self.rounds))) > LARGEST:
            return False
        self.forms[stmt.target] = form
        return True

    def elementwise(self, stmt):
        rank = max(len(self.aval_before(a).shape) for a in stmt.args)
        args = tuple(self.aligned(a, rank) for a in stmt.args)
        avals = [self.aval(a) for a in args]
        before = self.aval(stmt.target)
        check_rounding(stmt.op, stmt.params, [self.aval_before(a) for a in stmt.args], avals, before, self.owner.exact)
        new = stmt.op.infer(*avals, **stmt.params)
        if new.dtype != before.dtype or None in new.shape:
            raise Dependent("the result of the array operation is of another type")
        self.bind(stmt, args, stmt.params, new)

    def bind(self, stmt, args, params, aval):
        name = stmt.target
        self.names[name], self.before[name] = name, self.aval(name)
        self.owner.avals[name] = Aval(aval.shape, aval.dtype)
        self.out.append(Apply(name, stmt.op, args, params, stmt.origin))

    def aligned(self, atom, rank):
        """An atom as an operand among arrays that have `rank` axes in one round: the leading axis stands before all of them."""
        if not self.depends(atom):
            return atom
        name, have = self.counted(atom) if atom in self.forms else self.names[atom], len(self.aval_before(atom).shape)
        if have == rank:
            return name
        if (name, rank) not in self.made:
            aval, index = self.aval(name), (FULL, *(None,) * (rank - have), *(FULL,) * have)
            wide = self.owner.fresh("getitem", Aval((aval.shape[0], *(1,) * (rank - have), *aval.shape[1:]), aval.dtype))
            self.out.append(Apply(wide, TABLE["getitem"], (name,), {"index": index}, self.loop.origin))
            self.made[name, rank] = wide
        return self.made[name, rank]

    def counted(self, name):
        """The array of the values of an integer that is linear in the index."""
        form = self.forms[name]
        if form not in self.made:
            counts = np.array(values(form, self.rounds), np.int64)
            self.made[form] = self.owner.fresh(name, Aval(counts.shape, counts.dtype))
            self.out.append(Apply(self.made[form], TABLE["constant"], (), {"value": counts}, self.loop.origin))
        return self.made[form]

    # elements -----------------------------------------------------------------------------------
    def getitem(self, stmt):
        array, *args = stmt.args
        index, aval = stmt.params["index"], self.aval(array)
        self.check_indices(args)
        if array in self.names:
            self.part(stmt, self.names[array], args)
            return
        if array in self.stored and not stores.is_own(self, stmt):
            raise Dependent("an element that another round may store into is read")
        if not any(map(self.depends, args)):
            self.out.append(stmt)
            return
        index, args = at_once(index, args, find_place(index, args, aval.shape, self.forms, self.rounds))
        shape = result_shape(index, aval.shape, [self.aval(a) for a in args])
        if array not in self.stored and all(e == FULL for e in index):
            self.names[stmt.target], self.before[stmt.target] = array, self.aval(stmt.target)
            return
        self.bind(stmt, (array, *args), {"index": index}, Aval(shape, aval.dtype))

    def part(self, stmt, array, args):
        """A part of an array that depends on the index: the same part in each round."""
        if any(map(self.depends, args)):
            raise Dependent("two axes depend on the index")
        aval, index = self.aval(array), (FULL, *stmt.params["index"])
        shape = result_shape(index, aval.shape, [self.aval(a) for a in args])
        self.bind(stmt, (array, *args), {"index": index}, Aval(shape, aval.dtype))


__all__ = ["Rounds"]
