"""Start-up: imports, first results of fresh processes (without and with a warm disk cache), building and compiling.

The functions of fresh processes are in the text of their programs; those of ours are read from the file that holds them.
"""

import tempfile
import types

import numpy as np

from .contest import Contest, Contestant, equals, jax_with, seconds, waited
from .network import SIZES, STEP, jax_update, network, slopes_of_step
from .processes import folder, starts

IMPORTS = {"ours": "import numpy as np\nimport transformer as library\n", "jax": "import jax as library\nimport jax.numpy as np\n"}
SCALAR = """
def tanh(x):
    y = np.exp(-2.0 * x)
    return (1.0 - y) / (1.0 + y)
"""
NETWORK = """
import numpy
def loss(params, images, targets):
    h = images
    for w, b in params[:-1]:
        h = np.maximum(h @ w + b, 0)
    w, b = params[-1]
    logits = h @ w + b
    top = np.max(logits, axis=1, keepdims=True)
    scores = logits - top - np.log(np.sum(np.exp(logits - top), axis=1, keepdims=True))
    return -np.mean(np.sum(scores * targets, axis=1))
sizes = {sizes}
rng = numpy.random.default_rng(0)
params = [(rng.normal(size=(m, n), scale=m ** -0.5).astype("float32"), rng.normal(size=n, scale=0.1).astype("float32")) for m, n in zip(sizes[:-1], sizes[1:])]
images = rng.normal(size=(128, sizes[0])).astype("float32")
targets = numpy.eye(sizes[-1], dtype="float32")[rng.integers(0, sizes[-1], size=128)]
"""
AT_ONE = 1.0 - np.tanh(1.0) ** 2


def imports():
    """Import alone, less the start of Python."""
    return starts({name: f"{text}report(1.0 if library.grad else 0.0)" for name, text in IMPORTS.items()}, equals(lambda: 1.0), net=True)


def programs(setup, report):
    return {name: text + setup + report for name, text in IMPORTS.items()}


def first_gradient():
    """Until the gradient of a scalar function, not jitted."""
    return starts(programs(SCALAR, "report(float(library.grad(tanh)(1.0)))"), equals(lambda: AT_ONE))


def first_jitted_gradient(extra=None):
    """Until the jitted gradient of a scalar function."""
    return starts(programs(SCALAR, "report(float(library.jit(library.grad(tanh))(1.0)))"), equals(lambda: AT_ONE), extra=extra)


def first_network_gradient(sizes=SIZES, extra=None):
    """Until the jitted gradient of the network's loss: the sums of the absolute values of all its arrays."""
    setup = NETWORK.format(sizes=sizes)
    call = "grads = library.jit(library.grad(loss))(params, images, targets)\n"
    report = "report([float(numpy.abs(numpy.asarray(g)).sum()) for pair in grads for g in pair])"

    def check(value):
        scope = {"np": np}
        exec(setup, scope)
        scope["grads"] = by_hand(scope["params"], scope["images"], scope["targets"])
        equals(lambda: np.array([np.abs(g).sum() for pair in scope["grads"] for g in pair]))(value)
    return starts(programs(setup, call + report), check, rtol=1e-3, extra=extra)


def by_hand(params, images, targets):
    """The gradient of the network's loss, written by hand."""
    layers = [images]
    for w, b in params[:-1]:
        layers.append(np.maximum(layers[-1] @ w + b, 0))
    logits = layers[-1] @ params[-1][0] + params[-1][1]
    scores = np.exp(logits - logits.max(axis=1, keepdims=True))
    bar = (scores / scores.sum(axis=1, keepdims=True) - targets) / len(images)
    grads = []
    for (w, _), layer in zip(params[::-1], layers[::-1]):
        grads.append((layer.T @ bar, bar.sum(axis=0)))
        bar = (bar @ w.T) * (layer > 0)
    return grads[::-1]


def cached(make):
    """The same in later processes: both sides have a disk cache, which the process that is checked has filled."""
    def contest(**sizes):
        caches = tempfile.mkdtemp(dir=folder())
        extra = {"ours": {"TRANSFORMER_CACHE_DIR": f"{caches}/ours"},
                 "jax": {"JAX_COMPILATION_CACHE_DIR": f"{caches}/jax", "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0",
                         "JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES": "0"}}
        return make(extra=extra, **sizes)
    return contest


def building(sizes=SIZES):
    """A training step that is a new function each time, until its program is StableHLO; the value is that of one step."""
    params, *data = network(sizes, 128)

    def ours():
        import transformer
        from transformer.examples.digits import update
        from transformer.lower import lower
        return built(update, update.fn, lambda f: lower(transformer.jit(f).lower(params, *data, STEP).compiled.program), (params, *data, STEP))

    def jax():
        jax, update = jax_with(x64=False), jax_update()
        return built(update, update.__wrapped__, lambda f: jax.jit(f).lower(params, *data, STEP), (params, *data, STEP))
    return Contest({"ours": ours, "jax": jax}, slopes_of_step(params, data, STEP))


def built(update, plain, build, arguments):
    """The contestant that builds the program of a new copy of the function `plain`, which `update` is jitted from."""
    def sample():
        function = fresh(plain)
        return seconds(lambda: build(function), 1)
    return Contestant(waited(update, *arguments), sample)


def fresh(f):
    """A copy of a function, which no cache knows."""
    return types.FunctionType(f.__code__, f.__globals__, f.__name__, None, f.__closure__)


def compiling(sizes=SIZES):
    """The same program, from StableHLO to the executable."""
    params, *data = network(sizes, 128)
    arguments = (params, *data, STEP)

    def ours():
        import transformer
        from backend.client import compile_text, default_device
        from backend.policy import overrides_for
        from transformer.examples.digits import update
        from transformer.lower import lower
        lowered = lower(transformer.jit(update.fn).lower(*arguments).compiled.program)
        options = overrides_for(lowered.features)
        return Contestant(waited(update, *arguments), lambda: seconds(lambda: compile_text(lowered.text, options, [default_device()]), 1))

    def jax():
        jax, update = jax_with(x64=False), jax_update()

        def sample():
            lowered = jax.jit(fresh(update.__wrapped__)).lower(*arguments)
            return seconds(lowered.compile, 1)
        return Contestant(waited(update, *arguments), sample)
    return Contest({"ours": ours, "jax": jax}, slopes_of_step(params, data, STEP))
