"""What runs cost: a latency percentile, another metric, or what the system says it used."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ragstone.errors import UsageError, known_names
from ragstone.experiments.results import RunResult
from ragstone.metrics import Metric, parse
from ragstone.stats.guarded import guarded_t, unguarded
from ragstone.stats.intervals import LEVEL
from ragstone.stats.measurements import Measurements, percentiles
from ragstone.stats.quantile_difference import resampled
from ragstone.stats.summary import summarise_values
from ragstone.types import Summary

RESAMPLES = 2000


@dataclass(frozen=True, slots=True, kw_only=True)
class Costs:
    """The costs of runs by one measure; lower is better.

    Attributes:
        name: Printed name of the metric, or key of the responses' usage.
        metric: The metric; None for a usage.
        summaries: Of each run: a percentile or a mean with its interval.
        values: Costs of each run, on the questions for which all runs have one; of a percentile all measurements,
            else one value a question.
    """

    name: str
    metric: Metric | None
    summaries: tuple[Summary, ...]
    values: tuple[Measurements, ...]

    @property
    def percentile(self) -> float | None:
        """Which percentile is compared, 0 to 1; None for a mean."""
        if self.metric is None or self.metric.traits.kind != "quantile":
            return None
        return float(self.metric.arguments()["p"]) / 100

    @property
    def comparable(self) -> NDArray[np.bool_]:
        """Say for each pair of runs whether the first (row) could be shown to cost less than the second.

        That takes an upper limit of the first and a lower limit of the second; and of means, whose scale has no
        bounds, enough questions for a verdict (`ragstone.stats.guarded.unguarded`).
        """
        n = len(self.values[0].at_least) if self.values else 0
        if self.percentile is None and unguarded(n, n, None):
            return np.zeros((len(self.summaries), len(self.summaries)), dtype=np.bool_)
        intervals = [one.interval for one in self.summaries]
        highest = [one is not None and one.high is not None for one in intervals]
        lowest = [one is not None and one.low is not None for one in intervals]
        return np.outer(highest, lowest) & ~np.eye(len(intervals), dtype=np.bool_)

    def cheaper(self, *, seed: int = 0, level: float = LEVEL) -> NDArray[np.bool_]:
        """Say for each pair of runs whether the first (row) costs less than the second by more than noise.

        That is: the interval of their paired difference lies below 0. Percentiles: percentile bootstrap, questions
        resampled with all their measurements, those of the first at infinity where they were cut off; means:
        guarded t. The level holds for all rivals of a run together (Bonferroni).
        """
        n, runs = len(self.values[0].at_least) if self.values else 0, len(self.values)
        if runs < 2 or n < 2:
            return np.zeros((runs, runs), dtype=np.bool_)
        each = 1 - (1 - level) / (runs - 1)
        p = self.percentile
        below = self._means_below(each) if p is None else _quantiles_below(self.values, p, each, seed)
        return below & self.comparable

    def _means_below(self, level: float) -> NDArray[np.bool_]:
        runs = len(self.values)
        below = np.zeros((runs, runs), dtype=np.bool_)
        for first in range(runs):
            for second in range(runs):
                d = self.values[first].at_least[:, 0] - self.values[second].at_least[:, 0]
                high = guarded_t(d, range_width=None, level=level).high
                below[first, second] = high is not None and high < 0
        return below


def _quantiles_below(values: Sequence[Measurements], p: float, level: float, seed: int) -> NDArray[np.bool_]:
    """Say for each pair of runs whether the interval of the difference of their p-quantiles lies below 0."""
    low, high = resampled(values, p, RESAMPLES, seed)
    runs = low.shape[1]
    below = np.zeros((runs, runs), dtype=np.bool_)
    for first in range(runs):
        # A row for each rival.
        below[first] = percentiles((high[:, [first]] - low).T, (1 + level) / 2) < 0
    return below


def costs_of(runs: Sequence[RunResult], name: str) -> tuple[Costs, tuple[RunResult, ...], tuple[RunResult, ...]]:
    """Return the costs of runs, the runs that have one, and those that have none.

    Args:
        runs: On one data set.
        name: A metric that the runs have, lower being better, such as ``latency_p95``; or a key of the responses'
            usage, such as ``total_tokens``.

    Raises:
        UsageError: No run has such a metric or usage, or higher values of the metric are better.
    """
    metric = _metric(runs, name)
    columns = [_usage(run, name) if metric is None else _scores(run, metric) for run in runs]
    having = [index for index, column in enumerate(columns) if column]
    kept = tuple(runs[index] for index in having)
    shared = [
        query for query in (columns[having[0]] if having else ()) if all(query in columns[i] for i in having)
    ]
    costs = Costs(
        name=name if metric is None else str(metric),
        metric=metric,
        summaries=tuple(_summary(runs[index], metric, name, columns[index]) for index in having),
        values=tuple(_values(runs[index], metric, columns[index], shared) for index in having),
    )
    return costs, kept, tuple(run for index, run in enumerate(runs) if index not in having)


def _metric(runs: Sequence[RunResult], name: str) -> Metric | None:
    """Return the metric of this name; None where it is a usage."""
    used = sorted({key for run in runs for one in run.queries if one.response for key in one.response.usage})
    if name in used:
        return None
    measured = list(dict.fromkeys(metric for run in runs for metric in run.summaries))
    costs = [metric for metric in measured if parse(metric).traits.higher_is_better is False]
    try:
        metric = parse(name)
    except UsageError:
        metric = None
    if metric is None or str(metric) not in measured:
        raise UsageError(f"no run has a cost {name!r}{known_names([*costs, *used])}")
    if str(metric) not in costs:
        raise UsageError(f"{metric} is no cost, because lower is not better{known_names([*costs, *used])}")
    return metric


def _usage(run: RunResult, key: str) -> dict[str, float]:
    found = ((one.query.id, one.response) for one in run.queries)
    return {query: response.usage[key] for query, response in found if response and key in response.usage}


def _scores(run: RunResult, metric: Metric) -> dict[str, float]:
    name = str(metric)
    found = ((one.query.id, one.scores.get(name)) for one in run.queries)
    return {query: score.value for query, score in found if score is not None and score.value is not None}


def _values(
    run: RunResult, metric: Metric | None, column: Mapping[str, float], queries: Sequence[str]
) -> Measurements:
    if metric is None or metric.traits.kind != "quantile":
        return Measurements.plain([column[query] for query in queries])
    by_id = {one.query.id: one for one in run.queries}
    return Measurements.of([by_id[query].measured(str(metric)) for query in queries])


def _summary(run: RunResult, metric: Metric | None, name: str, column: Mapping[str, float]) -> Summary:
    if metric is not None:
        return run.summaries[str(metric)]
    missing = {"not_reported": len(run.queries) - len(column)} if len(column) < len(run.queries) else {}
    return summarise_values(name, np.array(list(column.values())), missing, kind="open")
