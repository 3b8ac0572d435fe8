"""PJRT plugins: where they are looked for, and what is said where something is missing."""

import ctypes
import sys

import pytest

from backend import cuda, plugins, settings


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A folder on the path with a CUDA plugin package; importing it fails, as it would need jax."""
    folder = tmp_path / "jax_plugins" / "xla_cuda12"
    folder.mkdir(parents=True)
    (folder / "__init__.py").write_text("import not_to_be_imported\n")
    (folder / "xla_cuda_plugin.so").write_text("no library")
    monkeypatch.syspath_prepend(tmp_path)
    for name in loaded():
        monkeypatch.delitem(sys.modules, name)
    yield folder
    for name in loaded():
        del sys.modules[name]  # what looking for this folder has put there


def loaded():
    return [n for n in sys.modules if n.split(".")[0] == "jax_plugins"]


def test_a_package_is_found_without_importing_it(package):
    assert plugins.library_path("cuda") == package / "xla_cuda_plugin.so"
    assert plugins.installed() == ["cuda"]


def test_a_path_from_the_environment_wins(package, tmp_path, monkeypatch):
    other = tmp_path / "mine.so"
    other.write_text("")
    monkeypatch.setenv("TRANSFORMER_PJRT_PLUGINS", f"cuda:{other}")
    assert plugins.library_path("cuda") == other
    monkeypatch.setenv("TRANSFORMER_PJRT_PLUGINS", "cuda")
    with pytest.raises(ValueError, match="has no path"):
        plugins.library_path("cuda")


def test_gpu_stands_for_the_makers():
    assert plugins.expanded(["gpu", "cpu"]) == ["cuda", "rocm", "cpu"]


def test_a_missing_driver_is_named(package, monkeypatch):
    monkeypatch.setitem(plugins.DRIVERS, "cuda", ("libno_such_driver.so.1", "the driver"))
    with pytest.raises(plugins.Unavailable, match=r"installed, but the driver \(libno_such_driver.so.1\) is not"):
        plugins.make_client(None, "cuda")


def test_the_library_of_a_driver_may_be_there(monkeypatch):
    monkeypatch.setitem(plugins.DRIVERS, "cuda", ("libcuda.so.1", "the driver"))
    monkeypatch.setattr(ctypes, "CDLL", lambda name: None)
    plugins.check_driver("cuda")


def test_plugins_from_elsewhere_have_no_companion():
    assert cuda.register(None, "/usr/lib/other/plugin.so", None) is False


def test_choices_of_the_program_win(monkeypatch):
    monkeypatch.setenv("TRANSFORMER_PLATFORMS", "cuda, CPU")
    assert settings.platforms() == ["cuda", "cpu"]
    monkeypatch.setitem(settings.chosen, "platforms", "tpu")
    assert settings.platforms() == ["tpu"]
