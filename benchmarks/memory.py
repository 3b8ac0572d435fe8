"""Peak memory: how much the largest resident memory of a fresh process grows while a gradient is compiled and computed.

A small function has been compiled before, so that the compiler itself is there on both sides.
"""

import numpy as np

from .contest import slopes
from .processes import peaks

WARM = """
def increment(x):
    return x + 1.0
np.asarray({library}.jit(increment)(1.0))
"""
OURS = "import numpy as np\nimport transformer\n" + WARM.format(library="transformer")
JAX = "import jax\njax.config.update('jax_enable_x64', True)\nimport jax.numpy as jnp\nimport numpy as np\n" + WARM.format(library="jax")
BURGERS = '''
def energy(u, steps):
    for _ in range(steps):
        right, left = np.roll(u, -1), np.roll(u, 1)
        u = u - 0.1 * u * (right - left) + 0.2 * (right - 2.0 * u + left)
    return np.sum(u * u)
'''
JAX_BURGERS = '''
def energy(u, steps):
    def step(u, _):
        right, left = jnp.roll(u, -1), jnp.roll(u, 1)
        return u - 0.1 * u * (right - left) + 0.2 * (right - 2.0 * u + left), None
    u, _ = jax.lax.scan(step, u, None, length=steps)
    return jnp.sum(u * u)
'''
WAVE = "u = np.sin(2.0 * np.pi * np.arange({points}) / {points})\n"
CALL_BURGERS = {
    "ours": "f = transformer.jit(transformer.grad(energy))\nstart()\nreport(np.asarray(f(u, {steps})).tolist())\n",
    "jax": "f = jax.jit(jax.grad(energy), static_argnums=1)\nstart()\nreport(np.asarray(f(u, {steps})).tolist())\n",
}


def scope_of(text):
    """What a program in plain NumPy defines."""
    scope = {"np": np}
    exec(text, scope)
    return scope


def burgers(points=10_000, steps=1000):
    """The gradient of the energy at the end with respect to the wave at the start."""
    wave = WAVE.format(points=points)
    call = {name: text.format(steps=steps) for name, text in CALL_BURGERS.items()}
    scope = scope_of(wave + BURGERS)
    check = slopes(lambda u: scope["energy"](u, steps), (scope["u"],), rtol=1e-4)
    return peaks({"ours": OURS + BURGERS + wave + call["ours"], "jax": JAX + JAX_BURGERS + wave + call["jax"]}, check, 1e-6)


PREFIXES = '''
def prefixes(a, b):
    total = 0.0
    for i in range(1, len(a)):
        total = total + np.tanh(np.dot(a[:i], b[:i]))
    return total
'''
JAX_PREFIXES = '''
def prefixes(a, b):
    places = jnp.arange(len(a))
    def step(total, i):
        return total + jnp.tanh(jnp.dot(jnp.where(places < i, a, 0.0), b)), None
    return jax.lax.scan(step, 0.0, jnp.arange(1, len(a)))[0]
'''
PAIR = "rng = np.random.default_rng(8)\na, b = rng.normal(size={n}) / {n} ** 0.5, rng.normal(size={n})\n"
CALL_PREFIXES = {
    "ours": "f = transformer.jit(transformer.grad(prefixes, argnums=(0, 1)))\nstart()\nreport(np.stack(f(a, b)).tolist())\n",
    "jax": "f = jax.jit(jax.grad(prefixes, argnums=(0, 1)))\nstart()\nreport(np.stack(f(a, b)).tolist())\n",
}


def prefix_dots(n=8000):
    """The gradient of a sum over the products of all prefixes of two vectors, with respect to both."""
    pair = PAIR.format(n=n)
    scope = scope_of(pair + PREFIXES)
    check = slopes(lambda pair: scope["prefixes"](*pair), (np.stack([scope["a"], scope["b"]]),), rtol=1e-4)
    return peaks({"ours": OURS + PREFIXES + pair + CALL_PREFIXES["ours"], "jax": JAX + JAX_PREFIXES + pair + CALL_PREFIXES["jax"]}, check, 1e-6)
