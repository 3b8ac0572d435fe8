"""Long runs of the random-program check: see the package's docstring."""

import argparse
import collections
import os
import random
import re
import sys
import time
import traceback

OPTIMISED = 4
"""One of so many programs is compiled with XLA's optimisations, which take twice as long;"""
QUICK = "xla_backend_optimization_level=0"
"""the others with these options."""


def main(argv=None):
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description="Check random NumPy programs under every transform.")
    parser.add_argument("--minutes", type=float, default=1.0, help="how long (default 1)")
    parser.add_argument("--seed", type=int, help="check the program of one seed")
    parser.add_argument("--start", type=int, default=0, help="first seed")
    parser.add_argument("--count", type=int, help="how many programs at most")
    parser.add_argument("--keep-going", action="store_true", help="report further faults after the first")
    parser.add_argument("--refusals", action="store_true", help="print the seed and message of each refused program")
    parser.add_argument("--optimise", action="store_true", help="compile every program with XLA's optimisations, not one of four only")
    options = parser.parse_args(argv)
    from .checks import Fault, check
    given = os.environ.get("TRANSFORMER_XLA_OPTIONS", "")
    outcomes, refusals, faults = collections.Counter(), collections.Counter(), 0
    seed, end = options.start if options.seed is None else options.seed, time.monotonic() + 60 * options.minutes
    last = seed + 1 if options.seed is not None else seed + options.count if options.count else float("inf")
    while seed < last and time.monotonic() < end:
        os.environ["TRANSFORMER_XLA_OPTIONS"] = given or ("" if options.optimise or seed % OPTIMISED == 0 else QUICK)
        try:
            outcome, message = check(random.Random(seed).randrange)
            outcomes[outcome] += 1
            if message:
                refusals[heading(message)] += 1
                if options.refusals:
                    print(f"seed {seed}: {message}", flush=True)
        except Fault as fault:
            faults += 1
            print(f"seed {seed}: {fault}", flush=True)
            if fault.__cause__ is not None:
                traceback.print_tb(fault.__cause__.__traceback__, limit=-3)
            if not options.keep_going:
                break
        seed += 1
    print(f"{sum(outcomes.values()) + faults} programs: {dict(outcomes)}, {faults} faults, {time.process_time():.0f} s of CPU")
    for message, count in refusals.most_common():
        print(f"{count:5d}  {message}")
    return 1 if faults else 0


def heading(message):
    """The first line of a refusal without what belongs to the one program."""
    return re.sub(r"<\w+>:\d+:\d+: ", "", " ".join(message.splitlines()[0].split()))[:150]


if __name__ == "__main__":
    sys.exit(main())
