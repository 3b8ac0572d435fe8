"""Which compile options a program gets, by its features. One row per measured finding; see `benchmarks`.

Features that `lower` reports:
    loop           a loop that XLA compiles rolled
    element_loop   a loop that stores elements into an array that it also reads, and works on nothing large
    slice_loop     the same with large slices
    stencil_loop   there are slice_loops, and no loop has a product of matrices
    repeated_stores   a round of some loop stores into an array more than once, in a program with element_loops
and `features_of` what has been emitted:
    product        a product of arrays, or a convolution
    choice         comparisons of, or choices between, elements of a large array
    short_rows     most of what is reduced is rows of a moderate length

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

An element_loop without repeated_stores is first compiled with fusion, which is used if it does no harm (see `is_harmed`): forward loops run at twice the speed
(Nussinov's table: 4.3 -> 2.5 ms; the gradient of x[i] += 0.5 * x[i-1], n = 10000: 239 -> 94 us), as values stay in registers.

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
TREELESS = ("xla_disable_hlo_passes", "tree_reduction_rewriter")
PLAIN_SUMS = ("xla_cpu_experimental_ynn_fusion_type", "LIBRARY_FUSION_TYPE_INDIVIDUAL_DOT")

POLICY = {
    "cpu": {
        "product": (PLAIN_SUMS,),
        "choice": (PLAIN_SUMS,),
        "short_rows": (TREELESS,),
        "loop": (NATIVE_LOOPS, PLAIN_SUMS),
        "element_loop": (UNFUSED, ALL_NATIVE),
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


def trial_for(features, options=()):
    """The overrides to try first, with fusion, for a program that otherwise gets none; None where there is nothing to try."""
    asked = {name for name, _ in (*settings.xla_options(), *options)}
    overrides = overrides_for(features, options)
    if UNFUSED not in overrides or UNFUSED[0] in asked or "repeated_stores" in features:
        return None
    return tuple(o for o in overrides if o != UNFUSED)


TREE, LONG, RARE = 32, 4096, 0.5
"""Sums of up to TREE elements are never made trees, those of more than LONG would lose digits without; RARE: how much of columns may be
reduced for each element of rows."""


def features_of(hlo):
    """What the policy wants to know of the ops that `Hlo` has emitted."""
    found = {"product"} if hlo.large & {"dot_general", "convolution"} else set()
    if hlo.large & {"compare", "select"}:
        found.add("choice")
    rows = columns = 0
    for shape, axes in hlo.reductions:
        extent = math.prod(shape[a] for a in axes)
        if extent > LONG:
            return found
        if max(shape[a] for a in axes) <= TREE:
            continue
        if len(shape) - 1 in axes:
            rows += math.prod(shape)
        else:
            columns += math.prod(shape)
    return found | {"short_rows"} if columns <= RARE * rows and rows else found


MANY_ELEMENTS = 64
"""Copying so many elements in a round costs more than fusion saves."""
MANY_OPS = 4
"""Fusion that makes so many ops of one computes the same again and again."""

COPY = re.compile(r" = \w+\[([\d,]+)\]\S* copy\(")


def is_harmed(hlo, text):
    """Whether XLA's program copies arrays in its loops, or computes many values several times; `text` is the program as lowered."""
    if hlo.count(" = ") > MANY_OPS * (text.count(" = ") + MANY_ELEMENTS):
        return True
    entry = hlo.rindex("\nENTRY ")
    return any(math.prod(map(int, found[1].split(","))) >= MANY_ELEMENTS for found in COPY.finditer(hlo, 0, entry))
