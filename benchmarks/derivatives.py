"""Second derivatives, a batch of while loops, a recurrent network; all jitted."""

import numpy as np

from .contest import calls, equals, jax_with, rebound, slopes, waited


def rosenbrock(x):
    return np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)


def rosenbrock_curvature(x):
    """Its Hessian, by hand."""
    out = np.zeros((len(x), len(x)))
    i = np.arange(len(x) - 1)
    out[i, i] += 2.0 - 400.0 * (x[1:] - 3.0 * x[:-1] ** 2)
    out[i + 1, i + 1] += 200.0
    out[i, i + 1] = out[i + 1, i] = -400.0 * x[:-1]
    return out


def point(size):
    return np.random.default_rng(5).normal(size=size)


def hessian(size=50):
    import transformer
    x = point(size)
    f = transformer.jit(transformer.hessian(rosenbrock))

    def jax():
        jax = jax_with()
        return waited(jax.jit(jax.hessian(rebound(rosenbrock, np=jax.numpy))), jax.device_put(x))
    return calls(waited(f, on_device(x)), {"jax": jax}, equals(lambda: rosenbrock_curvature(x), 1e-9), rtol=1e-9)


def on_device(*values):
    """Values as device arrays of their own types."""
    import transformer
    with transformer.enable_x64(True):
        placed = transformer.device_put(list(values))
    return placed if len(placed) > 1 else placed[0]


def hessian_vector_product(size=50):
    """The gradient pushed forward along v."""
    import transformer
    x, v = point(size), np.cos(np.arange(size))

    @transformer.jit
    def f(x, v):
        return transformer.jvp(transformer.grad(rosenbrock), (x,), (v,))[1]

    def jax():
        jax = jax_with()
        slope = jax.grad(rebound(rosenbrock, np=jax.numpy))
        return waited(jax.jit(lambda x, v: jax.jvp(slope, (x,), (v,))[1]), *jax.device_put((x, v)))
    return calls(waited(f, *on_device(x, v)), {"jax": jax}, equals(lambda: rosenbrock_curvature(x) @ v, 1e-9), rtol=1e-9)


def kepler(mean, e):
    """The eccentric anomaly, by Newton's method."""
    anomaly = mean
    change = 1.0
    while abs(change) > 1e-10:
        change = (anomaly - e * np.sin(anomaly) - mean) / (1.0 - e * np.cos(anomaly))
        anomaly = anomaly - change
    return anomaly


def batched_while(lanes=1000):
    """A while loop of another length in every lane."""
    import transformer
    rng = np.random.default_rng(3)
    mean, e = rng.uniform(0.0, np.pi, lanes), rng.uniform(0.0, 0.9, lanes)
    f = transformer.jit(transformer.vmap(kepler))

    def jax():
        jax = jax_with()
        jnp = jax.numpy

        def solve(mean, e):
            def step(state):
                anomaly, _ = state
                change = (anomaly - e * jnp.sin(anomaly) - mean) / (1.0 - e * jnp.cos(anomaly))
                return anomaly - change, change
            return jax.lax.while_loop(lambda state: abs(state[1]) > 1e-10, step, (mean, jnp.ones_like(mean)))[0]
        return waited(jax.jit(jax.vmap(solve)), *jax.device_put((mean, e)))
    return calls(waited(f, *on_device(mean, e)), {"jax": jax}, equals(lambda: np.array(list(map(kepler, mean, e))), 1e-8), rtol=1e-8)


def recurrent(w, u, b, xs):
    """The mean square of the last state of a recurrent network; xs has the shape (time, batch, inputs)."""
    h = np.zeros((xs.shape[1], w.shape[0]))
    for t in range(len(xs)):
        h = np.tanh(h @ w + xs[t] @ u + b)
    return np.mean(h ** 2)


def jax_recurrent(w, u, b, xs):
    import jax
    import jax.numpy as jnp
    h, _ = jax.lax.scan(lambda h, x: (jnp.tanh(h @ w + x @ u + b), None), jnp.zeros((xs.shape[1], w.shape[0])), xs)
    return jnp.mean(h ** 2)


def weights(hidden, inputs, time, batch):
    rng = np.random.default_rng(9)
    return (rng.normal(size=(hidden, hidden), scale=hidden ** -0.5), rng.normal(size=(inputs, hidden)), np.zeros(hidden),
            rng.normal(size=(time, batch, inputs)))


def recurrent_forward(hidden=32, inputs=8, time=100, batch=16):
    import transformer
    given = weights(hidden, inputs, time, batch)
    f = transformer.jit(recurrent)

    def jax():
        jax = jax_with()
        return waited(jax.jit(jax_recurrent), *jax.device_put(given))
    return calls(waited(f, *on_device(*given)), {"jax": jax}, equals(lambda: recurrent(*given), 1e-9), rtol=1e-9)


def recurrent_gradient(hidden=32, inputs=8, time=100, batch=16):
    import transformer
    given = weights(hidden, inputs, time, batch)
    f = transformer.jit(transformer.grad(recurrent, argnums=(0, 1, 2)))

    def jax():
        jax = jax_with()
        return waited(jax.jit(jax.grad(jax_recurrent, argnums=(0, 1, 2))), *jax.device_put(given))
    check = slopes(lambda params, xs: recurrent(*params, xs), (given[:3], given[3]), rtol=1e-5)
    return calls(waited(f, *on_device(*given)), {"jax": jax}, check, rtol=1e-8)
