"""Runs as a grid of numbers: factor by factor, runs by slice, runs by metric."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ragstone.errors import UnknownNameError
from ragstone.experiments.choice.factors import Factor
from ragstone.experiments.choice.score_table import ScoreTable
from ragstone.experiments.matrix import TOGETHER
from ragstone.experiments.results import DIMENSIONS, RunResult
from ragstone.metrics import Metric

METRICS = "metrics"


@dataclass(frozen=True, slots=True, kw_only=True)
class Grid:
    """Numbers by row and column.

    Attributes:
        across: What the columns are: a factor, a slice dimension, or metrics.
        down: What the rows are: a factor, or runs.
        metrics: Of each column.
        values: Rows of numbers; None where there is none.
        n: Under each column, how many runs or questions stand behind a value; 0 where that differs by cell.
    """

    across: str
    down: str
    columns: tuple[str, ...]
    rows: tuple[str, ...]
    metrics: tuple[Metric, ...]
    values: tuple[tuple[float | None, ...], ...]
    n: tuple[int, ...]


def factor_grid(table: ScoreTable, factors: Sequence[Factor], down: str, across: str) -> Grid:
    """Return the mean score at every pair of levels of two factors, averaged over the runs that have both.

    Raises:
        UnknownNameError: The runs do not differ in such a factor.
    """
    first, second = _named(factors, down), _named(factors, across)
    means = table.values.mean(0)
    cells = []
    for row in range(len(first.levels)):
        at = [
            [run for run in range(len(means)) if (first.level[run], second.level[run]) == (row, column)]
            for column in range(len(second.levels))
        ]
        cells.append(tuple(float(np.mean(means[runs])) if runs else None for runs in at))
    return Grid(
        across=second.name,
        down=first.name,
        columns=second.levels,
        rows=first.levels,
        metrics=(table.metric,) * len(second.levels),
        values=tuple(cells),
        n=(0,) * len(second.levels),
    )


def _named(factors: Sequence[Factor], name: str) -> Factor:
    for factor in factors:
        if name == factor.name or name in factor.name.split(TOGETHER):
            return factor
    raise UnknownNameError("factor", name, [factor.name for factor in factors])


def slice_grid(runs: Sequence[RunResult], metric: Metric, dimension: str) -> Grid:
    """Return a metric of every run on every slice of a dimension, as each run has it.

    Raises:
        UnknownNameError: There is no such dimension, or no question has a value in it.
    """
    found = {
        one.value: one.summaries[str(metric)].n
        for run in runs
        for one in run.slices
        if one.dimension == dimension and str(metric) in one.summaries and one.summaries[str(metric)].n
    }
    if not found:
        known = {one.dimension for run in runs for one in run.slices} & DIMENSIONS.keys()
        raise UnknownNameError("slice dimension", dimension, sorted(known))
    columns = tuple(sorted(found))
    cells = []
    for run in runs:
        mine = {one.value: one.summaries.get(str(metric)) for one in run.slices if one.dimension == dimension}
        summaries = [mine.get(column) for column in columns]
        cells.append(tuple(one.value if one is not None else None for one in summaries))
    return Grid(
        across=dimension,
        down="runs",
        columns=columns,
        rows=tuple(run.run.spec.name for run in runs),
        metrics=(metric,) * len(columns),
        values=tuple(cells),
        n=tuple(found[column] for column in columns),
    )


def metric_grid(runs: Sequence[RunResult], metrics: Sequence[Metric]) -> Grid:
    """Return every metric of every run."""
    return Grid(
        across=METRICS,
        down="runs",
        columns=tuple(map(str, metrics)),
        rows=tuple(run.run.spec.name for run in runs),
        metrics=tuple(metrics),
        values=tuple(tuple(_value(run, metric) for metric in metrics) for run in runs),
        n=(0,) * len(metrics),
    )


def _value(run: RunResult, metric: Metric) -> float | None:
    summary = run.summaries.get(str(metric))
    return summary.value if summary else None
