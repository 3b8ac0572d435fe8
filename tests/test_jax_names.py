"""The table of JAX's names is up to date, and complete enough."""

import importlib.util
import pathlib

SPEC = importlib.util.spec_from_file_location("make_names", pathlib.Path(__file__).parent.parent / "docs/make_names.py")
make_names = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(make_names)


def test_the_table_is_up_to_date():
    assert make_names.TABLE.read_text() == make_names.text(), "run python docs/make_names.py"


def test_most_of_numpy_is_here():
    names = make_names.lists()["jax.numpy"]
    assert len(make_names.sorted_out("jax.numpy", names)["here"]) >= 0.85 * len(names)


def test_every_reason_is_about_names_of_jax():
    for module, reasons in make_names.NOT_MEANT.items():
        known = make_names.lists()[module]
        for names, _ in reasons:
            assert "*" in names or set(names.split()) <= set(known), set(names.split()) - set(known)
