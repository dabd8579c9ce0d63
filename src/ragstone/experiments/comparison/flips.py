"""The questions that a change lost and won: what a reader of a comparison looks at first."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ragstone.experiments.comparison.metric import MetricComparison
from ragstone.experiments.results import QueryResult, RunResult


@dataclass(frozen=True, slots=True, kw_only=True)
class Flip:
    """A question that two runs score differently.

    Attributes:
        before: The baseline's result.
        after: The candidate's result.
        change: Candidate less baseline.
    """

    before: QueryResult
    after: QueryResult
    baseline: float
    candidate: float
    change: float


@dataclass(frozen=True, slots=True)
class Flips:
    """The questions that changed, the largest change first."""

    lost: tuple[Flip, ...]
    won: tuple[Flip, ...]


def find_flips(found: MetricComparison, baseline: RunResult, candidate: RunResult) -> Flips:
    """Return what the candidate lost and won by one metric."""
    flips = sorted(_flips(found, baseline, candidate), key=lambda one: -abs(one.change))
    return Flips(
        lost=tuple(one for one in flips if one.change * found.sign < 0),
        won=tuple(one for one in flips if one.change * found.sign > 0),
    )


def _flips(found: MetricComparison, baseline: RunResult, candidate: RunResult) -> Iterator[Flip]:
    before, after = ({one.query.id: one for one in result.queries} for result in (baseline, candidate))
    pairs = found.pairs
    rows = zip(
        pairs.queries, pairs.baseline.tolist(), pairs.candidate.tolist(), found.differences.tolist(), strict=True
    )
    for query, first, second, change in rows:
        if change:
            yield Flip(before=before[query], after=after[query], baseline=first, candidate=second, change=change)
