"""Long programs: from source text to StableHLO, without XLA's own compile. Programs of many leaves: from source text to the first result."""

import itertools
import linecache

import numpy as np

from .contest import Contest, Contestant, equals, jax_with, seconds, slopes, wait, waited

_numbers = itertools.count()


def written(count, namespace):
    """A new function of `count` statements in a row, each with a name of its own; its source is known to linecache."""
    names = ["y", *(f"y{i}" for i in range(count))]
    body = [f"    {new} = {old} * a + np.sin({old})" for old, new in itertools.pairwise(names)]
    return defined("chain", ["def chain(a, y):", *body, f"    return np.sum({names[-1]})"], namespace)


def defined(name, lines, namespace):
    """The function `name` of a source text, in which `np` is the namespace."""
    text = "\n".join([*lines, ""])
    file = f"<{name} {next(_numbers)}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    scope = {"np": namespace}
    exec(compile(text, file, "exec"), scope)
    return scope[name]


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


def leaves(count=500):
    """The first sum of the squares of a list of arrays of 100 elements, with a number in it that no program had before."""
    arguments = ([np.full(100, 1 / n) for n in range(1, count + 1)],)

    def total(namespace, scale=1):
        return defined("total", ["def total(xs):", f"    return np.sum(sum([x * x * {scale}.0 for x in xs]))"], namespace)

    def contestant(jit, namespace):
        first = lambda: wait(jit(total(namespace, next(_numbers)))(*arguments))
        return Contestant(waited(jit(total(namespace)), *arguments), lambda: seconds(first, 1))

    def ours():
        import transformer
        return contestant(transformer.jit, np)

    def jax():
        jax = jax_with()
        return contestant(jax.jit, jax.numpy)
    return Contest({"ours": ours, "jax": jax}, equals(lambda: total(np)(*arguments)))
