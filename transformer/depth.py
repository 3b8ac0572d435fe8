"""How deep functions may call each other while a program is built."""

import contextlib
import sys

RECURSION_LIMIT = 60_000


@contextlib.contextmanager
def deep_recursion():
    """User functions and blocks nest deeper here than in Python itself: each of them takes several calls of ours."""
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(max(limit, RECURSION_LIMIT))
    try:
        yield
    finally:
        sys.setrecursionlimit(limit)
