"""Arrays that a loop binds to names while they have other names: `row = A[i]` in a rolled loop.

In NumPy `row` is a view of `A`; in the program a carried name is an array of its own. That comes to the same as long as neither is
stored into while the other one is in use:

    in the loop     a store into one of them: the loop is not rolled
    after it        they are tied (`sharing`): a later store into one while the other one is alive is refused; so are a name that a round
                    may leave as it is and what it shared its array with in front of the loop
"""

import weakref

import numpy as np

from ...core import Update, names_bound, walk
from .. import aliases
from ..reference import is_reference
from ..sharing import partners, tie, tie_to_caller
from .iteration import Items, Listed
from .iterators import Cursor
from .leaves import CannotRoll, leaf_paths
from .state import contents as contents_of


def check_names(roll, now, block):
    """Refuse to roll where a round stores into an array that a carried name shares with another one, at entry or after a round."""
    bound = {*names_bound(block), *roll.builder.stored_in_loops}
    kept = {(owner, key) for owner, (_, values) in roll.state.containers.items() for key in values}
    for contents in (entry_contents(roll), now):
        for storage, paths in groups(roll, contents, roll.needed).items():
            paths = [path for path in paths if path[0] in kept]
            carried = {roll.carries[path].name for path in paths if path in roll.carries}
            stored = carried | ({storage.name} if storage in roll.state.known or storage in carried_storages(roll) else set())
            if len(paths) > 1 and carried and stored & bound:
                raise CannotRoll(f"{paths[0][0][1]} has another name in some rounds, and is stored into")


def stored_carries(roll, block):
    """The carried arrays that a round stores into, also where a condition chooses between one and another array."""
    stored = {*(s.target for s in walk(block) if isinstance(s, Update)), *roll.builder.stored_in_loops}
    chosen = {s for name in stored if name in roll.ev.merged for s in possible(roll.ev.merged[name])}
    return [c for c in roll.carries.values() if c.aval.shape and (c.name in stored or c.ref.storage in chosen)]


def check_static(roll, array):
    """Refuse to roll where a static array that a carried name stands for at entry has another name."""
    others = [v for _, values in roll.state.containers.values() for v in values.values() if isinstance(v, np.ndarray)]
    if isinstance(array, np.ndarray) and sum(aliases.memory(other) == aliases.memory(array) for other in others) > 1:
        raise CannotRoll("an array that has two names is stored into and rebound")


def check_sources(roll, block):
    """Refuse to roll where an array that is looped over has a carried name, and is stored into: in the first round both are one array."""
    cursors = [v for _, values in roll.state.containers.values() for v in values.values() if isinstance(v, Cursor)]
    sources = {ref.storage for ref in arrays_behind(roll.ev, [roll.items, *cursors])}
    updated = {*(s.target for s in walk(block) if isinstance(s, Update)), *roll.builder.stored_in_loops}
    for path, carry in roll.carries.items():
        entry = roll.ev.seen(carry.entry)
        if is_reference(entry) and entry.storage in sources and updated & {carry.name, entry.storage.name}:
            raise CannotRoll(f"{path[0][1]} is looped over, stored into and rebound")


def arrays_behind(ev, values):
    """The references that iterables take their items from."""
    for value in map(ev.seen, values):
        if is_reference(value):
            yield value
        elif isinstance(value, Items):
            yield from arrays_behind(ev, value.sources)
        elif isinstance(value, Cursor):
            yield from arrays_behind(ev, [value.source])
        elif isinstance(value, Listed):
            yield from arrays_behind(ev, value.lists)
        elif isinstance(value, list | tuple):
            yield from arrays_behind(ev, value)


def tie_names(roll, now, used):
    """After the loop: tie what its last round leaves under several names, and what was one array in front of it, if no round may run.

    used: the paths whose carried names the loop binds.
    """
    rounds, length = roll.rounds, roll.length
    bound = {*used, *((slot,) for slot in roll.after)}
    for contents, left in ((now, True), (entry_contents(roll), not rounds)):
        for storage, paths in groups(roll, contents, roll.live).items() if left else ():
            fresh = [path for path in paths if path in bound or path[:1] in bound]
            found = {s for path in paths if (s := storage_at(roll, path)) is not None} if fresh else set()
            for one in found:
                for two in found - {one}:
                    tie(one, two, length)
            for path in fresh if storage.argument is not None else ():
                if (found := storage_at(roll, path)) is not None:
                    tie_to_caller(found, length)
    tie_kept(roll, origins(roll, now, used), length)


def tie_kept(roll, sources, length):
    """Tie what a carried name may still hold from in front of the loop to what else holds it."""
    for storage, paths in groups(roll, entry_contents(roll), roll.live).items():
        kept = {out for path, before in sources.items() if before & {*paths} and (out := storage_at(roll, path)) is not None}
        other = {s for path in paths if path not in sources and (s := storage_at(roll, path)) is not None}
        for one in kept:
            one.choices = [*one.choices, weakref.ref(storage)]
            for two in (kept | other) - {one}:
                tie(one, two, length)
            if storage.argument is not None:
                tie_to_caller(one, length)


def origins(roll, now, used):
    """Path of a carried name -> the paths of which it may hold, after some rounds, what they held in front of the loop."""
    carried = {carry.ref.storage: path for path, carry in used.items()}
    step = {}
    for owner, values in now.items():
        for key, value in values.items():
            for path, leaf in leaf_paths((owner, key), value):
                leaf = roll.ev.seen(leaf)
                if path in used and is_reference(leaf) and leaf.shape:
                    step[path] = {carried[s] for s in possible(leaf.storage) if s in carried}
    found = {path: {path} for path in step}
    while True:
        larger = {path: before.union(*(step.get(q, ()) for q in before)) for path, before in found.items()}
        if larger == found:
            break
        found = larger
    return {path: set().union(*(found.get(q, {q}) for q in before)) for path, before in step.items() if before}


def possible(storage):
    """The storages that a storage may be, itself among them."""
    found, todo = {storage}, [storage]
    while todo:
        new = {s for ref in todo.pop().choices if (s := ref()) is not None} - found
        found |= new
        todo += new
    return found


def entry_contents(roll):
    return {owner: values for owner, (_, values) in roll.state.containers.items()}


def carried_storages(roll):
    return {carry.ref.storage for carry in roll.carries.values()}


def groups(roll, contents, wanted):
    """Storage -> paths of the slots that hold it, or one tied to it. wanted: the names of the loop's frame that count."""
    found = {}
    for owner, values in contents.items():
        container = roll.state.containers[owner][0]
        for key, value in values.items() if not isinstance(container, tuple) else ():
            if container is roll.frame.env and key not in wanted:
                continue
            for path, leaf in leaf_paths((owner, key), value):
                leaf = roll.ev.seen(leaf)
                for storage in (leaf.storage, *partners(leaf.storage)) if is_reference(leaf) and leaf.shape else ():
                    found.setdefault(storage, []).append(path)
    return found


def storage_at(roll, path):
    """The storage that a slot holds now, if it holds an array."""
    owner, key = path[0]
    container = roll.state.containers[owner][0]
    value = contents_of(container)[key]
    leaf = roll.ev.seen(dict(leaf_paths(path[0], value)).get(path))
    return leaf.storage if is_reference(leaf) else None


__all__ = ["check_names", "tie_names"]
