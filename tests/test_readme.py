"""The code in README.md runs and prints what it says; the files that CONTRIBUTING.md names are there."""

import contextlib
import io
import linecache
import pathlib
import re

ROOT = pathlib.Path(__file__).parent.parent
TEXT = (ROOT / "README.md").read_text()
PLACE = re.compile(r"`((?:transformer|backend|tests|benchmarks|docs)/[\w/.]*)`")
BLOCK = re.compile(r"(It prints:\n\n)?```python\n(.*?)```", re.DOTALL)


def test_examples_print_what_the_readme_says():
    space, printed, checked = {"__name__": "readme"}, "", 0
    for number, (prints, text) in enumerate(BLOCK.findall(TEXT)):
        if prints:
            assert printed.rstrip() == text.rstrip()
            checked += 1
            continue
        name = f"<README {number}>"
        linecache.cache[name] = (len(text), None, text.splitlines(True), name)
        with contextlib.redirect_stdout(io.StringIO()) as output:
            exec(compile(text, name, "exec"), space)
        printed = output.getvalue()
    assert checked == 2


def test_two_commands():
    assert len(re.findall(r"```sh\n.+\n```", TEXT)) == 2


def test_places_that_contributing_names_exist():
    places = PLACE.findall((ROOT / "CONTRIBUTING.md").read_text())
    assert len(places) > 20 and [place for place in places if not (ROOT / place).exists()] == []
