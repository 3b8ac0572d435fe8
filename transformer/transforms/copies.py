"""Insert the copies that NumPy needs where Core has values: exactly where a value would change by a store into memory it shares.

Before:                              After:
    v = A[1]                             v = A[1].copy()
    A[1] = 0.0                           A[1] = 0.0
    return A, v                          return A, v

Memory is followed forwards: every statement that makes an array is a site, and each name has the set of sites it may refer to,
the latest object of a site apart from older ones (of earlier rounds of a loop). A store conflicts with every name that is live after it and
may refer to the same site. The definition that made the two share memory then gets a copy, and the analysis runs again.
"""

from collections import defaultdict
from contextlib import contextmanager

import numpy as np

from ..analysis.aliases import READ_ONLY, memory_groups, shaped, source_of, tapes
from ..core import Apply, For, If, Move, Program, Update, While, blocks, is_name, walk
from ..ops.op import TABLE, Op
from ..printing.literals import is_spelled_out
from ..printing.liveness import Liveness, members

COPY = Op("copy", np.copy, lambda x: x, lambda hlo, out, x: x, notation=lambda x: "{0}.copy()", linear="jointly")


def copies(program, own_params=True):
    """The program with explicit copies, so that it means on NumPy what it means in Core.

    own_params: stores must not reach the caller's arrays (else a parameter that is stored into is the caller's array).
    """
    groups = relevant(program)
    marked = settle(program, groups, own_params) if groups else set()
    for definition in sorted(marked, key=lambda d: str(getattr(d, "target", d))) if len(marked) <= 24 else ():
        fewer = marked - {definition}
        if not Memory(program, groups, fewer, own_params).conflicts():
            marked = fewer
    program = own_outputs(insert(program, marked) if marked else program)
    return separate_outputs(program, marked) if own_params else program


def own_outputs(program):
    """Outputs that are read-only or module-level arrays become arrays of their own."""
    chain = {}
    for stmt in walk(program.body):
        source = source_of(stmt, program, ()) if isinstance(stmt, Apply | Move) else None
        chain.setdefault(getattr(stmt, "target", None), []).append((stmt, source))
    shared = {k for k, a in enumerate(program.outputs) if is_name(a) and not_own(a, chain)}
    spread = {k: chain[program.outputs[k]][0][0] for k in shared if is_spread_number(chain.get(program.outputs[k], ()), program)}
    return copy_outputs(insert(program, set(spread.values())) if spread else program, shared - spread.keys())


def is_spread_number(definitions, program):
    """Whether a name is bound once, to a number at all places of an array."""
    return len(definitions) == 1 and fills(definitions[0][0], program)


def fills(stmt, program):
    return isinstance(stmt, Apply) and stmt.op is TABLE["broadcast_to"] and program.aval(stmt.args[0]).shape == () and None not in program.avals[stmt.target].shape


def separate_outputs(program, marked):
    """No output is an argument or a part of one, nor another output or a part: what a caller stores into it shows nowhere else.

    marked: among them the parameters that are copied at the start. Two parts of an array count as apart, as long as neither is the whole.
    """
    sources, wholes = defaultdict(list), defaultdict(list)
    for stmt in unlooped(program.body):
        if isinstance(stmt, Apply | Move):
            source = source_of(stmt, program, ())
            sources[stmt.target].append(source)
            if isinstance(stmt, Move) or stmt.op is not TABLE["getitem"]:
                wholes[stmt.target].append(source)
    arguments = looped_arguments(program)
    shared, taken, parts = set(), {p for p in program.params if p not in marked and shaped(p, program)}, set()
    for position, atom in enumerate(program.outputs):
        if is_name(atom) and shaped(atom, program):
            found, whole = reached(atom, sources), reached(atom, wholes)
            if atom in arguments or not taken.isdisjoint(found) or not parts.isdisjoint(whole):
                shared.add(position)
            else:
                taken |= whole
                parts |= found
    return copy_outputs(program, shared)


def looped_arguments(program):
    """The names of a program with loops that may refer to memory of its parameters at the end."""
    if not any(isinstance(s, For | While) for s in walk(program.body)):
        return set()
    groups = memory_groups(program)
    near = {groups[p] for p in program.params if p in groups}
    groups = {name: group for name, group in groups.items() if group in near}
    return Memory(program, groups, set(), True).arguments() if not groups.keys().isdisjoint(program.outputs) else set()


