"""Every program that any pass makes in these tests is checked against the specification of Core."""

from transformer import pipeline
from transformer.check import check

pipeline.OBSERVERS.append(check)
