"""A data-parallel step on two devices: what its dispatch costs."""

import numpy as np

from .contest import calls, equals, jax_with, wait


def step(size=8):
    """pmap of a small step of linear regression; the gradients are averaged over the devices, where everything stays."""
    import transformer
    from transformer import lax
    transformer.config.update("num_cpu_devices", 2)
    rng = np.random.default_rng(7)
    w = np.stack([rng.normal(size=size).astype(np.float32)] * 2)
    x, y = rng.normal(size=(2, 4, size)).astype(np.float32), rng.normal(size=(2, 4)).astype(np.float32)

    def ours(w, x, y):
        slope = (x @ w - y) @ x
        return w - 0.01 * lax.pmean(slope, "devices")

    def contestant(library, f):
        taken = library.pmap(f, axis_name="devices")
        state = taken(w, x, y)
        placed = [library.pmap(lambda a: a + 0)(a) for a in (x, y)]
        return lambda: wait(taken(state, *placed))

    def jax():
        jax = jax_with(x64=False)
        jax.config.update("jax_num_cpu_devices", 2)

        def theirs(w, x, y):
            slope = (x @ w - y) @ x
            return w - 0.01 * jax.lax.pmean(slope, "devices")
        return contestant(jax, theirs)

    def by_hand():
        after = w
        for _ in range(2):
            after = after - 0.01 * np.mean([(x[k] @ after[k] - y[k]) @ x[k] for k in range(2)], axis=0)
        return after
    return calls(contestant(transformer, ours), {"jax": jax}, equals(by_hand))
