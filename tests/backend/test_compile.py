"""Executables, their caches, and life next to jax."""

import os
import subprocess
import sys
import textwrap
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import backend.cache
from backend.cache import Cache
from backend.compile import compile, signature
from backend.hlo import Hlo
from backend.policy import overrides_for


def plus_one(shape=(3,), dtype=np.float64, name="plus_one"):
    hlo = Hlo(name)
    return hlo.finish([hlo.add(hlo.parameter(shape, dtype), 1.0)])


def run_python(code, **environment):
    """Run code in a new process; its standard output."""
    result = subprocess.run([sys.executable, "-W", "error::UserWarning", "-c", textwrap.dedent(code)], capture_output=True, text=True,
                            env={**os.environ, **environment}, timeout=120)
    assert result.returncode == 0, result.stderr
    return result.stdout.strip()


def test_signature():
    hlo = Hlo("f")
    x, y = hlo.parameter((2, 3), np.complex64), hlo.parameter((), np.bool_)
    found = signature(hlo.finish([y, x, hlo.constant(1, np.uint8)], {0: 1}))
    assert found == ([((2, 3), np.dtype(np.complex64)), ((), np.dtype(bool))],
                     [((), np.dtype(bool)), ((2, 3), np.dtype(np.complex64)), ((), np.dtype(np.uint8))], [0])


def test_same_text_is_compiled_once():
    assert compile(plus_one()) is compile(plus_one())
    assert compile(plus_one()) is not compile(plus_one(), options=(("xla_cpu_enable_fast_math", False),))


def test_arguments_are_checked():
    run = compile(plus_one())
    with pytest.raises(TypeError, match=r"shape \(3,\)"):
        run.call([np.ones(4)])
    with pytest.raises(TypeError, match="dtype float64"):
        run.call([np.ones(3, complex)])
    with pytest.raises(TypeError, match="takes 1 arrays"):
        run.call([])


def test_a_borrowed_ndarray_may_change_after_the_call():
    run = compile(plus_one((1 << 20,)))
    raw = np.zeros((1 << 20) + 8)
    shift = (-raw.ctypes.data % 64) // 8
    x = raw[shift: shift + (1 << 20)]
    y, = run.call([x])
    x[:] = 5
    assert np.asarray(y).max() == 1


def test_results_never_alias_arguments():
    hlo = Hlo("same")
    run = compile(hlo.finish([hlo.parameter((4096,), np.float64)]))
    x = np.zeros(4096)
    y, = run.call([x])
    x[:] = 1
    assert np.asarray(y).max() == 0


def test_analysis():
    run = compile(plus_one())
    assert "HloModule" in run.hlo_text()
    assert run.cost_analysis()["flops"] == 3
    assert run.memory_analysis().argument_size_in_bytes == 24


def test_options_win_over_policy(monkeypatch):
    monkeypatch.setenv("TRANSFORMER_XLA_OPTIONS", "xla_a=true,xla_b=3,xla_c=text")
    assert dict(overrides_for((), (("xla_b", 4),))) == {"xla_a": True, "xla_b": 4, "xla_c": "text"}


def test_cache_forgets_the_oldest():
    cache, built = Cache(2), []
    for key in "abacaa":
        cache.get(key, lambda key=key: built.append(key))
    assert built == ["a", "b", "c"]
    cache.get("b", lambda: built.append("b"))
    assert built == ["a", "b", "c", "b"]


def test_cache_forgets_the_older_half_where_memory_maps_run_out(monkeypatch):
    counts = iter([99, 101])
    monkeypatch.setattr(backend.cache, "map_count", lambda: next(counts))
    cache, looks = Cache(1000, map_limit=100), backend.cache.LOOKS
    for key in range(2 * looks - 1):
        cache.get(key, lambda: None)
    assert len(cache) == 2 * looks - 1
    cache.get("last", lambda: None)
    assert list(cache.entries) == [*range(looks, 2 * looks - 1), "last"]


def sorted_sum(x, k):
    return np.sum(np.sort(np.sin(x @ x) + k, axis=0))


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="counts the memory maps that Linux shows")
def test_forgotten_programs_give_their_memory_maps_back():
    code = """
        import numpy as np, transformer, backend.cache
        from tests.backend.test_compile import sorted_sum
        def use(k):
            transformer.jit(sorted_sum, static_argnums=1)(np.eye(3), k)
        use(100)
        before = backend.cache.map_count()
        backend.cache.memory().map_limit, backend.cache.LOOKS = before + 40, 2
        for k in range(20):
            use(k)
        assert backend.cache.memory().built == 21
        print(backend.cache.map_count() < before + 100)
    """
    assert run_python(code, TRANSFORMER_CACHE_DIR="off") == "True"


