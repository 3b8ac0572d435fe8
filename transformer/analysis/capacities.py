"""How large the unknown dimensions of a lowered program's arrays are: a capacity each.

    tape = np.empty((n, m, 3))        sizes {"n": 32, "m": 8} -> tape: (32, 8, 3)

A dimension that is an int argument has that argument's capacity in `sizes`; all others have the default. An array that comes from
several (a Move) has one shape only if they agree, else all arrays take the default.
"""

from ..core import Apply, Hole, Move, is_name, walk


def shapes_of(program, sizes, default):
    """Name -> shape, for the names whose unknown dimensions are not all of the default capacity; {} where shapes disagree."""
    found, before = {}, None
    statements = [s for s in walk(program.body) if isinstance(s, Apply | Move) and None in program.avals[s.target].shape]
    while sizes and before != len(found):
        before = len(found)
        for stmt in statements:
            shape = shape_of(stmt, program, found, sizes, default)
            if shape is not None and found.setdefault(stmt.target, shape) != shape:
                return {}
    return {name: shape for name, shape in found.items() if shape != filled(program.avals[name].shape, default)}


def filled(shape, default):
    return tuple(default if d is None else d for d in shape)


def shape_of(stmt, program, found, sizes, default):
    """The shape of what a statement binds, None while it is not known."""
    if isinstance(stmt, Move):
        return found.get(stmt.source)
    dims = stmt.params.get("shape")
    if isinstance(dims, tuple) and any(isinstance(d, Hole) for d in dims):
        return tuple(sizes.get(stmt.args[d.position], default) if isinstance(d, Hole) else int(d) for d in dims)
    if not stmt.args or dims is not None:
        return filled(program.avals[stmt.target].shape, default)
    source = found.get(stmt.args[0]) if is_name(stmt.args[0]) else None
    index = stmt.params.get("index")
    if source is None or index is None:
        return source
    entries = [e for e in index if e is not None]
    kept = [n for n, e in zip(source, entries) if isinstance(e, slice)]
    return tuple(n if d is None else d for n, d in zip(kept, program.avals[stmt.target].shape)) if len(entries) == len(source) else None


__all__ = ["shapes_of"]
