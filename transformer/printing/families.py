"""Names that stem from one base share printed names where they do not hold values at the same time.

Sets of names, and of printed names, are ints with one bit a member: a program of n statements can have n names that are all alive at
once, and they are compared a word at a time.
"""

from collections import defaultdict

from .liveness import members


class Family:
    """The names of one base, in the order of their first binding; they are settled in this order.

    offset: the bit of the first one in the masks of `Liveness`. sequence: the printed names in order of preference.
    """

    def __init__(self, names, offset, sequence):
        self.offset, self.all = offset, (1 << len(names)) - 1
        self.index = {name: i for i, name in enumerate(names)}
        self.sequence, self.places, self.generated = sequence, {}, []
        self.first, self.conflicts = defaultdict(int), defaultdict(int)
        self.holders, self.excluded = defaultdict(int), defaultdict(int)
        self.held, self.counts = {}, defaultdict(int)
        self.current = self.busy = 0

    def clash(self, name, live, copied=None):
        """`name` is bound while `live` hold values; it may share with the one it is a copy of."""
        others = live >> self.offset & self.all & ~(1 << self.index[name])
        if copied in self.index:
            others &= ~(1 << self.index[copied])
        self.first[name] = others
        self.conflicts[name] |= others

    def fits(self, name, printed):
        """Whether no name with which `name` conflicts is printed so."""
        return not (self.conflicts[name] & self.holders[printed] or self.excluded[printed] >> self.index[name] & 1)

    def give(self, name, printed):
        """Print `name` so."""
        position = self.index[name]
        self.holders[printed] |= 1 << position
        self.excluded[printed] |= self.conflicts[name]
        self.held[position] = printed
        if self.current >> position & 1:
            self.count(printed, 1)

    def free(self, name):
        """The printed names of the sequence that no name holds where `name` is bound first."""
        self.advance(self.first[name])
        tried = 0
        while True:
            taken = self.busy | tried
            place = (~taken & taken + 1).bit_length() - 1
            tried |= 1 << place
            yield self.printed(place)

    def advance(self, live):
        """`busy` becomes the mask of the places in the sequence that the names of `live` hold; few change from one name to the next."""
        changed, self.current = self.current ^ live, live
        for position in members(changed):
            if position in self.held:
                self.count(self.held[position], 1 if live >> position & 1 else -1)

    def count(self, printed, change):
        """So many more names hold a printed name at the present place; a name of another family holds it for good."""
        self.counts[printed] += change
        if printed in self.places:
            bit = 1 << self.places[printed]
            self.busy = self.busy | bit if self.counts[printed] else self.busy & ~bit

    def printed(self, place):
        """The printed name at a place of the sequence."""
        while len(self.generated) <= place:
            new = next(self.sequence)
            self.places[new] = len(self.generated)
            self.generated.append(new)
            self.count(new, 0)
        return self.generated[place]


__all__ = ["Family"]
