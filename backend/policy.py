"""Which compile options a program gets, by its features. One row per measured finding; see `benchmarks`.

Features that `lower` reports:
    loop           a loop that XLA compiles rolled
    element_loop   a loop that stores elements into an array that it also reads, and works on nothing large
    slice_loop     the same with large slices
    stencil_loop   there are slice_loops, and no loop has a product of matrices
    repeated_stores   a round of some loop stores into an array more than once, in a program with element_loops
    scalar_loop    all loops compute nothing but scalars and arrays of a few elements
and `features.features_of` what has been emitted:
    product        a product of arrays, or a convolution
    choice         comparisons of, or choices between, elements of a large array
    short_rows     most of what is reduced is rows of a moderate length
    minor_sums     what is reduced is little beside the products, and nothing is in a loop
    wide           an elementwise computation reads very many values, no such computation is of large arrays, and nothing is in a loop

Times are nanoseconds an iteration on a 2-core x86-64, jaxlib 0.10.2 and 0.12.0.1:
    loop           XLA makes one native function of a loop that touches few bytes an iteration; beyond 1 KB it interprets the body op
                   by op. With 16 KB: tanh(W @ h) of size 32 870 -> 330, of size 16 150 -> 110; nothing measured became slower.
    element_loop   the gradient of x[i] += 0.5 * x[i] * x[i-1], n = 10000: 4500-12000 -> 35. Fusion duplicates the element reads, so
                   that XLA copies the array each round. (Needs the orderings of `transformer.analysis.ordering`, too.) The bytes that
                   decide on a native loop count whole arrays, so that the reverse sweep of a triangular solve, which has a tape, was
                   interpreted: Cholesky of 100x100, gradient: 14 -> 1.8 ms. Programs with slice_loops gain nothing: they keep 16 KB.
    stencil_loop   up to 1 MB a round: a lid-driven cavity of 61x61, 25 x 5 rounds: 2.3 -> 1.8 ms; Durbin's recursion, n = 1000:
                   2.6 -> 1.1 ms, its gradient 11 -> 7 ms. A product in a native loop would be without its fast kernel.

    loop, product, choice   XLA hands sums of float32 and what is computed around them to a library, YNN, that packs its operands in each call and
                   writes its results out: fine for a softmax or a norm alone, but not for products (a network of 3, 30000, 2000 and 2000
                   neurons, 8 examples: 900 -> 60 ms), in loops (convolutions by loops: 1000 -> 340 us, their gradient 3000 -> 1100 us) and
                   between ops that it does not know. Products on their own stay with it.
    short_rows     XLA adds up parts of 32 elements first, in a form that is not vectorised: good for columns and long sums, bad for rows (the
                   largest of each of 32768 rows of 128: 6.4 -> 1.3 ms; the gradient of their softmax, with the row above, 46 -> 16 ms).
    minor_sums     Each such sum is two kernels for LLVM to compile: a training step of a network, 128 examples: 560 -> 465 ms of CPU time to
                   compile, and it runs as fast.
    wide           XLA makes one kernel of it, and LLVM's time to compile that grows with the square of what it reads, or faster. Sums, on the
                   left, and sums of tanh(x * x), CPU time to compile: of 500 numbers 0.5 -> 0.2 s, 1.8 -> 0.35 s; of 500 arrays of 100 elements
                   7.1 -> 0.2 s, 10.8 -> 0.6 s; of 1500 numbers 2.8 -> 0.9 s, 25 -> 2.3 s. The run takes as long.

Programs of element_loops and scalar_loops are first compiled with fusions, if these do no harm (see `trial_for` and `is_harmed`).

Not used: xla_cpu_copy_insertion_use_region_analysis. It makes element loops fast (12000 -> 12 in the gradient of
x[i] += 0.5 * x[i-1]) and values wrong: a Cholesky factorisation written as three nested loops reads elements before the inner loop has
stored them. `tests/backend/test_policy.py` compares every option set that a program can get.
"""

import math
import re

from . import client, settings

NATIVE_LOOPS = ("xla_cpu_small_while_loop_byte_threshold", "16384")
STENCILS_NATIVE = ("xla_cpu_small_while_loop_byte_threshold", "1000000")
ALL_NATIVE = ("xla_cpu_small_while_loop_byte_threshold", "1073741824")
UNFUSED = ("xla_disable_hlo_passes", "fusion")
SEVERAL_RESULTS = ("xla_cpu_use_multi_output_fusion", "true")
TREELESS = ("xla_disable_hlo_passes", "tree_reduction_rewriter")
PLAIN_SUMS = ("xla_cpu_experimental_ynn_fusion_type", "LIBRARY_FUSION_TYPE_INDIVIDUAL_DOT")

