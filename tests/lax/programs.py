"""Programs in JAX's names: functions of the library and of float64 arrays."""

import numpy as np

RNG = np.random.default_rng(0)
PROGRAMS = {}
WEIGHTS, BIASES = RNG.normal(size=(3, 4, 4)) * 0.5, RNG.normal(size=(3, 4)) * 0.1
X, ROWS = RNG.normal(size=4), RNG.normal(size=(6, 4))


def program(*args):
    def note(function):
        PROGRAMS[function.__name__] = (function, args)
        return function
    return note


@program({"w": WEIGHTS, "b": BIASES}, X)
def residual_layers(J, params, x):
    jnp, lax = J.numpy, J.lax

    def layer(h, p):
        return jnp.tanh(p["w"] @ h + p["b"]) + h, jnp.sum(h)
    h, sums = lax.scan(layer, x, params)
    return jnp.sum(h ** 2) + jnp.sum(sums)


@program({"w": WEIGHTS[0], "v": WEIGHTS[1]})
def training_with_momentum(J, params):
    jnp, lax, rows = J.numpy, J.lax, J.numpy.asarray(ROWS)

    def loss(p, x):
        return jnp.sum(jnp.tanh(p["w"] @ x) * (p["v"] @ x))

    def step(i, state):
        p, m = state
        g = J.grad(loss)(p, rows[i % 6])
        m = J.tree_util.tree_map(lambda a, b: 0.9 * a + b, m, g)
        return J.tree_util.tree_map(lambda a, b: a - 0.1 * b, p, m), m
    p, _ = lax.fori_loop(0, 5, step, (params, J.tree_util.tree_map(jnp.zeros_like, params)))
    return jnp.sum(p["w"] ** 2) + jnp.sum(p["v"])


@program(X, ROWS)
def branches_in_a_scan(J, x, rows):
    jnp, lax = J.numpy, J.lax

    def body(c, v):
        c = lax.cond(jnp.sum(c * v) > 0, lambda a, b: a + jnp.sin(b), lambda a, b: a * jnp.cos(b), c, v)
        k = lax.switch(jnp.argmax(v) % 3, [lambda q: q * 2.0, jnp.sin, lambda q: -q], c)
        return k, jnp.where(v > 0, k, 0.0)
    c, ys = lax.scan(body, x, rows)
    return jnp.sum(c) + jnp.sum(ys ** 2)


@program(X, ROWS)
def loop_in_a_reversed_scan(J, x, rows):
    jnp, lax = J.numpy, J.lax

    def body(c, v):
        def go(s):
            return lax.fori_loop(0, 3, lambda i, t: t * 0.5 + jnp.sin(t * v) + i, s)
        return J.vmap(lambda a, b: a * b)(go(c), v), go(v)
    c, ys = lax.scan(body, x, rows, reverse=True)
    return jnp.sum(c * jnp.arange(4.0)) + jnp.mean(ys)


@program(X, ROWS)
def rules_in_a_checkpointed_scan(J, x, rows):
    jnp, lax = J.numpy, J.lax

    @J.custom_jvp
    def f(a, b):
        return jnp.sin(a) * b

    @f.defjvp
    def f_jvp(primals, tangents):
        a, b = primals
        return f(a, b), jnp.cos(a) * b * tangents[0] + jnp.sin(a) * tangents[1]

    @J.custom_jvp
    def g(a):
        return jnp.exp(-a ** 2)
    g.defjvps(lambda dot, out, a: -2.0 * a * out * dot)
    c, ys = lax.scan(J.checkpoint(lambda c, v: (f(c, v) + g(c), g(f(v, c)))), x, rows)
    return jnp.sum(c) + jnp.sum(J.vmap(g)(ys))


@program(X, ROWS)
def streaming_attention(J, x, rows):
    jnp, lax = J.numpy, J.lax

    def attend(q, keys):
        def body(carry, k):
            top, total, out = carry
            score = jnp.dot(q, k)
            new = jnp.maximum(top, score)
            old, w = jnp.exp(top - new), jnp.exp(score - new)
            return (new, total * old + w, out * old + w * k), None
        (_, total, out), _ = lax.scan(body, (jnp.dot(q, keys[0]) * 0 - 10.0, 0.0, jnp.zeros(4)), keys)
        return out / total
    return jnp.sum(J.vmap(attend, (0, None))(rows, rows) * x)


@program(ROWS)
def maps_and_prefixes(J, rows):
    jnp, lax = J.numpy, J.lax
    y = lax.map(lambda v: lax.associative_scan(jnp.multiply, v)[-1] + lax.cummax(v)[2], rows, batch_size=4)
    z = lax.associative_scan(lambda a, b: (a[0] * b[0], a[1] * b[0] + b[1]), (rows, rows ** 2), axis=0)
    return jnp.sum(y) + jnp.sum(z[1])


@program(X, ROWS)
def updates_in_a_loop(J, x, rows):
    jnp, lax = J.numpy, J.lax

    def body(i, buffer):
        part = lax.dynamic_slice(rows, (i, 0), (2, 4))
        buffer = lax.dynamic_update_slice(buffer, part * 2 + buffer[:2], (i + 1, 0))
        return buffer.at[i].add(x).at[:, 0].multiply(0.5)
    return jnp.sum(jnp.sin(lax.fori_loop(0, 4, body, jnp.ones((7, 4)))))


@program(X)
def runge_kutta(J, x):
    jnp, lax = J.numpy, J.lax

    def f(y):
        return jnp.array([y[1], -jnp.sin(y[0]), y[3] * 0.1, -y[2]])

    def step(y, _):
        a = f(y)
        b = f(y + 0.05 * a)
        c = f(y + 0.05 * b)
        d = f(y + 0.1 * c)
        y = y + 0.1 / 6 * (a + 2 * b + 2 * c + d)
        return y, y
    return jnp.sum(lax.scan(step, x, None, length=20)[1] ** 2)


@program(X, ROWS)
def carries_of_several_types(J, x, rows):
    jnp, lax = J.numpy, J.lax

    def body(carry, v):
        i, total, flag = carry
        total = jnp.where(flag, total + v[i], total * v[i])
        return ((i + 1) % 4, total, jnp.logical_not(flag)), {"i": i, "a": total}
    (_, total, _), ys = lax.scan(body, (0, x[0], True), rows)
    return total + jnp.sum(ys["a"] * ys["i"])
