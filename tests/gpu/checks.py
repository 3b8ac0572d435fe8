"""Checks of the platform that TRANSFORMER_PLATFORMS names, against NumPy on the host. `run.sh` beside this file says how to start them.

    values      every op of the table on its samples
    gradients   forward and reverse mode of every smooth sample, and whole programs: loops, branches, stores, a network
    arrays      placing, fetching, donation, half precision, collectives over all devices
    dispatch    microseconds a call of small programs, milliseconds of a large product (printed, not judged)
"""

import sys
import time
import traceback

import ml_dtypes
import numpy as np

import transformer
from tests import helpers
from transformer import device_put, grad, jit, pmap, value_and_grad, vmap
from transformer.errors import TransformError
from transformer.executable import executable
from transformer.ops.op import TABLE
from transformer.parallel import psum
from transformer.sharding import NamedSharding, P, make_mesh

HOST_ONLY = "compiled for CPU only"
"""How an op says that it has no lowering for the platform: counted apart, not as a failure."""


def samples(name):
    op = TABLE[name]
    drawn = op.samples(np.random.default_rng(0)) if callable(op.samples) else op.samples
    for args, params in drawn:
        program, values = helpers.op_program(op, args, params)
        if all(None not in program.aval(a).shape for a in program.outputs):
            yield program, values


def compare(found, wanted, rtol=1e-6):
    for x, y in zip(found, wanted, strict=True):
        x, y = np.asarray(x), np.asarray(y)
        assert x.dtype == y.dtype and x.shape == y.shape, (x.dtype, y.dtype, x.shape, y.shape)
        scale = np.max(np.abs(y), initial=1.0, where=np.isfinite(y)) if y.dtype.kind in "fc" else 1
        np.testing.assert_allclose(x, y, rtol=rtol, atol=rtol * scale)


def values():
    for name in sorted(n for n, op in TABLE.items() if op.samples is not None):
        def check(name=name):
            for program, args in samples(name):
                compare(executable(program)(args), helpers.run(program, args))
        yield f"value of {name}", check


def gradients():
    from transformer.transforms.forward import forward
    from transformer.transforms.reverse import reverse
    for name in sorted(n for n, op in TABLE.items() if op.samples is not None and op.differentiable):
        def check(name=name):
            for program, args in samples(name):
                wrt = helpers.float_positions(program)
                if not wrt or program.aval(program.outputs[0]).dtype != np.float64:
                    continue
                pushed, ones = forward(program, wrt), [np.ones_like(args[k]) for k in wrt]
                compare(executable(pushed)([*args, *ones]), helpers.run(pushed, [*args, *ones]))
                pulled, bar = reverse(program, wrt, ["param"]), np.ones(program.aval(program.outputs[0]).shape)
                compare(executable(pulled)([*args, bar]), helpers.run(pulled, [*args, bar]))
        yield f"derivatives of {name}", check
    for f, args in PROGRAMS:
        def whole(f=f, args=args):
            wanted, bars = value_and_grad(f)(*args)
            found, others = jit(value_and_grad(f))(*args)
            compare([found, others], [wanted, bars], 1e-8)
            compare([jit(vmap(f))(*(np.stack([a, a]) for a in args))], [np.stack([wanted, wanted])], 1e-8)
        yield f"gradient of {f.__name__}", whole


def decay(x):
    for i in range(50):
        x = x - 0.01 * x ** 2
    return np.sum(x)


def search(x):
    while np.sum(x) < 100.0:
        if x[0] > 3.0:
            x = x * 1.1
        else:
            x = x + 0.5
    return np.sum(x ** 2)


def sweep(x):
    x = x.copy()
    for i in range(1, len(x)):
        x[i] += 0.5 * x[i - 1] * x[i]
    return np.sum(x)


def network(w):
    x = np.linspace(-1.0, 1.0, 64 * 16).reshape(64, 16)
    hidden = np.tanh(x @ w)
    return np.mean(np.log1p(np.exp(hidden @ w.T)))


ROW = np.linspace(0.5, 1.5, 32)
PROGRAMS = [(decay, (ROW,)), (search, (ROW,)), (sweep, (ROW,)), (network, (np.linspace(-1.0, 1.0, 16 * 32).reshape(16, 32),))]


