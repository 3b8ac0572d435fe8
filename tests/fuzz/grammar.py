"""The grammar of random programs: templates whose {holes} `generator.Generator` fills.

Names of kinds: s scalar, v vector of SIZE, m matrix of SIZE x SIZE, q integer, p vector of SIZE integers, l index of a loop, all in range(SIZE)
where they index. A hole is one of

    {s} {v} {m} {q} {p} {l}   a name that can be read; a template with such a hole counts only where there is one
    {s=} {v=} {m=} {q=}       a name that can be stored into or bound again
    {s+} {v+}...              a new name, known from the next statement on; {s^} is the latest new one of the template;
                              {w+} is a counter, read like {q} and never stored into: loops end
    {S} {V} {M} {P}           an expression
    {B} {W}                   a condition; a vector of booleans
    {i}                       an index in range, maybe negative
    {c} {j} {z}               a number; an integer in range; a list of SIZE of them
    {block}                   statements, one level deeper
"""

SIZE = 4

HEADER = '''import dataclasses
import numpy as np


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


@dataclasses.dataclass
class State:
    a: object
    s: float = 0.5

    def step(self, w):
        self.s = np.tanh(self.s + w)
        self.a[1] = self.s * 0.5
        return self.a[0] * self.s


'''

SCALARS = [
    "{s}", "{c}", "{v}[{i}]", "{m}[{i}, {i}]", "np.sum({v}) * 0.2", "np.max({v})", "np.mean({m})", "np.dot({v}, {v}) * 0.1", "{q} * 0.25",
    "np.linalg.norm({v})", "float({q})", "np.float64(0.5)", "{v}[{l}]", "np.sum({v}[:{l}])", "{v}[{l}:].sum()", "{m}[{l}, :{l}] @ {v}[:{l}]",
    "np.prod({v})", "{v}.min()", "np.trace({m}) * 0.2", "{v}[{p}[{i}]]", "np.sum({v}[{W}])", "np.var({v})", "len({v}) * 0.1", "{v}[{q} % 4]",
    "np.sum(np.where({W}, {v}, 0.0))", "np.ptp({v})", "np.einsum('ij,j->', {m}, {v}) * 0.1", "first_above({v}, {c})",
]
SCALARS_OF = [
    "({S} + {S}) * 0.5", "({S} - {S})", "{S} * {S} * 0.5", "np.tanh({S})", "np.sin({S} + {S})", "np.exp(-({S}) ** 2)", "np.sqrt(1.0 + {S} ** 2)",
    "min({S}, {S})", "max({S}, {S})", "({S} if {B} else {S})", "abs({S})", "{S} / (2.0 + {S} ** 2)", "({S}) ** 2 * 0.3", "-{S}", "np.minimum({S}, 1.5)",
    "helper({S}, {S})", "total({S}, {S}, weight=0.25)", "total({S}, last={S})", "np.clip({S}, -1.0, 1.0)", "sum([{S}, {S}]) * 0.5", "power(np.tanh({S}), 3)",
    "np.sign({S}) * 0.5", "np.floor({S}) * 0.1", "np.log1p({S} ** 2)", "np.arctan2({S}, 1.5)", "np.hypot({S}, 0.5)", "(lambda a: a * {S})({c})",
    "np.where({B}, {S}, {S})", "np.float64({S})", "np.where({S} > 0.0, np.sqrt(abs({S})), 0.1)",
]
VECTORS = [
    "{v}", "{v}[::-1]", "np.sort({v})", "np.cumsum({v}) * 0.2", "{v}.copy()", "{m}[{i}]", "{m}[:, {i}]", "{m} @ {v} * 0.2", "{v}[{P}]", "np.diag({m})",
    "{m}.sum(axis=0) * 0.2", "np.max({m}, axis=1)", "np.mean({m}, axis=-1)", "{m}[{P}, {P}]", "{p} * 0.3", "np.array([{s}, {s}, {c}, {s}])", "{m}.ravel()[::4]",
    "np.linspace(0.0, 1.0, 4)", "np.full(4, {s})", "np.arange(4) * {s}", "np.take({v}, {P})", "{v}.reshape(2, 2).T.ravel()", "np.diff({v}, append=0.5)",
    "np.array([{s} * e for e in {v}])", "{m}[np.arange(4), {P}]", "np.cumprod(np.tanh({v}))",
]
VECTORS_OF = [
    "({V} + {V}) * 0.5", "{V} * {V} * 0.5", "np.tanh({V})", "np.where({V} > {V}, {V}, {S})", "{V} * {S}", "np.maximum({V}, {V})", "np.sin({V}) + {S}",
    "np.concatenate([{V}[2:], {V}[:2]])", "np.roll({V}, 1)", "np.where({W}, {V}, {V} * 0.5)", "np.exp(-{V} ** 2)", "np.stack([{V}, {V}]).mean(axis=0)",
    "{V} / (2.0 + {V} ** 2)", "np.clip({V}, 0.2, {c} + 0.5)", "-{V}", "np.add.accumulate({V}) * 0.2", "np.outer({V}, {V})[{i}]", "np.hstack([{V}[:1], {V}[1:]])",
]
MATRICES = [
    "{m}", "{m}.T", "np.outer({v}, {v}) * 0.3", "{m} @ {m} * 0.2", "{v}[:, None] + {v}", "{m}[::-1]", "np.tanh({m})", "{m} * {v}", "np.triu({m})", "{m}[{P}]",
    "np.eye(4) * {s}", "np.where({m} > {s}, {m}, 0.5)", "{m}.reshape(2, 8).reshape(4, 4)", "np.stack([{v}, {v}, {v}, {v}], axis=1)", "np.cumsum({m}, axis=1) * 0.2",
    "np.sort({m}, axis=0)", "{m} - {m}.mean(axis=1, keepdims=True)", "{m}[:, ::-1].copy()", "np.zeros((4, 4))", "np.linalg.inv({m} @ {m}.T * 0.1 + np.eye(4))",
    "np.multiply.outer({v}, {v}) * 0.3",
]
INTEGERS = ["np.array({z})", "{p}", "np.argsort({v})", "np.arange(4)", "{p}[::-1]", "({p} + {q}) % 4", "{p}[{p}]"]
INDICES = ["{j}", "-1 - {j}", "{l}", "({l} + {j}) % 4", "3 - {l}", "{q} % 4", "-1 - {l}"]
CONDITIONS = [
    "{s} > {s}", "{s} < 0.6", "{v}[{i}] > {s}", "{s} > 0.3 and {v}[{i}] < 1.2", "not {s} > {c}", "{s} < 0.2 or {s} > 0.9", "{l} % 2 == 0", "{q} > 1",
    "0.2 < {s} < 0.9", "{l} != 2", "np.any({W})", "np.all({W})",
]
MASKS = ["{v} > {s}", "{v} < {c}", "{p} > 1", "({v} > 0.4) & ({v} < 1.2)", "~({v} > {s})"]

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
]
LEAVING = ["if {B}:\n    break", "if {B}:\n    continue", "if {B}:\n    return {S}", "if {B}:\n    {block}\n    break"]
