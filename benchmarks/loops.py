"""A Python loop, differentiated and compiled: time of the first call (transform and compile), then of a call."""

import functools
import pathlib
import tempfile

from .measure import Row, interleaved_reports

OURS = """
import time
import numpy as np
import transformer

def decay(x, k, n):
    for i in range(n):
        x = x - k * x ** 2
    return np.sum(x)

f = transformer.jit(transformer.grad(decay, argnums=1))
call = lambda: np.asarray(f(x, 0.01, {n}))
"""
NATURAL = """
import time
import numpy as np
import jax
import jax.numpy as jnp

def decay(x, k, n):
    for i in range(n):
        x = x - k * x ** 2
    return jnp.sum(x)

f = jax.jit(jax.grad(decay, argnums=1), static_argnums=2)
call = lambda: f(x, 0.01, {n}).block_until_ready()
"""
SCAN = """
import time
import numpy as np
import jax
import jax.numpy as jnp

def decay(x, k, n):
    x, _ = jax.lax.scan(lambda x, _: (x - k * x ** 2, None), x, None, length=n)
    return jnp.sum(x)

f = jax.jit(jax.grad(decay, argnums=1), static_argnums=2)
call = lambda: f(x, 0.01, {n}).block_until_ready()
"""
CLOCK = """
x = np.array([0.5, 0.7, 0.9], np.float32)
{warm}
start = time.perf_counter()
for _ in range({calls}):
    call()
print((time.perf_counter() - start) / {calls})
"""


def loop_row(n, compiled, peers):
    """The first call (compiled False) or a later one, in fresh processes."""
    clock = CLOCK.format(warm="call()" if compiled else "", calls=20 if compiled else 1)
    with tempfile.TemporaryDirectory() as folder:
        programs = {}
        for name, code in {"ours": OURS, **peers}.items():
            path = pathlib.Path(folder, f"{name.replace(' ', '_')}.py")
            path.write_text(code.format(n=n) + clock)
            programs[name] = f"import runpy; runpy.run_path({str(path)!r})"
        work = "a call" if compiled else "first call"
        return Row(f"jit(grad(decay)), n = {n}, {work}", interleaved_reports(programs))


BOTH, BY_HAND = {"jax": NATURAL, "jax scan": SCAN}, {"jax scan": SCAN}
ROWS = {"compile-10": functools.partial(loop_row, 10, False, BOTH), "compile-10000": functools.partial(loop_row, 10000, False, BY_HAND),
        "run-10": functools.partial(loop_row, 10, True, BOTH), "run-10000": functools.partial(loop_row, 10000, True, BY_HAND)}
