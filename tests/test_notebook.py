"""How a transformed function shows itself in a notebook."""

import html
import re
import sys

import numpy as np

import transformer
from transformer import notebook


def text_of(page):
    return html.unescape(re.sub("<[^>]+>", "", page))


def test_original_beside_generated():
    @transformer.grad
    def slope(x):
        return np.tanh(x) < 2 and np.sin(x) * x

    slope(0.5)
    text = text_of(slope._repr_html_())
    assert "np.tanh(x) < 2" in text
    assert "def slope_grad(x)" in text
    assert text.index("def slope(x)") < text.index("def slope_grad(x)")


def test_plain_text_without_pygments(monkeypatch):
    monkeypatch.setitem(sys.modules, "pygments", None)
    assert notebook.highlight("a < b") == "a &lt; b"
