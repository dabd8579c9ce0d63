"""A matrix, a Pareto plot and a heat map as CSV: numbers as they are, an empty cell for what is not computed."""

from __future__ import annotations

from collections.abc import Sequence

from ragstone.experiments.choice.analysis import MatrixAnalysis
from ragstone.experiments.choice.grids import Grid
from ragstone.experiments.choice.pareto import Pareto
from ragstone.reports.choice.pareto_words import standing
from ragstone.reports.csv import csv_table
from ragstone.types import Interval

_RANKING = ("metric", "place", "run", "mean", "low", "high", "letters", "p_against_best")
_PARETO = (
    "run",
    "quality",
    "quality_low",
    "quality_high",
    "cost",
    "cost_low",
    "cost_high",
    "cost_at_least",
    "standing",
    "dominated_by",
)


def ranking_csv(analyses: Sequence[MatrixAnalysis]) -> str:
    """Return one row for each metric and run, best first."""
    rows = (
        (str(one.table.metric), place, run.run.run.spec.name, run.mean, *_limits(run.interval), run.letters, run.p)
        for one in analyses
        for place, run in enumerate(one.ranked, 1)
    )
    return csv_table(_RANKING, rows)


def pareto_csv(pareto: Pareto) -> str:
    """Return one row for each run."""
    rows = (
        (
            one.run.run.spec.name,
            one.quality,
            *_limits(one.quality_interval),
            one.cost,
            *_limits(one.cost_interval),
            int(one.cost_at_least),
            standing(one),
            "; ".join(one.dominated_by),
        )
        for one in pareto.points
    )
    return csv_table(_PARETO, rows)


def grid_csv(grid: Grid) -> str:
    """Return the grid with its rows' names first."""
    rows = ((name, *values) for name, values in zip(grid.rows, grid.values, strict=True))
    return csv_table((grid.down, *grid.columns), rows)


def _limits(interval: Interval | None) -> tuple[float | None, float | None]:
    return (interval.low, interval.high) if interval else (None, None)
