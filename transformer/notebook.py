"""How a transformed function looks in a notebook: the original beside the generated source, highlighted.

Colours come from Pygments where it is installed; without it the text is plain.
"""

import html

STYLE = (
    "display: inline-block; vertical-align: top; max-width: 48%; overflow-x: auto; margin: 0 1em 0 0; "
    "padding: 0.5em 1em; border-left: 3px solid #888; text-align: left"
)


def side_by_side(original, generated):
    """HTML of two sources, the user's (left) and the generated one (right).

    >>> page = side_by_side("def f(x):\\n    return x < 1", "def f_grad(x):\\n    return 0.0")
    >>> page.count("<pre")
    2
    """
    blocks = [_block("original", original), _block("generated", generated)]
    return f"<div>{''.join(blocks)}</div>"


def _block(title, source):
    return f'<div style="{STYLE}"><small>{title}</small><pre style="line-height: 1.3">{highlight(source.strip())}</pre></div>'


def highlight(source):
    """Python source as the inside of an HTML `pre`, with the colours inline.

    >>> highlight("x < 1").endswith("1</span>") or highlight("x < 1") == "x &lt; 1"
    True
    """
    try:
        from pygments import highlight as colour
        from pygments.formatters import HtmlFormatter
        from pygments.lexers import PythonLexer
    except ImportError:
        return html.escape(source)
    return colour(source, PythonLexer(), HtmlFormatter(nowrap=True, noclasses=True)).rstrip("\n")
