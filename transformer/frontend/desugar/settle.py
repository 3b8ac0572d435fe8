"""Move what follows a leaving statement (`return`, `break`, `continue`) to where it belongs.

After settling, every leaving statement has been the last one on its path, and is replaced by plain assignments. The statements that
follow an `if` with a leaving side move into its other side; where both sides may go on, small ones are written on both sides,
larger ones once, under a flag.

An `If` under a flag gets the attribute `left`: for each side ("body", "orelse") that always leaves, the names that are read after
having left. Other names may have any value there, or none: what reads them stands under the flag. So it does for a side that never leaves
and is the last of the block, if it is known what is read after that: a name that a loop binds where it breaks, and else its `else`. An
`except` that always leaves has the attribute `left`, too: the names that are read after having left by it.
"""

from dataclasses import dataclass
from typing import Any

import gast

from ..syntax import FUNCTIONS, LOOPS, assign, at, blocks, choose, duplicate, leaves, level, load, negate

SMALL = 60  # tree nodes that are rather written twice than put under a flag


@dataclass(frozen=True)
class Exit:
    """How leaving statements of one function or loop are replaced.

    kinds     the node classes that leave
    replace   leaving statement -> the statements that take its place
    flag      () -> name of the flag that is raised with them where a flag is needed
    read      leaving statement -> names that are read after having left by it
    through   names that are read after the end of the whole block; None: not known
    """

    kinds: Any
    replace: Any
    flag: Any
    read: Any
    through: Any = None


def settle(stmts, exit_, flagged=False, ends=True):
    """Statement list without leaving statements; with `flagged`, they also raise the flag. ends: nothing follows in the whole block."""
    result = []
    for position, stmt in enumerate(stmts):
        rest = stmts[position + 1 :]
        if isinstance(stmt, exit_.kinds):
            return result + exit_.replace(stmt) + ([assign(exit_.flag(), True, stmt)] if flagged else [])
        if isinstance(stmt, gast.Raise):
            return [*result, stmt]
        if isinstance(stmt, gast.If | gast.With | gast.Try) and leaves([stmt], exit_.kinds):
            return result + _branch(stmt, rest, exit_, flagged, ends)
        result.append(stmt)
    return result


def _branch(stmt, rest, exit_, flagged, ends):
    """A statement with leaving statements inside, and the rest of its block."""
    if isinstance(stmt, gast.If):
        if not rest or _always(stmt.body, exit_.kinds):
            body, orelse = stmt.body, stmt.orelse + rest
        elif _always(stmt.orelse, exit_.kinds):
            body, orelse = stmt.body + rest, stmt.orelse
        elif _is_small(rest):
            body, orelse = stmt.body + rest, stmt.orelse + duplicate(rest)
        else:
            return _flag(stmt, rest, exit_, flagged, ends)
        return _choose(stmt.test, body, orelse, exit_, flagged, stmt, ends)
    return _flag(stmt, rest, exit_, flagged, ends)


def _choose(test, body, orelse, exit_, flagged, place, ends):
    sides = (("body", body), ("orelse", orelse))
    left = {name: _read_after(side, exit_) for name, side in sides if _always(side, exit_.kinds)}
    onward = {name: exit_.through for name, side in sides if ends and exit_.through is not None and not leaves(side, exit_.kinds)}
    settled = settle(body, exit_, flagged, ends), settle(orelse, exit_, flagged, ends)
    [result] = choose(test, *settled, place)
    if settled[0]:
        result.left = {**(left if flagged else {}), **onward}
    return [result]


def _read_after(stmts, exit_):
    """Names read after leaving from anywhere in the block."""
    found = [exit_.read(stmt) for stmt in stmts if isinstance(stmt, exit_.kinds)]
    return frozenset().union(*found, *(_read_after(block, exit_) for stmt in stmts for block in level(stmt)))


def _flag(stmt, rest, exit_, flagged, ends):
    """A context manager may swallow an exception raised before the leaving statement, so that needs the flag as well; so does `else`
    after a `try` that leaves."""
    after = stmt.orelse if isinstance(stmt, gast.Try) else []
    flagged_here = flagged or bool(rest or after)
    if isinstance(stmt, gast.If):
        [stmt] = _choose(stmt.test, stmt.body, stmt.orelse, exit_, flagged_here, stmt, ends and not rest)
    else:
        for handler in getattr(stmt, "handlers", ()):
            if _always(handler.body, exit_.kinds):
                handler.left = _read_after(handler.body, exit_)
        for block in filter(None, blocks(stmt)):
            block[:] = settle(block, exit_, flagged_here, False) or [at(gast.Pass(), stmt)]
        if after:
            stmt.orelse = [at(gast.If(negate(load(exit_.flag())), after, []), stmt)]
    rest = settle(rest, exit_, flagged, ends)
    if not flagged_here:
        return [stmt]
    first = [] if flagged else [assign(exit_.flag(), False, stmt)]
    return [*first, stmt] + ([at(gast.If(negate(load(exit_.flag())), rest, []), stmt)] if rest else [])


def _always(stmts, kinds):
    """Whether every path through the block leaves or raises."""
    for stmt in stmts:
        if isinstance(stmt, (*kinds, gast.Raise)):
            return True
        if isinstance(stmt, gast.If) and _always(stmt.body, kinds) and _always(stmt.orelse, kinds):
            return True
    return False


def _is_small(stmts):
    nodes = [node for stmt in stmts for node in gast.walk(stmt)]
    return len(nodes) <= SMALL and not any(isinstance(node, (*LOOPS, *FUNCTIONS)) for node in nodes)
