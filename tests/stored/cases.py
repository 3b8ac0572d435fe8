"""Programs for the tests of the disk cache: each with an edit that changes what it computes, and nothing but that.

A case is Python source that ends with `calls = [(transformed, arguments), ...]`; `edit` is (old text, new text) of the same length, so that
all else stays where it is.
"""

from typing import NamedTuple


class Case(NamedTuple):
    source: str
    edit: tuple


CASES = {
    "body": Case("""
def f(x):
    return np.sum(x ** 2.0)
calls = [(jit(grad(f)), (A,)), (jit(value_and_grad(f)), (A,)), (jit(vmap(grad(lambda v: f(v) * 2))), (A2,))]
""", ("2.0", "3.0")),
    "helper": Case("""
def helper(x):
    return 2.0 * x
def f(x):
    return np.sum(helper(x) * x)
calls = [(jit(grad(f)), (A,))]
""", ("2.0", "3.0")),
    "helper_in_a_list": Case("""
def double(x):
    return 2.0 * x
LAYERS = [np.tanh, double]
def f(x):
    for layer in LAYERS:
        x = layer(x)
    return np.sum(x)
calls = [(jit(grad(f)), (A,))]
""", ("2.0", "3.0")),
    "global": Case("""
SCALE = 2.0
def f(x):
    return np.sum(SCALE * x)
calls = [(jit(grad(f)), (A,))]
""", ("2.0", "3.0")),
    "container": Case("""
OPTIONS = {"scale": 2.0, "names": ["a"]}
def f(x):
    return np.sum(OPTIONS["scale"] * x)
calls = [(jit(grad(f)), (A,))]
""", ("2.0", "3.0")),
    "closure": Case("""
def make(scale):
    def f(x):
        return np.sum(scale * x)
    return f
calls = [(jit(grad(make(2.0))), (A,))]
""", ("2.0", "3.0")),
    "closure_over_arrays": Case("""
def make(weights):
    return lambda x: np.sum(weights @ x * 2.0)
calls = [(jit(grad(make(A2))), (A,))]
""", ("2.0", "3.0")),
    "default": Case("""
def f(x, scale=2.0, *, shift=1.0):
    return np.sum(scale * x * shift)
calls = [(jit(grad(f)), (A,))]
""", ("2.0", "3.0")),
    "keyword_default": Case("""
def f(x, scale=1.0, *, shift=2.0):
    return np.sum(scale * x * shift)
calls = [(jit(grad(f)), (A,))]
""", ("2.0", "3.0")),
    "lambdas_on_a_line": Case("""
first, second = lambda x: np.sum(2.0 * x), lambda x: np.sum(5.0 * x)
calls = [(jit(grad(first)), (A,)), (jit(grad(second)), (A,))]
""", ("2.0 * x), lambda x: np.sum(5.0 * x)", "5.0 * x), lambda x: np.sum(2.0 * x)")),
    "nested": Case("""
def f(x):
    def inner(y):
        return y ** 2.0
    return np.sum(inner(x))
calls = [(jit(grad(f)), (A,))]
""", ("2.0", "3.0")),
    "method": Case("""
class Model:
    def __init__(self, scale):
        self.scale, self.weights = scale, A
    def act(self, x):
        return self.scale * x * self.weights
    def loss(self, x):
        return np.sum(self.act(x))
model = Model(2.0)
calls = [(jit(grad(model.loss)), (A,)), (jit(grad(Model.loss, argnums=1)), (model, A))]
""", ("Model(2.0)", "Model(3.0)")),
    "other_method": Case("""
class Model:
    def act(self, x):
        return 2.0 * x
    def loss(self, x):
        return np.sum(self.act(x))
calls = [(jit(grad(Model().loss)), (A,))]
""", ("2.0", "3.0")),
    "class_attribute": Case("""
class Model:
    scale = 2.0
    def loss(self, x):
        return np.sum(self.scale * x)
calls = [(jit(grad(Model().loss)), (A,))]
""", ("2.0", "3.0")),
    "inherited": Case("""
class Base:
    def act(self, x):
        return 2.0 * x
class Model(Base):
    def loss(self, x):
        return np.sum(super().act(x))
calls = [(jit(grad(Model().loss)), (A,))]
""", ("2.0", "3.0")),
    "custom_vjp": Case("""
@custom_vjp
def clipped(x):
    return x
clipped.defvjp(lambda x: (x, None), lambda _, x_bar: (2.0 * x_bar,))
def f(x):
    return np.sum(clipped(x))
calls = [(jit(grad(f)), (A,))]
""", ("2.0", "3.0")),
    "pytree": Case("""
class Pair:
    def __init__(self, a, b, scale=1.0):
        self.a, self.b, self.scale = a, b, scale
tree_util.register_pytree_node(Pair, lambda p: ((p.a, p.b), p.scale), lambda scale, c: Pair(*c, scale=2.0))
def f(p):
    return np.sum(p.a * p.scale + p.b)
calls = [(jit(grad(f)), (Pair(A, A),)), (jit(lambda p: Pair(p.b, p.a)), (Pair(A, A2),))]
""", ("2.0", "3.0")),
    "containers_of_arguments": Case("""
Point = collections.namedtuple("Point", "x y")
@dataclasses.dataclass
class Weights:
    w: object
    b: object = None
def f(p, table, weights):
    return np.sum(p.x * p.y * table["k"] * weights.w * 2.0)
calls = [(jit(grad(f, argnums=(0, 1, 2))), (Point(A, A), {"k": A, "a": A}, Weights(A)))]
""", ("2.0", "3.0")),
    "configuration": Case("""
@dataclasses.dataclass(frozen=True)
class Options:
    scale: float = 1.0
    kind: str = "tanh"
OPTIONS = Options(2.0)
def f(x):
    return np.sum(OPTIONS.scale * (np.tanh(x) if OPTIONS.kind == "tanh" else x))
calls = [(jit(grad(f)), (A,))]
""", ("2.0", "3.0")),
    "enumeration": Case("""
class Kind(enum.Enum):
    TANH = 1
    SINE = 2
def f(x, kind):
    return np.sum(np.tanh(x) if kind is Kind.TANH else np.sin(x))
calls = [(jit(grad(f), static_argnums=1), (A, Kind.TANH))]
""", ("(A, Kind.TANH)", "(A, Kind.SINE)")),
    "partial": Case("""
def f(scale, x):
    return np.sum(scale * x)
calls = [(jit(grad(functools.partial(f, 2.0))), (A,))]
""", ("2.0", "3.0")),
    "decorated": Case("""
def doubled(fn):
    @functools.wraps(fn)
    def wrapper(*args):
        return 2.0 * fn(*args)
    return wrapper
@doubled
def f(x):
    return np.sum(x)
calls = [(jit(grad(f)), (A,))]
""", ("2.0", "3.0")),
    "module_attribute": Case("""
setup.SCALE = 2.0
alias = setup
def f(x):
    module = alias
    return np.sum(module.SCALE * x)
calls = [(jit(grad(f)), (A,))]
""", ("2.0", "3.0")),
    "function_put_into_numpy": Case("""
def own(x):
    return 2.0 * x
np.own = own
def f(x):
    return np.sum(np.own(x))
calls = [(jit(grad(f)), (A,))]
""", ("2.0", "3.0")),
    "function_of_a_module": Case("""
setup.FACTOR = 2.0
def f(x):
    return np.sum(setup.scaled(x))
calls = [(jit(grad(f)), (A,))]
""", ("2.0", "3.0")),
    "static_argument": Case("""
def f(x, n, mode):
    return np.sum(x ** n) if mode == "power" else np.sum(x)
calls = [(jit(grad(f), static_argnums=(1, 2)), (A, 2, "power"))]
""", ("(A, 2,", "(A, 3,")),
    "flag": Case("""
def f(x, flag):
    return np.sum(x ** 2) if flag else np.sum(x)
calls = [(jit(grad(f)), (A, None))]
""", ("(A, None)", "(A, True)")),
    "size": Case("""
def f(x, n):
    return np.sum(x.reshape(n, -1)[0])
calls = [(jit(grad(f)), (A, 2)), (jit(grad(f)), (A, 4))]
""", ("(A, 4)", "(A, 1)")),
    "array_that_is_a_size": Case("""
SIZES = np.array([2, 2])
def f(x):
    return np.sum(x.reshape(SIZES[0], -1)[0])
calls = [(jit(grad(f)), (A,))]
""", ("[2, 2]", "[4, 2]")),
    "numpy_or_jnp": Case("""
xp, other = np, jnp
def f(x):
    return xp.sum(x) * 1.0
calls = [(jit(f), (np.arange(3),))]
""", ("np, jnp", "jnp, np")),
    "names_of_jax": Case("""
def f(x, key):
    x = nn.relu(jnp.log1p(x)) + random.normal(key, (4,), jnp.float32)
    x = lax.fori_loop(0, 3, lambda i, y: y * 2.0, x)
    return jnp.sum(jnp.where(x > 0, x, jnp.linalg.norm(x)))
calls = [(jit(value_and_grad(f)), (jnp.asarray(A), random.key(0))), (jit(lambda x: lax.scan(lambda c, v: (c * v, c), 2.0, x)), (A,))]
""", ("y * 2.0", "y * 3.0")),
    "option": Case("""
def f(x, y):
    return np.sum(x * y ** 2)
calls = [(jit(grad(f, argnums=0)), (A, A)), (jit(vmap(f, in_axes=(0, 0))), (A2, A2))]
""", ("argnums=0", "argnums=1")),
    "array_in_a_partial": Case("""
def f(w, x):
    return np.sum(w * x)
calls = [(jit(grad(functools.partial(f, A * 2.0))), (A,))]
""", ("A * 2.0", "A[0]*2.")),
    "array_read_natively": Case("""
W = A * 2.0
@functools.lru_cache
def total():
    return float(np.sum(W))
def f(x):
    return np.sum(total() * x * W)
calls = [(jit(grad(f)), (A,))]
""", ("2.0", "3.0")),
    "array_read_by_a_property": Case("""
class Model:
    def __init__(self, w):
        self.w = w
    @property
    def total(self):
        return float(np.sum(self.w))
    def loss(self, x):
        return np.sum(self.total * x * self.w)
calls = [(jit(grad(Model(A * 2.0).loss)), (A,))]
""", ("2.0", "3.0")),
    "types": Case("""
def f(x):
    return np.sum(x ** 2)
calls = [(jit(grad(f)), (A.astype("f4"),))]
""", ("f4", "f8")),
    "hidden_type": Case("""
W = A.astype("f4")
def f(x):
    return np.sum(x * W)
calls = [(jit(f), (A.astype("f4"),))]
""", ("W = A.astype(\"f4\")", "W = A.astype(\"f8\")")),
    "aliases": Case("""
P, Q = [1.0], [1.0]
R = [P, P]
def f(x):
    return np.sum(x) * (2.0 if R[0] is R[1] else 3.0)
calls = [(jit(grad(f)), (A,))]
""", ("[P, P]", "[P, Q]")),
    "error": Case("""
def f(x, i):
    if x[0] > 2.0:
        raise ValueError(f"too large: {x[0]}")
    return x[i] * 2.0
calls = [(jit(grad(f)), (A, 1))]
""", ("] * 2.0", "] * 3.0")),
    "loop": Case("""
def f(x):
    n = 0
    while np.sum(x) < 100.0:
        x = x * 2.0
        n = n + 1
    return np.sum(x)
calls = [(jit(grad(f)), (A,))]
""", ("2.0", "3.0")),
    "stores": Case("""
def f(x):
    x[0] = 2.0 * x[1]
    return np.sum(x)
calls = [(jit(f), (A.copy(),))]
""", ("2.0", "3.0")),
    "linear_algebra": Case("""
def f(x):
    return np.sum(np.linalg.solve(np.eye(4) * 2.0, x))
calls = [(jit(grad(f)), (A,))]
""", ("2.0", "3.0")),
}