def test_cache_builds_once_under_threads():
    cache, built, gate = Cache(8), [], threading.Barrier(4)

    def work(number):
        gate.wait()
        cache.get("key", lambda: built.append(1))
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, range(4)))
    assert built == [1]


def test_cache_of_a_failed_build_is_not_kept():
    cache = Cache(8)
    with pytest.raises(ZeroDivisionError):
        cache.get("key", lambda: 1 / 0)
    assert cache.get("key", lambda: 2) == 2


def test_disk_cache(tmp_path):
    code = """
        import numpy as np
        from backend import client
        from backend.compile import compile
        from tests.backend.test_compile import plus_one
        calls = []
        before = client.compile_text
        client.compile_text = lambda *a: calls.append(1) or before(*a)
        run = compile(plus_one())
        print(len(calls), run.call([np.arange(3.)])[0].tolist(), run.cost_analysis() is not None)
    """
    environment = {"TRANSFORMER_CACHE_DIR": str(tmp_path)}
    assert run_python(code, **environment) == "1 [1.0, 2.0, 3.0] True"
    assert len(list(tmp_path.iterdir())) == 1
    assert run_python(code, **environment) == "0 [1.0, 2.0, 3.0] True"


def test_import_loads_no_jaxlib_and_running_no_jax():
    code = """
        import sys
        import backend.compile, backend.array, backend.hlo
        assert not any(m.split('.')[0] in ('jaxlib', 'jax') for m in sys.modules)
        import numpy as np
        from tests.backend.test_compile import plus_one
        out = backend.compile.compile(plus_one()).call([np.arange(3.)])[0]
        print(out)
        assert 'jax' not in sys.modules, 'jax was imported'
    """
    assert run_python(code) == "[1. 2. 3.]"


def test_calls_with_numpy_arguments_import_no_jax():
    code = """
        import sys
        import numpy as np, transformer
        from tests.backend.test_compile import products
        f = transformer.jit(products)
        for _ in range(3):
            f(np.eye(2))
        assert f.cache.glues
        print('jax' in sys.modules)
    """
    assert run_python(code) == "False"


def test_number_of_devices():
    code = "from backend import client; print(len(client.devices()))"
    assert run_python(code, TRANSFORMER_NUM_CPU_DEVICES="4") == "4"


def products(x):
    for _ in range(100):
        x = np.sin(x @ x)
    return x


@pytest.mark.parametrize(("variable", "ready"), [("0", "True"), ("1", "False")])
def test_whether_a_call_waits_for_its_program(variable, ready):
    """Without waiting, some of many calls return before their program has run."""
    code = """
        import numpy as np, transformer
        from tests.backend.test_compile import products
        f, x = transformer.jit(products), transformer.device_put(np.ones((200, 200)))
        f(x).block_until_ready()
        print(all([f(x).buffer.is_ready() for _ in range(30)]))
        try:
            transformer.config.update("cpu_enable_async_dispatch", True)
        except RuntimeError as error:
            assert "after the first use" in str(error)
        else:
            raise AssertionError
    """
    assert run_python(code, TRANSFORMER_CPU_ENABLE_ASYNC_DISPATCH=variable) == ready


@pytest.mark.parametrize("order", ["before", "after"])
def test_jax_in_the_same_process(order):
    pytest.importorskip("jax")
    code = f"""
        import numpy as np
        def ours():
            from backend.compile import compile
            from tests.backend.test_compile import plus_one
            y, = compile(plus_one()).call([np.arange(3.)])
            assert y.tolist() == [1, 2, 3], y
            assert repr(y) == "Array([1., 2., 3.], dtype=float64)", repr(y)
            return y
        def theirs():
            import jax, jax.numpy as jnp
            x = jnp.arange(3)
            assert x.dtype == np.int32, x.dtype
            assert jax.jit(lambda x: x * 2.5)(x).tolist() == [0, 2.5, 5]
            assert jax.grad(lambda x: jnp.sum(jnp.linalg.cholesky(x)))(jnp.eye(3)).shape == (3, 3)
            assert len(jax.devices()) == 1
        for step in ([theirs, ours, theirs, ours] if {order!r} == "before" else [ours, theirs, ours, theirs]):
            step()
        import jax.numpy as jnp
        y = ours()
        assert jnp.asarray(np.asarray(y)).shape == (3,)
        jnp.sum(jnp.asarray(y))
        print("fine")
    """
    assert run_python(code) == "fine"
