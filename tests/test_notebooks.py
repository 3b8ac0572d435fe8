"""Every notebook runs from top to bottom, and gives the numbers and sources that it shows.

`UPDATE_NOTEBOOKS=1 pytest tests/test_notebooks.py` writes the outputs anew; read the diff.
"""

import os
import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).parent.parent
COLOUR = re.compile(r"\x1b\[[0-9;]*m")


def shown(cell):
    """The text that a cell prints and shows, without colours."""
    parts = []
    for output in cell.outputs:
        data = output.get("data", {})
        parts.append(output.get("text", "") or ("" if "text/html" in data else data.get("text/plain", "")))
    return COLOUR.sub("", "".join(parts))


@pytest.mark.filterwarnings("ignore")  # of the notebook machinery, in this process; the kernel has its own
@pytest.mark.parametrize("path", sorted((ROOT / "notebooks").glob("*.ipynb")), ids=lambda path: path.stem)
def test_notebook(path, monkeypatch):
    nbformat = pytest.importorskip("nbformat")
    nbclient = pytest.importorskip("nbclient")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")]))
    if "matplotlib" in path.read_text():
        pytest.importorskip("matplotlib")
    notebook = nbformat.read(path, as_version=4)
    expected = [shown(cell) for cell in notebook.cells if cell.cell_type == "code"]
    nbclient.NotebookClient(notebook, timeout=120, kernel_name="python3").execute()
    if os.environ.get("UPDATE_NOTEBOOKS"):
        for cell in notebook.cells:
            cell.metadata.pop("execution", None)
        nbformat.write(notebook, path)
        return
    assert [shown(cell) for cell in notebook.cells if cell.cell_type == "code"] == expected
