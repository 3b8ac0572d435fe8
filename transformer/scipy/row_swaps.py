"""What generated source calls where a program applies the row swaps of LU factors."""

from ..ops.op import TABLE


def order(swaps, n):
    """The order of n rows that row swaps amount to: row i was swapped with row swaps[i]."""
    return TABLE["swaps_order"].impl(swaps, n)


__all__ = ["order"]
