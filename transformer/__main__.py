"""python -m transformer: see `cli`."""

import sys

from .cli import main

sys.exit(main())
