"""JAX's lax: control flow as plain Python that compiles, and the operations of XLA in NumPy's terms."""

from .control import associative_scan, cond, fori_loop, map, scan, switch, while_loop

__all__ = ["associative_scan", "cond", "fori_loop", "map", "scan", "switch", "while_loop"]
