"""The grammar of random programs: templates whose {holes} `generator.Generator` fills.

Names of kinds: s scalar, v vector of SIZE, m matrix of SIZE x SIZE, d array of 2 x SIZE x SIZE, y complex vector of SIZE, b vector of SIZE booleans,
q integer, p vector of SIZE integers, l index of a loop, all in range(SIZE) where they index; t container, f function; u, r, h, e arrays whose axes
differ in length (`uneven`). Further templates of the same kinds are in `idioms`. A hole is one of

    {s} {v} {m} {q} {p} {l}...   a name that can be read; a template with such a hole counts only where there is one
    {s=} {v=} {m=} {q=}       a name that can be stored into or bound again
    {s+} {v+}...              a new name, known from the next statement on; {s^} is the latest new one of the template;
                              {w+} is a counter, read like {q} and never stored into: loops end
    {S} {V} {M} {P} {U} {R}   an expression
    {B} {W}                   a condition; a vector of booleans
    {i}                       an index in range, maybe negative
    {c} {j} {z}               a number; an integer in range; a list of SIZE of them
    {block}                   statements, one level deeper
"""

SIZE = 4
KINDS = (*"svmdybqplurhe",)

HEADER = '''import collections
import dataclasses
import functools
import math
import numpy as np

TABLE = np.array([0.3, 0.9, 0.6, 0.2])
WEIGHTS = np.linspace(0.1, 0.9, 16).reshape(4, 4)
ORDER = np.array([2, 0, 3, 1])
OPTIONS = {"mode": "fast", "scale": 0.5, "steps": 3}
Pair = collections.namedtuple("Pair", "first second")


def helper(a, b):
    if a > b:
        return a * 0.5 + np.sin(b)
    return b - a * a * 0.25


def bump(a, w=0.3):
    a[1:] += w
    a[0] *= 0.5


def total(*parts, weight=0.5, **named):
    found = 0
    for part in parts:
        found += part * weight
    return found + sum(named.values())


def first_above(a, limit):
    for i in range(len(a)):
        if a[i] > limit:
            return a[i] * (1.0 + i)
    return limit * 0.5


def power(a, n):
    return 1.0 if n == 0 else a * power(a, n - 1)


def rooted(a):
    return np.where(a > 0.0, np.sqrt(abs(a)), 0.1)


def scaled(a, *, mode="slow", scale=OPTIONS["scale"]):
    if mode == "fast":
        return a * scale
    elif mode == "none":
        return a
    return np.tanh(a) + scale


def passed(fn, *args, **kwargs):
    return fn(*args, **kwargs)


def scaler(w):
    def inner(a, shift=0.0):
        return a * w + shift
    return inner


def counter(start):
    count = start

    def step(by):
        nonlocal count
        count = count * 0.5 + by
        return count
    return step


def upper(a):
    return a[1:]


def steps(a, limit):
    n = 0
    while a < limit:
        a = a * 1.5 + 0.1
        n += 1
        if n > 4:
            return a * 0.5, n
    return a, n


def position(a, value):
    for i, e in enumerate(a):
        if e <= value:
            continue
        return i
    return len(a) - 1


def climb(a, n):
    if n == 0 or a > 1.0:
        return a
    return climb(a * 1.5 + 0.1, n - 1) + 0.1 * n


@dataclasses.dataclass
class State:
    a: object
    s: float = 0.5

    def step(self, w):
        self.s = np.tanh(self.s + w)
        self.a[1] = self.s * 0.5
        return self.a[0] * self.s

    @property
    def size(self):
        return self.s * len(self.a)

    def __add__(self, other):
        return State(self.a + other.a, self.s + other.s)


'''

