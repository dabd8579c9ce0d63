"""Aggregates: one number over all queries, with what it rests on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ragstone.stats.clustered import clustered_plus_two_t, clustered_t, clustered_wilson
from ragstone.stats.clusters import effective_n
from ragstone.stats.intervals import LEVEL, plus_two_t, student_t, wilson
from ragstone.stats.measurements import Measurements, quantile_of
from ragstone.stats.samples import Labels
from ragstone.types import Interval, Score, Summary

Kind = Literal["rate", "mean", "quantile", "open"]


def percentile(values: NDArray[np.float64], p: float) -> float:
    """Return the p-quantile (0 <= p <= 1) by linear interpolation between order statistics (Hyndman-Fan 7).

    Example:
        >>> round(percentile(np.arange(1.0, 21.0), 0.95), 2)
        19.05
    """
    return float(np.quantile(values, p, method="linear"))


def summarise(
    metric: str,
    scores: Sequence[Score],
    *,
    kind: Kind,
    bounds: tuple[float, float] = (0.0, 1.0),
    quantile: float = 0.5,
    level: float = LEVEL,
    clusters: Labels | None = None,
) -> Summary:
    """Aggregate the scores of one metric.

    Args:
        metric: Printed name of the metric, carried into the result.
        scores: One score per query; those without a value are counted by reason and left out.
        kind: ``rate`` (mean of 0/1 values, Wilson interval), ``mean`` (within `bounds`, plus-two t),
            ``quantile`` (order statistics) or ``open`` (mean of unbounded values, t). A rate whose values are not
            all 0 or 1, because repeats were averaged, is treated as a mean.
        bounds: The metric's range.
        quantile: Which quantile, for ``quantile``.
        level: Confidence level.
        clusters: A label for each score, equal for questions that belong together, and for a quantile equal for
            the repeats of a question; intervals then allow for it. None where every score stands for itself.

    Returns:
        A summary whose value is None when no score has a value.
    """
    if kind == "quantile":
        return _quantile_summary(metric, scores, quantile, level, clusters)
    if clusters is not None:
        clusters = [label for label, score in zip(clusters, scores, strict=True) if score.value is not None]
    values = np.array([score.value for score in scores if score.value is not None], dtype=np.float64)
    missing = Counter(score.reason or "unknown" for score in scores if score.value is None)
    return summarise_values(
        metric, values, missing, kind=kind, bounds=bounds, quantile=quantile, level=level, clusters=clusters
    )


def summarise_values(
    metric: str,
    values: NDArray[np.float64],
    missing: Mapping[str, int],
    *,
    kind: Kind,
    bounds: tuple[float, float] = (0.0, 1.0),
    quantile: float = 0.5,
    level: float = LEVEL,
    clusters: Labels | None = None,
) -> Summary:
    """Aggregate the values of one metric, as `summarise` does, with the missing ones counted by reason already.

    Of a quantile no value is cut off at a limit, and each is of another question.

    Example:
        >>> summarise_values("P@5", np.array([0.2, 0.4]), {"no_gold": 1}, kind="mean").value
        0.30000000000000004
    """
    if kind == "quantile":
        return _quantile(metric, Measurements.plain(values), missing, quantile, level)
    value = interval = independent = None
    if len(values):
        value = float(values.mean())
        if clusters is None or len(set(clusters)) == len(values):
            interval = _interval(values, kind, bounds, level)
        else:
            interval = _clustered(values, clusters, kind, bounds, level)
            independent = effective_n(values, clusters)
    return Summary(
        metric=metric,
        value=value,
        n=len(values),
        missing=dict(sorted(missing.items())),
        interval=interval,
        effective_n=independent,
    )


def _quantile_summary(
    metric: str, scores: Sequence[Score], p: float, level: float, clusters: Labels | None
) -> Summary:
    rows: dict[object, list[Score]] = {}
    for place, score in enumerate(scores):
        rows.setdefault(place if clusters is None else clusters[place], []).append(score)
    missing = Counter(score.reason or "unknown" for score in scores if score.value is None)
    return _quantile(metric, Measurements.of(list(rows.values())), missing, p, level)


def _quantile(metric: str, measured: Measurements, missing: Mapping[str, int], p: float, level: float) -> Summary:
    found = quantile_of(measured, p, level)
    return Summary(
        metric=metric,
        value=found.value,
        n=found.n,
        missing=dict(sorted(missing.items())),
        interval=found.interval if found.n else None,
        effective_n=found.independent if found.independent < found.n else None,
        cut_off=found.cut_off,
    )


def _clustered(
    values: NDArray[np.float64], clusters: Labels, kind: Kind, bounds: tuple[float, float], level: float
) -> Interval:
    if kind == "open":
        return clustered_t(values, clusters, level)
    if kind == "rate" and _is_binary(values):
        return clustered_wilson(values, clusters, level)
    return clustered_plus_two_t(values, *bounds, clusters, level)


def _is_binary(values: NDArray[np.float64]) -> bool:
    return bool(np.isin(values, (0.0, 1.0)).all())


def _interval(values: NDArray[np.float64], kind: Kind, bounds: tuple[float, float], level: float) -> Interval:
    if kind == "open":
        return student_t(values, level)
    if kind == "rate" and _is_binary(values):
        return wilson(float(values.sum()), len(values), level)
    return plus_two_t(values, *bounds, level)


def mean_over_repeats(repeats: Sequence[Mapping[str, Score]]) -> dict[str, Score]:
    """Average each query's score over its repeats.

    A repeat without a value is left out; where no repeat has one, the first reason stands. A mean of which one
    value is known only to be at least so much is itself at least so much.
    """
    merged: dict[str, Score] = {}
    for query in repeats[0] if repeats else ():
        scores = [repeat[query] for repeat in repeats if query in repeat]
        values = [score.value for score in scores if score.value is not None]
        cut_off = next((score.reason for score in scores if score.at_least), None)
        merged[query] = Score(sum(values) / len(values), cut_off) if values else scores[0]
    return merged
