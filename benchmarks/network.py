"""The digits network: training steps, value_and_grad, per-example gradients; ours against JAX, both compiled."""

import numpy as np

from .contest import Contest, Contestant, calls, jax_with, rebound, slopes, timed, wait, waited

SIZES, NARROW = (784, 512, 256, 10), (784, 8, 8, 10)
STEP = 1e-2


def network(sizes, images):
    """(params, images, one-hot targets) as ndarrays: digits, cut to the width of the network."""
    from transformer.examples import digits
    (pixels, labels), _ = digits.load()
    return digits.initial_params(sizes), np.ascontiguousarray(pixels[:images, :sizes[0]]), digits.one_hot(labels[:images], sizes[-1])


def predict(params, image):
    for w, b in params[:-1]:
        image = np.maximum(np.dot(w, image) + b, 0)
    w, b = params[-1]
    logits = np.dot(w, image) + b
    top = np.max(logits)
    return logits - top - np.log(np.sum(np.exp(logits - top)))


def example_loss(params, image, target):
    """Cross entropy of one image."""
    return -np.sum(predict(params, image) * target)


def plain_losses(params, images, targets):
    """Cross entropy of each image of a batch, in plain NumPy."""
    return np.stack([example_loss(params, image, target) for image, target in zip(images, targets)])


def plain_loss(params, images, targets):
    return np.mean(plain_losses(params, images, targets))


def jax_predict(params, image):
    """As a JAX user writes it."""
    import jax
    import jax.numpy as jnp
    for w, b in params[:-1]:
        image = jnp.maximum(jnp.dot(w, image) + b, 0)
    w, b = params[-1]
    logits = jnp.dot(w, image) + b
    return logits - jax.scipy.special.logsumexp(logits)


def jax_loss(params, images, targets):
    import jax
    import jax.numpy as jnp
    return -jnp.sum(jax.vmap(jax_predict, in_axes=(None, 0))(params, images) * targets) / len(images)


def jax_update():
    """The training step, jitted."""
    jax = jax_with(x64=False)

    @jax.jit
    def update(params, images, targets, step):
        value, grads = jax.value_and_grad(jax_loss)(params, images, targets)
        return [(w - step * dw, b - step * db) for (w, b), (dw, db) in zip(params, grads, strict=True)], value

    return update


def step(sizes=SIZES, images=128):
    """One step of gradient descent; params stay on the device from step to step. The value is that of the first step."""
    params, *data = network(sizes, images)

    def contestant(update):
        state = update(params, *data, STEP)

        def call():
            nonlocal state
            state = wait(update(state[0], *data, STEP))
        return Contestant(waited(update, params, *data, STEP), timed(call).sample)

    def ours():
        from transformer.examples.digits import update
        return contestant(update)
    return Contest({"ours": ours, "jax": lambda: contestant(jax_update())}, slopes_of_step(params, data, STEP))


def slopes_of_step(params, data, size):
    """The check of a training step: what it takes from the params is the gradient of the loss, times its size."""
    def gradient(value):
        return [((w - np.asarray(v)) / size, (b - np.asarray(c)) / size) for (w, b), (v, c) in zip(params, value[0])]
    return slopes(plain_loss, (params, *data), rtol=2e-2, gradient=gradient)


def value_and_gradient(sizes=SIZES, images=128):
    """value_and_grad of the loss, jitted: every argument is an ndarray, in every call."""
    import transformer
    from transformer.examples.digits import loss
    arguments = network(sizes, images)
    f = transformer.jit(transformer.value_and_grad(loss))

    def jax():
        jax = jax_with(x64=False)
        return waited(jax.jit(jax.value_and_grad(jax_loss)), *arguments)
    check = slopes(plain_loss, arguments, rtol=1e-3, gradient=lambda value: value[1])
    return calls(waited(f, *arguments), {"jax": jax}, check, rtol=1e-3)


def per_example(sizes=SIZES, images=16):
    """The gradient of each image's loss: vmap of grad; the arguments lie on the device."""
    import transformer
    arguments = network(sizes, images)
    f = transformer.jit(transformer.vmap(transformer.grad(example_loss), in_axes=(None, 0, 0)))

    def jax():
        jax = jax_with(x64=False)
        g = jax.jit(jax.vmap(jax.grad(rebound(example_loss, np=jax.numpy, predict=jax_predict)), in_axes=(None, 0, 0)))
        return waited(g, *jax.device_put(arguments))
    return calls(waited(f, *transformer.device_put(arguments)), {"jax": jax}, slopes(plain_losses, arguments, rtol=1e-3), rtol=1e-3)
