"""Remove statements whose results nothing needs: values, loop carries, stores, tapes, branches and loops.

Before:                              After:
    def f(x, n):                         def f(x, n):
        y = np.exp(x)                        z = np.sin(x)
        z = np.sin(x)                        return z
        s = 0.0
        for i in range(n):
            t = s + 1.0
            s = t
        return z

>>> from .example import example, np, show
>>> show(remove_dead(example(lambda x: (np.exp(x), np.sin(x))[1])))
sin = np.sin(x)
"""

from collections import defaultdict

from ...core import CONTROL, Apply, Effect, For, If, Mark, Move, Program, Update, While, blocks, is_name, names_bound, names_read, operands, targets, walk
from .rewriting import alike, holds


def remove_dead(program):
    """The program without the statements that neither outputs nor effects need."""
    p = program
    body = sweep(p.body, mark(p)) if holds(p, *CONTROL) else p.body
    body = drop_stores(body, set(filter(is_name, p.outputs)))
    used = {*p.params, *filter(is_name, p.outputs)}
    for stmt in walk(body):
        used.update(operands(stmt))
        used.update(targets(stmt))
    if alike(body, p.body) and p.avals.keys() <= used and p.hints.keys() <= used:
        return p
    avals = {n: a for n, a in p.avals.items() if n in used}
    hints = {n: h for n, h in p.hints.items() if n in used}
    return Program(p.name, list(p.params), body, list(p.outputs), avals, hints, p.counters & used)


def mark(program):
    """Ids of the live statements: a live name makes all statements live that bind it or store into it.

    That finds what loops only hand on to themselves; without loops and branches, `drop_stores` finds all.
    """
    binders, parents, work = defaultdict(list), {}, []
    for stmt in walk(program.body):
        for name in targets(stmt):
            binders[name].append(stmt)
        if type(stmt) in CONTROL:
            for block in blocks(stmt):
                parents.update((id(s), stmt) for s in block)
        elif type(stmt) is Effect:
            work.append(stmt)
    live, seen = set(), set()
    names = list(filter(is_name, program.outputs))
    while work or names:
        if names:
            name = names.pop()
            if name not in seen:
                seen.add(name)
                work.extend(binders[name])
            continue
        stmt = work.pop()
        if id(stmt) not in live:
            live.add(id(stmt))
            names.extend(operands(stmt))
            if id(stmt) in parents:
                work.append(parents[id(stmt)])
    return live


def sweep(stmts, live):
    """The live statements of a block; comments stay."""
    kept = []
    for stmt in stmts:
        if type(stmt) is Mark or id(stmt) in live:
            kept.append(rebuilt(stmt, [sweep(b, live) for b in blocks(stmt)]) if type(stmt) in CONTROL else stmt)
    return kept


def rebuilt(stmt, inner):
    """A control statement with these blocks; any other statement as it is."""
    if all(map(alike, inner, blocks(stmt))):
        return stmt
    if isinstance(stmt, If):
        return If(stmt.test, *inner, stmt.origin)
    if isinstance(stmt, For):
        return For(stmt.index, stmt.lo, stmt.hi, stmt.step, *inner, stmt.origin)
    if isinstance(stmt, While):
        return While(inner[0], stmt.test, inner[1], stmt.counter, stmt.origin)
    return stmt


def drop_stores(stmts, live):
    """The block without the stores and Moves whose version of the name nobody reads; `live` becomes what is live before it.

    An array that is overwritten as a whole has to be there, whatever is in it: that is the entry ("bound", name) of `live`.
    """
    kept = []
    for stmt in reversed(stmts):
        kind = type(stmt)
        if kind in CONTROL:
            stmt = drop_inside(stmt, live)
        elif kind is Update:
            if stmt.target not in live:
                continue
            if overwrites(stmt):
                live.discard(stmt.target)
                live.add(("bound", stmt.target))
                live.update(filter(is_name, (*stmt.args, stmt.value)))
                kept.append(stmt)
                continue
        elif kind is Apply or kind is Move:
            if stmt.target not in live and ("bound", stmt.target) not in live or is_idle(stmt):
                continue
            live.discard(stmt.target)
            live.discard(("bound", stmt.target))
        live.update(operands(stmt))
        kept.append(stmt)
    return kept[::-1]


def overwrites(stmt):
    whole = all(isinstance(e, slice) and e == slice(None) for e in stmt.index)
    return stmt.mode == "set" and whole and stmt.value != stmt.target


def is_idle(stmt):
    return type(stmt) is Move and is_name(stmt.source) and stmt.source == stmt.target


def drop_inside(stmt, live):
    """A control statement without dead stores; `live` grows by what its blocks read. Only names that stand in it are looked at."""
    bound, read = names_bound([stmt]), names_read([stmt])
    inside = {*bound, *read, *(("bound", name) for name in bound)}
    if isinstance(stmt, If):
        sides = [inside & live, inside & live]
        inner = [drop_stores(block, side) for block, side in zip(blocks(stmt), sides)]
        live -= inside
        live.update(*sides)
        return rebuilt(stmt, inner)
    again = inside & live | set(read)
    inner = []
    for block in reversed(blocks(stmt)):
        inner.insert(0, drop_stores(block, set(again)))
    live.update(read)
    return rebuilt(stmt, inner)
