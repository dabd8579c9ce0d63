"""Short names of runs that differ: what all share is left out, or the values of what differs stand alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ragstone.experiments.choice.factors import factors_of
from ragstone.experiments.leading import short_names
from ragstone.experiments.results import RunResult

LONG = 34
_BARE = ("true", "false", "null")


@dataclass(frozen=True, slots=True)
class RunNames:
    """Names by run id.

    Attributes:
        note: What the parts of a name are; empty where they say it themselves.
    """

    shown: Mapping[str, str]
    note: str = ""

    def of(self, run: RunResult) -> str:
        """Return a run's name."""
        return self.shown[run.run.id]


def run_names(runs: Sequence[RunResult]) -> RunNames:
    """Return names that are short and differ: long ones without what all share; if still long, the values alone.

    Runs that have one name, as A/A runs of two batches do, are called by their ids.
    """
    ids = [run.run.id for run in runs]
    names = [run.run.spec.name for run in runs]
    if max(Counter(names).values(), default=1) > 1:
        return RunNames(dict(zip(ids, ids, strict=True)))
    short = names if max(map(len, names), default=0) <= LONG else short_names(names)
    if max(map(len, short), default=0) <= LONG:
        return RunNames(dict(zip(ids, short, strict=True)))
    factors = factors_of(runs)
    values = [
        " · ".join(_part(factor.name, factor.levels[factor.level[place]]) for factor in factors)
        for place in range(len(runs))
    ]
    if len(set(values)) < len(values) or max(map(len, values)) >= max(map(len, short)):
        return RunNames(dict(zip(ids, short, strict=True)))
    said = ", ".join(factor.name for factor in factors)
    return RunNames(dict(zip(ids, values, strict=True)), f"Runs are named by {said}.")


def _part(name: str, level: str) -> str:
    """Return a level so that it can stand alone: a yes or no with what it is about."""
    if name.startswith("use_") and level in _BARE:
        return ("" if level == "true" else "no ") + name.removeprefix("use_")
    return f"{name}={level}" if level in _BARE else level
