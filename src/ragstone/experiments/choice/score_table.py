"""Several runs by one metric, question by question: the complete cases, and what is left out and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ragstone.errors import UsageError
from ragstone.experiments.clusters import clusters_of
from ragstone.experiments.pairs import NOT_ASKED
from ragstone.experiments.results import RunResult
from ragstone.metrics import Metric
from ragstone.stats.clusters import cluster_sums
from ragstone.types import Score

INCOMPLETE = "incomplete"
OTHER_METRICS = "other_metrics"


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A question that counts for no run, because some of the runs have no score for it.

    Attributes:
        reasons: Why, by the id of each run that has none.
    """

    query: str
    reasons: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Unranked:
    """A run that cannot be ranked with the others, and why: a reason code."""

    run: RunResult
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreTable:
    """The scores of several runs by one metric on the same questions.

    Attributes:
        queries: Ids of the questions that every run has a score for, in the dataset's order.
        runs: The runs that are compared, one a column.
        values: Scores of queries x runs (float64).
        clusters: A label for each of `queries`; None where every question stands for itself.
        left_out: Questions that some, not all, of the runs have a score for.
        neither: How many questions no run has a score for, by reason.
        unranked: Runs that are not compared: not completed, or without a score by this metric.
    """

    metric: Metric
    queries: tuple[str, ...]
    runs: tuple[RunResult, ...]
    values: NDArray[np.float64]
    clusters: tuple[int, ...] | None
    left_out: tuple[LeftOut, ...]
    neither: Mapping[str, int]
    unranked: tuple[Unranked, ...]

    @property
    def comparable(self) -> bool:
        """Whether there is anything to compare: two runs and a question."""
        return len(self.runs) > 1 and bool(self.queries)

    @property
    def range_width(self) -> float | None:
        """The metric's largest less its smallest value; None where it has no bounds."""
        low, high = self.metric.traits.bounds
        return high - low if np.isfinite(high - low) else None

    @property
    def sign(self) -> int:
        """1 where higher is better, -1 where lower is."""
        return -1 if self.metric.traits.higher_is_better is False else 1

    def sample(self) -> NDArray[np.float64]:
        """Return one row for each independent question, or cluster of questions, higher is better.

        A cluster's row is the sum of its questions, scaled so that column means stay the means over questions:
        permuting the labels of a row then moves the whole cluster.
        """
        values = self.sign * self.values
        if self.clusters is None:
            return values
        rows = np.column_stack([cluster_sums(column, self.clusters) for column in values.T])
        return np.asarray(rows * (len(rows) / len(values)))


def score_table(runs: Sequence[RunResult], metric: Metric) -> ScoreTable:
    """Put the scores of runs on the same data set side by side.

    Like is compared with like: one metric, the same questions for all. A run that has no score by this metric, or
    is not completed, is named in `unranked`, never ranked by another metric or on other questions. A failed search
    is scored as each run's policy says.

    Raises:
        UsageError: The runs are on different data sets or scored by different rules, or the metric is a
            percentile or has no better direction.
    """
    _check(runs, metric)
    name = str(metric)
    columns = [
        {found.query.id: found.scores[name] for found in run.queries if name in found.scores} for run in runs
    ]
    reasons = [_unranked(run, scores) for run, scores in zip(runs, columns, strict=True)]
    kept = [index for index, reason in enumerate(reasons) if reason is None]
    queries = [found.query for found in runs[0].queries] if runs else []
    rows = {
        query.id: [columns[index].get(query.id, Score(None, NOT_ASKED)) for index in kept] for query in queries
    }
    whole = [query for query in queries if kept and all(score.value is not None for score in rows[query.id])]
    ids = [runs[index].run.id for index in kept]
    values = [[score.value for score in rows[query.id]] for query in whole]
    return ScoreTable(
        metric=metric,
        queries=tuple(query.id for query in whole),
        runs=tuple(runs[index] for index in kept),
        values=np.array(values, dtype=np.float64).reshape(len(whole), len(kept)),
        clusters=clusters_of(whole),
        left_out=tuple(_left_out(rows, ids)),
        neither=Counter(_reason(scores[0]) for scores in rows.values() if scores and _none(scores)),
        unranked=tuple(Unranked(run, why) for run, why in zip(runs, reasons, strict=True) if why is not None),
    )


def _check(runs: Sequence[RunResult], metric: Metric) -> None:
    if metric.traits.kind == "quantile":
        raise UsageError(f"{metric} is a percentile and has no mean to rank by; `ragstone matrix pareto` plots it")
    if metric.traits.higher_is_better is None:
        raise UsageError(f"{metric} has no better direction, so runs cannot be ranked by it")
    if len({run.run.dataset for run in runs}) > 1:
        raise UsageError("the runs were asked different questions; choose runs on one version of a data set")
    if len({(run.benchmark.matching, run.benchmark.policy) for run in runs}) > 1:
        raise UsageError("the runs are matched or scored by different rules; choose runs of one benchmark")


def _unranked(run: RunResult, scores: Mapping[str, Score]) -> str | None:
    """Return why a run cannot be ranked, or None where it can."""
    if run.run.state != "completed":
        return INCOMPLETE
    if not scores:
        return OTHER_METRICS
    if any(score.value is not None for score in scores.values()):
        return None
    return Counter(map(_reason, scores.values())).most_common(1)[0][0]


def _left_out(rows: Mapping[str, Sequence[Score]], runs: Sequence[str]) -> Iterator[LeftOut]:
    for query, scores in rows.items():
        lacking = {name: _reason(score) for name, score in zip(runs, scores, strict=True) if score.value is None}
        if lacking and not _none(scores):
            yield LeftOut(query, lacking)


def _none(scores: Sequence[Score]) -> bool:
    return all(score.value is None for score in scores)


def _reason(score: Score) -> str:
    return score.reason or "unknown"
