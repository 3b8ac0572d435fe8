"""Benchmarks against JAX, interleaved in one run: `python -m benchmarks [row ...] [--json FILE] [--list]`.

Each row states some work and the median time of each contestant, with the ratio to ours in brackets: `jax 3.1 ms (1.42x)` means
that JAX takes 1.42 times as long as we do. Ratios below 1 are ours to improve; differences under 1.5x on a busy machine are ties.

    step, step-32, step-narrow      one training step of the digits network (and of an 8-wide one), compiled
    per-example                     gradient of each image's loss by vmap of grad, compiled
    grad-tanh, grad-polynomial      gradient of a scalar function of two and of five lines, not compiled
    jit-grad                        the same compiled
    import, first-gradient          fresh processes, net of Python's own start
    compile-10, compile-10000       first call of the gradient of a Python loop, compiled: transforming and compiling
    run-10, run-10000               later calls of it; JAX's plain Python loop is left out at 10000, where it gives no result in minutes

Rules: every array is a run-time argument; peers do what their best user would write (a scan by hand) as well as the plain code;
compile time and run time stand apart. JAX must be installed to run this; the library itself never imports it.
"""

import argparse
import json
import sys

from . import loops, network, scalar, startup
from .measure import table

ROWS = {**network.ROWS, **scalar.ROWS, **startup.ROWS, **loops.ROWS}


def main(argv=None):
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rows", nargs="*", metavar="row", help="rows to measure (default: all)")
    parser.add_argument("--json", metavar="FILE", help="also write the medians in seconds to FILE")
    parser.add_argument("--list", action="store_true", help="print the names of the rows and stop")
    options = parser.parse_args(argv)
    unknown = set(options.rows) - set(ROWS)
    if unknown:
        parser.error(f"unknown rows {', '.join(sorted(unknown))}; known: {', '.join(ROWS)}")
    if options.list:
        print("\n".join(ROWS))
        return 0
    done = []
    for name in options.rows or ROWS:
        done.append(ROWS[name]())
        print(table(done[-1:]), flush=True)
    if options.json:
        with open(options.json, "w") as file:
            json.dump({row.work: row.seconds for row in done}, file, indent=1)
    return 0


if __name__ == "__main__":
    sys.exit(main())