SCALARS = [
    "{s}", "{c}", "{v}[{i}]", "{m}[{i}, {i}]", "np.sum({v}) * 0.2", "np.max({v})", "np.mean({m})", "np.dot({v}, {v}) * 0.1", "{q} * 0.25",
    "np.linalg.norm({v})", "float({q})", "np.float64(0.5)", "{v}[{l}]", "np.sum({v}[:{l}])", "{v}[{l}:].sum()", "{m}[{l}, :{l}] @ {v}[:{l}]",
    "np.prod({v})", "{v}.min()", "np.trace({m}) * 0.2", "{v}[{p}[{i}]]", "np.sum({v}[{W}])", "np.var({v})", "len({v}) * 0.1", "{v}[{q} % 4]",
    "np.sum(np.where({W}, {v}, 0.0))", "np.ptp({v})", "np.einsum('ij,j->', {m}, {v}) * 0.1", "first_above({v}, {c})",
    "TABLE[{i}]", "WEIGHTS[{i}, {i}]", "OPTIONS['scale'] * {s}", "TABLE @ {v} * 0.2", "{y}[{i}].real", "np.abs({y}[{i}] + 3.0)",
    "np.vdot({y}, {y}).real * 0.1", "np.sum({y}.imag) * 0.2", "{d}[{q} % 2, {i}, {i}]", "np.sum({d}[0] * {m}) * 0.05", "{d}[..., {i}].sum() * 0.1",
    "np.sum({b}) * 0.1", "{p}.sum() * 0.1", "{p}[{i}] / 2", "{q} / 3", "{q} // 2 * 0.5", "{q} ** 2 * 0.05", "np.mean({p})", "np.median({v})",
    "np.linalg.det({m} * 0.1 + np.eye(4))", "np.trapezoid({v}) * 0.1", "{v} @ {m} @ {v} * 0.05", "np.argmax({v}) * 0.1", "{v}[np.argmin({v})]",
    "np.max({v}, initial=0.2)", "np.sum({v}, where={W})", "np.polyval([0.1, 0.2, {s}], {s})", "np.interp({s}, [0.0, 0.5, 1.0], {v}[:3])",
    "np.count_nonzero({W}) * 0.1", "len(np.flatnonzero({W})) * 0.1", "np.compress({W}, {v}).sum()",
    "np.searchsorted(np.sort({v}), {s}) * 0.1", "steps({s}, 0.8)[0]", "steps({s}, 0.8)[1] * 0.1", "position({v}, {s}) * 0.2", "climb({s}, 3) * 0.3",
    "{v}[position({v}, {s})]", "np.linalg.solve({m} @ {m}.T * 0.1 + np.eye(4), {v})[{i}]", "np.sum({v}[{l}::-1]) * 0.3", "np.max({v}[:{l} + 1])",
    "{m}[:{l}, {l}].sum()", "np.mean({v}[{l}:])", "{m}[{l}:, {l}] @ {v}[{l}:] * 0.2", "np.sum({m}[:{l} + 1, {l}:]) * 0.1",
    "{v}[-1 - {l}:].sum() * 0.2", "np.average({v}, weights=TABLE)",
]
SCALARS_OF = [
    "({S} + {S}) * 0.5", "({S} - {S})", "{S} * {S} * 0.5", "np.tanh({S})", "np.sin({S} + {S})", "np.exp(-({S}) ** 2)", "np.sqrt(1.0 + {S} ** 2)",
    "min({S}, {S})", "max({S}, {S})", "({S} if {B} else {S})", "abs({S})", "{S} / (2.0 + {S} ** 2)", "({S}) ** 2 * 0.3", "-{S}", "np.minimum({S}, 1.5)",
    "helper({S}, {S})", "total({S}, {S}, weight=0.25)", "total({S}, last={S})", "np.clip({S}, -1.0, 1.0)", "sum([{S}, {S}]) * 0.5", "power(np.tanh({S}), 3)",
    "np.sign({S}) * 0.5", "np.floor({S}) * 0.1", "np.log1p({S} ** 2)", "np.arctan2({S}, 1.5)", "np.hypot({S}, 0.5)", "(lambda a: a * {S})({c})",
    "np.where({B}, {S}, {S})", "np.float64({S})", "rooted({S})",
    "scaled({S}, mode='fast')", "scaled({S}, mode=OPTIONS['mode'])", "passed(helper, {S}, {S})", "passed(total, {S}, {S}, weight=0.3)",
    "scaler({S})({S}, shift=0.1)", "total(*[{S}, {S}], **{{'weight': 0.25, 'last': {S}}})",
    "functools.reduce(lambda a, e: a * 0.5 + e, [{S}, {S}, {S}])", "math.sin({S})", "math.exp(-abs({S}))", "max([{S}, {S}, {S}])", "({S}) % 0.7",
    "np.logaddexp({S}, {S})", "np.expm1({S} * 0.1)", "np.where({B}, np.where({B}, {S}, {S}), {S})", "({B}) * {S}", "[{S}, {S}][{q} % 2]",
    "sorted([{S}, {S}])[0]", "(lambda a, b={S}: a - b)({S})", "abs({S} + 1j * {c})", "np.fmax({S}, {S})", "np.cos({S}) if {B} else {S}",
]
VECTORS = [
    "{v}", "{v}[::-1]", "np.sort({v})", "np.cumsum({v}) * 0.2", "{v}.copy()", "{m}[{i}]", "{m}[:, {i}]", "{m} @ {v} * 0.2", "{v}[{P}]", "np.diag({m})",
    "{m}.sum(axis=0) * 0.2", "np.max({m}, axis=1)", "np.mean({m}, axis=-1)", "{m}[{P}, {P}]", "{p} * 0.3", "np.array([{s}, {s}, {c}, {s}])", "{m}.ravel()[::4]",
    "np.linspace(0.0, 1.0, 4)", "np.full(4, {s})", "np.arange(4) * {s}", "np.take({v}, {P})", "{v}.reshape(2, 2).T.ravel()", "np.diff({v}, append=0.5)",
    "np.array([{s} * e for e in {v}])", "{m}[np.arange(4), {P}]", "np.cumprod(np.tanh({v}))",
    "TABLE", "TABLE * {s}", "WEIGHTS @ {v} * 0.3", "{v}[ORDER]", "{y}.real", "{y}.imag", "np.abs({y} + 3.0)", "np.fft.ifft({y}).real",
    "{d}[{q} % 2, {i}]", "{d}[0, :, {i}]", "{d}.max(axis=(0, 2))", "np.einsum('aij,j->i', {d}, {v}) * 0.1", "({d} @ {v}).sum(axis=0) * 0.1",
    "{b} * 0.5", "np.where({b}, {v}, {s})", "{p} / 4", "{p} // 2 * 0.5", "{p} ** 2 * 0.1", "{v}[::-1][[0, 2, 1, 3]]", "np.flip({v})",
    "np.repeat({v}[:2], 2)", "np.tile({v}[1:3], 2)", "np.pad({v}[1:3], 1)", "np.gradient({v})", "np.convolve({v}, {v}[:2], 'same') * 0.3",
    "np.bincount({P}, weights={v}, minlength=4)", "np.take_along_axis({v}, {P}, axis=0)", "np.append({v}[1:], {s})",
    "np.delete(np.append({v}, {s}), {j})", "np.array([np.sum({v}[:j + 1]) for j in range(4)]) * 0.2",
    "np.array([row @ {v} for row in {m}]) * 0.2", "np.linalg.solve({m} * 0.05 + np.eye(4), {v})", "np.r_[{v}[2:], {s}, {s}]",
    "np.r_[{v}[:{l}], {v}[{l}:]]", "np.concatenate([{v}[{l}:], {v}[:{l}]])", "np.apply_along_axis(np.sum, 0, {m}) * 0.2", "{m}[::-1].diagonal()",
    "{m}[{i}, ::-1]", "{m}.T[{i}]", "{m}.flat[::5]", "np.cumsum({v}[::-1])[::-1] * 0.2", "np.full_like({v}, {s})", "np.zeros_like({v})",
    "np.ones(4)", "{m}.mean(axis=1) - {v}", "np.split({m}.ravel(), 4)[1]",
]
VECTORS_OF = [
    "({V} + {V}) * 0.5", "{V} * {V} * 0.5", "np.tanh({V})", "np.where({V} > {V}, {V}, {S})", "{V} * {S}", "np.maximum({V}, {V})", "np.sin({V}) + {S}",
    "np.concatenate([{V}[2:], {V}[:2]])", "np.roll({V}, 1)", "np.where({W}, {V}, {V} * 0.5)", "np.exp(-{V} ** 2)", "np.stack([{V}, {V}]).mean(axis=0)",
    "{V} / (2.0 + {V} ** 2)", "np.clip({V}, 0.2, {c} + 0.5)", "-{V}", "np.add.accumulate({V}) * 0.2", "np.outer({V}, {V})[{i}]",
    "np.hstack([{V}[:1], {V}[1:]])",
    "np.where({W}, np.where({W}, {V}, {S}), {V})", "np.select([{W}, {W}], [{V}, {V}], 0.3)", "np.choose({P} % 2, [{V}, {V}], mode='clip')", "({V} > {S}) * {V}",
    "scaled({V}, mode='fast')", "scaled({V})", "scaler({V})({V})", "np.fmin({V}, {S})",
    "np.piecewise({V}, [{W}, {W}], [0.5, lambda a: a * 0.5, 0.2])", "({V} if {B} else {V})", "np.broadcast_to({S}, (4,)) * {V}",
    "np.abs({V} + 1j * {V} + 3.0)", "np.mod({V}, 0.7)", "np.nan_to_num({V})", "np.add({V}, {V}, where={W}, out={V} * 1.0)",
    "functools.reduce(np.maximum, [{V}, {V}, {V}])",
]
MATRICES = [
    "{m}", "{m}.T", "np.outer({v}, {v}) * 0.3", "{m} @ {m} * 0.2", "{v}[:, None] + {v}", "{m}[::-1]", "np.tanh({m})", "{m} * {v}", "np.triu({m})", "{m}[{P}]",
    "np.eye(4) * {s}", "np.where({m} > {s}, {m}, 0.5)", "{m}.reshape(2, 8).reshape(4, 4)", "np.stack([{v}, {v}, {v}, {v}], axis=1)",
    "np.cumsum({m}, axis=1) * 0.2",
    "np.sort({m}, axis=0)", "{m} - {m}.mean(axis=1, keepdims=True)", "{m}[:, ::-1].copy()", "np.zeros((4, 4))", "np.linalg.inv({m} @ {m}.T * 0.1 + np.eye(4))",
    "np.multiply.outer({v}, {v}) * 0.3",
    "WEIGHTS", "WEIGHTS * {s}", "{d}[0]", "{d}[-1].T", "{d}.sum(axis=0) * 0.4", "np.einsum('aij,ajk->ik', {d}, {d}) * 0.05", "({d} @ {m})[1] * 0.2",
    "np.swapaxes({d}, 0, 1)[:, 1]", "np.tensordot({d}, {d}, axes=([0, 2], [0, 2])) * 0.05", "np.moveaxis({d}, 0, -1)[..., 1]",
    "np.kron({m}[:2, :2], {m}[2:, 2:]) * 0.3", "np.block([[{m}[:2, :2], {m}[:2, 2:]], [{m}[2:]]])", "np.roll({m}, 1, axis=0)",
    "np.where({W}[:, None], {m}, {m}.T)", "np.where({W}, {v}[:, None], {m})", "np.einsum('ij,kj->ik', {m}, {m}) * 0.1", "np.diag({v})",
    "np.tril({m}) @ {m}.T * 0.1", "np.vstack([{m}[1:], {v}])", "np.linalg.solve({m} * 0.05 + np.eye(4), {m})", "{m}[ORDER][:, ORDER]",
    "{m}[::2].repeat(2, axis=0)", "np.array([[{s}, {s}], [{c}, {s}]]).repeat(2, 0).repeat(2, 1)", "np.flipud({m})",
    "np.array([{v} * e for e in {v}]) * 0.5", "np.array([[{v}[i] + e for e in {v}] for i in range(4)]) * 0.3",
    "np.linalg.cholesky({m} @ {m}.T * 0.1 + np.eye(4))", "np.take_along_axis({m}, {P}[:, None] * np.ones((1, 4), int), axis=1)",
    "np.atleast_2d({v}) * {v}[:, np.newaxis]", "np.meshgrid({v}, {v})[0]", "np.maximum.outer({v}, {v})",
]
INTEGERS = [
    "np.array({z})", "{p}", "np.argsort({v})", "np.arange(4)", "{p}[::-1]", "({p} + {q}) % 4", "{p}[{p}]",
    "ORDER", "(np.arange(4) * {j}) % 4", "np.where({W}, {p}, {j})", "{p}.copy()", "np.clip({p} - 1, 0, 3)", "np.searchsorted(np.sort({v})[:3], {v})",
    "({v} > {s}).astype(int)", "np.cumsum({b}) % 4",
]
INDICES = [
    "{j}", "-1 - {j}", "{l}", "({l} + {j}) % 4", "3 - {l}", "{q} % 4", "-1 - {l}",
    "max({l} - 1, 0)", "min({q}, 3)", "{p}[{l}]", "ORDER[{l}]", "{l} // 2",
]
CONDITIONS = [
    "{s} > {s}", "{s} < 0.6", "{v}[{i}] > {s}", "{s} > 0.3 and {v}[{i}] < 1.2", "not {s} > {c}", "{s} < 0.2 or {s} > 0.9", "{l} % 2 == 0", "{q} > 1",
    "0.2 < {s} < 0.9", "{l} != 2", "np.any({W})", "np.all({W})",
    "{b}[{i}]", "{b}.any()", "{p}[{i}] > 1", "any(e > {s} for e in {v})", "all(e > {s} for e in {v})", "{q} in (1, 3)", "np.allclose({v}, {s})",
    "{m}[{i}, {i}] > {v}[{i}]", "{l} in (0, 3)", "{v}[{l}] > {s}", "{s} > {c} and not {v}[{i}] > 0.5", "bool({s} > {c})", "np.isfinite({s})",
    "OPTIONS['mode'] == 'fast'", "{l} > {q}", "{s} > {c} or {l} == 1", "{v}.sum() > {c}", "{d}[0, {i}, {i}] > {s}",
]
MASKS = [
    "{v} > {s}", "{v} < {c}", "{p} > 1", "({v} > 0.4) & ({v} < 1.2)", "~({v} > {s})",
    "{b}", "{b} & ({v} > {c})", "~{b}", "np.logical_or({b}, {v} > {s})", "{m}[{i}] > {s}", "np.arange(4) < {q}", "np.arange(4) < {l}",
    "{v} == np.max({v})", "np.isfinite({v})", "{p} == {q}", "np.array([True, False, True, {B}])", "{v} > {v}[::-1]", "np.arange(4) % 2 == {j}",
]

