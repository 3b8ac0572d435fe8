"""The disk cache, in two processes each time: the second one builds and compiles nothing, and everything that changes a program is seen."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest

from .cases import CASES, HEAD, RUNNER, SETUP


def run(folder, names=CASES, **environment):
    """What the calls of the cases in `folder` did: name -> [(builds, compiles, results, plain results, source)]."""
    variables = {**os.environ, "TRANSFORMER_CACHE_DIR": str(folder / "cache"), "PYTHONPATH": os.pathsep.join(p for p in sys.path if p), **environment}
    done = subprocess.run([sys.executable, folder / "runner.py", folder, *names], env=variables, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    found = {}
    for line in done.stdout.splitlines():
        name, *rest = json.loads(line)
        found.setdefault(name, []).append(rest)
    return found


def write(folder, edited=False):
    for name, case in CASES.items():
        source = case.source.replace(*case.edit, 1) if edited else case.source
        assert not edited or source != case.source and len(source) == len(case.source), name
        (folder / f"{name}.py").write_text(HEAD + source)
    (folder / "setup.py").write_text(SETUP)
    (folder / "runner.py").write_text(RUNNER)


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """The first process, the second one, and one after all edits."""
    folder = tmp_path_factory.mktemp("programs")
    write(folder)
    first, second = run(folder), run(folder)
    write(folder, edited=True)
    return first, second, run(folder)


@pytest.mark.parametrize("name", CASES)
def test_second_process_builds_and_compiles_nothing(name, runs):
    first, second, _ = runs
    for (builds, compiles, *before), (builds_2, compiles_2, *after) in zip(first[name], second[name], strict=True):
        assert builds
        assert (builds_2, compiles_2) == (0, 0)
        assert after == before


def test_first_process_compiles(runs):
    assert sum(compiles for found in runs[0].values() for _, compiles, *_ in found) > 10


@pytest.mark.parametrize("name", CASES)
def test_an_edit_is_seen(name, runs):
    _, second, edited = runs
    assert any(builds for builds, *_ in edited[name])
    assert [r[2] for r in edited[name]] != [r[2] for r in second[name]]


def test_arrays_that_are_inputs_may_have_other_values(tmp_path):
    write(tmp_path)
    run(tmp_path, ["closure_over_arrays"])
    path = tmp_path / "closure_over_arrays.py"
    path.write_text(path.read_text().replace("linspace(0.1, 0.9, 16)", "linspace(0.1, 0.8, 16)"))
    (builds, compiles, [(_, result)], [plain], _), = run(tmp_path, ["closure_over_arrays"])["closure_over_arrays"]
    assert (builds, compiles) == (0, 0)
    np.testing.assert_allclose(result, plain)


def test_second_process_loads_no_more_than_it_needs(tmp_path):
    code = "print(sorted({'gast', 'scipy', 'transformer.ops', 'transformer.pipeline', 'transformer.lower'} & sys.modules.keys()))"
    (tmp_path / "runner.py").write_text(f"import sys\n{HEAD.split('import setup')[0]}from transformer import grad, jit\n"
                                        f"jit(grad(lambda x: np.sum(np.tanh(x) ** 2)))(np.ones(3))\n{code}\n")
    variables = {**os.environ, "TRANSFORMER_CACHE_DIR": str(tmp_path / "cache"), "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
    printed = [subprocess.run([sys.executable, tmp_path / "runner.py"], env=variables, capture_output=True, text=True, check=True).stdout for _ in range(2)]
    assert printed == ["['gast', 'transformer.lower', 'transformer.ops', 'transformer.pipeline']\n", "[]\n"]


@pytest.mark.parametrize("name", CASES)
def test_results_are_those_of_the_function(name, runs):
    for found in runs:
        for _, _, results, plain, _ in found[name]:
            assert len(results) >= len(plain)
            for (_, a), b in zip(results, plain):
                np.testing.assert_allclose(a, b, rtol=1e-5)
