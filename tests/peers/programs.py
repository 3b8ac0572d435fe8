"""Programs that are written against JAX: the same text runs with either library, only the line of imports differs.

`run(text, "jax")` and `run(text, "transformer")` execute it and return what it calls `result`.
"""

import importlib
import linecache

IMPORTS = {
    "jax": "import jax.numpy as jnp\nfrom jax import grad, jit, lax, nn, random, tree_util, value_and_grad, vmap\n",
    "transformer": "import transformer.numpy as jnp\nfrom transformer import grad, jit, lax, nn, random, tree_util, value_and_grad, vmap\n",
}

CLASSIFIER = '''
def layer(key, m, n):
    a, b = random.split(key)
    return {"w": random.normal(a, (m, n)) / jnp.sqrt(m), "b": 0.01 * random.normal(b, (n,))}


def scores(layers, picture):
    h = picture
    for l in layers[:-1]:
        h = nn.relu(jnp.dot(h, l["w"]) + l["b"])
    z = jnp.dot(h, layers[-1]["w"]) + layers[-1]["b"]
    return z - nn.logsumexp(z)


batched = vmap(scores, in_axes=(None, 0))


def loss(layers, pictures, targets):
    return -jnp.mean(jnp.sum(batched(layers, pictures) * targets, axis=1))


@jit
def update(layers, pictures, targets):
    value, slopes = value_and_grad(loss)(layers, pictures, targets)
    return tree_util.tree_map(lambda p, g: p - 0.3 * g, layers, slopes), value


def accuracy(layers, pictures, labels):
    return jnp.mean(jnp.argmax(batched(layers, pictures), axis=1) == labels)


key, *keys = random.split(random.PRNGKey(7), 4)
sizes = [36, 48, 24, 10]
layers = [layer(k, m, n) for k, m, n in zip(keys, sizes[:-1], sizes[1:])]
centres = random.normal(random.fold_in(key, 1), (10, 36))
labels = random.randint(random.fold_in(key, 2), (200,), 0, 10)
pictures = centres[labels] + 0.5 * random.normal(random.fold_in(key, 3), (200, 36))
targets = nn.one_hot(labels, 10)
losses = []
for step in range(20):
    rows = slice(step % 4 * 50, step % 4 * 50 + 50)
    layers, value = update(layers, pictures[rows], targets[rows])
    losses.append(float(value))
result = [*losses, float(accuracy(layers, pictures, labels))]
'''

AUTOENCODER = '''
from functools import partial


def dense(key, m, n):
    return random.uniform(key, (m, n), minval=-1.0, maxval=1.0) * jnp.sqrt(3.0 / m), jnp.zeros(n)


def apply(pair, x):
    w, b = pair
    return x @ w + b


def encode(params, x):
    h = jnp.tanh(apply(params["hidden"], x))
    return apply(params["mean"], h), apply(params["spread"], h)


def decode(params, z):
    return apply(params["out"], nn.softplus(apply(params["back"], z)))


def bound(params, key, x):
    mean, log_var = encode(params, x)
    z = mean + jnp.exp(0.5 * log_var) * random.normal(key, mean.shape)
    logits = decode(params, z)
    fit = jnp.sum(jnp.where(x > 0.5, nn.log_sigmoid(logits), nn.log_sigmoid(-logits)))
    divergence = -0.5 * jnp.sum(1.0 + log_var - mean ** 2 - jnp.exp(log_var))
    return divergence - fit


def loss(params, key, batch):
    keys = random.split(key, batch.shape[0])
    return jnp.mean(vmap(partial(bound, params))(keys, batch))


def adam_step(carry, key):
    params, m, v, count, batch = carry
    value, g = value_and_grad(loss)(params, key, batch)
    count = count + 1
    m = tree_util.tree_map(lambda m, g: 0.9 * m + 0.1 * g, m, g)
    v = tree_util.tree_map(lambda v, g: 0.999 * v + 0.001 * g * g, v, g)
    scale = 0.01 * jnp.sqrt(1 - 0.999 ** count) / (1 - 0.9 ** count)
    params = tree_util.tree_map(lambda p, m, v: p - scale * m / (jnp.sqrt(v) + 1e-8), params, m, v)
    return (params, m, v, count, batch), value


@jit
def train(params, keys, batch):
    zeros = tree_util.tree_map(jnp.zeros_like, params)
    state, values = lax.scan(adam_step, (params, zeros, zeros, 0.0, batch), keys)
    return state[0], values


key = random.key(11)
shapes = {"hidden": (25, 20), "mean": (20, 4), "spread": (20, 4), "back": (4, 20), "out": (20, 25)}
params = {name: dense(random.fold_in(key, n), *shape) for n, (name, shape) in enumerate(shapes.items())}
strokes = random.bernoulli(random.fold_in(key, 10), 0.3, (5, 25))
batch = jnp.logical_or(strokes[random.randint(random.fold_in(key, 11), (64,), 0, 5)],
                       random.bernoulli(random.fold_in(key, 12), 0.05, (64, 25))).astype(jnp.float32)
params, values = train(params, random.split(random.fold_in(key, 13), 20), batch)
new = nn.sigmoid(decode(params, random.normal(random.fold_in(key, 14), (3, 4))))
result = [*(float(v) for v in values), *(float(v) for v in new.mean(axis=1))]
'''