HEAD = """
import collections, dataclasses, enum, functools
import numpy as np
import setup
from transformer import custom_vjp, grad, jit, lax, nn, numpy as jnp, random, tree_util, value_and_grad, vmap
A, A2 = np.linspace(0.5, 1.5, 4), np.linspace(0.1, 0.9, 16).reshape(4, 4)
"""
SETUP = """
def scaled(x):
    return FACTOR * x
"""
RUNNER = """
import json, runpy, sys
sys.path.insert(0, sys.argv[1])
from transformer import pipeline, tree
from backend import client
builds, compiles = [], []
pipeline.OBSERVERS.append(builds.append)
compile_text = client.compile_text
client.compile_text = lambda *a, **k: compiles.append(1) or compile_text(*a, **k)
import numpy as np
import transformer
for name in sys.argv[2:]:
    calls = runpy.run_path(f"{sys.argv[1]}/{name}.py")["calls"]
    for call, arguments in calls:
        before = len(builds), len(compiles)
        results = [(str(np.asarray(leaf).dtype), np.asarray(leaf).tolist()) for leaf in tree.leaves((call(*arguments), arguments[:1] if name == "stores" else ()))]
        counts = len(builds) - before[0], len(compiles) - before[1]
        with transformer.disable_jit():
            plain = [np.asarray(leaf).tolist() for leaf in tree.leaves(call(*(a.copy() if type(a) is np.ndarray else a for a in arguments)))]
        print(json.dumps([name, *counts, results, plain, call.source]))
"""
