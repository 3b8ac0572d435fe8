"""The folder of the disk cache: whole or missing, private, bounded."""

import os
import pathlib
import subprocess
import sys
import warnings

import pytest

from backend import disk, settings


@pytest.fixture
def folder(tmp_path, monkeypatch):
    path = tmp_path / "cache"
    monkeypatch.setenv("TRANSFORMER_CACHE_DIR", str(path))
    return path


def only_file(folder):
    path, = folder.iterdir()
    return path


def test_what_is_written_is_read(folder):
    assert disk.read("a") is None
    disk.write("a", b"some bytes")
    disk.write("b", b"")
    assert (disk.read("a"), disk.read("b"), disk.read("c")) == (b"some bytes", b"", None)


@pytest.mark.parametrize("damage", [
    lambda data: b"", lambda data: data[:10], lambda data: data[:-1], lambda data: data + b"x", lambda data: b"garbage" * 100,
    lambda data: data[:60] + bytes([data[60] ^ 1]) + data[61:]])
def test_a_damaged_file_is_missing_and_replaced(folder, damage):
    disk.write("a", b"some bytes that are long enough")
    path = only_file(folder)
    path.write_bytes(damage(path.read_bytes()))
    assert disk.read("a") is None and not path.exists()
    disk.write("a", b"others")
    assert disk.read("a") == b"others"


def test_a_file_under_another_name_does_not_count(folder):
    disk.write("a", b"some bytes")
    path = only_file(folder)
    path.rename(path.with_name("b" + disk.SUFFIX))
    assert disk.read("b") is None


def test_files_are_private(folder):
    disk.write("a", b"some bytes")
    assert folder.stat().st_mode & 0o777 == 0o700
    assert only_file(folder).stat().st_mode & 0o777 == 0o600


def test_a_folder_that_others_may_write_to_is_not_used(folder):
    folder.mkdir()
    folder.chmod(0o777)
    with pytest.warns(UserWarning, match="others may write"):
        assert disk.folder() is None
    disk.write("a", b"some bytes")
    assert disk.read("a") is None and not list(folder.iterdir())


def test_a_folder_that_cannot_be_made_is_no_cache(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("TRANSFORMER_CACHE_DIR", str(tmp_path / "file" / "cache"))
    with pytest.warns(UserWarning, match="is not used"):
        disk.write("a", b"some bytes")
    assert disk.read("a") is None


def test_entries_used_longest_ago_are_dropped(folder):
    for k in range(4):
        disk.write(f"e{k}", bytes(1000))
        os.utime(folder / f"e{k}{disk.SUFFIX}", (k, k))
    (folder / "README").write_text("not an entry")
    (folder / f"old{disk.PART}").write_text("")
    os.utime(folder / f"old{disk.PART}", (0, 0))
    assert disk.read("e0") is not None  # reading counts as using
    disk.prune(folder, 2500)
    assert sorted(p.name for p in folder.iterdir()) == ["README", f"e0{disk.SUFFIX}", f"e3{disk.SUFFIX}"]


def test_where_it_is(monkeypatch):
    monkeypatch.delenv("TRANSFORMER_CACHE_DIR", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", "/caches")
    assert settings.cache_dir() == "/caches/transformer"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", "/home/me")
    assert settings.cache_dir() == "/home/me/.cache/transformer"
    monkeypatch.setenv("TRANSFORMER_CACHE_DIR", "/elsewhere")
    assert settings.cache_dir() == "/elsewhere"
    for off in ("off", "OFF", "0", "none"):
        monkeypatch.setenv("TRANSFORMER_CACHE_DIR", off)
        assert settings.cache_dir() is None


def test_processes_at_once(folder):
    """Many writers and readers of one entry: each reads all of a version or none."""
    code = """
import sys
from backend import disk
for k in range(100):
    disk.write("shared", bytes([int(sys.argv[1])]) * 50_000)
    data = disk.read("shared")
    assert data is not None and len(data) == 50_000 and len(set(data)) == 1, data and set(data)
"""
    root = pathlib.Path(__file__).parents[2]
    running = [subprocess.Popen([sys.executable, "-c", code, str(k)], cwd=root, env=os.environ) for k in range(3)]
    assert [process.wait() for process in running] == [0, 0, 0]
    assert len(list(folder.iterdir())) == 1


def test_no_cache_says_nothing_if_nobody_asked_for_one(tmp_path, monkeypatch):
    monkeypatch.delenv("TRANSFORMER_CACHE_DIR", raising=False)
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert disk.folder() is None
