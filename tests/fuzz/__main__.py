"""Long runs of the random-program check: see the package's docstring."""

import argparse
import collections
import random
import sys
import time

from .checks import Fault, check


def main(argv=None):
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description="Check random NumPy programs under every transform.")
    parser.add_argument("--minutes", type=float, default=1.0, help="how long (default 1)")
    parser.add_argument("--seed", type=int, help="check the program of one seed")
    parser.add_argument("--start", type=int, default=0, help="first seed")
    parser.add_argument("--keep-going", action="store_true", help="report further faults after the first")
    options = parser.parse_args(argv)
    outcomes, faults, seed = collections.Counter(), 0, options.start if options.seed is None else options.seed
    end = time.monotonic() + 60 * options.minutes
    while time.monotonic() < end:
        try:
            outcomes[check(random.Random(seed).randrange)] += 1
        except Fault as fault:
            faults += 1
            print(f"seed {seed}: {fault}", flush=True)
            if not options.keep_going:
                break
        if options.seed is not None:
            break
        seed += 1
    print(f"{sum(outcomes.values()) + faults} programs: {dict(outcomes)}, {faults} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
