"""What a value is computed from without a pass over memory of its own: through elementwise ops, views, indexing and copies."""

from ..core import Apply, is_name, walk

FAR = 200
"""How many statements are followed from a value before the answer is taken to be yes."""


def is_cheap(op, args):
    """Whether an op costs no more than a copy of its result: elementwise, views, indexing, copies, masks and arrays made from nothing."""
    indexing = op.gather or op.as_index is not None or op.unview is not None or op.readonly
    return op.elementwise or indexing or op.cheap or not args


class Sources:
    def __init__(self, program):
        self.made = {s.target: s for s in walk(program.body) if isinstance(s, Apply)}

    def reads_elsewhere(self, update):
        """Whether computing what an Update stores, fused with what comes before, reads elements of its target but those it replaces."""
        seen, pending = set(), [update.value]
        while pending:
            atom = pending.pop()
            if atom == update.target or len(seen) > FAR:
                return True
            made = self.made.get(atom) if is_name(atom) and atom not in seen else None
            seen.add(atom)
            if made is not None and is_cheap(made.op, made.args) and not replaces(update, made):
                pending.extend(made.args)
        return False


def replaces(update, read):
    """Whether a statement reads just the elements that an Update stores."""
    return read.op.gather and read.args == (update.target, *update.args) and read.params.get("index") == update.index
