"""How sentences call the runs of a matrix: by name where names are short, else by number."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ragstone.experiments.choice.names import RunNames

# A name up to this length is said in a sentence; beyond, the run's number in the table stands for it.
SAID = 22
_NAMED = 4


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
