"""Print a tree of any frontend stage as Python that runs.

A `for` whose `stop` names a flag (see `desugar`) prints with `if flag: break` at the end of its body.
"""

import ast
import copy

import gast


def source(node):
    """Python source of a gast node."""
    tree = _Stops().visit(copy.deepcopy(node))
    return ast.unparse(ast.fix_missing_locations(gast.gast_to_ast(tree)))


class _Stops(gast.NodeTransformer):
    def visit_For(self, node):
        self.generic_visit(node)
        if getattr(node, "stop", None):
            flag = gast.Name(node.stop, gast.Load(), None, None)
            node.body = [*node.body, gast.If(flag, [gast.Break()], [])]
        return node
