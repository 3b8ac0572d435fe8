"""The command line: targets, transforms in order, arguments as types, forms, files and exit statuses."""

import subprocess
import sys

import numpy as np
import pytest

from transformer.argument_types import ArgumentSyntax, parse_arguments
from transformer.cli import main

MODEL = '''
import numpy as np
import transformer

def loss(x, w=1.0):
    return np.sum(np.tanh(x * w) ** 2)

def network(params, x):
    return np.sum(params["w"] * x + params["b"])

def branch(x: float):
    if x > 0:
        return np.sqrt(x)
    return 3 * x

class Model:
    def forward(self, x):
        return x * 2

@transformer.grad
def slope(x):
    return x ** 3

def fails(x):
    return x.tobytes()

number = 3
'''


@pytest.fixture
def model(tmp_path, monkeypatch):
    path = tmp_path / "model.py"
    path.write_text(MODEL)
    monkeypatch.delitem(sys.modules, "model", raising=False)
    return str(path)


def shown(capsys, *argv):
    assert main(["show", *argv]) == 0
    return capsys.readouterr().out


def run(text, name):
    scope = {}
    exec(text, scope)
    return scope[name]


def test_gradient_is_source_that_runs(model, capsys):
    text = shown(capsys, f"{model}:loss", "--grad", "--args", "f64[3], 2.0")
    x = np.array([0.1, 0.2, -0.3])
    np.testing.assert_allclose(run(text, "loss_grad")(x, 2.0), 2 * np.tanh(2 * x) * (1 - np.tanh(2 * x) ** 2) * 2)


def test_without_a_transform_the_function_is_specialised(model, capsys):
    assert "def loss(x)" in shown(capsys, f"{model}:loss", "--args", "f64[3]")


def test_transforms_are_applied_in_the_order_given(model, capsys):
    text = shown(capsys, f"{model}:branch", "--grad", "--vmap", "--args", "f64[4]")
    x = np.array([4.0, -1.0, 1.0, 0.0])
    np.testing.assert_allclose(run(text, "branch_grad_batched")(x), [0.25, 3.0, 0.5, 3.0])


def test_wrt_takes_names_and_positions(model, capsys):
    by_name = shown(capsys, f"{model}:loss", "--grad", "--wrt", "w,x", "--args", "f64[3], 1.0")
    by_position = shown(capsys, f"{model}:loss", "--grad", "--wrt", "1, 0", "--args", "f64[3], 1.0")
    assert by_name == by_position and "return w_bar, x_bar" in by_name


def test_in_axes(model, capsys):
    text = shown(capsys, f"{model}:loss", "--vmap", "--in-axes", "1, None", "--args", "f64[3, 5], 1.0")
    x = np.arange(15.0).reshape(3, 5)
    np.testing.assert_allclose(run(text, "loss_batched")(x, 0.1), np.sum(np.tanh(x * 0.1) ** 2, axis=0))


def test_jvp_and_vjp(model, capsys):
    x, w = np.array([0.1, 0.2, -0.3]), 1.5
    slope = 2 * np.tanh(x * w) * (1 - np.tanh(x * w) ** 2) * w
    value, dot = run(shown(capsys, f"{model}:loss", "--jvp", "--args", "f64[3], 1.5"), "loss_jvp")(x, w, np.ones(3))
    np.testing.assert_allclose(dot, np.sum(slope))
    again, bar = run(shown(capsys, f"{model}:loss", "--vjp", "--args", "f64[3], 1.5"), "loss_vjp")(x, w, 2.0)
    np.testing.assert_allclose(bar, 2 * slope)
    assert value == again


def test_jvp_batched_takes_all_arguments(model, capsys):
    text = shown(capsys, f"{model}:branch", "--jvp", "--vmap", "--args", "f64[3], f64[3]")
    _, dot = run(text, "branch_jvp_batched")(np.array([4.0, -1.0, 1.0]), np.ones(3))
    np.testing.assert_allclose(dot, [0.25, 3.0, 0.5])


@pytest.mark.parametrize("flag", ["--jacfwd", "--jacrev", "--hessian"])
def test_jacobians(model, capsys, flag):
    assert "np.tanh" in shown(capsys, f"{model}:loss", flag, "--args", "f64[3], 1.0")


def test_pytrees(model, capsys):
    text = shown(capsys, f"{model}:network", "--grad", "--args", '{"w": f32[3], "b": 1.0}, f32[3]')
    assert "params_b: float, params_w: float32[3], x: float32[3]" in text


def test_methods_and_transformed_functions_are_targets(model, capsys):
    assert "x * 2" in shown(capsys, f"{model}:Model.forward", "--args", "None, f64[3]")
    assert "x ** 2" in shown(capsys, f"{model}:slope")


