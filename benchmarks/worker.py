"""One row in a process of its own: `python -m benchmarks.worker NAME [--check]` prints its Result as JSON.

--check: only compute the value of ours at a tiny size and compare it; no peer is needed.
"""

import json
import sys

from .measure import checked, measure
from .table import ROWS


def main(argv):
    row = ROWS[argv[0]]
    if "--check" in argv:
        checked(row.contest(**row.tiny), ["ours"])
        print(json.dumps(row.name))
    else:
        print(json.dumps(measure(row.name, row.work, row.goals, row.contest())._asdict()))


if __name__ == "__main__":
    main(sys.argv[1:])
