"""The code in README.md runs and prints what it says."""

import contextlib
import io
import linecache
import pathlib
import re

TEXT = (pathlib.Path(__file__).parent.parent / "README.md").read_text()
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
