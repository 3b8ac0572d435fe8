"""The digits network: one training step, ours against JAX, both compiled."""

import functools

import numpy as np

from .measure import Row, interleaved, wait


def jax_update():
    """The same network and step in jax.numpy, as a JAX user writes it."""
    import jax
    import jax.numpy as jnp

    def predict(params, image):
        activations = image
        for w, b in params[:-1]:
            activations = jnp.maximum(jnp.dot(w, activations) + b, 0)
        w, b = params[-1]
        logits = jnp.dot(w, activations) + b
        return logits - jax.scipy.special.logsumexp(logits)

    def loss(params, images, targets):
        return -jnp.sum(jax.vmap(predict, in_axes=(None, 0))(params, images) * targets) / len(images)

    @jax.jit
    def update(params, images, targets, step):
        value, grads = jax.value_and_grad(loss)(params, images, targets)
        return [(w - step * dw, b - step * db) for (w, b), (dw, db) in zip(params, grads, strict=True)], value

    return update


def example_loss(params, image, target):
    """Cross entropy of one image."""
    from transformer.examples.digits import predict
    return -np.sum(predict(params, image) * target)


def jax_example_loss(params, image, target):
    import jax
    import jax.numpy as jnp
    for w, b in params[:-1]:
        image = jnp.maximum(jnp.dot(w, image) + b, 0)
    w, b = params[-1]
    logits = jnp.dot(w, image) + b
    return -jnp.sum((logits - jax.scipy.special.logsumexp(logits)) * target)


def per_example_row(size):
    """The gradient of each image's loss: vmap of grad, compiled."""
    import jax

    import transformer
    from transformer.examples import digits
    (images, labels), _ = digits.load()
    images, targets = images[:size], digits.one_hot(labels[:size])
    params = digits.initial_params()
    ours = transformer.jit(transformer.vmap(transformer.grad(example_loss), in_axes=(None, 0, 0)))
    theirs = jax.jit(jax.vmap(jax.grad(jax_example_loss), in_axes=(None, 0, 0)))
    held = {}

    def caller(name, f):
        def call():
            held[name] = wait(list(f(params, images, targets)))
        return call

    return Row(f"per-example gradients, {size} images, jit",
               interleaved({"ours": caller("ours", ours), "jax": caller("jax", theirs)}, rounds=20))


def step_row(size, sizes=None):
    """One step at a batch of `size` images; params stay on the device from step to step."""
    from transformer.examples import digits
    (images, labels), _ = digits.load()
    images, targets = images[:size], digits.one_hot(labels[:size])
    start = digits.initial_params(sizes or digits.SIZES)
    images = np.ascontiguousarray(images[:, : start[0][0].shape[1]])

    def stepper(update):
        state = [start]

        def step():
            state[0], _ = wait(update(state[0], images, targets, 1e-4))
        return step

    name = "-".join(map(str, sizes or digits.SIZES))
    return Row(f"training step, {name}, {size} images, jit",
               interleaved({"ours": stepper(digits.update), "jax": stepper(jax_update())}, rounds=60))


ROWS = {"step": functools.partial(step_row, 128), "step-32": functools.partial(step_row, 32),
        "per-example": functools.partial(per_example_row, 16), "step-narrow": functools.partial(step_row, 32, (784, 8, 8, 10))}
