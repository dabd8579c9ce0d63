"""What a change costs: latency by quantiles, and the usage that the system reports."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ragstone.experiments.pairs import pair
from ragstone.experiments.results import RunResult
from ragstone.metrics import Metric
from ragstone.stats.quantile_difference import QuantileDifference, quantile_difference

RESAMPLES = 1000


@dataclass(frozen=True, slots=True)
class QuantileComparison:
    """A metric that is a quantile, such as p95 latency: candidate less baseline."""

    metric: Metric
    found: QuantileDifference


@dataclass(frozen=True, slots=True, kw_only=True)
class UsageComparison:
    """One thing that the system counts, such as tokens, summed over the questions that both runs report it for.

    Attributes:
        n: How many questions those are; of a question asked repeatedly, the first time counts.
    """

    name: str
    n: int
    baseline: float
    candidate: float


def compare_quantile(
    baseline: RunResult, candidate: RunResult, metric: Metric, *, level: float, seed: int
) -> QuantileComparison:
    """Compare a quantile over the questions that both runs measured, and all their repeats."""
    pairs = pair(baseline, candidate, metric)
    before, after = pairs.measured or (pairs.baseline, pairs.candidate)
    p = float(metric.arguments()["p"]) / 100
    return QuantileComparison(
        metric,
        quantile_difference(after, before, p=p, level=level, resamples=RESAMPLES, seed=seed),
    )


def compare_usage(baseline: RunResult, candidate: RunResult) -> tuple[UsageComparison, ...]:
    """Return the totals of all that both runs report, by name."""
    first, second = _usage(baseline), _usage(candidate)
    return tuple(_usage_of(name, first[name], second[name]) for name in sorted(first.keys() & second.keys()))


def _usage(result: RunResult) -> dict[str, dict[str, float]]:
    """Return name -> question -> amount."""
    found: dict[str, dict[str, float]] = {}
    for one in result.queries:
        for name, amount in (one.response.usage if one.response else {}).items():
            found.setdefault(name, {})[one.query.id] = amount
    return found


def _usage_of(name: str, first: dict[str, float], second: dict[str, float]) -> UsageComparison:
    both: Sequence[str] = [query for query in first if query in second]
    return UsageComparison(
        name=name,
        n=len(both),
        baseline=sum(first[query] for query in both),
        candidate=sum(second[query] for query in both),
    )
