"""gast tree to source text, with the parentheses and blank lines of a careful person.

>>> unparse(gast.parse("y = ((-x) ** 2 + (a * (b * c))) / (1.0)")).strip()
'y = ((-x) ** 2 + a * (b * c)) / 1.0'
"""

import io
import textwrap

import astunparse
import gast

LEVELS = {"IfExp": 1, "Lambda": 1, "Or": 2, "And": 3, "Not": 4, "Compare": 5, "BitOr": 6, "BitXor": 7, "BitAnd": 8, "LShift": 9,
          "RShift": 9, "Add": 10, "Sub": 10, "Mult": 11, "MatMult": 11, "Div": 11, "Mod": 11, "FloorDiv": 11, "USub": 12,
          "UAdd": 12, "Invert": 12, "Pow": 13}
ATOM = 15
WIDTH = 100


class Comment(gast.Expr):
    """A comment line; its value is a string constant."""

    def __init__(self, text):
        super().__init__(gast.Constant(text, None))


def level(node):
    """Precedence of an expression: the higher, the tighter it binds."""
    kind = type(node.op) if isinstance(node, gast.BinOp | gast.UnaryOp | gast.BoolOp) else type(node)
    return LEVELS.get(kind.__name__, ATOM)


class Unparser(astunparse.Unparser):
    """astunparse's printer with precedence instead of parentheses everywhere, and with comments."""

    def at(self, least, node):
        """Print `node`, in parentheses if it binds more loosely than `least`."""
        if level(node) >= least:
            return self.dispatch(node)
        self.write("(")
        self.dispatch(node)
        self.write(")")

    def _Comment(self, t):
        self.fill("# " + t.value.value)

    def _BinOp(self, t):
        own = level(t)
        power = isinstance(t.op, gast.Pow)
        self.at(own + power, t.left)
        self.write(f" {self.binop[type(t.op).__name__]} ")
        self.at(LEVELS["USub"] if power and isinstance(t.right, gast.UnaryOp) else own + 1, t.right)

    def _UnaryOp(self, t):
        word = self.unop[type(t.op).__name__]
        self.write(word + " " if word == "not" else word)
        self.at(level(t), t.operand)

    def _Compare(self, t):
        self.at(LEVELS["BitOr"], t.left)
        for operator, operand in zip(t.ops, t.comparators):
            self.write(f" {self.cmpops[type(operator).__name__]} ")
            self.at(LEVELS["BitOr"], operand)

    def _BoolOp(self, t):
        word = " and " if isinstance(t.op, gast.And) else " or "
        for position, value in enumerate(t.values):
            self.write(word if position else "")
            self.at(level(t) + 1, value)

    def _IfExp(self, t):
        self.at(2, t.body)
        self.write(" if ")
        self.at(2, t.test)
        self.write(" else ")
        self.at(1, t.orelse)

    def _Lambda(self, t):
        self.write("lambda ")
        self.dispatch(t.args)
        self.write(": ")
        self.at(1, t.body)

    def _Constant(self, t):
        self.write(quoted(t.value)) if isinstance(t.value, str) else super()._Constant(t)

    def _JoinedStr(self, t):
        parts = []
        self._fstring_JoinedStr(t, parts.append)
        text = "".join(parts)
        self.write(f'f"{text}"') if not {'"', "\\", "\n"} & set(text) else super()._JoinedStr(t)

    def _Attribute(self, t):
        number = isinstance(t.value, gast.Constant) and isinstance(t.value.value, int | float | complex)
        self.at(ATOM + number, t.value)
        self.write("." + t.attr)

    def _Call(self, t):
        self.at(ATOM, t.func)
        self.write("(")
        for position, argument in enumerate([*t.args, *t.keywords]):
            self.write(", " if position else "")
            self.dispatch(argument)
        self.write(")")

    def _Subscript(self, t):
        self.at(ATOM, t.value)
        self.write("[")
        self.bare(t.slice)
        self.write("]")

    def bare(self, node):
        """Print `node`; a tuple without its parentheses."""
        if not isinstance(node, gast.Tuple) or not node.elts:
            return self.dispatch(node)
        for position, element in enumerate(node.elts):
            self.write(", " if position else "")
            self.dispatch(element)
        self.write("," if len(node.elts) == 1 else "")

    def _Return(self, t):
        self.fill("return")
        if t.value is not None:
            self.write(" ")
            self.bare(t.value)

    def _If(self, t):
        self.clause("if ", t)
        while len(t.orelse) == 1 and isinstance(t.orelse[0], gast.If):
            t = t.orelse[0]
            self.clause("elif ", t)
        if t.orelse:
            self.fill("else")
            self.enter()
            self.dispatch(t.orelse)
            self.leave()

    def clause(self, word, t):
        self.fill(word)
        self.dispatch(t.test)
        self.enter()
        self.dispatch(t.body)
        self.leave()

    def _Module(self, t):
        previous = None
        for stmt in t.body:
            opens = isinstance(stmt, Comment | gast.FunctionDef) and not isinstance(previous, Comment)
            after_imports = isinstance(stmt, gast.Assign) and isinstance(previous, gast.Import)
            self.write("\n\n" if opens and previous is not None else "\n" if after_imports else "")
            self.dispatch(stmt)
            previous = stmt

    def _Assign(self, t):
        """A long array of numbers goes over several lines, which end inside of brackets."""
        if not isinstance(t.value, gast.Call) or not t.value.args or not isinstance(t.value.args[0], gast.List):
            return super()._Assign(t)
        out, self.f = self.f, io.StringIO()
        super()._Assign(t)
        text, self.f = self.f.getvalue(), out
        margin = "    " * self._indent
        text = text.strip().replace(" = ", "\0=\0", 1)
        wrapped = textwrap.wrap(text, WIDTH - len(margin), subsequent_indent="    ", break_long_words=False, break_on_hyphens=False)
        self.write("".join(f"\n{margin}{line}" for line in wrapped).replace("\0", " "))

    def _FunctionDef(self, t):
        self.fill(f"def {t.name}(")
        self.dispatch(t.args)
        self.write(")")
        self.enter()
        self.dispatch(t.body)
        self.leave()

    def _fstring_FormattedValue(self, t, write):
        text = unparse(t.value).strip()
        conversion = f"!{chr(t.conversion)}" if t.conversion not in (-1, None) else ""
        write("{" + (" " if text.startswith("{") else "") + text + conversion)
        if t.format_spec is not None:
            write(":")
            self._fstring_JoinedStr(t.format_spec, write)
        write("}")


def quoted(text):
    """A string literal in double quotes, where that needs no escapes."""
    plain = repr(text)
    return f'"{text}"' if plain == f"'{text}'" and '"' not in text else plain


def unparse(tree):
    """Source text of a gast tree; ends with a newline."""
    out = io.StringIO()
    Unparser(tree, out)
    return out.getvalue().lstrip("\n").rstrip() + "\n"
