"""The command line: look at what becomes of a function, or see the demonstration.

    python -m transformer show model.py:loss --grad --args "f64[3, 4], f64[4]"
    python -m transformer show package.module:Class.method --vmap --hlo -o method.txt
    python -m transformer demo

Exit status: 0; 1 where the function cannot be found or transformed (the error on stderr); 2 for a wrong command line.
"""

import argparse
import ast
import importlib
import importlib.util
import inspect
import os
import pathlib
import sys

from . import api
from .argument_types import ArgumentSyntax, parse_arguments
from .errors import TransformError
from .files import replace_file
from .linear_maps import Pullback, Pushforward
from .transformed import Transformed, example_arguments

EXAMPLES = """
examples:
  python -m transformer show model.py:loss --grad --args "f64[3, 4], f64[4]"
  python -m transformer show model.py:loss --grad --wrt w,b --args "{'w': f32[3], 'b': 1.0}, f32[3]"
  python -m transformer show model.py:predict --vmap --in-axes "None, 0" --args "f64[3], f64[8, 3]"
  python -m transformer show model.py:loss --grad --vmap --args "f64[8, 3]"      vmap(grad(loss))
  python -m transformer show package.module:Class.method --stage core --args "None, f64[3]"
  python -m transformer show model.py:step --stablehlo --args "f32[128]"
  python -m transformer show model.py:loss --grad --args "f64[3]" -o loss_grad.py
  python -m transformer demo

TARGET is MODULE:FUNCTION or FILE.py:FUNCTION; FUNCTION may be dotted (Class.method). Arguments are types, such as f64[3, 4],
f32[], i32[5], bool[2]; numbers, strings, None and True; lists, tuples and dicts of these; name=value for keywords.
"""
DERIVATIVES = {"grad": api.grad, "jacfwd": api.jacfwd, "jacrev": api.jacrev, "hessian": api.hessian}
LINEAR = {"jvp": Pushforward, "vjp": Pullback}
HELP = {
    "grad": "gradient of a function with a scalar result", "vjp": "the function and its pullback, in one program",
    "jvp": "the function and its directional derivative", "vmap": "map over a batch axis", "jacfwd": "Jacobian by forward mode",
    "jacrev": "Jacobian by reverse mode", "hessian": "second derivatives of a function with a scalar result",
}


class Failure(Exception):
    """The target cannot be found or shown; the message goes to stderr."""


