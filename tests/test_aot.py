"""Ahead of time: lowering, compiling and looking at programs before any call; shapes instead of arrays."""

import functools
import importlib.util

import ml_dtypes
import numpy as np
import pytest

from transformer import ShapeDtypeStruct, TransformError, block_until_ready, device_get, eval_shape, grad, jit, vmap

A, B = np.ones((16, 32), np.float32), np.ones((32, 8), np.float32)


def product(a, b):
    return np.tanh(np.dot(a, b))


def test_lower_compile_call():
    run = jit(product).lower(A, B).compile()
    np.testing.assert_allclose(run(A, B), np.tanh(A @ B))
    np.testing.assert_allclose(run(0 * A, B), np.zeros((16, 8)))


def test_texts():
    lowered = jit(product).lower(A, B)
    text = lowered.as_text()
    assert "stablehlo.dot_general" in text and "stablehlo.tanh" in text and "16x32xf32" in text
    assert "HloModule" in lowered.compile().as_text()
    with pytest.raises(TransformError, match="no text in 'python'"):
        lowered.as_text("python")


def test_costs_and_memory():
    compiled = jit(lambda a, b: a @ b).lower(A, B).compile()
    assert compiled.cost_analysis()["flops"] == pytest.approx(2 * 16 * 32 * 8, rel=0.05)
    memory = compiled.memory_analysis()
    assert memory.argument_size_in_bytes >= A.nbytes + B.nbytes and memory.output_size_in_bytes >= 16 * 8 * 4 and memory.temp_size_in_bytes >= 0


def test_types_are_enough_to_lower():
    run = jit(product).lower(ShapeDtypeStruct((16, 32), "float32"), ShapeDtypeStruct((32, 8), np.float32)).compile()
    np.testing.assert_allclose(run(A, B), np.tanh(A @ B))
    assert run.out_info == ShapeDtypeStruct((16, 8), np.float32)
    with pytest.raises(TypeError, match=r"argument 0 .* \(16, 32\)"):
        run(A[:3], B)
    with pytest.raises(TypeError, match="argument 1 .* float32"):
        run(A, B.astype(np.int32))
    with pytest.raises(TypeError, match="another structure"):
        run(A)


def test_trees_in_and_out():
    lowered = jit(lambda p, x: {"y": p["w"] @ x, "n": p["k"]}).lower({"w": A, "k": 2.0}, x=B)
    run = lowered.compile()
    found = run({"w": A, "k": 3.0}, x=B)
    assert float(found["n"]) == 3.0 and found["y"].shape == (16, 8)
    assert lowered.out_info["y"] == ShapeDtypeStruct((16, 8), np.float32)
    assert lowered.in_avals[0][0]["w"] == ShapeDtypeStruct((16, 32), np.float32)
    with pytest.raises(TypeError, match="another structure"):
        run({"w": A}, x=B)


def test_static_arguments_are_built_in():
    run = jit(lambda n, x, scale: x * n * scale, static_argnums=0, static_argnames="scale").lower(7, 3.0, scale=2.0).compile()
    assert float(run(5.0)) == 70.0
    flagged = jit(lambda x, flag: x if flag else -x).lower(3.0, True).compile()
    assert float(flagged(2.0, True)) == 2.0
    with pytest.raises(TypeError, match="argument 1 is False, the program was built for True"):
        flagged(2.0, False)


def test_transformed_functions_lower_too():
    text = jit(grad(lambda x: np.sin(x))).lower(1.0).as_text()
    assert "cosine" in text
    run = jit(vmap(lambda x: x * 2)).lower(A).compile()
    np.testing.assert_array_equal(run(A), 2 * A)


def test_compiler_options_concern_one_program():
    f = jit(lambda x: np.sum(x * 2))
    f(A)
    run = f.lower(A).compile({"xla_disable_hlo_passes": "fusion"})
    assert "fusion" not in run.as_text().split("ENTRY")[0] and float(run(A)) == float(f(A))


def test_errors_of_the_program_are_raised():
    run = jit(lambda x, i: x[i]).lower(A, 3).compile()
    np.testing.assert_array_equal(run(A, 15), A[15])
    with pytest.raises(IndexError, match="index 20"):
        run(A, 20)


def test_shapes_without_computing():
    huge = ShapeDtypeStruct((100_000, 70_000), ml_dtypes.bfloat16)
    found = eval_shape(lambda x: {"g": x.T, "n": np.sum(x.astype(np.float32), axis=0)}, huge)
    assert found["g"] == ShapeDtypeStruct((70_000, 100_000), "bfloat16") and found["n"] == ShapeDtypeStruct((70_000,), "float32")
    assert eval_shape(grad(lambda w: np.sum(w ** 2)), A).shape == (16, 32)
    assert eval_shape(jit(product), A, B).shape == (16, 8)
    assert eval_shape(lambda x, n: x * n, ShapeDtypeStruct((2,), int), 3).dtype == np.int64
    assert eval_shape(functools.partial(np.dot, A), B).shape == (16, 8)


def test_shape_structs_are_values():
    one = ShapeDtypeStruct((2, 3), "float32")
    assert one == ShapeDtypeStruct([2, 3], np.float32) != ShapeDtypeStruct((2, 3), np.float64) and hash(one) == hash(ShapeDtypeStruct((2, 3), "f4"))
    assert one.ndim == 2 and one.size == 6 and len(one) == 2 and repr(one) == "ShapeDtypeStruct(shape=(2, 3), dtype=float32)"


def test_waiting_and_fetching():
    x = jit(lambda a: a + 1)(A)
    tree = block_until_ready({"a": x, "b": [x * 2, "text"]})
    assert tree["b"][1] == "text"
    host = device_get({"a": x, "b": 2.0})
    assert type(host["a"]) is np.ndarray and host["b"] == 2.0


def test_donated_buffers_cannot_be_used_again():
    add = jit(lambda s, d: s + d, donate_argnums=0)
    total = jit(lambda x: x)(np.zeros(5, np.float32))
    for i in range(3):
        old, total = total, add(total, np.float32(i))
        assert old.is_deleted()
    np.testing.assert_array_equal(total, np.full(5, 3.0))


def test_saved_source_is_a_module(tmp_path):
    path = tmp_path / "slope.py"
    grad(lambda x: np.sum(np.sin(x) ** 2)).save(path, np.ones(3))
    assert "transformer" not in path.read_text() and list(tmp_path.iterdir()) == [path]
    spec = importlib.util.spec_from_file_location("slope", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    function, = (v for k, v in vars(module).items() if k.endswith("_grad"))
    np.testing.assert_allclose(function(np.ones(3)), np.sin(2.0) * np.ones(3))


def test_arguments_are_donated_by_name():
    add = jit(lambda s, d, *, k: (s + d, d + k), donate_argnames=("s", "k"), keep_unused=True, inline=True)
    s, d, k = (jit(lambda x: x)(np.full(5, v, np.float32)) for v in (1.0, 2.0, 3.0))
    np.testing.assert_array_equal(add(s, d, k=k), [np.full(5, 3.0), np.full(5, 5.0)])
    assert (s.is_deleted(), d.is_deleted(), k.is_deleted()) == (True, False, True)


def test_only_the_device_in_use_is_accepted():
    assert jit(lambda x: x, backend="cpu", compiler_options={})(1.0) == 1.0
    with pytest.raises(TransformError, match="another device"):
        jit(lambda x: x, backend="tpu")
    with pytest.raises(TransformError, match="compiler options"):
        jit(lambda x: x, compiler_options={"xla_flag": True})
