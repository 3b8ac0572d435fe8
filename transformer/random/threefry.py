"""The functions that generated source calls where a program draws random numbers: keys and results are ndarrays."""

from ..ops.threefry import bits, erf_inv, fold_in, split

__all__ = ["bits", "erf_inv", "fold_in", "split"]
