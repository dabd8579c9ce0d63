"""What follows from a comparison that decides nothing yet: what it looks like so far, and what is missing."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from ragstone.experiments.comparison.compare import Candidate
from ragstone.experiments.comparison.metric import MetricComparison
from ragstone.reports.comparison.verdict import better_word, failures_text, fewest_differing
from ragstone.reports.comparison.words import change_text
from ragstone.reports.words import count

UNDECIDED = ("borderline", "not enough questions")
MORE = "More questions are needed before anything can be said."


def so_far(undecided: Sequence[Candidate], baseline: str) -> Iterator[str]:
    """Say of each candidate which way it leans, and how many more questions would probably settle it."""
    for one in undecided:
        found = one.primary
        if found.paired.n < 2:
            yield MORE
            continue
        difference = found.paired.difference or 0.0
        size = change_text(found.metric, difference)
        leaning = f"{better_word(found)} by {size}" if difference else "no different"
        missing = _failures(one, baseline) if found.doubt == "failed searches" else _missing(found)
        yield f"So far {one.name} looks {leaning}, {missing}."


def _failures(one: Candidate, baseline: str) -> str:
    failing = one.name if one.primary.paired.verdict == "better" else baseline
    return f"but {failures_text(one.primary, failing)}: mend that first, or count them as misses (on_error: miss)"


def _missing(found: MetricComparison) -> str:
    more = questions_missing(found)
    asked = f"about {count(rounded(more), 'more question')} like these" if more else "new questions"
    if found.verdict == "borderline":
        return f"but luck may explain it; if that is its true size, {asked} would probably show it"
    units = "questions differ" if found.unclustered is None else "groups of questions differ"
    return f"but too few {units} to be sure; if it goes on like this, {asked} would probably settle it"


def questions_missing(found: MetricComparison) -> int:
    """Return how many more questions like these would probably decide: sized by what was seen, not by a wish.

    So many that the difference seen, if it is the true one, shows 4 times in 5, and so many that enough differ for
    any p-value to reach the level; both with all comparisons allowed for.
    """
    paired = found.paired
    differing = 1 - math.log2(paired.floor)
    to_differ = (
        paired.n * fewest_differing(1 - (1 - paired.level) / found.family) / differing if differing else 0.0
    )
    to_show = found.questions_for(abs(paired.difference)) if paired.difference else None
    return max(0, math.ceil(max(to_differ, to_show or 0)) - paired.n)


def rounded(n: int) -> int:
    """Return a number with two figures, rounded up.

    Example:
        >>> rounded(59), rounded(412)
        (59, 420)
    """
    step = int(10 ** max(0, len(str(n)) - 2))
    return math.ceil(n / step) * step