@pytest.mark.parametrize("stage, piece", [("parse", "w=1.0"), ("core", "np.tanh"), ("grad", "# reverse")])
def test_stages(model, capsys, stage, piece):
    assert piece in shown(capsys, f"{model}:loss", "--grad", "--stage", stage, "--args", "f64[3], 1.0")


@pytest.mark.parametrize("flag, piece", [("--stablehlo", "stablehlo.tanh"), ("--hlo", "HloModule")])
def test_compiled_forms(model, capsys, flag, piece):
    assert piece in shown(capsys, f"{model}:loss", flag, "--args", "f32[3], 1.0")


def test_output_goes_to_a_file_at_once(model, capsys, tmp_path):
    path = tmp_path / "out.py"
    path.write_text("old")
    assert shown(capsys, f"{model}:loss", "--grad", "--args", "f64[3]", "-o", str(path)) == ""
    assert path.read_text().startswith("import numpy as np")
    assert sorted(p.name for p in tmp_path.glob("*out*")) == ["out.py"]


def test_colour(model, capsys):
    pytest.importorskip("pygments")
    assert "\x1b[" in shown(capsys, f"{model}:loss", "--color", "always")
    assert "\x1b[" not in shown(capsys, f"{model}:loss")


@pytest.mark.parametrize("target, options, message", [
    ("{}:lost", [], "has no lost; it defines loss"),
    ("{}:number", [], "a value of type int, not a function"),
    ("nowhere.py:f", [], "there is no file"),
    ("no_such_module:f", [], "cannot import no_such_module"),
    ("{}:loss", ["--grad", "--wrt", "q"], "has no parameter 'q'; its parameters: x, w"),
    ("{}:loss", ["--stage", "nonsense", "--args", "f64[3]"], "there is no stage 'nonsense'"),
    ("{}:fails", ["--grad", "--args", "f64[3]"], "tobytes"),
    ("{}:loss", ["--vmap", "--args", "1.0"], "vmap cannot map axis 0"),
    ("{}:loss", ["--args", "1.0, 2.0, 3.0"], "loss"),
    ("{}:loss", ["-o", "/no/such/folder/f.py"], "No such file"),
])
def test_failures_exit_with_1(model, capsys, target, options, message):
    assert main(["show", target.format(model), *options]) == 1
    captured = capsys.readouterr()
    assert captured.out == "" and captured.err.startswith("error: ") and message in captured.err


@pytest.mark.parametrize("argv", [
    [], ["show"], ["other"], ["show", "no_colon"], ["show", "m:f", "--args", "f64[3"], ["show", "m:f", "--args", "q64[3]"],
    ["show", "m:f", "--in-axes", "x"], ["show", "m:f", "--hlo", "--stablehlo"], ["show", "m:f", "--nonsense"],
])
def test_wrong_command_lines_exit_with_2(argv, capsys):
    with pytest.raises(SystemExit) as stopped:
        main(argv)
    assert stopped.value.code == 2 and "usage:" in capsys.readouterr().err


def test_help_has_examples(capsys):
    with pytest.raises(SystemExit) as stopped:
        main(["show", "--help"])
    assert stopped.value.code == 0 and "python -m transformer show model.py:loss --grad" in capsys.readouterr().out


def test_as_a_process(model):
    done = subprocess.run([sys.executable, "-m", "transformer", "show", f"{model}:loss", "--grad", "--args", "f64[3]"],
                          capture_output=True, text=True, timeout=120)
    assert done.returncode == 0 and "def loss_grad" in done.stdout


# arguments as types ----------------------------------------------------------------
def test_arguments_of_every_form():
    args, kwargs = parse_arguments('f64[3,4], i32[ ], "f64[]", None, True, -2, 1.5, 1 + 2j, '
                                   '[f32[2], (u8, {"k": c64[1]})], float, n=3')
    kinds = [(a.dtype.name, a.shape) for a in args[:2]]
    assert kinds == [("float64", (3, 4)), ("int32", ())]
    assert args[2:8] == ("f64[]", None, True, -2, 1.5, 1 + 2j)
    assert args[8][0].dtype == np.float32 and args[8][1][0].dtype == np.uint8 and args[8][1][1]["k"].shape == (1,)
    assert args[9] == 0.0 and type(args[9]) is float and kwargs == {"n": 3}


@pytest.mark.parametrize("text", ["f64[3", "f64[-1]", "f64[1.5]", "x", "f(3)", "open('x')", "[i for i in x]", "f64[n]", "*f64[3]", "**f64",
                                  "f64 + 1", "b'x'", "...", "lambda: 0", "3) + (4"])
def test_nothing_is_evaluated(text):
    with pytest.raises(ArgumentSyntax):
        parse_arguments(text)