SIMPLE = [
    # bindings
    "{s+} = {S}", "{v+} = {V}", "{m+} = {M}", "{v+} = {V} * 1.0", "{p+} = {P}", "{q+} = {j}", "{s+}, {s+} = {S}, {S}", "{v+}, {s+} = {V}, {S}",
    "{s=} = np.sin({S})", "{s=} += {S} * 0.3", "{s=} *= 0.5 + 0.1 * {s}", "{q=} += 1", "{q=} = {q} + (1 if {B} else 2)", "{q=} = ({q} * 3 + 1) % 5",
    "{v=} = np.tanh({V})", "{v=} += {V} * 0.2", "{v=} *= 0.7", "{v=} -= {S} * 0.1", "{m=} *= 0.8", "{m=} = np.tanh({M})", "{m=} += {V} * 0.1",
    # stores; rows are stored from copies: NumPy 2.4 copies an overlapping row and column element by element, so that it stores what it stored
    "{v=}[{i}] = {S}", "{v=}[{i}] += {S} * 0.3", "{v=}[1:4] = {V}[0:3] * 0.5", "{v=}[::2] *= 0.5", "{v=}[:2] = {S}", "{m=}[{i}, {i}] = {S}",
    "{m=}[{i}] = np.copy({V})", "{m=}[:, {i}] += {V} * 0.2", "{m=}[1:3, ::2] = {s}", "{v=}[{P}] += {s} * 0.1", "{v=}[{W}] = {s}", "{v=}[{W}] *= 0.5",
    "np.add.at({v=}, {P}, {s} * 0.2)", "{v=}[:] = np.copy({V})", "{m=}[{P}, {i}] = {s}", "{v=}[::-1][{i}] = {S}", "{m=}.T[{i}] = {V} * 0.5",
    "{m=}.reshape(16)[::5] += {s} * 0.2", "{m=}[{i}][{i}] *= 0.5",
    "{v=}[:{l}] *= 0.5", "{m=}[{l}, {l}:] = {v}[{l}:] * 0.5", "{v=}[{l}] = {v}[{l} - 1] * 0.5 + {S} * 0.3", "{m=}[{W}] *= 0.5", "np.tanh({v}, out={v=})",
    "{m=}[np.ix_([0, 2], [1, 3])] += {s} * 0.1", "{m=}[np.tril_indices(4)] *= 0.9", "{v=}[{i}], {v=}[{i}] = {S}, {S}", "{v=}[...] = {V} * 0.9",
    # views
    "{v+} = {v=}[::-1]\n{v^}[0] = {S}", "{v+} = {m=}[{i}]\n{v^} += {s} * 0.1\n{m=}[1, 1] = {v^}[1] * 0.5", "{v+} = {m=}[:, 1]\n{v^}[1:] *= 0.5",
    "{m+} = {m=}.T\n{m^}[{i}] = {V} * 0.5", "{m+} = {m=}.reshape(4, 4)\n{m^}[::2, 1] = {S}", "{v+} = {m=}.reshape(16)[4:8]\n{v^}[{i}] += {S} * 0.2",
    "{v+} = {v=}\n{v=} = {v^} * 0.5\n{v^}[{i}] = {S}", "{v+} = {v=}.reshape(2, 2)[::-1].T.reshape(4)\n{v^}[0] = {S}",
    # calls, closures, containers
    "bump({v=}, {S} * 0.2)", "bump({v=}[::-1])", "bump({m=}[{i}], w={s})", "{s+} = first_above({V}, {s})",
    "def {f+}(a):\n    return np.sin(a * {s}) + {v}[{i}]\n{s+} = {f^}({S})",
    "def {f+}(a, w={s}):\n    {v=}[{i}] = a * 0.5\n    return a * w\n{s+} = {f^}({S}) + {f^}({c})",
    "{t+} = [{S}, {S}]\n{t^}.append({S})\n{s+} = sum({t^}) * 0.3 + {t^}[-1]",
    "{t+} = {{'a': {V}, 'b': {S}}}\n{t^}['b'] = {t^}['b'] * 0.5\n{v+} = {t^}['a'] * {t^}['b']",
    "{t+} = ({v=}, {s})\n{t^}[0][{i}] = {t^}[1] * 0.5\n{s+} = np.sum({t^}[0]) * {t^}[1]", "{t+} = State({v=}, {s})\n{s+} = {t^}.step({S}) + {t^}.s",
    "{t+} = [{v}, {v} * 0.5]\n{v+} = {t^}[{q} % 2]", "{t+} = [np.sin, np.tanh, lambda a: a * 0.5]\n{s+} = {t^}[1]({S}) + {t^}[2]({S})",
    "{s+} = sum(a * b for a, b in zip({V}, {V})) * 0.2", "{v+} = np.array([a if a > {s} else 0.5 for a in {V}])",
    "{b+} = {W}", "{b=}[{i}] = {B}", "{b=} |= {W}", "{b=} &= {W}", "{y+} = {V} + {V} * 1j", "{y+} = np.fft.fft({V}) * 0.3",
    "{y=} *= np.exp(1j * {S})", "{y=}[{i}] = {S} + {S} * 1j", "{y=} = {y} * np.conj({y}) * 0.5", "{y=}[1:] += {V}[:3]", "{y=}[{W}] *= 0.5j",
    "{y=}.real[{i}] = {S}", "{d+} = np.stack([{M}, {M}])", "{d+} = np.zeros((2, 4, 4))", "{d=}[{q} % 2, {i}] = {V}", "{d=}[..., {i}] *= 0.5",
    "{d=}[:, {i}, 1:3] += {S} * 0.2", "{d=}[1] = np.copy({M})", "{d=}[{j} % 2][{i}, {i}] = {S}", "{d=} += {V} * 0.1", "{d=}[0, {W}] *= 0.5",
    "{d=}[:, {P}, {P}] += {s} * 0.1", "{d=} = np.tanh({d})", "{d=}.sum(axis=0)[{i}] += {S}", "{p=}[{i}] = {q} % 4", "{p=} = ({p} + 1) % 4",
    "{p=}[::2] = {j}", "{p=}[{i}], {p=}[{i}] = {p}[{i}], {p}[{i}]", "np.multiply({V}, {V}, out={v=})", "np.add({v=}, {S}, out={v=})",
    "np.add({v}[:2], {s}, out={v=}[2:])", "np.cumsum(np.tanh({v}), out={v=})", "np.clip({v=}, 0.1, 1.0, out={v=})", "np.copyto({v=}, {V} * 1.0)",
    "np.copyto({v=}, {S}, where={W})", "{v=}.fill({S})", "{v=}.sort()", "np.put({v=}, [0, 2], {S})", "np.putmask({v=}, {W}, {V} * 1.0)",
    "np.fill_diagonal({m=}, {S})", "np.negative({v}, out={v=}, where={W})", "np.subtract.at({v=}, {P}, {V} * 0.1)",
    "np.add.at({m=}, ({P}, {P}), {s} * 0.1)", "np.add.at({m=}, {P}, {V} * 0.1)", "np.tanh({m}, out={m=})", "np.add({m}, {V}, out={m=})",
    "np.maximum({v=}, 0.2, out={v=})", "np.add.at({v=}[::-1], {P}, {s} * 0.1)", "np.add.at({v=}, {i}, {S} * 0.1)",
    "{v=}[{i}], {v=}[{i}] = {v}[{i}], {v}[{i}]", "{m=}[[0, 2]] = {m=}[[2, 0]]", "{v=}, {v=} = {v}, {v}", "{s=}, {s=} = {s}, {s}",
    "{s=}, {s=} = {s}, {s} + {s}", "{m=}[:, [0, 1]] = {m=}[:, [1, 0]]", "{m=}[{i}], {m=}[{i}] = {m}[{i}].copy(), {m}[{i}].copy()",
    "{s=}, {v=}[{i}] = {v}[{i}], {s}", "{v=}, {s=} = {V} * 0.5, {v}[{i}]", "{v=} = {v}[::-1]", "{m=} = {m}.T",
    "{s+}, *{t+} = {v}\n{s+} = sum({t^}) * 0.3", "({s+}, {s+}), {v+} = ({S}, {S}), {V}", "{s+} = {s+} = {S}", "{s+}, {s+} = {m}[{i}, :2]",
    "{v+} = {v+} = {V} * 1.0\n{v^}[{i}] = {S}", "{t+} = {m=}[1:3]\n{v+} = {t^}[:, ::-1][{q} % 2]\n{v^} *= 0.5",
    "{t+} = {m=}[::2]\n{t^}[1][1:3] = {S}", "{t+} = {m=}.T[1:]\n{t+} = {t^}[:, ::-1]\n{t^}[0, {i}] += {S} * 0.2", "upper({v=})[{q} % 3] = {S}",
    "{t+} = upper({m=})\n{t^}[{q} % 3] *= 0.7\n{t^}[0][{i}] = {S}", "{t+} = {v=}[1:]\n{t^} += {v}[:3] * 0.2",
    "{t+} = {v=}[:2], {v=}[2:]\n{t^}[0][1] = {S}\n{t^}[1][:] = {t^}[0] * 0.5", "{t+} = {d=}[1]\n{t^}[{i}] = {V}\n{v+} = {t^}[:, {i}]",
    "{v+} = {d=}[0, {i}]\n{v^}[1:3] = {S}", "{t+} = {d=}.reshape(8, 4)\n{t^}[::3] *= 0.5", "{t+} = {d=}.transpose(2, 1, 0)\n{t^}[{i}, {i}] = {S}",
    "{v+} = {m=}.diagonal() * 1.0", "{v+} = {m=}[{i}]\n{m=} = np.tanh({m})\n{v^}[{i}] = {S}", "{v+} = {m=}.ravel()[{i}::4]\n{v^} *= 0.5",
    "{m+} = {m=}[::-1]\n{m^}[{l}, :{l}] = {S}\n{m+} = {m^}.T", "{v=}[::-2] = {S}", "{v=}[3:0:-1] = {V}[:3] * 1.0", "{m=}[::-1, ::2] *= 0.5",
    "{v=}[2::-1] += {V}[1:] * 0.1", "{v=}[{l}::-1] *= 0.9", "{m=}[{l}, :{l}] *= 0.5", "{v=}[{l}:] += {V}[{l}:] * 0.1",
    "{v=}[:{l}] = {v}[:{l}][::-1] * 1.0", "{m=}[{l}:, {l}:] *= 0.9", "{m=}[{l}:, {l}] = {V}[{l}:]", "{v=}[{l}] -= {m}[{l}, :{l}] @ {v}[:{l}] * 0.2",
    "{m=}[:{l}, {l}:] = {S}", "{v=}[max({l} - 1, 0):{l} + 1] *= 0.5", "{v=}[-{l} - 1:] *= 0.9", "{v=}[{l}:{q}] = {S}",
    "{m=}[{l} + 1:, {l}] *= 0.5\n{m=}[{l} + 1:, {l} + 1:] -= np.outer({m}[{l} + 1:, {l}], {m}[{l}, {l} + 1:]) * 0.1",
    "{m=}[{l}, {l}:] = {m}[{l}, {l}:][::-1] * 0.9", "{d=}[{l} % 2, :{l}, {l}:] *= 0.5", "{v=}[:{l}][{W}[:{l}]] = {S}",
    "{t+} = {{'v': {v=}, 's': {S}, 'n': 0}}\nfor {l+} in range(4):\n    {t^}['s'] += {S} * 0.2\n"
    "    {t^}['v'][{l^}] = {t^}['s'] * 0.5\n    {t^}['n'] += 1\n{s+} = {t^}['s'] + {t^}['n'] * 0.1",
    "{t+} = {{name: {V} * w for name, w in (('a', 0.5), ('b', 0.25))}}\n{t^}.update(a={V})\n{v+} = sum({t^}.values()) + {t^}.get('c', 0.1)",
    "{t+} = dict(a={S}, b={S})\nfor name, value in {t^}.items():\n    {s=} += value * (0.1 if name == 'a' else 0.2)",
    "{t+} = dataclasses.replace(State({v}.copy(), {S}), s={S})\n{t^}.a[{i}] = {S}\n{s+} = {t^}.step({s}) + {t^}.size",
    "{t+} = State({v=}, {S}) + State({V}, {S})\n{s+} = {t^}.step({S})",
    "{t+} = Pair({V}, {S})\n{t+} = {t^}._replace(second={S})\n{v+} = {t^}.first * {t^}.second",
    "{t+} = [{v=}, {V} * 1.0]\n{t^}[0], {t^}[1] = {t^}[1], {t^}[0]\n{t^}[1][{i}] = {S}\n{v+} = {t^}[0]",
    "{t+} = [{S}, {S}]\n{t^}.insert(1, {S})\n{t^}.extend([{S}, {s}])\n{t^}.reverse()\n{s+} = {t^}.pop() + {t^}[0]",
    "{v+} = np.stack([row * 0.5 for row in {m}])[{i}]",
    "def {f+}(a):\n    def inner(b):\n        return b * a + {S}\n    return inner\n{s+} = {f^}({S})({S})",
    "{f+} = counter({S})\n{s+} = {f^}({S}) + {f^}({S}) * {f^}(0.3)", "{f+} = functools.partial(helper, {S})\n{s+} = {f^}({S})",
    "{f+} = lambda a, w={S}: a * w + {S}\n{s+} = {f^}({S}) + {f^}({S}, 0.5)",
    "def {f+}(a, *rest, **named):\n    for e in rest:\n        a = a * 0.5 + e\n    return a + named.get('w', 0.1), rest[0]\n"
    "{s+}, {s+} = {f^}({S}, {S}, {S}, w={S})",
    "def {f+}(a, m):\n    if m == 0:\n        return a\n    return {f^}(a * 0.5 + {S}, m - 1)\n{s+} = {f^}({S}, 2)", "{s+}, {q+} = steps({S}, {c})",
    "{s=}, {q=} = steps({s}, {c})", "assert {s} < 1e9, 'too large'", "if {s} > 1e8:\n    raise ValueError('too large')",
    "{t+} = 'fast' if {j} > 1 else 'slow'\n{s+} = scaled({S}, mode={t^})", "{t+} = f'{{OPTIONS[\"mode\"]}}'\n{s=} = scaled({s}, mode={t^})",
    "{v+} = np.zeros(4)\n{v^}[{b}] = {V}[{b}]", "{v=}[{b}] = {V}[{b}] * 0.5", "{m=}[{b}, {i}] = {S}", "{m=}[{b}] = {V}", "{m=}[{M} > {s}] *= 0.5",
    "{t+} = {v}[{W}]\n{s+} = np.sum({t^} * {t^}) * 0.3", "{v+} = np.empty(4)\n{v^}[:2] = {S}\n{v^}[2:] = {V}[1:3]", "{q+} = int(np.argmax({v}))",
    "{q+} = int(np.sum({W}))", "{q=} = max({q} - 1, 0)", "{s+} = {q} / 2", "{s=} = {s} if {B} else {s} * 0.5", "{s=} = max({s}, {S}) * 0.9",
    "{v=} = {V} if {B} else {V}",
]
NESTED = [
    "if {B}:\n    {block}", "if {B}:\n    {block}\nelse:\n    {block}", "if {B}:\n    {block}\nelif {B}:\n    {block}\nelse:\n    {block}",
    "if {B}:\n    {s+} = {S}\nelse:\n    {s^} = {S}", "if {B}:\n    return {S}",
    "for {l+} in range(4):\n    {block}", "for {l+} in range(1, 4):\n    {block}", "for {l+} in range(3, -1, -1):\n    {block}",
    "for {l+} in range(0, 4, 2):\n    {block}",
    "for {l+} in range({l}):\n    {block}", "for {l+} in range({l}, 4):\n    {block}", "for {l+} in range(n):\n    {block}",
    "for {l+} in range({q} % 4):\n    {block}",
    "for {s+} in {v} * 1.0:\n    {block}", "for {l+}, {s+} in enumerate({V}):\n    {block}", "for {v+} in {m=}:\n    {block}",
    "for {s+}, {s+} in zip({V}, {V}):\n    {block}",
    "for {l+} in reversed(range(n)):\n    {block}\nelse:\n    {s=} = {S}",
    "{s+} = 0\nfor {l+} in range(4):\n    {s^} += {S} * 0.4\n    {block}",
    "{s+} = 0\nfor {l+} in range(4):\n    for {l+} in range({l^}):\n        {s^} = {s^} + {m}[{l^}, {i}] * {s}",
    "{t+} = []\nfor {l+} in range(4):\n    {t^}.append({S})\n    {block}\n{v+} = np.array({t^})",
    "{v+} = np.zeros(4)\nfor {l+} in range(4):\n    {block}\n    {v^}[{l^}] = {S}",
    "{w+} = 0\nwhile {s=} < {c} and {w^} < 5:\n    {w^} += 1\n    {s=} = {s=} + 0.2 + 0.05 * np.sin({s})\n    {block}",
    "{w+} = 0\nwhile True:\n    {w^} += 1\n    if {w^} > 3 or {B}:\n        break\n    {block}", "{w+} = 4\nwhile {w^} > 0:\n    {w^} -= 1\n    {block}",
    "def {f+}(a):\n    {block}\n    return np.tanh(a) * {s}\n{s+} = {f^}({S}) + {f^}({s})", "with np.errstate(all='ignore'):\n    {block}",
    "{s+}, {w+} = 2.0, 0\nwhile abs({s^} ** 2 - 1.5) > 1e-6 and {w^} < 9:\n    {s^} = 0.5 * ({s^} + 1.5 / {s^}) + {s} * 0.0\n    {w^} += 1",
    "if ({s+} := {S}) > 0.4:\n    {block}", "for {l+}, ({s+}, {s+}) in enumerate(zip({V}, {V})):\n    {block}",
    "for {s+} in reversed({V}):\n    {block}", "for {v+}, {s+} in zip({m=}, {V}):\n    {v^} *= 0.5\n    {block}",
    "for {v+} in {m=}.T:\n    {v^}[{i}] = {S}\n    {block}", "for {s+} in ({S}, {S}):\n    {block}",
    "for {t+} in ('add', 'none', 'fast'):\n    if {t^} == 'add':\n        {s=} += {S} * 0.2\n    else:\n        {s=} = scaled({s}, mode={t^})",
    "for {t+} in [np.sin, np.tanh, scaler({s})]:\n    {s=} = {t^}({s})", "for {l+} in range(3, 0, -2):\n    {block}",
    "for {l+}, {v+} in enumerate({m=}):\n    {v^}[{l^}] = {S}\n    {block}",
    "for {l+}, {s+} in enumerate({V}, start=1):\n    {v=}[{l^} - 1] = {s^} * 0.5", "for {l+} in {P}:\n    {block}",
    "{s+}, {w+} = {S}, 0\nwhile {s^} < {c}:\n    {s^} = {s^} + 0.2 + {s} ** 2\n    {w^} += 1\n    if {w^} > 6:\n        break\nelse:\n    {s=} = {S}",
    "{w+} = 0\nwhile {w^} < 4:\n    {w^} += 1\n    if {B}:\n        continue\n    {block}",
    "for {l+} in range(4):\n    if {B}:\n        break\n    {block}\nelse:\n    {s=} = {S}",
    "for {l+} in range(3):\n    for {l+} in range(4):\n        if {B}:\n            break\n        {block}\n    {block}",
    "for {l+} in range(4):\n    for {l+} in range({l^}, 4):\n        if {B}:\n            return {S}\n        {s=} += {S} * 0.1",
    "for {l+} in range(4):\n    {v=}, {v=} = {v}, np.tanh({V})", "for {l+} in range(3):\n    {s=}, {s=} = {s}, {s} * 0.5 + {S} * 0.3\n    {block}",
    "for {l+} in range(n):\n    {v=} = {v}[::-1] * 0.9\n    {block}",
    "for {l+} in range(4):\n    {v+} = {m=}[{l^}]\n    {block}\n    {v^}[{i}] = {S}",
    "for {l+} in range(4):\n    {t+} = {m=}[:{l^}, {l^}:]\n    {t^} *= 0.5\n    {block}",
    "{t+} = State({v=}, {S})\nfor {l+} in range(3):\n    {t^}.s = {t^}.s * 0.5 + {S}\n    {t^}.a[{l^}] += {t^}.s * 0.1\n    {block}\n{s+} = {t^}.s",
    "{t+} = [{S}]\nfor {l+} in range(3):\n    {t^}.append({t^}[-1] * 0.5 + {S})\n{s+} = sum({t^}) * 0.2",
    "{t+} = {{'s': {S}, 'v': {V} * 1.0}}\nfor {l+} in range(n):\n    {t^}['v'] = {t^}['v'] * 0.9 + {t^}['s']\n"
    "    {t^}['s'] = {t^}['v'][{i}] * 0.3\n    {block}\n{v+} = {t^}['v']",
    "{f+} = counter({S})\nfor {l+} in range(3):\n    {s=} += {f^}({S}) * 0.2\n    {block}",
    "match {q} % 3:\n    case 0:\n        {block}\n    case 1 | 2:\n        {block}\n    case _:\n        {block}",
    "for {l+} in range(len({v})):\n    {block}",
    "for {l+} in range(4):\n    if {v}[{l^}] > {s}:\n        {block}\n    elif {B}:\n        {v=}[{l^}] = {S}\n    else:\n        {block}",
    "for {l+} in range(1, 4):\n    {m=}[{l^}, :{l^}] = {m}[{l^} - 1, :{l^}] * 0.5 + {S}\n    {block}",
    "{p+} = np.zeros(4, int)\nfor {l+} in range(4):\n    {p^}[{l^}] = ({p}[{l^}] + {l^}) % 4\n    {block}",
]
LEAVING = ["if {B}:\n    break", "if {B}:\n    continue", "if {B}:\n    return {S}", "if {B}:\n    {block}\n    break"]
