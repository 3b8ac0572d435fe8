"""Every program that any pass makes in these tests is checked against the specification of Core; none comes from the disk cache."""

import os

os.environ["TRANSFORMER_CACHE_DIR"] = "off"

from transformer import pipeline  # noqa: E402
from transformer.check import check  # noqa: E402

pipeline.OBSERVERS.append(check)
