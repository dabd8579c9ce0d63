"""Quality against what it costs: the runs that no other run beats in both, and how sure that is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ragstone.experiments.choice.all_pairs import all_pairs
from ragstone.experiments.choice.costs import Costs, costs_of
from ragstone.experiments.choice.score_table import ScoreTable, Unranked, score_table
from ragstone.experiments.results import RunResult
from ragstone.metrics import Metric
from ragstone.stats.summary import summarise_values
from ragstone.types import CutOff, Interval

NO_COST = "no_cost"


@dataclass(frozen=True, slots=True, kw_only=True)
class Tradeoff:
    """A run between quality and cost.

    Attributes:
        quality: Mean over the questions that all runs have a score for.
        cost: Percentile of a latency, or mean of another metric or usage.
        cost_cut_off: The measurements behind it that stopped at a time limit; None where none did.
        on_frontier: Whether no run has at least its quality at no more cost, and one of them better, as measured.
        dominated_by: Ids of the runs that are better in both by more than noise; empty: not dominated at 95%.
        tied: Ids of the runs that cannot be told apart from it by quality.
    """

    run: RunResult
    quality: float
    quality_interval: Interval | None
    cost: float
    cost_interval: Interval | None
    cost_cut_off: CutOff | None
    on_frontier: bool
    dominated_by: tuple[str, ...]
    tied: tuple[str, ...]

    @property
    def cost_at_least(self) -> bool:
        """Whether the cost is known only to be at least so much."""
        return self.cost_cut_off is not None and self.cost_cut_off.reached


@dataclass(frozen=True, slots=True, kw_only=True)
class Ceiling:
    """The best run among those whose cost is within a ceiling.

    Attributes:
        limit: The ceiling, in the cost's unit.
        admitted: How many runs are within it, as measured; a cost known only to be at least so much is not.
        best: Of these the best by quality, of equal ones the cheapest; None where there is none.
        sure: Whether the upper limit of its cost's interval is within the ceiling too.
    """

    limit: float
    admitted: int
    best: Tradeoff | None
    sure: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Pareto:
    """Quality against cost over the runs of a benchmark.

    Attributes:
        quality: The metric.
        cost: Printed name of the metric, or key of the responses' usage.
        cost_metric: The metric; None for a usage.
        points: Best quality first, equal ones in the order of the runs.
        unplaced: Runs that cannot be placed, and why.
        n: Questions behind the quality.
        cost_decides: Whether any two costs can be told apart at all; with fewer than 72 questions no p95 can.
        ceiling: What a ceiling admits, where one was given.
    """

    quality: Metric
    cost: str
    cost_metric: Metric | None
    points: tuple[Tradeoff, ...]
    unplaced: tuple[Unranked, ...]
    n: int
    cost_decides: bool
    ceiling: Ceiling | None = None


def pareto(
    runs: Sequence[RunResult], quality: Metric, cost: str, *, ceiling: float | None = None, seed: int = 0
) -> Pareto:
    """Place runs between quality and cost.

    A run is *dominated at 95%* if another run is better in both by more than noise. In quality: the two differ by
    randomized Tukey's HSD over all pairs at 5%. In cost: the interval of their paired difference (see
    `Costs.cheaper`) lies on one side of 0, at 95% for all rivals of a run together. Both must hold, so neither
    needs a correction for the other (R. L. Berger, Technometrics 24 (1982)).

    Args:
        runs: On one data set, scored by the same rules.
        quality: What is gained.
        cost: A metric such as ``latency_p95``, or a key of the responses' usage, such as ``total_tokens``.
        ceiling: Most cost that is admitted, in the cost's unit (latencies: milliseconds).
        seed: Of permutations and resamples.

    Raises:
        UsageError: Nothing has the name of the cost, or the runs cannot be compared.
    """
    _, having, lacking = costs_of(runs, cost)
    table = score_table(having, quality)
    costs, _, _ = costs_of(table.runs, cost) if table.runs else costs_of(having, cost)
    points = sorted(_points(table, costs, seed), key=lambda one: -table.sign * one.quality)
    return Pareto(
        quality=quality,
        cost=costs.name,
        cost_metric=costs.metric,
        points=tuple(points),
        unplaced=(*table.unranked, *(Unranked(run, NO_COST) for run in lacking)),
        n=len(table.queries),
        cost_decides=bool(costs.comparable.any()),
        ceiling=None if ceiling is None else within(points, ceiling, table.sign),
    )


def frontier(quality: NDArray[np.float64], cost: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Say which points no other point dominates: at least as good in both, and better in one.

    Args:
        quality: One value a point, higher is better.
        cost: One value a point, lower is better.

    Example:
        >>> frontier(np.array([0.9, 0.8, 0.7]), np.array([30.0, 10.0, 20.0])).tolist()
        [True, True, False]
    """
    better_or_equal = (quality[:, None] >= quality) & (cost[:, None] <= cost)
    better = (quality[:, None] > quality) | (cost[:, None] < cost)
    return np.asarray(~(better_or_equal & better).any(axis=0))


def within(points: Sequence[Tradeoff], limit: float, sign: int = 1) -> Ceiling:
    """Return the best of the points whose cost is at most `limit`; of equal ones the cheapest.

    Args:
        points: In any order.
        limit: The ceiling.
        sign: -1 where lower quality values are better.
    """
    admitted = [one for one in points if one.cost <= limit and not one.cost_at_least]
    best = min(admitted, key=lambda one: (-sign * one.quality, one.cost), default=None)
    high = best.cost_interval.high if best and best.cost_interval else None
    return Ceiling(limit=limit, admitted=len(admitted), best=best, sure=high is not None and high <= limit)


def _points(table: ScoreTable, costs: Costs, seed: int) -> list[Tradeoff]:
    if not table.queries:
        return []
    ids = [run.run.id for run in table.runs]
    means = table.values.mean(0)
    apart = _apart(table, seed)
    better = apart & (table.sign * np.subtract.outer(means, means) > 0)
    dominates = better & costs.cheaper(seed=seed) if better.any() else better
    amounts = np.array([float(one.value) for one in costs.summaries if one.value is not None])
    # What is known only to be at least so much is dearer than what is known.
    placed = [np.inf if one.at_least else one.value for one in costs.summaries if one.value is not None]
    best = frontier(table.sign * means, np.array(placed, dtype=np.float64))
    traits, metric = table.metric.traits, str(table.metric)
    return [
        Tradeoff(
            run=run,
            quality=float(means[index]),
            quality_interval=summarise_values(
                metric, table.values[:, index], {}, kind=traits.kind, bounds=traits.bounds, clusters=table.clusters
            ).interval,
            cost=float(amounts[index]),
            cost_interval=costs.summaries[index].interval,
            cost_cut_off=costs.summaries[index].cut_off,
            on_frontier=bool(best[index]),
            dominated_by=tuple(ids[rival] for rival in np.flatnonzero(dominates[:, index])),
            tied=tuple(ids[rival] for rival in np.flatnonzero(~apart[:, index]) if rival != index),
        )
        for index, run in enumerate(table.runs)
    ]


def _apart(table: ScoreTable, seed: int) -> NDArray[np.bool_]:
    """Say for each pair of runs whether their qualities differ by more than noise, all pairs allowed for."""
    (test,) = all_pairs([table], seed=seed)
    return np.zeros((len(table.runs), len(table.runs)), dtype=np.bool_) if test is None else test.apart