def unlooped(stmts):
    """The statements outside of loops."""
    for stmt in stmts:
        yield stmt
        if isinstance(stmt, If):
            for block in blocks(stmt):
                yield from unlooped(block)


def reached(name, sources):
    """The names whose memory a name may refer to, with itself."""
    found, work = set(), [name]
    while work:
        name = work.pop()
        if name is not None and name not in found:
            found.add(name)
            work.extend(sources.get(name, ()))
    return found


def copy_outputs(program, positions):
    """The program with copies of the outputs at these positions."""
    avals, hints = dict(program.avals), dict(program.hints)
    maker, outputs, extra = Inserter(avals, hints, set(), program), list(program.outputs), []
    for position in sorted(positions):
        atom = outputs[position]
        if avals[atom].shape != ():
            outputs[position] = maker.fresh(atom)
            extra.append(Apply(outputs[position], COPY, (atom,), {}))
    if not extra:
        return program
    p = program
    return Program(p.name, list(p.params), [*p.body, *extra], outputs, avals, hints, set(p.counters))


def not_own(name, chain):
    """Whether a name may refer to a broadcast or to a module-level constant."""
    seen, work = set(), [name]
    while work:
        name = work.pop()
        for stmt, source in chain.get(name, ()) if name not in seen else ():
            shared = isinstance(stmt, Apply) and (stmt.op.name in READ_ONLY or is_module_level(stmt))
            if shared:
                return True
            work.append(source)
        seen.add(name)
    return False


def is_module_level(stmt):
    return stmt.op.name == "constant" and not is_spelled_out(stmt.params["value"])


def relevant(program):
    """The memory groups in which something is stored; each name -> group."""
    groups = memory_groups(program)
    for name in [*program.params, *(s.target for s in walk(program.body) if isinstance(s, Update))]:
        groups.setdefault(name, name)
    stored = {groups[s.target] for s in walk(program.body) if isinstance(s, Update) and program.avals[s.target].shape != ()}
    return {n: g for n, g in groups.items() if g in stored}


def settle(program, groups, own_params):
    """The definitions that need a copy: statements, and names of parameters."""
    marked = set()
    while True:
        memory = Memory(program, groups, marked, own_params)
        found = memory.conflicts()
        if not found:
            return marked
        chosen = {d for conflict in found for d in memory.choose(*conflict)} - marked
        if not chosen:
            raise AssertionError(f"{program.name}: stores that no copy separates: {found}")
        marked |= chosen


CALLER = "<caller>"


