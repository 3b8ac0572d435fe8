"""Arguments written as types: `f64[3, 4], {"w": f32[3], "b": 1.0}, n=3` becomes arrays of zeros, containers and numbers.

    f64[3, 4]  i32[5]  c128[]  bool[2]     an array of this dtype and shape (float64, int32... are fine too)
    f32                                    a scalar of this dtype
    1.5  -2  1j  "relu"  None  True        the value itself; a number stands for any Python number of its type
    [a, b]  (a, b)  {"k": a}               containers of these

Nothing is evaluated: the text is parsed as a Python expression and only these forms are taken.
"""

import ast
import re

import numpy as np

WIDTHS = {"f": ("float", (16, 32, 64)), "i": ("int", (8, 16, 32, 64)), "u": ("uint", (8, 16, 32, 64)), "c": ("complex", (64, 128))}
DTYPES = {"bool": np.dtype(bool), "float": np.dtype(float), "int": np.dtype(int), "complex": np.dtype(complex)}
for _letter, (_name, _bits) in WIDTHS.items():
    for _width in _bits:
        DTYPES[f"{_letter}{_width}"] = DTYPES[f"{_name}{_width}"] = np.dtype(f"{_name}{_width}")

QUOTED_OR_EMPTY = re.compile(r"""("[^"\n]*"|'[^'\n]*')|\b([A-Za-z]\w*)\[\s*\]""")


class ArgumentSyntax(ValueError):
    """A text that does not describe arguments; the message says where and what is allowed."""


def parse_arguments(text):
    """Positional and keyword arguments that `text` describes.

    >>> args, kwargs = parse_arguments('f32[2, 3], [1.0, None], n=i64[]')
    >>> args[0].dtype, args[0].shape, args[1], kwargs["n"].shape
    (dtype('float32'), (2, 3), [1.0, None], ())
    """
    source = QUOTED_OR_EMPTY.sub(lambda m: m[1] or f"{m[2]}[()]", text)
    try:
        call = ast.parse(f"f({source}\n)", mode="eval").body
    except SyntaxError as error:
        raise ArgumentSyntax(f"cannot read the arguments {text!r}: {error.msg}") from None
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name):
        raise ArgumentSyntax(f"cannot read the arguments {text!r}")
    return tuple(map(value_of, call.args)), {keyword_name(k): value_of(k.value) for k in call.keywords}


def keyword_name(keyword):
    if keyword.arg is None:
        raise ArgumentSyntax("** is not understood here")
    return keyword.arg


def value_of(node):
    """The value that a node of the tree describes."""
    if isinstance(node, ast.Constant) and not isinstance(node.value, bytes) and node.value is not Ellipsis:
        return node.value
    if isinstance(node, ast.Name) and node.id in DTYPES:
        return scalar(node.id)
    if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name):
        return array(node)
    if isinstance(node, ast.List):
        return list(map(value_of, node.elts))
    if isinstance(node, ast.Tuple):
        return tuple(map(value_of, node.elts))
    if isinstance(node, ast.Dict) and None not in node.keys:
        return dict(zip(map(value_of, node.keys), map(value_of, node.values)))
    return number(node)


def scalar(name):
    """`float` and `int` are Python numbers, `f32` is a NumPy scalar."""
    value = DTYPES[name].type(0)
    return value.item() if name in ("float", "int", "complex", "bool") else value


def array(node):
    name, dims = node.value.id, node.slice
    if name not in DTYPES:
        raise ArgumentSyntax(f"{name} is not a dtype; the dtypes: {', '.join(sorted(DTYPES))}")
    sizes = [value_of(d) for d in (dims.elts if isinstance(dims, ast.Tuple) else [dims])]
    if any(type(s) is not int or s < 0 for s in sizes):
        raise ArgumentSyntax(f"the sizes of {ast.unparse(node)} are not natural numbers")
    return np.zeros(sizes, DTYPES[name])


def number(node):
    """-1, +2.0, 1 + 2j."""
    sign = {ast.USub: -1, ast.UAdd: 1, ast.Sub: -1, ast.Add: 1}.get(type(getattr(node, "op", None)))
    if sign is not None and isinstance(node, ast.UnaryOp):
        operand = value_of(node.operand)
        if type(operand) in (int, float, complex):
            return sign * operand
    if sign is not None and isinstance(node, ast.BinOp):
        left, right = value_of(node.left), value_of(node.right)
        if type(left) in (int, float) and type(right) is complex:
            return left + sign * right
    raise ArgumentSyntax(f"{ast.unparse(node)} is not an argument; write a type such as f64[3, 4], a number, a string, None, True, or a "
                         "list, tuple or dict of these")


__all__ = ["ArgumentSyntax", "parse_arguments"]
