"""Benchmarks against peers, interleaved in one run: `python -m benchmarks [row ...] [--list] [--json FILE] [--picture FILE]`.

Each row runs in a process of its own, compares the values of all contestants, then lets them take turns. Printed are the median and
the quartiles of each contestant, and the ratio ours / peer of the rounds with the goal that it should stay under. Differences
of less than 1.5x on a busy machine are ties.

Rules: every array is a run-time argument; peers do what their best user would write; the first result and later ones stand
apart. The peers (`pip install -e ".[peers]"`) are needed here only; the library itself never imports them.
"""

import argparse
import json
import subprocess
import sys

from .measure import Result
from .picture import picture
from .processes import ROOT, environment
from .report import as_json, facts, lines
from .table import ROWS


def main(argv=None):
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rows", nargs="*", metavar="row", help="rows to measure (default: all)")
    parser.add_argument("--list", action="store_true", help="print the rows with their goals and stop")
    parser.add_argument("--json", metavar="FILE", help="also write the results and the facts of the machine to FILE")
    parser.add_argument("--picture", metavar="FILE", help="also write a picture (SVG) to FILE")
    options = parser.parse_args(argv)
    unknown = set(options.rows) - set(ROWS)
    if unknown:
        parser.error(f"unknown rows {', '.join(sorted(unknown))}; known: {', '.join(ROWS)}")
    if options.list:
        for row in ROWS.values():
            print(f"{row.name:<18}{row.work:<54}" + ", ".join(f"{peer} {goal:g}" for peer, goal in row.goals.items()))
        return 0
    machine, results, failed = facts(), [], []
    if machine["load"] > 0.5:
        print(f"The machine is busy (load {machine['load']:.1f}, {machine['cores']} cores): threads that wait for a core look slow. Read the ratios "
              "of the smallest samples, and measure again when it is idle.")
    for name in options.rows or ROWS:
        result = run(name)
        print("\n".join(lines(result)) if isinstance(result, Result) else f"{name}: FAILED\n{result}", flush=True)
        (results if isinstance(result, Result) else failed).append(result)
        write(as_json(results, machine), options)
    goals = [goal["met"] for row in as_json(results, machine)["rows"] for goal in row["goals"].values()]
    print(f"{sum(goals)} of {len(goals)} goals met" + (f", {len(failed)} rows FAILED" if failed else ""))
    return 1 if failed else 0


def run(name):
    """The Result of a row, measured in a process of its own; the text of its error if it failed."""
    done = subprocess.run([sys.executable, "-m", "benchmarks.worker", name], cwd=ROOT, capture_output=True, text=True, env=environment())
    if done.returncode:
        return done.stderr.strip()[-3000:]
    return Result(**json.loads(done.stdout.splitlines()[-1]))


def write(data, options):
    """Write the files that are asked for: after each row, so that a run that is stopped leaves what it has measured."""
    if options.json:
        with open(options.json, "w") as file:
            json.dump(data, file, indent=1)
    if options.picture:
        with open(options.picture, "w") as file:
            file.write(picture(data))


if __name__ == "__main__":
    sys.exit(main())
