"""All rows, each with its goals: peer -> the ratio ours / peer that we want to stay under."""

import functools
from collections.abc import Callable
from typing import NamedTuple

from . import derivatives, dispatch, element_loops, loops, memory, network, parallel, scalar_loops, scaling, startup

TINY_NET = (16, 8, 4, 10)


class Row(NamedTuple):
    """contest(**sizes) makes what is measured; `tiny`: sizes at which tests check the value of ours."""

    name: str
    work: str
    goals: dict
    contest: Callable
    tiny: dict


def row(name, work, goals, contest, tiny=None, **sizes):
    return Row(name, work, goals, functools.partial(contest, **sizes), tiny or {})


def jax(goal):
    return {"jax": goal}


STARTUP = [
    row("import", "import, net of Python's start", jax(0.4), startup.imports),
    row("first-gradient", "process start to a scalar gradient", jax(0.4), startup.first_gradient),
    row("first-jit-scalar", "process start to a jitted scalar gradient", jax(0.5), startup.first_jitted_gradient),
    row("first-jit-network", "process start to the jitted gradient of the network", jax(0.65), startup.first_network_gradient, {"sizes": TINY_NET}),
    row("cached-scalar", "the same with a warm disk cache, scalar", jax(0.35), startup.cached(startup.first_jitted_gradient)),
    row("cached-network", "the same with a warm disk cache, network", jax(0.4), startup.cached(startup.first_network_gradient), {"sizes": TINY_NET}),
    row("build", "building the program of a training step", jax(0.7), startup.building, {"sizes": TINY_NET}),
    row("compile", "compiling the program of a training step", jax(0.9), startup.compiling, {"sizes": TINY_NET}),
]
DISPATCH = [
    row("gradient-scalar", "grad(tanh)(1.0), not jitted", {"jax": 0.005, "autograd": 0.1}, dispatch.scalar_gradient),
    row("gradient-narrow", "gradient of the 8-wide network, not jitted", {"jax": 0.01, "autograd": 0.1}, dispatch.network_gradient, {"sizes": TINY_NET}),
    row("dispatch", "jit(x + 1), a device array in", jax(1.0), dispatch.one_array),
    row("dispatch-ndarray", "jit(x + 1), an ndarray in", jax(1.0), dispatch.one_ndarray),
    row("dispatch-dict", "jit of a dict of 20 arrays", jax(1.0), dispatch.many_arrays),
    row("dispatch-params", "jit of the params of 3 layers", jax(1.0), dispatch.params, {"sizes": TINY_NET}),
]
NETWORK = [
    row("step", "training step, 128 images", jax(1.0), network.step, {"sizes": TINY_NET, "images": 8}),
    row("step-narrow", "training step of the 8-wide network", jax(0.6), network.step, {"sizes": TINY_NET, "images": 8}, sizes=network.NARROW),
    row("value-and-grad", "value_and_grad, ndarrays in", jax(1.0), network.value_and_gradient, {"sizes": TINY_NET, "images": 8}),
    row("per-example-16", "gradients of 16 examples", jax(0.3), network.per_example, {"sizes": TINY_NET, "images": 3}),
    row("per-example-128", "gradients of 128 examples", jax(0.5), network.per_example, {"sizes": TINY_NET, "images": 4}, images=128),
]
DERIVATIVES = [
    row("hessian", "Hessian, 50 dimensions", jax(1.0), derivatives.hessian, {"size": 4}),
    row("hvp", "Hessian-vector product, 50 dimensions", jax(1.0), derivatives.hessian_vector_product, {"size": 4}),
    row("vmap-while", "vmap of a while loop, 1000 lanes", jax(1.0), derivatives.batched_while, {"lanes": 5}),
    row("rnn", "recurrent network, 100 steps", jax(1.0), derivatives.recurrent_forward, {"hidden": 4, "inputs": 2, "time": 3, "batch": 2}),
    row("rnn-gradient", "recurrent network, gradient", jax(1.0), derivatives.recurrent_gradient, {"hidden": 4, "inputs": 2, "time": 3, "batch": 2}),
]
LOOPS = [
    row("euler-1000-first", "gradient of 1000 Euler steps, first result", jax(1.0), loops.euler_first, {"steps": 5}, steps=1000),
    row("euler-5000-first", "gradient of 5000 Euler steps, first result", jax(1.0), loops.euler_first, {"steps": 6}, steps=5000),
    row("euler-1000", "gradient of 1000 Euler steps", jax(1.0), loops.euler, {"steps": 5}, steps=1000),
    row("euler-5000", "gradient of 5000 Euler steps", jax(1.0), loops.euler, {"steps": 6}, steps=5000),
    row("recurrence", "gradient of x[i] += 0.5 * x[i-1], n = 10000", jax(0.05), element_loops.running, {"n": 5}),
    row("seidel-2d", "gradient of Gauss-Seidel sweeps, 100 x 100", jax(0.05), element_loops.seidel, {"n": 5}),
    row("pairing", "gradient of a pairing table, n = 60", jax(0.05), element_loops.pairing, {"n": 6}),
    row("independent-rounds", "gradient of a step of diffusion by elements, n = 1000, not jitted", jax(0.02), element_loops.independent, {"n": 5}),
    row("branch-stores", "gradient of stores under a condition, 1600 rounds", jax(1.0), element_loops.conditional, {"n": 4}),
    row("soft-dtw", "gradient of soft time warping, 200 x 200", jax(0.05), element_loops.warping, {"n": 4}),
]
SCALAR_LOOPS = [
    row("go-fast", "tanh along a diagonal, n = 1000", {"numba": 1.5}, scalar_loops.go_fast, {"n": 5}),
    row("nussinov", "Nussinov's table of integers, n = 180", {"numba": 1.5}, scalar_loops.nussinov, {"n": 9}),
    row("mandelbrot", "Mandelbrot set, 120 x 120", {"numba": 1.5}, scalar_loops.mandelbrot, {"n": 6, "limit": 20}),
    row("crc16", "CRC of 20000 bytes", {"numba": 1.5}, scalar_loops.crc16, {"n": 7}),
]
MEMORY = [
    row("memory-burgers", "peak memory, gradient of 1000 Burgers steps", jax(0.6), memory.burgers, {"points": 12, "steps": 3}),
    row("memory-prefixes", "peak memory, gradient of prefix products, n = 8000", jax(0.05), memory.prefix_dots, {"n": 6}),
]
PARALLEL = [row("pmap", "pmap of a small step on 2 devices", jax(1.0), parallel.step, {"size": 3})]

SCALING = [
    row("build-statements", "building the gradient of 200 statements", jax(2.0), scaling.statements, {"count": 4}),
    row("leaves-first", "sum of squares of 500 small arrays, first result", jax(0.65), scaling.leaves, {"count": 3}),
]

ROWS = {entry.name: entry for entry in [*STARTUP, *DISPATCH, *NETWORK, *DERIVATIVES, *LOOPS, *SCALAR_LOOPS, *MEMORY, *PARALLEL, *SCALING]}
