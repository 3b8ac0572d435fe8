"""The cost of a call, not of its arithmetic: small functions, jitted and not."""

import numpy as np

from .contest import calls, equals, jax_with, rebound, slopes, wait, waited
from .network import NARROW, example_loss, network, predict


def tanh(x):
    y = np.exp(-2.0 * x)
    return (1.0 - y) / (1.0 + y)


def increment(x):
    return x + 1


def scaled(params, x):
    return {name: value * x for name, value in params.items()}


def decayed(params):
    return [(w * 0.5, b * 0.5) for w, b in params]


def scalar_gradient():
    """grad(tanh)(1.0), not jitted."""
    import transformer
    f = transformer.grad(tanh)

    def jax():
        jax = jax_with()
        return waited(jax.grad(rebound(tanh, np=jax.numpy)), 1.0)

    def autograd():
        import autograd
        g = autograd.grad(rebound(tanh, np=autograd.numpy))
        return lambda: g(1.0)
    return calls(lambda: f(1.0), {"jax": jax, "autograd": autograd}, equals(lambda: 1.0 - np.tanh(1.0) ** 2))


def network_gradient(sizes=NARROW):
    """The gradient of one image's loss in a narrow network, not jitted."""
    import transformer
    params, images, targets = network(sizes, 1)
    arguments = (params, images[0], targets[0])
    f = transformer.grad(example_loss)

    def jax():
        jax = jax_with(x64=False)
        twin = rebound(example_loss, np=jax.numpy, predict=rebound(predict, np=jax.numpy))
        return waited(jax.grad(twin), *jax.device_put(arguments))

    def autograd():
        import autograd
        twin = rebound(example_loss, np=autograd.numpy, predict=rebound(predict, np=autograd.numpy))
        g = autograd.grad(twin)
        return lambda: g(*arguments)
    return calls(lambda: f(*arguments), {"jax": jax, "autograd": autograd}, slopes(example_loss, arguments, rtol=1e-3), rtol=1e-3)


def jitted(f, arguments, device=True, ready=wait):
    """The contest of jit(f) on arguments that lie on the device, or are ndarrays."""
    import transformer

    def call(library):
        g = library.jit(f)
        given = library.device_put(arguments) if device else arguments
        return lambda: ready(g(*given))
    return calls(call(transformer), {"jax": lambda: call(jax_with(x64=False))}, equals(lambda: f(*arguments)))


def blocking(value):
    return value.block_until_ready()


def blocking_dict(value):
    for part in value.values():
        part.block_until_ready()
    return value


def blocking_pairs(value):
    for w, b in value:
        w.block_until_ready()
        b.block_until_ready()
    return value


def one_array(size=8):
    return jitted(increment, [np.arange(size, dtype=np.float32)], ready=blocking)


def one_ndarray(size=8):
    return jitted(increment, [np.arange(size, dtype=np.float32)], device=False, ready=blocking)


def many_arrays(count=20):
    params = {f"p{k}": np.full(4, k, np.float32) for k in range(count)}
    return jitted(scaled, [params, np.float32(2.0)], ready=blocking_dict)


def params(sizes=NARROW):
    """The params of a network of three layers: a list of pairs."""
    from transformer.examples import digits
    return jitted(decayed, [digits.initial_params(sizes)], ready=blocking_pairs)