class Memory:
    """One forward analysis: which sites each name may refer to, given the definitions that copy already."""

    def __init__(self, program, groups, marked, own_params):
        self.program, self.groups, self.marked, self.own_params = program, groups, marked, own_params
        self.lists = tapes(program)
        self.live, self.found = {}, {}
        self.names, self.sharing = list(groups), defaultdict(int)
        for position, name in enumerate(self.names):
            self.sharing[groups[name]] |= 1 << position
        self.flows, self.takers, self.read_only = defaultdict(list), defaultdict(list), set()
        self.heads = {}
        self.again = False
        self.state, self.journals = {}, []
        self.holders = defaultdict(set)
        self.depths, self.owners = {}, {}
        self.measure(program.body, 0)

    def measure(self, stmts, depth):
        """The number of loops around each statement, and the name that each site is made for."""
        for stmt in stmts:
            self.depths[id(stmt)] = depth
            self.owners[id(stmt)] = getattr(stmt, "target", None)
            for block in blocks(stmt):
                self.measure(block, depth + (not isinstance(stmt, If)))

    def conflicts(self):
        """(stored name, other name, site) for every store that would change a value that is still to be read."""
        Liveness(self.note, positions={n: k for k, n in enumerate(self.names)}).program(self.program)
        self.follow()
        return list(self.found)

    def arguments(self):
        """The names that may refer to memory of the caller at the end."""
        self.follow()
        return {name for name, sites in self.state.items() if any(kind == "param" for kind, _ in sites)}

    def follow(self):
        """Go through the program until loops bring no new sites."""
        while True:
            self.again, self.state, self.holders = False, {}, defaultdict(set)
            for param in self.program.params:
                if param in self.groups:
                    self.point(param, {("param", param) if param not in self.marked else ("own", param)})
            self.block(self.program.body)
            if not self.again:
                return

    def note(self, stmt, live):
        if isinstance(stmt, Update) and stmt.target in self.groups:
            self.live[id(stmt)] = [self.names[k] for k in members(live & self.sharing[self.groups[stmt.target]])]

    # state: name -> frozenset of sites -------------------------------------------------
    def point(self, name, sites):
        for journal in self.journals[-1:]:
            journal.setdefault(name, self.state.get(name, frozenset()))
        before, after = self.state.get(name, frozenset()), frozenset(sites)
        self.state[name] = after
        for site in before - after:
            self.holders[site].discard(name)
        for site in after - before:
            self.holders[site].add(name)

    def new_site(self, site):
        """Objects made here before become older ones."""
        for name in list(self.holders[site, "new"]):
            self.point(name, {(site, "old") if s == (site, "new") else s for s in self.state[name]})
        return site, "new"

    def block(self, stmts):
        for stmt in stmts:
            if isinstance(stmt, Apply | Move):
                self.bind(stmt)
            elif isinstance(stmt, Update):
                self.store(stmt)
            elif isinstance(stmt, If):
                self.branch(stmt)
            elif isinstance(stmt, For | While):
                self.loop(stmt)

    def bind(self, stmt):
        if stmt.target not in self.groups:
            return
        source = source_of(stmt, self.program, self.lists)
        shares = source is not None and source in self.groups and stmt not in self.marked
        if shares:
            self.flow(stmt, source)
            self.point(stmt.target, self.state.get(source, ()))
        elif isinstance(stmt, Apply) and is_module_level(stmt) and stmt not in self.marked:
            self.flow(stmt, CALLER)
            self.point(stmt.target, {("module", stmt.target)})
        else:
            self.point(stmt.target, {self.new_site(id(stmt))})

    def flow(self, stmt, source):
        entry = stmt, source
        if entry not in self.flows[stmt.target]:
            self.flows[stmt.target].append(entry)
            self.takers[source].append(stmt.target)
            if source in self.read_only or isinstance(stmt, Apply) and stmt.op.name in READ_ONLY:
                self.mark_read_only(stmt.target)

    def mark_read_only(self, name):
        """A name may refer to a broadcast array, as may all names that take its value."""
        work = [name]
        while work:
            name = work.pop()
            if name not in self.read_only:
                self.read_only.add(name)
                work.extend(self.takers[name])

    def store(self, stmt):
        if stmt.target not in self.groups or self.program.avals[stmt.target].shape == ():
            return
        sites = self.state.get(stmt.target, frozenset())
        if stmt.target in self.lists:
            sites = {s for s in sites if s[0] in self.list_sites()}
            source = source_of(stmt, self.program, self.lists)
            if source in self.groups and stmt not in self.marked:
                self.flow(stmt, source)
                self.point(stmt.target, self.state[stmt.target] | self.state.get(source, frozenset()))
        for other in self.live.get(id(stmt), ()):
            if other != stmt.target:
                for site in sites & self.state.get(other, frozenset()):
                    self.found[stmt.target, other, site] = None
        for site in sites:
            if site[0] == "module" or (site[0] == "param" and self.own_params):
                self.found[stmt.target, CALLER, site] = None
        if stmt.target in self.read_only:
            self.found[stmt.target, CALLER, "read-only"] = None

    def list_sites(self):
        if not hasattr(self, "made"):
            self.made = {id(s) for s in walk(self.program.body) if isinstance(s, Apply) and s.target in self.lists}
        return self.made

    @contextmanager
    def journal(self):
        """Gives the sites that names had before, for those that change inside of the `with`."""
        before = {}
        self.journals.append(before)
        yield before
        self.journals.pop()
        for outer in self.journals[-1:]:
            for name, sites in before.items():
                outer.setdefault(name, sites)

    def branch(self, stmt):
        with self.journal() as before:
            self.block(stmt.body)
        after = {name: self.state[name] for name in before}
        for name, sites in before.items():
            self.point(name, sites)
        with self.journal() as before:
            self.block(stmt.orelse)
        self.merge({**before, **after})

    def merge(self, other):
        """The union of the state with another one, given for the names that differ."""
        for name, sites in other.items():
            have = self.state.get(name, frozenset())
            if not sites <= have:
                self.point(name, have | sites)

    def loop(self, stmt):
        self.merge(self.heads.get(id(stmt), {}))
        with self.journal() as entry:
            if isinstance(stmt, While):
                self.block(stmt.head)
            with self.journal() as leave:
                self.block(stmt.body)
        back = {n: self.state[n] for n, sites in entry.items() if not self.state[n] <= sites}
        if back:
            self.again = True
            head = self.heads.setdefault(id(stmt), {})
            for name, sites in back.items():
                head[name] = head.get(name, frozenset()) | sites
        if not surely_runs(stmt):
            self.merge(leave)

    # resolution -----------------------------------------------------------------------
    def choose(self, stored, other, site):
        """The definitions that are to copy so that `stored` and `other` no longer share `site`."""
        if other != CALLER and other != stored and self.reaches(other, stored) and not self.reaches(stored, other):
            return self.last_flows(other)
        own = self.last_flows(stored)
        if own:
            return self.outer(own, stored, other, site)
        if other == CALLER or self.program.params and stored in self.program.params and site == ("param", stored):
            return [stored]
        return self.last_flows(other) or ([stored] if stored in self.program.params else [])

    def outer(self, own, stored, other, site):
        """The definitions that first hand the memory on towards `stored`, if they stand in fewer loops than `own`."""
        owner = site[1] if site[0] == "param" else self.owners.get(site[0])
        if owner is None or owner == stored or other not in (CALLER, owner):
            return own
        first = [stmt for target in list(self.flows) if target == stored or self.reaches(stored, target)
                 for stmt, source in self.flows[target] if source == owner and stmt not in self.marked]
        depth = max((self.depths[id(s)] for s in first), default=len(self.depths))
        return first if depth < max(self.depths[id(s)] for s in own) else own

    def last_flows(self, name):
        return [stmt for stmt, _ in self.flows[name] if stmt not in self.marked]

    def reaches(self, name, root):
        """Whether `name` refers to memory by way of `root`."""
        seen, work = set(), [name]
        while work:
            name = work.pop()
            for _, source in self.flows[name]:
                if source == root:
                    return True
                if source not in seen:
                    seen.add(source)
                    work.append(source)
        return False


