"""The benchmarks' harness: what rows compute is right (at tiny sizes, ours alone), what it writes follows from the samples. Nothing is timed."""

import json
import pathlib
import subprocess
import sys
import xml.etree.ElementTree

import numpy as np
import pytest

from benchmarks import __main__ as command
from benchmarks.contest import Contest, Contestant, WrongValue, calls, compare, equals, slopes
from benchmarks.measure import Result, checked, measure
from benchmarks.picture import picture
from benchmarks.report import as_json, lines
from benchmarks.table import ROWS

ROOT = pathlib.Path(__file__).parent.parent
OWN_DEVICES = {"pmap"}
"""Rows that ask for devices, which a process can do only once."""

THEMES = {
    "startup": "import first-gradient first-jit-scalar first-jit-network cached-scalar cached-network build compile",
    "dispatch": "gradient-scalar gradient-narrow dispatch dispatch-ndarray dispatch-dict dispatch-params",
    "network": "step step-narrow value-and-grad per-example-16 per-example-128",
    "derivatives": "hessian hvp vmap-while rnn rnn-gradient",
    "loops": "euler-1000-first euler-5000-first euler-1000 euler-5000 recurrence seidel-2d pairing soft-dtw",
    "scalar loops": "go-fast nussinov mandelbrot crc16",
    "memory": "memory-burgers memory-prefixes",
    "parallel": "pmap",
}
RESULT = Result("step", "a step", "s", {"jax": 0.5, "numba": 2.0},
                {"ours": [2.0, 1.0, 3.0], "jax scan": [4.0, 4.0, 4.0], "jax stores": [9.0, 9.0, 9.0], "numba": [1.0, 0.25, 1.0]})
MACHINE = {"cpu": "a CPU", "cores": 2, "load": 0.0, "python": "3.11", "system": "Linux", "date": "2026-01-01T00:00+00:00", "versions": {"numpy": "2"}}


@pytest.mark.parametrize("name", [name for name in ROWS if name not in OWN_DEVICES])
def test_the_value_of_a_row_is_right(name):
    checked(ROWS[name].contest(**ROWS[name].tiny), ["ours"])


