"""Measuring a row: values compared, then samples of all contestants in turns."""

import statistics
import time
from typing import NamedTuple

from .contest import compare

BUDGET = 6.0
"""Seconds that the samples of a row take together, if between the fewest and the most rounds allow it."""
FEWEST, MOST = 7, 60


class Result(NamedTuple):
    """Samples by contestant, taken in rounds; `goals`: peer -> the ratio ours / peer that we want."""

    name: str
    work: str
    unit: str
    goals: dict
    samples: dict

    def median(self, name):
        return statistics.median(self.samples[name])

    def spread(self, name):
        """The quartiles of a contestant's samples."""
        return quartiles(self.samples[name])

    def rival(self, peer):
        """The contestant that a goal is about: the fastest of those that are called `peer`, or `peer` and something."""
        found = [name for name in self.samples if name == peer or name.startswith(peer + " ")]
        return min(found, key=self.median) if found else None

    def ratio(self, name):
        """(median, quartiles) of ours / theirs over the rounds: what disturbs the machine disturbs both."""
        ratios = [ours / theirs for ours, theirs in zip(self.samples["ours"], self.samples[name])]
        return statistics.median(ratios), quartiles(ratios)

    def least(self, name):
        """The smallest sample of ours / the smallest of theirs: what a machine without load would show."""
        return min(self.samples["ours"]) / min(self.samples[name])

    def met(self, peer):
        return self.ratio(self.rival(peer))[0] <= self.goals[peer]


def quartiles(values):
    if len(values) < 2:
        return [values[0], values[0]]
    low, _, high = statistics.quantiles(values, n=4, method="inclusive")
    return [low, high]


def checked(contest, names=None):
    """The contestants (all, or those of `names`), after their values have been compared. Raises WrongValue."""
    chosen = {name: make() for name, make in contest.contestants.items() if names is None or name in names}
    value = chosen["ours"].value()
    contest.check(value)
    for name, contestant in chosen.items():
        if name != "ours":
            compare(value, contestant.value(), contest.rtol, f"ours against {name}")
    return chosen


def measure(name, work, goals, contest, budget=BUDGET):
    """The Result of a contest; contestants take turns, the first of a round is another one each time."""
    contestants = checked(contest)
    start = time.perf_counter()
    for contestant in contestants.values():
        contestant.sample()
    rounds = min(MOST, max(FEWEST, int(budget / (time.perf_counter() - start))))
    samples = {key: [] for key in contestants}
    order = list(contestants)
    for _ in range(rounds):
        order.append(order.pop(0))
        for key in order:
            samples[key].append(contestants[key].sample())
    return Result(name, work, contest.unit, goals, samples)
