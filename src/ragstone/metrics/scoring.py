"""The border of the kernel: from arrays to scores with reasons, from scores to summaries."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from ragstone.metrics.base import Mask, Metric, Requirement
from ragstone.stats.summary import summarise
from ragstone.types import JudgedRun, Score, Summary


@dataclass(frozen=True, slots=True)
class Policy:
    """How scoring treats what a definition leaves open; recorded with every result.

    Attributes:
        no_gold: Queries without relevant gold: ``exclude`` leaves them out, ``zero`` scores 0 as trec_eval does.
        on_error: Failed searches: ``miss`` scores them as having found nothing, ``exclude`` leaves them out.
    """

    no_gold: Literal["exclude", "zero"] = "exclude"
    on_error: Literal["miss", "exclude"] = "miss"


def score(run: JudgedRun, metric: Metric, policy: Policy | None = None) -> dict[str, Score]:
    """Return the metric's score of every query, in the run's order.

    A query to which the metric does not apply has no value but a reason: ``unanswerable``, ``no_gold``,
    ``no_groups``, ``failed``, ``beyond_depth`` and the like. A cutoff beyond the depth to
    which the system can search makes every query ``beyond_depth``.
    """
    policy = policy or Policy()
    values = metric.values(run)
    lacking = {need: ~need.holds(run, metric.arguments()) for need in metric.traits.requires}
    reasons = np.where(np.isnan(values), metric.traits.undefined, "").astype(object)
    for need in reversed(metric.traits.requires):
        reasons = np.where(lacking[need], need.reason, reasons)
    if policy.no_gold == "zero":
        zero = _lacks_gold_alone(lacking, len(run.queries))
        values, reasons = np.where(zero, 0.0, values), np.where(zero, "", reasons)
    if metric.cutoff is not None and run.depth is not None and metric.cutoff > run.depth:
        reasons[:] = "beyond_depth"
    # A timed-out search has a latency, the limit, whatever becomes of its ranking.
    about_time = metric.traits.kind == "quantile"
    if policy.on_error == "exclude" and run.failed is not None and metric.traits.requires and not about_time:
        applies = (reasons == "") | (reasons == metric.traits.undefined)
        reasons = np.where(run.failed & applies, "failed", reasons)
    return {
        query: Score(None, reason) if reason else Score(value)
        for query, value, reason in zip(run.queries, values.tolist(), reasons.tolist(), strict=True)
    }


def _lacks_gold_alone(lacking: Mapping[Requirement, Mask], n: int) -> Mask:
    """Mark the queries that lack what may count as zero, and nothing else."""
    zero = np.zeros(n, dtype=bool)
    for need, without in lacking.items():
        if need.zero_on_request:
            others = [mask for other, mask in lacking.items() if other is not need]
            zero |= without & ~np.logical_or.reduce(others, axis=0) if others else without
    return zero


def score_all(
    run: JudgedRun, metrics: Iterable[Metric], policy: Policy | None = None
) -> dict[str, dict[str, Score]]:
    """Return metric name -> query id -> score."""
    return {str(metric): score(run, metric, policy) for metric in metrics}


def summary(metric: Metric, scores: Sequence[Score] | Mapping[str, Score], *, level: float = 0.95) -> Summary:
    """Aggregate a metric's scores with the interval that fits its kind."""
    rows = list(scores.values()) if isinstance(scores, Mapping) else scores
    traits = metric.traits
    quantile = float(metric.arguments().get("p", 50)) / 100
    return summarise(str(metric), rows, kind=traits.kind, bounds=traits.bounds, quantile=quantile, level=level)
