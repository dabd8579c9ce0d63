"""Which configuration: what a report says of its runs as a matrix, and of its repeats."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ragstone.experiments.choice.analysis import MatrixAnalysis, analyse
from ragstone.experiments.choice.grids import Grid, factor_grid, metric_grid, slice_grid
from ragstone.experiments.choice.names import run_names
from ragstone.experiments.choice.pareto import Pareto, pareto
from ragstone.experiments.report import Report
from ragstone.experiments.results import RunResult
from ragstone.metrics import parse
from ragstone.reports.choice.names import SAID
from ragstone.reports.choice.words import spread_sentence
from ragstone.reports.overview import main_metrics

FEWEST = 3
COST = "latency(p=95)"
_COLUMNS = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class Which:
    """What a report says of which configuration to choose.

    Attributes:
        analysis: None where fewer than three runs are completed, or the primary metric cannot rank them.
        pareto: Quality against latency.
        grids: Heat maps.
        spreads: By run, what its repeats say of the noise.
    """

    analysis: MatrixAnalysis | None
    pareto: Pareto | None
    grids: tuple[Grid, ...]
    spreads: tuple[tuple[str, str], ...]


def which(report: Report) -> Which:
    """Return what a report says of its runs as a matrix; runs that are not completed are named, not ranked."""
    metric = report.runs[0].benchmark.primary
    spreads = tuple(
        (run.run.spec.name, spread_sentence(run.spread[str(metric)], metric))
        for run in report.runs
        if str(metric) in run.spread
    )
    completed = sum(run.run.state == "completed" for run in report.runs)
    ranks = metric.traits.kind != "quantile" and metric.traits.higher_is_better is not None
    if completed < FEWEST or not ranks:
        return Which(analysis=None, pareto=None, grids=(), spreads=spreads)
    (analysis,) = analyse(report.runs, [metric])
    measured = any(COST in run.summaries and run.summaries[COST].value is not None for run in report.runs)
    return Which(
        analysis=analysis,
        pareto=pareto(report.runs, metric, COST) if measured else None,
        grids=grids_of(report, analysis),
        spreads=spreads,
    )


def grids_of(report: Report, analysis: MatrixAnalysis) -> tuple[Grid, ...]:
    """Return the two factors that matter most against each other, the runs by category, the runs by metric."""
    table = analysis.table
    if not analysis.ranked:
        return ()
    runs = [one.run for one in analysis.ranked]
    found = []
    if pair := leading_factors(analysis):
        found.append(factor_grid(table, analysis.factors, *pair))
    if columns := _categories(runs, str(table.metric)):
        found.append(renamed(slice_grid(runs, table.metric, columns), runs, ranked=True))
    found.append(renamed(metric_grid(runs, [parse(name) for name in main_metrics(report)]), runs, ranked=True))
    return tuple(found)


def renamed(grid: Grid, runs: Sequence[RunResult], *, ranked: bool = False) -> Grid:
    """Return a grid whose rows are runs, called as tables call them; long names with their place in front."""
    names = run_names(sorted(runs, key=lambda run: run.run.spec.position))
    rows = [names.of(run) for run in runs]
    if ranked and max(map(len, rows)) > SAID:
        rows = [f"#{place} {name}" for place, name in enumerate(rows, 1)]
    return replace(grid, rows=tuple(rows))


def leading_factors(analysis: MatrixAnalysis) -> tuple[str, str] | None:
    """Return the two factors with the largest main effects; None where there are no two."""
    largest: dict[str, float] = {}
    for one in analysis.effects:
        largest[one.factor] = max(largest.get(one.factor, 0.0), abs(one.difference or 0.0))
    ordered = sorted(largest, key=lambda name: -largest[name])
    return (ordered[0], ordered[1]) if len(ordered) > 1 else None


def _categories(runs: Sequence[RunResult], metric: str) -> str | None:
    """Return the first dimension that splits the scored questions into a few slices."""
    for dimension in ("category", "difficulty", "tag"):
        values = {one.value for one in runs[0].slices if one.dimension == dimension and one.summaries[metric].n}
        if 1 < len(values) <= _COLUMNS:
            return dimension
    return None
