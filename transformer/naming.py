"""Printed names: each Core name gets the user's name it stems from, with a suffix only where two versions live at once."""

import builtins
import keyword
import re
from collections import defaultdict

from .core import For, Move, While, is_name, operands, targets, walk
from .ops.op import TABLE
from .printing.families import Family
from .printing.liveness import Liveness

RESERVED = {*keyword.kwlist, *keyword.softkwlist, *dir(builtins), "np", "scipy", "math", "cmath"}
WORDS = {"multiply": "product", "divide": "ratio", "subtract": "difference", "add": "total", "getitem": "item", "negative": "minus",
         "broadcast_to": "spread", "astype": "cast", "absolute": "size", "places": "inside",
         **dict.fromkeys(("less", "less_equal", "greater", "greater_equal", "equal", "not_equal", "logical_not", "logical_and", "logical_or"), "test")}
FAMILY = re.compile(r"^(math|cmath|python|special)_")
SUFFIX = re.compile(r"(_bar|_dot|_tape)$")
NUMBER = re.compile(r"_\d+$")


def base_of(name, program):
    """The name that a Core name stems from, without a number."""
    return NUMBER.sub("", program.hints.get(name) or name) or "t"


def is_temporary(base):
    """Whether a base is that of a value without a name in the user's source: it is named after an op."""
    stem = base
    while SUFFIX.search(stem):
        stem = SUFFIX.sub("", stem)
    return stem.rstrip("_") in TABLE or stem == "copy"


def assign_names(program, nested=(), reads=operands, reserved=()):
    """Core name -> printed name. Names in `nested` stand inside other expressions and need none.

    `reads` gives the names that a statement reads where it is printed; `reserved` are names that must not be bound.
    """
    return Naming(program, set(nested), reads, set(reserved) | RESERVED).run()


class Naming:
    def __init__(self, program, nested, reads, reserved):
        self.program, self.nested, self.reads, self.reserved = program, nested, reads, reserved
        self.order = self.definitions()
        self.partners = defaultdict(list)
        self.bases = self.choose_bases()
        self.names, self.owners = {}, {}
        self.positions, self.families = {}, {}
        self.gather_families()

    def definitions(self):
        """All names in the order of their first binding, parameters first."""
        names = dict.fromkeys(self.program.params)
        for stmt in walk(self.program.body):
            names.update(dict.fromkeys(targets(stmt)))
        return [n for n in names if n not in self.nested]

    def choose_bases(self):
        """A temporary that is moved into a named variable gets the variable's name."""
        bases = {name: base_of(name, self.program) for name in self.order}
        moves = [s for s in walk(self.program.body) if isinstance(s, Move) and s.source in bases and is_name(s.source)]
        for move in reversed(moves):
            self.partners[move.source].append(move.target)
            self.partners[move.target].append(move.source)
            if is_temporary(bases[move.source]) and move.source not in self.program.params:
                bases[move.source] = bases[move.target]
        return bases

    def gather_families(self):
        """The names of one base are neighbours among the bits of `Liveness`."""
        members = defaultdict(list)
        for name in self.order:
            members[self.bases[name]].append(name)
        for base, names in members.items():
            self.families[base] = Family(names, len(self.positions), self.sequence(base))
            for name in names:
                self.positions[name] = len(self.positions)

    def run(self):
        liveness = Liveness(self.interfere, self.reads, self.positions)
        params = self.program.params
        live = liveness.program(self.program) | liveness.mask(params)
        for name in params:
            self.clash(name, live)
        for name in params:
            self.settle(name, self.param_candidates(name))
        for name in self.order:
            if name not in self.names:
                self.settle(name, self.candidates(name))
        return self.names

    # interference ------------------------------------------------------------------
    def interfere(self, stmt, live):
        if isinstance(stmt, For):
            return self.clash(stmt.index, live)
        if isinstance(stmt, While):
            return self.clash(stmt.counter, live)
        if stmt.target not in self.nested:
            self.clash(stmt.target, live, stmt.source if isinstance(stmt, Move) else None)

    def clash(self, name, live, copied=None):
        """`name` gets a value while `live` hold theirs; the one it is a copy of may share its printed name."""
        self.families[self.bases[name]].clash(name, live, copied)

    # choice ------------------------------------------------------------------------------
    def param_candidates(self, name):
        yield self.program.hints.get(name) or name
        yield name
        yield from numbered(self.bases[name], 1)

    def candidates(self, name):
        """The names of partners, then those of the sequence that no other name holds where `name` is bound first."""
        base = self.bases[name]
        for partner in self.partners[name]:
            if partner in self.names and self.bases[partner] == base:
                yield self.names[partner]
        yield from self.families[base].free(name)

    def sequence(self, base):
        """The printed names for a base in order of preference."""
        found = self.temporary(base) if is_temporary(base) else (n for names in ([base], numbered(base, 1)) for n in names)
        return (n for n in found if n not in self.reserved and n.isidentifier())

    def temporary(self, base):
        """dot_1, dot_2...; product_bar, product_bar_1..."""
        stem, ends = base, ""
        while SUFFIX.search(stem):
            ends = SUFFIX.search(stem)[0] + ends
            stem = SUFFIX.sub("", stem)
        stem = FAMILY.sub("", stem.rstrip("_"))
        word = WORDS.get(stem, stem) + ends
        if ends:
            yield word
        yield from numbered(word, 1)

    def settle(self, name, candidates):
        """Give `name` the first candidate that no conflicting name holds."""
        family = self.families[self.bases[name]]
        for candidate in candidates:
            if candidate in self.reserved or not candidate.isidentifier():
                continue
            if self.owners.get(candidate, family) is not family:
                family.count(candidate, 1)
            elif family.fits(name, candidate):
                self.names[name] = candidate
                self.owners[candidate] = family
                return family.give(name, candidate)


def numbered(base, number):
    while True:
        yield f"{base}_{number}"
        number += 1


__all__ = ["assign_names", "base_of", "is_temporary"]
