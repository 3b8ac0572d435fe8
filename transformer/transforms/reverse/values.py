"""Primal values in the reverse sweep: still there, revived (computed again), or read from a tape; and the undoing of stores."""

import numpy as np

from ...analysis.places import Places
from ...analysis.sources import is_cheap
from ...core import Apply, Aval, Hole, If, Move, Update, is_floating, is_name, names_read, targets
from ...errors import TransformError
from ...frontend.reference import Ref, Storage
from ...ops import index_templates as templates
from ...ops.op import TABLE
from .frames import UNBOUND
from .patches import in_head
from .undone import Undone

ROUNDED_ONCE = (np.add, np.subtract, np.multiply, np.divide, np.sqrt, np.negative, np.absolute)
"""Operations on floats whose result has one rounding, in whatever way they are compiled."""


class Primal(Storage):
    """The storage of a primal name as a rule sees it: the value is looked for when the rule reads it."""

    __slots__ = ("values", "primal", "state")

    def __init__(self, values, primal):
        self.values, self.primal = values, primal
        self.aval, self.builder = values.builder.avals[primal], values.builder
        self.version, self.known, self.pending, self.argument, self.jnp = 0, None, None, None, 0

    @property
    def name(self):
        return self.values.find(self.primal)


class Values:
    def __init__(self, sweep):
        self.sweep, self.builder, self.blocks = sweep, sweep.builder, sweep.blocks
        self.patches, self.frames, self.tapes = sweep.patches, sweep.frames, sweep.tapes
        self.kept, self.unset, self.undone = {}, {}, []
        self.places = Places(sweep.source)
        self.tape_names = {s.target for b in self.blocks.all for s in b.stmts if isinstance(s, Apply) and s.op is TABLE["tape"]}
        self.locals = {}
        for name, home in self.blocks.home.items():
            if home.loop is not None and self.blocks.is_versioned(name):
                self.locals.setdefault(home, []).append(name)

    def primal(self, atom):
        """A primal atom as an operand of a rule."""
        return Ref(Primal(self, atom)) if is_name(atom) else atom

    def find(self, atom):
        """The atom that holds, in the reverse sweep, the value of a primal atom at the present state."""
        if not is_name(atom):
            return atom
        found = self.frames.find("env", atom) or self.frames.find("memo", atom)
        if found is UNBOUND:
            self.lost(atom)
        if found is not None:
            return found
        home = self.blocks.home[atom]
        if home.loop is None:
            return atom
        if self.blocks.is_versioned(atom):
            self.lost(atom)
        frame = self.frames.of_block(home) or self.frames.inner
        with self.frames.outwards(frame):
            frame.memo[atom] = self.revived(atom, frame)
        return frame.memo[atom]

    def known(self, atom):
        """The value of a stable name that is made from nothing, or None."""
        sites = self.blocks.sites.get(atom, ())
        stmt = sites[0].stmt if len(sites) == 1 else None
        return stmt.op.impl(**stmt.params) if isinstance(stmt, Apply) and not (stmt.args or stmt.op.collective) else None

    def lost(self, name):
        raise TransformError(f"the derivative needs a value of {self.builder.hints.get(name, name)} that is overwritten in a way "
                             "that cannot be undone", "Use another variable for the later value.", self.builder.origin)

    def refuse_unset(self, program):
        """No statement may read what a reversed loop would hand on of a name whose version before the loop is lost."""
        for name in names_read(program.body) if self.unset else ():
            if name in self.unset:
                self.lost(self.unset[name])

    # stable names of loops ------------------------------------------------------------
    def revived(self, name, frame):
        site = self.blocks.sites[name][0]
        if name not in self.kept and self.is_revivable(name, frame, {}):
            return self.computed(site.stmt)
        if name not in self.kept:
            for base in self.sources(name, frame):
                self.keep(base)
        return self.tapes.read(self.kept[name]) if name in self.kept else self.computed(site.stmt)

    def keep(self, name):
        """Keep a stable name of a loop; the name of its tape."""
        site = self.blocks.sites[name][0]
        where = self.patches.after(site.block, site.position)
        self.kept[name] = self.tapes.keep(name, site.block, where, self.builder.hints.get(name, name))
        return self.kept[name].name

    def sources(self, name, frame):
        """What to keep for a value: the arrays that it is computed from cheaply, where they are hardly larger, for other values are
        likely to come from them too; else the value itself."""
        found = self.missing(name, frame, {})
        sizes = [self.builder.avals[n].shape for n in (name, *found)]
        if any(None in shape or not shape for shape in sizes):
            return [name]
        own, *others = [int(np.prod(shape)) for shape in sizes]
        return found if 4 * sum(others) <= 5 * own else [name]

    def missing(self, name, frame, seen):
        """The stable names of loops from which a value could be computed cheaply if they were kept (the name itself: it cannot)."""
        if name in seen:
            return seen[name]
        site = self.blocks.sites[name][0]
        stmt, found = site.stmt, {}
        seen[name] = [name]
        if not isinstance(stmt, Apply) or not is_cheap(stmt.op, stmt.args) or not self.is_decided(name):
            return [name]
        for atom in filter(is_name, stmt.args):
            if self.is_at_hand(atom, site, frame, {}):
                continue
            if self.blocks.is_versioned(atom) or atom in self.tape_names:
                return [name]
            found.update(dict.fromkeys(self.missing(atom, self.frames.of_block(self.blocks.home[atom]) or frame, seen)))
        seen[name] = list(found)
        return seen[name]

    def computed(self, stmt):
        """A statement of the primal part again, at the present state."""
        if isinstance(stmt, Move):
            name = self.sweep.fresh_like(stmt.target)
            self.builder.add(Move(name, self.find(stmt.source)))
            return name
        args = [self.find(a) for a in stmt.args]
        hint = self.builder.hints.get(stmt.target, stmt.target)
        weak = self.builder.avals[stmt.target].weak and all(self.builder.aval(a).weak for a in args)
        value = self.builder.emit(stmt.op, [self.sweep.ref(a) for a in args], stmt.params, hint, weak)
        return self.sweep.protect(self.sweep.atom(value))

    def is_revivable(self, name, frame, seen):
        """Whether the value of a stable name of a loop can be computed again, cheaply and without a new tape."""
        if name not in seen:
            seen[name] = False
            site = self.blocks.sites[name][0]
            stmt = site.stmt
            if isinstance(stmt, Move) or (isinstance(stmt, Apply) and is_cheap(stmt.op, stmt.args) and self.is_decided(name)):
                atoms = stmt.args if isinstance(stmt, Apply) else [stmt.source]
                seen[name] = all(self.is_at_hand(a, site, frame, seen) for a in atoms if is_name(a))
        return seen[name]

    def is_decided(self, name):
        """Whether computing a value again gives the very same one where a branch may hang on it: compiled code may round a copy of an
        operation on floats differently, and a test that turns out otherwise would read what no round has written."""
        if self.builder.avals[name].shape or self.builder.avals[name].dtype != np.bool_:
            return True
        stmt = self.blocks.sites[name][0].stmt
        return not isinstance(stmt, Apply) or not any(self.is_rounded(a) for a in stmt.args if is_name(a))

    def is_rounded(self, name, depth=0):
        """Whether a float may be rounded in more than one way: a sum of products, or a function such as exp."""
        stmt = self.blocks.sites[name][0].stmt
        if not isinstance(stmt, Apply) or not stmt.op.elementwise or stmt.op.masking or not is_floating(self.builder.avals[name].dtype):
            return False
        names = list(filter(is_name, stmt.args))
        made = [self.blocks.sites[a][0].stmt for a in names]
        products = any(isinstance(s, Apply) and s.op.impl is np.multiply for s in made)
        if stmt.op.impl not in ROUNDED_ONCE or depth > 8 or products and stmt.op.impl in (np.add, np.subtract):
            return True
        return any(self.is_rounded(a, depth + 1) for a in names)

    def is_at_hand(self, name, site, frame, seen):
        """Whether `name` has, at the state of `frame`, the value that the statement at `site` saw."""
        if name in self.tape_names:
            return self.blocks.home[name].loop is None or self.frames.find("env", name) not in (None, UNBOUND)
        if self.blocks.is_versioned(name):
            same = frame.block is site.block and not any(self.changes(p, name, site) for p in frame.block.rebinds.get(name, ())
                                                         if site.position < p < frame.state)
            return same and self.frames.find("env", name) is not UNBOUND
        home = self.blocks.home[name]
        if home.loop is None or name in self.kept or self.frames.find("env", name) or self.frames.find("memo", name):
            return True
        return self.is_revivable(name, self.frames.of_block(home) or frame, seen)

    def changes(self, position, name, site):
        """Whether the statement at a position of a block may change what that at `site` has read of an array."""
        stmt, read = site.block.stmts[position], site.stmt
        if not isinstance(stmt, Update) or not isinstance(read, Apply) or not read.op.gather or read.args.count(name) != 1:
            return True
        return read.args[0] != name or not self.places.is_apart(stmt, read.params["index"], read.args[1:])

    # undoing --------------------------------------------------------------------------
    def restore_locals(self, frame):
        """At the end of a block in a loop: the last versions of the versioned names that live in it."""
        for name in self.locals.get(frame.block, ()):
            block, position = self.blocks.last_binding(frame.block, name)
            if in_head(block, position) and block is not frame.block:
                frame.env[name] = UNBOUND
                continue
            where = self.patches.after(block, position)
            kept = self.tapes.keep(name, block, where, self.builder.hints.get(name, name))
            frame.env[name] = self.tapes.read(kept)

    def undo_update(self, stmt, block, position):
        """Put the overwritten elements back. A tape that grows stays as it is: its entries are not overwritten."""
        name = stmt.target
        env = self.frames.inner.env
        if name in self.tape_names:
            return
        if in_head(block, position):
            env[name] = UNBOUND
            return
        if self.frames.find("env", name) is UNBOUND:
            return
        self.note_stored(stmt, self.frames.inner)
        template, args = self.without_masks(stmt)
        where = self.patches.before(block, position)
        hint = self.builder.hints.get(name, name)
        with self.builder.nested(where):
            old = self.builder.emit(TABLE["getitem"], [self.sweep.ref(a) for a in (name, *args)], {"index": template}, hint)
        kept = self.tapes.keep(self.sweep.atom(old), block, where, hint)
        atoms = tuple(self.find(a) for a in args)
        restored = self.builder.add(Update(self.find(name), template, atoms, self.tapes.read(kept)))
        if template is stmt.index and restored.target == name:
            self.undone.append(Undone(stmt, self.builder.defined[old.storage.name], restored))

    def note_stored(self, stmt, frame):
        """The stored value is still in the array: it is read there, rather than kept or computed again."""
        index, value = stmt.index, stmt.value
        if stmt.mode != "set" or not self.is_wanted(value):
            return
        aval, args = self.builder.avals[stmt.target], [self.builder.aval(a) for a in stmt.args]
        if templates.is_advanced(index, args) or templates.result_shape(index, aval.shape, args) != self.builder.avals[value].shape:
            return
        if self.builder.avals[value] == Aval(self.builder.avals[value].shape, aval.dtype):
            operands = [self.sweep.ref(self.find(a)) for a in (stmt.target, *stmt.args)]
            stored = self.builder.emit(TABLE["getitem"], operands, {"index": index}, self.builder.hints.get(value, value))
            frame.memo[value] = self.sweep.protect(self.sweep.atom(stored))

    def is_wanted(self, atom):
        """Whether a stable value of a loop is not at hand yet."""
        if not is_name(atom) or self.blocks.is_versioned(atom) or self.blocks.home[atom].loop is None:
            return False
        return not (self.frames.find("memo", atom) or self.frames.find("env", atom))

    def without_masks(self, stmt):
        """The index of an Update with whole axes in place of a mask, whose extent would not be known."""
        masks = [e for e in stmt.index if isinstance(e, Hole) and self.builder.aval(stmt.args[e.position]).dtype == bool]
        if not masks:
            return stmt.index, stmt.args
        arrays = [e for e in stmt.index if isinstance(e, Hole)]
        if len(arrays) > len(masks):
            return (slice(None),) * len(self.builder.avals[stmt.target].shape), ()
        template, args = [], []
        for entry in stmt.index:
            if isinstance(entry, Hole):
                template.extend([slice(None)] * len(self.builder.aval(stmt.args[entry.position]).shape))
            elif hasattr(entry, "position"):
                template.append(entry._replace(position=len(args)))
                args.append(stmt.args[entry.position])
            else:
                template.append(entry)
        return tuple(template), tuple(args)

    def undo_move(self, stmt, block, position):
        """The version of the target before a Move; none if it was not bound."""
        name, frame = stmt.target, self.frames.inner
        if not self.blocks.is_versioned(name):
            return
        present = self.frames.find("env", name)
        if self.is_wanted(stmt.source) and present not in (None, UNBOUND):
            frame.memo[stmt.source] = present
        if in_head(block, position) or not self.is_bound_before(name, block, position):
            frame.env[name] = UNBOUND
            return
        only = block.is_loop and block.rebinds[name] == [position]
        where = self.patches.start(block) if only else self.patches.before(block, position)
        kept = self.tapes.keep(name, block, where, self.builder.hints.get(name, name))
        frame.env[name] = self.tapes.read(kept)

    def is_bound_before(self, name, block, position):
        """Whether a versioned name is bound where a statement stands, whichever way was taken to it. In a branch, an earlier `if` of the
        same test has taken the same side."""
        home, taken = self.blocks.home[name], set()
        while True:
            if any(p < position and self.binds_at(name, block, p, taken) for p in block.rebinds.get(name, ())):
                return True
            if block is home:
                return any(s.stmt is None for s in self.blocks.sites[name])
            if isinstance(block.owner, If) and not self.blocks.is_versioned(block.owner.test):
                taken.add(self.blocks.side(block))
            block, position = block.parent, block.position

    def binds_at(self, name, block, position, taken):
        """Whether the statement at a position binds a name for sure; `taken`: the sides of tests that are taken, see `Blocks.side`."""
        stmt = block.stmts[position] if position >= 0 else None
        if stmt is None or name in targets(stmt):
            return True
        return isinstance(stmt, If) and all(
            (stmt.test, 1 - k) in taken or any(self.binds_at(name, side, p, taken) for p in side.rebinds.get(name, ()))
            for k, side in enumerate(self.blocks.inner[id(stmt)]))
