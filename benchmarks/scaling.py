"""Long programs: from source text to StableHLO, without XLA's own compile."""

import itertools
import linecache

import numpy as np

from .contest import Contest, Contestant, jax_with, seconds, slopes, waited

_numbers = itertools.count()


def written(count, namespace):
    """A new function of `count` statements in a row, each with a name of its own; its source is known to linecache."""
    names = ["y", *(f"y{i}" for i in range(count))]
    body = [f"    {new} = {old} * a + np.sin({old})" for old, new in itertools.pairwise(names)]
    text = "\n".join(["def chain(a, y):", *body, f"    return np.sum({names[-1]})", ""])
    file = f"<chain {next(_numbers)}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    scope = {"np": namespace}
    exec(compile(text, file, "exec"), scope)
    return scope["chain"]


def statements(count=200):
    """The gradient of a function of many statements, built and lowered; the value is the gradient."""
    arguments = (1e-3, np.linspace(0.1, 0.9, 3))

    def ours():
        import transformer
        from transformer.lower import lower

        def build():
            compiled = transformer.jit(transformer.grad(written(count, np))).lower(*arguments).compiled
            return lower(compiled.program)
        return Contestant(waited(transformer.jit(transformer.grad(written(count, np))), *arguments), lambda: seconds(build, 1))

    def jax():
        jax = jax_with()
        gradient = lambda: jax.jit(jax.grad(written(count, jax.numpy)))
        return Contestant(waited(gradient(), *arguments), lambda: seconds(lambda: gradient().lower(*arguments), 1))
    return Contest({"ours": ours, "jax": jax}, slopes(written(count, np), arguments))
