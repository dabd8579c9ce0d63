"""From columns to the scores of single queries, and from scores to summaries."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from ragstone.judged import JudgedRun
from ragstone.metrics.base import Metric
from ragstone.metrics.columns import Policy, score_columns
from ragstone.stats.summary import summarise
from ragstone.types import Score, Summary

CUT_OFF = "timeout"


def score(run: JudgedRun, metric: Metric, policy: Policy | None = None) -> dict[str, Score]:
    """Return the metric's score of every query by its id, in the run's order; see `score_columns`."""
    column = score_columns(run, metric, policy)
    scores = {
        query: Score(None, column.names[reason]) if reason else Score(value)
        for query, value, reason in zip(run.queries, column.values.tolist(), column.reason.tolist(), strict=True)
    }
    if column.cut_off is not None:
        late = (run.queries[number] for number in np.flatnonzero(column.cut_off))
        scores |= {query: Score(scores[query].value, CUT_OFF) for query in late}
    return scores


def score_all(
    run: JudgedRun, metrics: Iterable[Metric], policy: Policy | None = None
) -> dict[str, dict[str, Score]]:
    """Return metric name -> query id -> score."""
    return {str(metric): score(run, metric, policy) for metric in metrics}


def summary(
    metric: Metric,
    scores: Sequence[Score] | Mapping[str, Score],
    *,
    level: float = 0.95,
    clusters: Sequence[int] | None = None,
) -> Summary:
    """Aggregate a metric's scores with the interval that fits its kind; see `ragstone.stats.summary.summarise`."""
    rows = list(scores.values()) if isinstance(scores, Mapping) else scores
    traits = metric.traits
    quantile = float(metric.arguments().get("p", 50)) / 100
    return summarise(
        str(metric),
        rows,
        kind=traits.kind,
        bounds=traits.bounds,
        quantile=quantile,
        level=level,
        clusters=clusters,
    )