def surely_runs(stmt):
    """Whether a loop has at least one round."""
    return isinstance(stmt, For) and not is_name(stmt.lo) and not is_name(stmt.hi) and len(range(int(stmt.lo), int(stmt.hi), stmt.step)) > 0


def insert(program, marked):
    """The program with the marked definitions copying."""
    avals, hints = dict(program.avals), dict(program.hints)
    maker = Inserter(avals, hints, marked, program)
    body = [line for p in program.params if p in marked for line in maker.own(p)] + maker.block(program.body)
    p = program
    return Program(p.name, list(p.params), body, list(p.outputs), avals, hints, set(p.counters))


class Inserter:
    def __init__(self, avals, hints, marked, program):
        self.avals, self.hints, self.marked, self.program = avals, hints, marked, program
        self.number = 0

    def fresh(self, name):
        self.number += 1
        new = f"{name}_copy_{self.number}"
        while new in self.avals:
            new += "_"
        self.avals[new], self.hints[new] = self.avals[name], "copy"
        return new

    def own(self, param):
        """`x = x.copy()` for a parameter that is stored into."""
        new = self.fresh(param)
        return [Apply(new, COPY, (param,), {}), Move(param, new)]

    def block(self, stmts):
        return [line for stmt in stmts for line in self.stmt(stmt)]

    def stmt(self, stmt):
        if isinstance(stmt, If):
            return [If(stmt.test, self.block(stmt.body), self.block(stmt.orelse), stmt.origin)]
        if isinstance(stmt, For):
            return [For(stmt.index, stmt.lo, stmt.hi, stmt.step, self.block(stmt.body), stmt.origin)]
        if isinstance(stmt, While):
            return [While(self.block(stmt.head), stmt.test, self.block(stmt.body), stmt.counter, stmt.origin)]
        return self.copying(stmt) if stmt in self.marked else [stmt]

    def copying(self, stmt):
        if fills(stmt, self.program):
            aval = self.avals[stmt.target]
            return [Apply(stmt.target, TABLE["full"], (stmt.args[0],), {"shape": aval.shape, "dtype": aval.dtype}, stmt.origin)]
        if isinstance(stmt, Apply):
            new = self.fresh(stmt.target)
            return [Apply(new, stmt.op, stmt.args, stmt.params, stmt.origin), Apply(stmt.target, COPY, (new,), {}, stmt.origin)]
        source = stmt.value if isinstance(stmt, Update) else stmt.source
        new = self.fresh(source)
        copied = Apply(new, COPY, (source,), {}, stmt.origin)
        if isinstance(stmt, Update):
            return [copied, Update(stmt.target, stmt.index, stmt.args, new, stmt.mode, stmt.origin)]
        return [copied, Move(stmt.target, new, stmt.origin)]


__all__ = ["COPY", "copies"]