@pytest.mark.parametrize("name", sorted(OWN_DEVICES))
def test_the_value_of_a_row_with_devices_is_right(name):
    done = subprocess.run([sys.executable, "-m", "benchmarks.worker", name, "--check"], cwd=ROOT, capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == name


@pytest.mark.parametrize("theme", THEMES)
def test_the_rows_of_a_theme_are_all_there(theme):
    missing = set(THEMES[theme].split()) - set(ROWS)
    assert not missing
    assert all(ROWS[name].goals for name in THEMES[theme].split())


def test_a_wrong_value_fails_the_row():
    with pytest.raises(WrongValue, match="plain NumPy"):
        measure("r", "work", {}, calls(lambda: 1.0, {}, equals(lambda: 2.0)))
    with pytest.raises(WrongValue, match="ours against peer"):
        measure("r", "work", {}, calls(lambda: 1.0, {"peer": lambda: lambda: 1.1}, equals(lambda: 1.0)))


def test_values_are_compared_by_shape_and_scale():
    compare({"a": [1.0, np.ones(2)]}, {"a": [1.0, np.ones(2)]}, 1e-6, "")
    compare(np.array([1.0, 1e-9]), np.array([1.0, 0.0]), 1e-6, "")
    for wrong in ([1.0], np.array([1.0, 1e-3]), np.array([1.0, np.nan]), np.ones((2, 1))):
        with pytest.raises(WrongValue):
            compare(wrong, np.array([1.0, 0.0]), 1e-6, "")


def test_a_wrong_gradient_is_noticed():
    params = [(np.ones((2, 2)), np.ones(2))]

    def f(params, x):
        (w, b), = params
        return np.sum(np.sin(w @ x + b))
    x = np.array([0.3, 0.4])
    slope = np.cos(np.ones((2, 2)) @ x + 1.0)
    slopes(f, (params, x))([(np.outer(slope, x), slope)])
    with pytest.raises(WrongValue, match="finite differences"):
        slopes(f, (params, x))([(np.outer(slope, x), 1.01 * slope)])


def test_contestants_take_turns():
    taken = []

    def contestant(name):
        return lambda: Contestant(lambda: 0.0, lambda: taken.append(name) or 1.0)
    result = measure("r", "work", {"b": 1.0}, Contest({"ours": contestant("ours"), "b": contestant("b")}, equals(lambda: 0.0)), budget=0.0)
    assert taken[2:6] == ["b", "ours", "ours", "b"] and taken.count("ours") == taken.count("b")
    assert result.met("b")


def test_ratios_are_those_of_the_fastest_rival():
    assert RESULT.rival("jax") == "jax scan"
    assert RESULT.ratio("jax scan") == (0.5, [0.375, 0.625]) and RESULT.met("jax")
    assert RESULT.ratio("numba")[0] == 3.0 and not RESULT.met("numba") and RESULT.least("numba") == 4.0


def test_lines_say_whether_goals_are_met():
    text = "\n".join(lines(RESULT))
    assert "ours 2 s [1.5 s, 2.5 s]" in text and "ours / jax scan 0.5" in text
    assert "goal 0.5: met" in text and "goal 2: MISSED" in text


def test_json_and_picture(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(command, "run", lambda name: RESULT)
    monkeypatch.setattr(command, "facts", lambda: MACHINE)
    assert command.main(["step", "--json", str(tmp_path / "r.json"), "--picture", str(tmp_path / "r.svg")]) == 0
    assert "1 of 2 goals met" in capsys.readouterr().out
    data = json.loads((tmp_path / "r.json").read_text())
    assert data == as_json([RESULT], MACHINE)
    assert data["rows"][0]["goals"]["jax"] == {"goal": 0.5, "rival": "jax scan", "ratio": 0.5, "quartiles": [0.375, 0.625], "least": 0.25, "met": True}
    assert (tmp_path / "r.svg").read_text() == picture(data)


def test_the_picture_has_a_bar_and_a_mark_for_each_goal():
    data = as_json([RESULT, RESULT._replace(work="a < b")], MACHINE)
    root = xml.etree.ElementTree.fromstring(picture(data))
    bars = [float(rect.get("width")) for rect in root.findall(".//{*}rect") if rect.get("height") != "100%"]
    marks = [line for line in root.findall(".//{*}line") if line.get("stroke-width")]
    assert len(bars) == len(marks) == 4 and bars[0] < bars[1]
    assert any(text.text == "a < b" for text in root.findall(".//{*}text"))


def test_a_failed_row_is_reported_and_the_others_go_on(monkeypatch, capsys):
    monkeypatch.setattr(command, "run", lambda name: "WrongValue: 1 against 2" if name == "step" else RESULT)
    assert command.main(["step", "pmap"]) == 1
    out = capsys.readouterr().out
    assert "step: FAILED" in out and "WrongValue: 1 against 2" in out and "1 rows FAILED" in out and "goal 2: MISSED" in out


def test_a_busy_machine_is_pointed_out(monkeypatch, capsys):
    monkeypatch.setattr(command, "run", lambda name: RESULT)
    for load, said in ((0.1, False), (7.0, True)):
        monkeypatch.setattr(command, "facts", lambda load=load: {**MACHINE, "load": load})
        command.main(["step"])
        assert ("busy" in capsys.readouterr().out) == said


def test_list_and_unknown_rows(capsys):
    assert command.main(["--list"]) == 0
    out = capsys.readouterr().out
    assert all(name in out for name in ROWS)
    with pytest.raises(SystemExit):
        command.main(["no-such-row"])
    assert "no-such-row" in capsys.readouterr().err
