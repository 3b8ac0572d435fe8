"""Start-up: imports and first results in a fresh process, net of Python's own start."""

from .measure import Row, interleaved_processes

FIRST = """
import numpy as np
import {module} as library
def tanh(x):
    y = {np}.exp(-2.0 * x)
    return (1.0 - y) / (1.0 + y)
float(library.grad(tanh)(1.0))
"""


def import_row():
    return Row("import, net of Python", interleaved_processes({"ours": "import transformer", "jax": "import jax", "numpy": "import numpy"}))


def first_gradient_row():
    """A fresh process until the first gradient of a scalar function; the function is read from a file, as ours needs its source."""
    import pathlib
    import tempfile
    with tempfile.TemporaryDirectory() as folder:
        programs = {}
        for name, module, np in (("ours", "transformer", "np"), ("jax", "jax", "library.numpy")):
            path = pathlib.Path(folder, f"{name}.py")
            path.write_text(FIRST.format(module=module, np=np))
            programs[name] = f"import runpy; runpy.run_path({str(path)!r})"
        return Row("process until the first gradient, net of Python", interleaved_processes(programs))


ROWS = {"import": import_row, "first-gradient": first_gradient_row}
