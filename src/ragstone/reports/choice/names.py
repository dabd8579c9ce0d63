"""What the runs of a matrix are called where there is little room."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ragstone.experiments.choice.factors import factors_of
from ragstone.experiments.results import RunResult
from ragstone.reports.overview import shorter

LONG = 34
# A name up to this length is said in a sentence; beyond, the run's number in the table stands for it.
SAID = 22
_NAMED = 4
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


@dataclass(frozen=True, slots=True)
class Said:
    """How sentences call runs: by name where all names are short, else by their number in the table."""

    names: RunNames
    places: Mapping[str, int]

    @property
    def numbered(self) -> bool:
        """Whether numbers stand for names."""
        return max(map(len, self.names.shown.values()), default=0) > SAID

    def one(self, run: str) -> str:
        """Return a run where it is spoken of again."""
        return f"#{self.places[run]}" if self.numbered and run in self.places else self.names.shown[run]

    def first(self, run: str) -> str:
        """Return a run where it is spoken of first."""
        name = self.names.shown[run]
        return f"#{self.places[run]} ({name})" if self.numbered and run in self.places else name

    def some(self, runs: Sequence[str]) -> str:
        """Return several runs, numbers in ranges, a long list of names cut."""
        if self.numbered and all(run in self.places for run in runs):
            return numbers_text([self.places[run] for run in runs])
        return named([self.names.shown[run] for run in runs])


def numbers_text(places: Sequence[int]) -> str:
    """Return numbers of runs, those in a row as a range.

    Example:
        >>> numbers_text([5, 2, 3, 4, 9, 10])
        '#2 to #5, #9, #10'
    """
    stretches: list[list[int]] = []
    for place in sorted(places):
        if stretches and stretches[-1][-1] == place - 1:
            stretches[-1].append(place)
        else:
            stretches.append([place])
    return ", ".join(
        f"#{one[0]} to #{one[-1]}" if len(one) > 2 else ", ".join(f"#{place}" for place in one)
        for one in stretches
    )


def named(names: Sequence[str]) -> str:
    """Return names, a long list cut.

    Example:
        >>> named(list("abcdef"))
        'a, b, c, d and 2 more'
    """
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return ", ".join(names[:_NAMED]) + more


def run_names(runs: Sequence[RunResult]) -> RunNames:
    """Return names that are short and differ: long ones without what all share; if still long, the values alone.

    Runs that have one name, as A/A runs of two batches do, are called by their ids.
    """
    ids = [run.run.id for run in runs]
    names = [run.run.spec.name for run in runs]
    if max(Counter(names).values(), default=1) > 1:
        return RunNames(dict(zip(ids, ids, strict=True)))
    short = names if max(map(len, names), default=0) <= LONG else shorter(names)
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
