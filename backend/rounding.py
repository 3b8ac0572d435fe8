"""Whether XLA, where it computes a value twice, gives the same bits twice.

It computes again what is cheap for each kernel that needs it, and lets LLVM make one operation of a product and a sum (which rounds once) or
not, and use vectorised or scalar forms of exp, log and their like, in each kernel as it fits. A single sum, product or quotient is rounded
in one way only.
"""

EXACT = {"abs", "negate", "sign", "maximum", "minimum", "clamp", "select", "compare", "and", "or", "xor", "not", "floor", "ceil", "convert", "real", "imag",
         "round_nearest_even", "round_nearest_afz", "is_finite", "broadcast_in_dim", "reshape", "transpose", "slice", "reverse", "pad", "concatenate",
         "bitcast_convert", "shift_left", "shift_right_arithmetic", "shift_right_logical", "dynamic_slice", "dynamic_update_slice", "gather"}
"""Ops that a kernel may do again, whose results have no error of their own."""
ROUNDED_ONCE = {"add", "subtract", "multiply", "divide", "sqrt", "remainder"}
SUMS = {"add", "subtract"}
STORED = {"parameter", "constant", "iota", "dot_general", "convolution", "while", "if", "case", "sort", "custom_call", "reduce", "scatter",
          "rng_bit_generator", "fft", "cholesky", "triangular_solve", "all_reduce", "all_gather"}
"""Ops whose results are kept in memory, for all that need them."""
MOST = 200


def rounds_alike(hlo, x):
    """Whether a value has the same bits however often it is computed. Values that no op made (parameters, what loops carry) are in memory."""
    if x.dtype.kind in "biu":
        return True
    seen, work = set(), [(x, False)]
    while work:
        value, summed = work.pop()
        if (value.name, summed) in seen or value.dtype.kind in "biu":
            continue
        seen.add((value.name, summed))
        op, operands = hlo.made.get(value.name, ("parameter", ()))
        if op in STORED:
            continue
        if len(seen) > MOST or op not in EXACT and op not in ROUNDED_ONCE or op == "multiply" and summed:
            return False
        work.extend((operand, op in SUMS or summed and op in EXACT) for operand in operands)
    return True


__all__ = ["rounds_alike"]