PRIVATE = '''
def predict(params, x):
    for w, b in params[:-1]:
        x = jnp.maximum(x @ w + b, 0)
    w, b = params[-1]
    return x @ w + b


def loss(params, x, y):
    return jnp.logaddexp(0.0, -y * predict(params, x)[0])


def clipped(params, x, y, limit):
    slopes = grad(loss)(params, x, y)
    leaves, structure = tree_util.tree_flatten(slopes)
    norm = jnp.sqrt(sum(jnp.vdot(leaf, leaf) for leaf in leaves))
    return structure.unflatten([leaf / jnp.maximum(1.0, norm / limit) for leaf in leaves])


def private_gradient(params, key, x, y, limit, noise):
    slopes = vmap(clipped, (None, 0, 0, None))(params, x, y, limit)
    leaves, structure = tree_util.tree_flatten(slopes)
    keys = random.split(key, len(leaves))
    noisy = [(leaf.sum(0) + limit * noise * random.normal(k, leaf.shape[1:])) / x.shape[0] for k, leaf in zip(keys, leaves)]
    return tree_util.tree_unflatten(structure, noisy)


@jit
def step(params, key, x, y):
    slopes = private_gradient(params, key, x, y, 0.8, 0.3)
    return tree_util.tree_map(lambda p, g: p - 0.5 * g, params, slopes)


@jit
def mean_loss(params, x, y):
    return vmap(loss, in_axes=(None, 0, 0))(params, x, y).mean()


a, b, c, d, e = random.split(random.PRNGKey(3), 5)
params = [(random.normal(a, (6, 16)) / 6 ** 0.5, jnp.zeros((16,))), (random.normal(b, (16, 1)) / 4, jnp.zeros((1,)))]
x = random.normal(c, (80, 6))
y = jnp.sign(x[:, 0] * x[:, 1] + 0.3 * random.normal(d, (80,)))
result = []
for n in range(20):
    params = step(params, random.fold_in(e, n), x, y)
    result.append(float(mean_loss(params, x, y)))
'''

PROGRAMS = {"classifier": CLASSIFIER, "autoencoder": AUTOENCODER, "private": PRIVATE}


def run(name, library):
    importlib.import_module(library)
    text = IMPORTS[library] + PROGRAMS[name]
    place = f"<{name} with {library}>"
    linecache.cache[place] = (len(text), None, text.splitlines(True), place)
    space = {"__name__": name}
    exec(compile(text, place, "exec"), space)
    return space["result"]