POLICY = {
    "cpu": {
        "product": (PLAIN_SUMS,),
        "choice": (PLAIN_SUMS,),
        "short_rows": (TREELESS,),
        "minor_sums": (TREELESS,),
        "loop": (NATIVE_LOOPS, PLAIN_SUMS),
        "element_loop": (UNFUSED, ALL_NATIVE),
        "wide": (UNFUSED,),
    },
}


def overrides_for(features, options=()):
    """The (name, value) overrides of a program: the policy's, then the environment's, then the caller's."""
    rows = POLICY.get(client.platform(), {})
    chosen = {}
    for feature, row in rows.items():
        if feature in features:
            chosen.update(row)
    if "slice_loop" in features:
        chosen.pop(UNFUSED[0], None)
        chosen.update([STENCILS_NATIVE if "stencil_loop" in features else NATIVE_LOOPS] if "loop" in rows else [])
    chosen.update(settings.xla_options())
    chosen.update(options)
    return tuple(chosen.items())


def trial_for(features, text, options=()):
    """The overrides to try first, for a program of small loops; None where there is nothing to try.

    scalar_loop: with fusions that have several results. They compute nothing twice, so that values are handed on in registers and reads
    come before stores: Gauss-Seidel sweeps, gradient: 1.7 -> 0.8 ms; the Mandelbrot set: 5.1 -> 3.4 ms; 1000 steps of Euler's method,
    gradient: 90 -> 65 us. Loops over rows of 60 elements (a recursive filter) are twice as slow with them.
    element_loop: with plain fusion, as far as it copies nothing: forward loops run at twice the speed.
    """
    asked = {name for name, _ in (*settings.xla_options(), *options)}
    overrides = overrides_for(features, options)
    if asked & {UNFUSED[0], SEVERAL_RESULTS[0]} or client.platform() not in POLICY or "wide" in features:
        return None
    fused = tuple(o for o in overrides if o != UNFUSED)
    if "scalar_loop" in features and OPS.issuperset(OP.findall(text)):
        return (*fused, SEVERAL_RESULTS)
    return fused if UNFUSED in overrides and "repeated_stores" not in features else None


OP = re.compile(r'"((?:stablehlo|chlo)\.\w+)"')
OPS = {f"stablehlo.{name}" for name in (
    "abs add and atan2 bitcast_convert broadcast_in_dim cbrt ceil clamp compare complex concatenate constant convert cosine count_leading_zeros "
    "divide dynamic_slice dynamic_update_slice exponential exponential_minus_one floor if imag iota is_finite log log_plus_one logistic "
    "maximum minimum multiply negate not or pad popcnt power real remainder reshape return reverse round_nearest_afz "
    "round_nearest_even rsqrt select shift_left shift_right_arithmetic shift_right_logical sign sine slice sqrt subtract tan tanh transpose "
    "while xor").split()}
"""What a program may consist of to be compiled with fusions that have several results: XLA has no such fusion by default on CPU, and
these are the ops with which it was tested here."""

MANY_ELEMENTS = 64
"""Copying so many elements in a round costs more than fusion saves."""
MANY_OPS = 4
"""Fusion that makes so many ops of one computes the same again and again."""

COPY = re.compile(r" = \w+\[([\d,]+)\]\S* copy\(")
FUSION = re.compile(r" = \(.*\) fusion\(.*, calls=(%[\w.-]+)")


def is_harmed(hlo, text):
    """Whether XLA's program copies arrays in its loops, computes many values several times, or stores into arrays in a fusion that
    has other results: then it makes a pass over the arrays, which may read what it has stored. `text` is the program as lowered."""
    if hlo.count(" = ") > MANY_OPS * (text.count(" = ") + MANY_ELEMENTS) or any(stores(hlo, name) for name in FUSION.findall(hlo)):
        return True
    entry = hlo.rindex("\nENTRY ")
    return any(math.prod(map(int, found[1].split(","))) >= MANY_ELEMENTS for found in COPY.finditer(hlo, 0, entry))


def stores(hlo, name):
    """Whether the computation `name` stores into an array."""
    start = hlo.index(f"\n{name} (")
    return "dynamic-update-slice(" in hlo[start:hlo.index("\n}", start)]
