"""The shape of the code: imports point one way, files and functions stay small, an op is named where it is declared."""

import ast
import functools
import os
import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).parent.parent
FILES = {
    ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path
    for package in ("transformer", "backend")
    for path in sorted((ROOT / package).rglob("*.py"))
}

LAYERS = [  # a module imports modules of its own layer and of the layers above it in this list; what is not listed is at the end
    "core depth errors config axes abstract files later",
    "tree tree_util zero_tangents access specialised leaves lowered",
    "ops",
    "analysis check effects",
    "frontend",
    "naming printing transforms",
    "lower",
    "executable spread",
    "pipeline derivatives stored",
    "engines glue dispatch notebook",
    "transformed",
    "api aot directional",
]
LAYER = {name: number for number, names in enumerate(LAYERS) for name in names.split()}
USERS_OF_BACKEND = {"lower", "executable", "spread", "stored", "api"}  # and the modules at the end: arrays, devices, command line

STRUCTURE = set(  # ops that are part of the core language: every pass may make and recognise them
    "getitem constant tape empty zeros zeros_like ones full copy astype where broadcast_to expand_dims reshape squeeze transpose stack places".split()
)
KNOWS_OPS = {  # file -> why it may name other ops
    "transformer/naming.py": "words for temporaries",
    "transformer/analysis/aliases.py": "ops that are views in NumPy",
    "transformer/analysis/places.py": "indices that are sums",
    "transformer/analysis/squares.py": "ops that keep sums of squares",
    "transformer/frontend/reference.py": "operators and methods of arrays",
    "transformer/frontend/views.py": "views",
    "transformer/transforms/narrow/needs.py": "reductions and products with what they leave as it is",
    "transformer/transforms/narrow/outside.py": "functions that keep 0",
    "transformer/transforms/narrow/rewrite.py": "sums that bounds of slices are",
    "transformer/transforms/narrow/windows.py": "padding, of which windows are read",
    "transformer/transforms/reverse/bars.py": "sums of cotangents",
}


@functools.cache
def tree_of(module):
    return ast.parse(FILES[module].read_text())


def group(module):
    """The part of the package that a module belongs to: `transformer.ops.scans` is in `ops`."""
    return (module.split(".") + [""])[1]


def imported(module):
    """Modules of this project that a module imports."""
    package = module if FILES[module].name == "__init__.py" else module.rpartition(".")[0]
    for node in ast.walk(tree_of(module)):
        if isinstance(node, ast.Import):
            found = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            above = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
            base = ".".join([*above, node.module] if node.module else above)
            found = [f"{base}.{alias.name}" if f"{base}.{alias.name}" in FILES else base for alias in node.names]
        elif isinstance(node, ast.Assign) and any(getattr(getattr(n, "func", None), "id", "") == "later" for n in ast.walk(node)):
            found = [f"transformer.{n.value}" for n in ast.walk(node) if isinstance(n, ast.Constant)]
        else:
            continue
        yield from (name for name in found if name.split(".")[0] in ("transformer", "backend"))


@pytest.mark.parametrize("module", [name for name in FILES if name.startswith("transformer.")])
def test_imports_point_one_way(module):
    own = LAYER.get(group(module), len(LAYERS))
    for name in imported(module):
        if name.startswith("backend"):
            assert group(module) in USERS_OF_BACKEND or own == len(LAYERS), f"{module} imports {name}"
        elif name != "transformer":
            assert LAYER.get(group(name), len(LAYERS)) <= own, f"{module} imports {name}, which is above it"


def test_backend_does_not_know_transformer():
    for module in FILES:
        if module.startswith("backend"):
            assert not [name for name in imported(module) if name.startswith("transformer")], module


def test_jaxlib_is_touched_in_two_files_and_jax_nowhere():
    for module, path in FILES.items():
        for node in ast.walk(tree_of(module)):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) and not node.level else []
            tops = {name.split(".")[0] for name in names}
            assert "jax" not in tops, path
            assert "jaxlib" not in tops or path.relative_to(ROOT).as_posix() in ("backend/client.py", "backend/hlo.py"), path


def test_what_is_imported_later_exists():
    found = [name for module in FILES for name in imported(module) if name.startswith("transformer.")]
    assert all(name in FILES for name in found) and "transformer.frontend.specialise.calls" in found


def test_import_is_light():
    script = "import sys, transformer; print([m for m in sys.modules if m.split('.')[0] in ('jax', 'jaxlib', 'scipy', 'tqdm')])"
    result = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"


def test_a_gradient_imports_what_it_needs(tmp_path):
    others = ("argparse", "decimal", "difflib", "fractions", "logging", "tempfile", "transformer.lower",
              "transformer.transforms.batch", "transformer.transforms.forward")
    script = tmp_path / "script.py"
    script.write_text("import sys\nimport transformer\nassert transformer.grad(lambda x: x * x).find((3.0,), {})\n"
                      f"print([m for m in {others} if m in sys.modules])\n")
    result = subprocess.run([sys.executable, script], cwd=ROOT, capture_output=True, text=True, check=True,
                            env={**os.environ, "PYTHONPATH": str(ROOT), "TRANSFORMER_CACHE_DIR": "off"})
    assert result.stdout.strip() == "[]"


@pytest.mark.parametrize("module", FILES)
def test_files_and_functions_are_small(module):
    path = FILES[module]
    lines = len(path.read_text().splitlines())
    assert lines <= (600 if group(module) == "ops" else 500), f"{path} has {lines} lines"
    for node in ast.walk(tree_of(module)):
        if isinstance(node, ast.FunctionDef):
            length = node.end_lineno - node.lineno + 1
            assert length <= 60, f"{path}:{node.lineno}: {node.name} has {length} lines"


def names_of_ops(tree, table):
    """Strings that name ops: TABLE["x"], comparisons of a `.name`, and displays of several names."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name) and node.value.id == "TABLE":
            strings = [node.slice]
        elif isinstance(node, ast.Compare) and any(getattr(side, "attr", "") == "name" for side in (node.left, *node.comparators)):
            strings = [inner for inner in ast.walk(node) if isinstance(inner, ast.Constant)]
        elif isinstance(node, ast.Set | ast.Tuple | ast.List) and len(node.elts) > 1:
            strings = node.elts if all(isinstance(e, ast.Constant) and e.value in table for e in node.elts) else []
        else:
            continue
        yield from (n.value for n in strings if isinstance(n, ast.Constant) and n.value in table)


def test_ops_are_named_where_they_are_declared():
    import transformer  # noqa: F401  (declares all ops)
    from transformer.ops.op import TABLE

    found = []
    for module, path in FILES.items():
        name = path.relative_to(ROOT).as_posix()
        if group(module) == "ops" or name in KNOWS_OPS or name.startswith(("transformer/transforms/simplify", "backend")):
            continue  # simplify is the algebra of ops
        if group(module) in LAYER:  # namespaces such as transformer.numpy list functions
            found += [(name, text) for text in names_of_ops(tree_of(module), set(TABLE) - STRUCTURE)]
    assert not found


def test_no_catch_all():
    """An `except` names what it expects, or raises an error itself. Only the evaluator of `try` catches for the user's handlers."""
    for module, path in FILES.items():
        if module == "transformer.frontend.specialise.failures":
            continue
        for node in ast.walk(tree_of(module)):
            if isinstance(node, ast.ExceptHandler) and not isinstance(node.body[-1], ast.Raise):
                names = {n.id for n in ast.walk(node.type) if isinstance(n, ast.Name)} if node.type else {"everything"}
                assert not names & {"everything", "Exception", "BaseException"}, f"{path}:{node.lineno}"