# the command line ---------------------------------------------------------------------------------
def parser():
    """The parser of the command line."""
    top = argparse.ArgumentParser(prog="python -m transformer", description="Transforms of plain NumPy functions, as source.",
                                  epilog=EXAMPLES, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND")
    show = commands.add_parser("show", help="print a function, transformed", description="Print a function, transformed.",
                               epilog=EXAMPLES, formatter_class=argparse.RawDescriptionHelpFormatter)
    show.add_argument("target", metavar="TARGET", help="MODULE:FUNCTION or FILE.py:FUNCTION")
    transforms = show.add_argument_group("transforms, applied in the order given; each may be repeated")
    for name, text in HELP.items():
        transforms.add_argument(f"--{name}", dest="transforms", action="append_const", const=name, help=text)
    show.add_argument("--wrt", metavar="ARGS", help="what to differentiate: positions or names of parameters, such as 0,2 or w,b (default: 0)")
    show.add_argument("--in-axes", metavar="AXES", help='batch axes for --vmap: one for all, or one per argument, such as "None, 0"')
    show.add_argument("--args", metavar="TYPES", help='types of the arguments of the transformed function, such as "f64[3, 4], 3"')
    form = show.add_mutually_exclusive_group()
    form.add_argument("--stage", metavar="NAME", help="a stage on the way: parse, desugar, core, a transform's name, simplify, vectorise, narrow, source")
    form.add_argument("--stablehlo", action="store_true", help="the StableHLO program that is given to XLA")
    form.add_argument("--hlo", action="store_true", help="XLA's optimised program")
    show.add_argument("-o", "--output", metavar="FILE", help="write to FILE (whole or not at all) instead of the terminal")
    show.add_argument("--color", choices=("auto", "always", "never"), default="auto", help="colours (default: on a terminal)")
    demo = commands.add_parser("demo", help="train a network on handwritten digits", add_help=False)
    demo.add_argument("options", nargs=argparse.REMAINDER)
    return top


def main(argv=None):
    """Run the command line `argv`; the exit status."""
    argv = sys.argv[1:] if argv is None else list(argv)
    if argv[:1] == ["demo"]:
        from .examples import digits
        return digits.main(argv[1:])
    top = parser()
    options = top.parse_args(argv)
    try:
        write(show(options), options)
    except ArgumentSyntax as error:
        top.error(str(error))
    except (TransformError, Failure, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


# show ---------------------------------------------------------------------------------------------
def show(options):
    """The text that the options ask for."""
    args, kwargs = parse_arguments(options.args) if options.args is not None else (None, {})
    in_axes = axes(options.in_axes)
    fn = load(options.target)
    for name in options.transforms or []:
        fn = apply(name, fn, options.wrt, in_axes)
    if not isinstance(fn, Transformed):
        fn = Transformed(fn)
    if args is None and (options.stablehlo or options.hlo or options.stage or isinstance(fn, Pushforward | Pullback)):
        args, kwargs = example_arguments(fn.innermost())
    if args is not None and isinstance(fn, Pushforward | Pullback):
        args = fn.complete(args)
    return text(fn, args, kwargs, options)


def text(fn, args, kwargs, options):
    """A transformed function in the form asked for."""
    try:
        if options.stablehlo or options.hlo:
            lowered = api.jit(fn).lower(*args, **kwargs)
            return lowered.as_text() if options.stablehlo else lowered.compile().as_text()
        if args is None:
            return fn.source
        return fn.show(*args, stage=options.stage, **kwargs)
    except TypeError as error:
        if isinstance(error, TransformError):
            raise
        raise Failure(f"{fn.__name__} does not take these arguments: {error}") from error


def apply(name, fn, wrt, in_axes):
    """A transform of the function, by name."""
    if name == "vmap":
        return api.vmap(fn, in_axes=in_axes)
    argnums = positions(wrt, fn)
    if name in LINEAR:
        return LINEAR[name](fn, argnums=argnums)
    return DERIVATIVES[name](fn, argnums if len(argnums) > 1 else argnums[0])


def positions(wrt, fn):
    """The parameters to differentiate, by position."""
    if wrt is None:
        return (0,)
    innermost = fn.innermost() if isinstance(fn, Transformed) else fn
    names = list(inspect.signature(innermost).parameters)
    found = []
    for part in wrt.split(","):
        part = part.strip()
        if part.isdecimal():
            found.append(int(part))
        elif part in names:
            found.append(names.index(part))
        else:
            raise Failure(f"{innermost.__name__} has no parameter {part!r}; its parameters: {', '.join(names)}")
    return tuple(found)


def axes(text):
    """The value of --in-axes: an int, None, or containers of these."""
    if text is None:
        return 0
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        raise ArgumentSyntax(f"cannot read the axes {text!r}; write one int or None, or one per argument: \"0, None\"") from None


# the target ---------------------------------------------------------------------------------------
def load(target):
    """The function that MODULE:FUNCTION or FILE.py:FUNCTION names."""
    place, colon, name = target.rpartition(":")
    if not colon or not place or not name:
        raise ArgumentSyntax(f"the target {target!r} is not MODULE:FUNCTION or FILE.py:FUNCTION")
    module = load_file(place) if place.endswith(".py") else load_module(place)
    found = module
    for part in name.split("."):
        if not hasattr(found, part):
            known = ", ".join(n for n, v in vars(module).items() if callable(v) and getattr(v, "__module__", None) == module.__name__)
            raise Failure(f"{place} has no {name}" + (f"; it defines {known}" if known else ""))
        found = getattr(found, part)
    if not callable(found):
        raise Failure(f"{target} is a value of type {type(found).__name__}, not a function")
    return found


def load_module(name):
    if os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())
    try:
        return importlib.import_module(name)
    except Exception as error:
        raise Failure(f"cannot import {name}: {type(error).__name__}: {error}") from error


def load_file(path):
    path = pathlib.Path(path).resolve()
    if not path.is_file():
        raise Failure(f"there is no file {path}")
    sys.path.insert(0, str(path.parent))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules.setdefault(path.stem, module)
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise Failure(f"cannot run {path}: {type(error).__name__}: {error}") from error
    return module


# the output ---------------------------------------------------------------------------------------
def write(content, options):
    """To the file, at once, or to the terminal, in colour."""
    content = content.rstrip("\n") + "\n"
    if options.output is not None:
        replace_file(pathlib.Path(options.output), content)
        return
    is_python = not (options.stablehlo or options.hlo)
    sys.stdout.write(coloured(content) if is_python and wants_colour(options.color) else content)
    sys.stdout.flush()


def wants_colour(choice):
    if choice == "auto":
        return sys.stdout.isatty() and "NO_COLOR" not in os.environ
    return choice == "always"


def coloured(source):
    """Source with terminal colours, where Pygments is installed."""
    try:
        from pygments import highlight
        from pygments.formatters import TerminalFormatter
        from pygments.lexers import PythonLexer
    except ImportError:
        return source
    return highlight(source, PythonLexer(), TerminalFormatter())


__all__ = ["main"]
