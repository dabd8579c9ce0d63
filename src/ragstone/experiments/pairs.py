"""Two runs on the same questions, side by side: what can be compared, and what cannot and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ragstone.experiments.clusters import clusters_of
from ragstone.experiments.results import RunResult
from ragstone.metrics import Metric
from ragstone.stats.measurements import Measurements
from ragstone.types import Query, Score

NOT_ASKED = "not_asked"
OTHER_QUESTION = "other_question"
_FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Unpaired:
    """A question that only one of two runs has a score for; the other has a reason."""

    query: str
    baseline: Score
    candidate: Score


@dataclass(frozen=True, slots=True, kw_only=True)
class Pairs:
    """The scores of two runs by one metric, question by question.

    Attributes:
        queries: Ids of the questions that both have a score for, in the dataset's order.
        baseline: The baseline's scores (float64), as many as `queries`.
        candidate: The candidate's.
        clusters: A label for each of `queries`; None where every question stands for itself.
        unpaired: Questions that one run alone has a score for.
        measured: All measurements of baseline and candidate, in the order of `queries`, where the metric is a
            percentile: `baseline` and `candidate` have the means over repeats. None for other metrics.
        neither: How many questions neither run has a score for, by the baseline's reason.
    """

    metric: Metric
    queries: tuple[str, ...]
    baseline: NDArray[np.float64]
    candidate: NDArray[np.float64]
    clusters: tuple[int, ...] | None
    unpaired: tuple[Unpaired, ...]
    neither: Mapping[str, int]
    measured: tuple[Measurements, Measurements] | None = None

    @property
    def range_width(self) -> float | None:
        """The metric's largest less its smallest value; None where it has no bounds."""
        low, high = self.metric.traits.bounds
        return high - low if np.isfinite(high - low) else None

    @property
    def failed(self) -> tuple[int, int]:
        """How many questions baseline and candidate lost, each alone, to a failed search that is left out."""
        first, second = (
            sum(score.value is None and score.reason == _FAILED for score in scores)
            for scores in ([one.baseline for one in self.unpaired], [one.candidate for one in self.unpaired])
        )
        return first, second


def pair(baseline: RunResult, candidate: RunResult, metric: Metric) -> Pairs:
    """Put the scores of two runs by one metric side by side, by question id.

    A question that only one run asked counts as ``not_asked`` in the other, and where the two asked something else
    under one id, the candidate's counts as ``other_question``. Failed searches are scored as each run's policy
    says.
    """
    first, second = _scores(baseline, metric), _scores(candidate, metric)
    asked = {found.query.id: found.query for found in baseline.queries}
    others = {found.query.id: found.query for found in candidate.queries}
    queries = {**asked, **{name: query for name, query in others.items() if name not in asked}}
    changed = {name for name, query in others.items() if query.text != queries[name].text}
    absent, other = Score(None, NOT_ASKED), Score(None, OTHER_QUESTION)
    both = [
        (name, first.get(name, absent), other if name in changed else second.get(name, absent)) for name in queries
    ]
    paired = [(name, a.value, b.value) for name, a, b in both if a.value is not None and b.value is not None]
    names = tuple(name for name, _, _ in paired)
    return Pairs(
        metric=metric,
        queries=names,
        baseline=np.array([a for _, a, _ in paired], dtype=np.float64),
        candidate=np.array([b for _, _, b in paired], dtype=np.float64),
        clusters=clusters_of([queries[name] for name in names]),
        unpaired=tuple(Unpaired(name, a, b) for name, a, b in both if (a.value is None) != (b.value is None)),
        neither=Counter(a.reason or "unknown" for _, a, b in both if a.value is None and b.value is None),
        measured=(_measured(baseline, metric, names), _measured(candidate, metric, names))
        if metric.traits.kind == "quantile"
        else None,
    )


def _measured(result: RunResult, metric: Metric, names: Sequence[str]) -> Measurements:
    by_id = {found.query.id: found for found in result.queries}
    return Measurements.of([by_id[name].measured(str(metric)) for name in names])


def _scores(result: RunResult, metric: Metric) -> dict[str, Score]:
    name = str(metric)
    return {found.query.id: found.scores[name] for found in result.queries if name in found.scores}


def values_by(
    pairs: Pairs, result: RunResult, values_of: Callable[[Query], Sequence[str]]
) -> dict[str, list[int]]:
    """Return, by slice value, the positions in `pairs.queries` of the questions that have it."""
    places = {name: place for place, name in enumerate(pairs.queries)}
    found: dict[str, list[int]] = {}
    for one in result.queries:
        if one.query.id in places:
            for value in values_of(one.query):
                found.setdefault(value, []).append(places[one.query.id])
    return found
