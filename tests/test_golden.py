"""Generated source, reviewed as text. `UPDATE_GOLDEN=1 pytest tests/test_golden.py` writes the files anew; read the diff."""

import copy
import inspect
import io
import os
import pathlib
import subprocess
import sys

import numpy as np
import pytest
from pyflakes.api import check as pyflakes
from pyflakes.reporter import Reporter

import transformer as T
from transformer import tree

from .programs import PROGRAMS

FOLDER = pathlib.Path(__file__).parent / "golden"
SAMPLES = {}
for _sample in PROGRAMS:
    SAMPLES.setdefault(_sample.fn.__name__, _sample)

GRADIENTS = ["tanh", "abs_val", "polynomial", "early_return", "decay", "newton_sqrt", "power", "recurrence", "running_max", "halve",
             "break_else", "fibonacci_like", "logsumexp", "overwritten", "gather", "single_precision", "dictionary"]
SUMMED = ["prefix", "nonlinear_prefix", "heat", "diffusion", "seidel", "dense", "softmax_rows", "perceptron", "add_at", "conditional_store", "mask_store"]

def summed(fn):
    """The function with its result summed up, as source that stands beside the gradient."""
    def total(*args):
        return np.sum(fn(*args))
    total.__name__, total.__signature__ = fn.__name__, inspect.signature(fn)
    return total


CASES = {
    **{f"{n}_grad": (lambda s=SAMPLES[n]: T.grad(s.fn, only(s.wrt)), SAMPLES[n]) for n in GRADIENTS},
    **{f"{n}_sum_grad": (lambda s=SAMPLES[n]: T.grad(summed(s.fn), only(s.wrt)), SAMPLES[n]) for n in SUMMED},
    "tanh_grad_grad": (lambda: T.grad(T.grad(SAMPLES["tanh"].fn)), SAMPLES["tanh"]),
    "polynomial_hessian": (lambda: T.hessian(SAMPLES["polynomial"].fn), SAMPLES["polynomial"]),
    "dense_batched": (lambda: T.vmap(SAMPLES["dense"].fn, (0, None, None)), "batch"),
    "early_return_batched": (lambda: T.vmap(SAMPLES["early_return"].fn), (np.ones(3),)),
    "abs_val_grad_batched": (lambda: T.vmap(T.grad(SAMPLES["abs_val"].fn)), (np.ones(3),)),
}


def only(wrt):
    return wrt[0] if len(wrt) == 1 else wrt


def generated(name):
    make, sample = CASES[name]
    if sample == "batch":
        x, w, b = SAMPLES["dense"].args
        sample = (x[None], w, b)
    args = sample if isinstance(sample, tuple) and not hasattr(sample, "fn") else sample.args
    return make().show(*copy.deepcopy(args))


def statements(text):
    """Lines of code: no comments, decorators, docstrings, blank lines, imports or headers."""
    lines = [line.strip() for line in text.splitlines()]
    return [line for line in lines if line and not line.startswith(("#", "@", '"""', "import "))]


@pytest.mark.parametrize("name", sorted(CASES))
def test_golden(name):
    path, text = FOLDER / f"{name}.py", generated(name)
    if os.environ.get("UPDATE_GOLDEN"):
        path.write_text(text)
    assert text == path.read_text()


@pytest.mark.parametrize("name", sorted(n for n in CASES if n.endswith("_grad") and not n.endswith("_grad_grad")))
def test_gradients_stay_short(name):
    fn = SAMPLES[name.removesuffix("_grad").removesuffix("_sum")].fn
    assert len(statements(generated(name))) <= 4 * len(statements(inspect.getsource(fn)))


def test_the_same_input_gives_the_same_text():
    for name in ("perceptron_sum_grad", "heat_sum_grad", "dictionary_grad"):
        assert generated(name) == generated(name)


def every_source():
    """Generated sources of all programs under grad, jvp-like and vmap transforms."""
    for i, sample in enumerate(PROGRAMS):
        def total(*args, fn=sample.fn):
            return sum([np.sum(np.real(leaf)) for leaf in tree.flatten(fn(*args))[0]])
        yield f"{sample.fn.__name__}_{i}_grad", T.grad(total, sample.wrt).show(*copy.deepcopy(sample.args))
        leaves = tree.flatten([sample.args[k] for k in np.atleast_1d(sample.wrt)])[0]
        if not any(map(np.iscomplexobj, leaves)):
            yield f"{sample.fn.__name__}_{i}_jacfwd", T.jacfwd(total, sample.wrt).show(*copy.deepcopy(sample.args))
        axes = tuple(0 if k in sample.wrt else None for k in range(len(sample.args)))
        args = [tree.tree_map(lambda x: np.stack([np.asarray(x)] * 2), a) if axis == 0 else a
                for a, axis in zip(copy.deepcopy(sample.args), axes)]
        yield f"{sample.fn.__name__}_{i}_batched", T.vmap(T.grad(total, sample.wrt), axes).show(*args)


@pytest.fixture(scope="module")
def sources():
    return dict(every_source())


def test_all_generated_source_is_clean(sources):
    for name, text in sources.items():
        out = io.StringIO()
        assert pyflakes(text, name, Reporter(out, out)) == 0, f"{out.getvalue()}\n{text}"


BLOCKED = """
import importlib.abc, sys

class Block(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name.split(".")[0] in ("transformer", "backend", "jaxlib", "jax", "gast"):
            raise ImportError(name)

sys.meta_path.insert(0, Block())
import pathlib
for path in sorted(pathlib.Path(sys.argv[1]).glob("*.py")):
    scope = {"__name__": path.stem}
    exec(compile(path.read_text(), str(path), "exec"), scope)
print("standalone")
"""


def test_generated_source_is_standalone(sources, tmp_path):
    folder = tmp_path / "generated"
    folder.mkdir()
    for name, text in sources.items():
        (folder / f"{name}.py").write_text(text)
    run = subprocess.run([sys.executable, "-I", "-c", BLOCKED, str(folder)], capture_output=True, text=True)
    assert run.stdout == "standalone\n", run.stderr


def test_a_saved_gradient_runs_alone(tmp_path):
    sample = SAMPLES["decay"]
    path = tmp_path / "decay_grad.py"
    path.write_text(T.grad(sample.fn).show(*sample.args))
    code = BLOCKED + ("print(scope['decay_grad'](__import__('numpy').array([0.5, 0.25, 1.0]), 0.1, 10))")
    run = subprocess.run([sys.executable, "-I", "-c", code, str(tmp_path)], capture_output=True, text=True)
    assert run.stdout == f"standalone\n{T.grad(sample.fn)(*copy.deepcopy(sample.args))}\n", run.stderr