def arrays():
    x = np.random.default_rng(0).normal(size=(64, 48)).astype(np.float32)

    def places():
        last = transformer.devices()[-1]
        y = jit(lambda a: a * 2)(device_put(x, last))
        assert y.devices() == {last} and last.platform == transformer.default_backend()
        np.testing.assert_array_equal(y, 2 * x)
    yield "placing and fetching", places

    def donates():
        add = jit(lambda s, d: s + d, donate_argnums=0)
        total = jit(lambda a: a)(x)
        for _ in range(3):
            old, total = total, add(total, np.float32(1))
            assert old.is_deleted()
        np.testing.assert_allclose(total, x + 3, rtol=1e-6)
    yield "donation", donates

    def half():
        for dtype in (np.float16, ml_dtypes.bfloat16):
            a = x.astype(dtype)
            np.testing.assert_array_equal(np.asarray(jit(lambda a: a * a)(device_put(a))), a * a)
    yield "half precision", half

    def spreads():
        count = transformer.device_count()
        rows = np.arange(count * 3.0).reshape(count, 3)
        np.testing.assert_allclose(pmap(lambda r: r / psum(r, "d"), axis_name="d")(rows + 1), (rows + 1) / (rows + 1).sum(0))
        place = NamedSharding(make_mesh((count,), ("d",)), P("d"))
        whole = np.tile(x, (count, 1))
        np.testing.assert_allclose(jit(lambda a: np.sin(a) @ a.T)(device_put(whole, place)), np.sin(whole) @ whole.T, rtol=1e-3, atol=1e-3)
    yield "all devices", spreads

    def prints():
        @jit
        def f(a):
            print("printed", a[0])
            return a * 2
        np.testing.assert_array_equal(f(np.ones(3)), [2.0] * 3)
    yield "printing from a program", prints

    def raises():
        try:
            jit(lambda a, i: a[i])(x, 99)
        except IndexError:
            return
        raise AssertionError("an index out of range is not noticed")
    yield "errors of a program", raises


def dispatch():
    def per_call(f, *args, calls=1000):
        f(*args).block_until_ready()
        start = time.perf_counter()
        for _ in range(calls):
            y = f(*args)
        y.block_until_ready()
        return (time.perf_counter() - start) / calls

    def small():
        x = jit(lambda a: a)(np.ones(8, np.float32))
        print(f"    x + 1: {1e6 * per_call(jit(lambda a: a + 1), x):.1f} us a call")
        print(f"    gradient of sum(tanh(x) ** 2): {1e6 * per_call(jit(grad(lambda a: np.sum(np.tanh(a) ** 2))), x):.1f} us a call")
    yield "dispatch of small programs", small

    def large():
        size = 512 if transformer.default_backend() == "cpu" else 8192
        x = jit(lambda a: a)(np.ones((size, size), np.float32))
        seconds = per_call(jit(lambda a: a @ a), x, calls=10)
        print(f"    product of {size} x {size} matrices: {1e3 * seconds:.2f} ms, {2 * size ** 3 / seconds / 1e12:.1f} TFLOP/s")
    yield "a large product", large


GROUPS = {"values": values, "gradients": gradients, "arrays": arrays, "dispatch": dispatch}


def main(wanted):
    print(f"{transformer.default_backend()}: {', '.join(d.device_kind for d in transformer.devices())}")
    passed, failed, refused = 0, [], []
    for group in wanted or GROUPS:
        for name, check in GROUPS[group]():
            try:
                check()
                passed += 1
            except TransformError as error:
                if HOST_ONLY not in str(error):
                    failed.append(name)
                    traceback.print_exc()
                else:
                    refused.append(name)
            except Exception:  # a check may fail in any way; the others go on
                failed.append(name)
                traceback.print_exc()
    if refused:
        print(f"not lowered for this platform, with an error that says so: {', '.join(refused)}")
    for name in failed:
        print(f"failed: {name}")
    print(f"{passed} passed, {len(failed)} failed, {len(refused)} refused")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
