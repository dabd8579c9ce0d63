"""The tables of a matrix as cells of plain text, the same for every format that people read."""

from __future__ import annotations

from ragstone.experiments.choice.analysis import MatrixAnalysis, Ranked
from ragstone.experiments.choice.effects import Effect
from ragstone.experiments.choice.grids import METRICS, Grid
from ragstone.experiments.choice.pareto import Pareto, Tradeoff
from ragstone.reports.choice.pareto_words import cost_label, cost_limits, cost_value, placed_names, standing
from ragstone.reports.choice.words import names_of
from ragstone.reports.comparison.words import change_number, in_points, limits_text, p_text
from ragstone.reports.tables import Table
from ragstone.reports.words import NONE, interval_text, label, value_text

GROUPS_NOTE = "Runs that share a letter cannot be told apart, allowing for all pairs of runs."
P_NOTE = "p: against the best run, all pairs allowed for."
EFFECTS_NOTE = (
    "Each level against the factor's first level, over pairs of runs that differ in nothing else; p and verdict "
    "allow for all rows (Holm). Borderline: the interval and p disagree."
)
SPREAD_NOTE = "Where the smallest and the largest pair lie far apart, the effect depends on the other factors."


def ranking_table(analysis: MatrixAnalysis, pareto: Pareto | None = None) -> Table:
    """Return the runs, best first, with their groups; with their costs where those are known."""
    metric = str(analysis.table.metric)
    names = names_of(analysis.table)
    placed = {} if pareto is None else {one.run.run.id: one for one in pareto.points}
    header = ["#", "run", "group", label(metric), "95% interval", "p"]
    header += [cost_label(pareto), "95% interval", "trade-off"] if pareto and placed else []
    rows = [
        [
            str(place),
            names.of(one.run),
            one.letters,
            value_text(metric, one.mean),
            interval_text(metric, one.interval),
            _p(one, place),
            *(_cost(pareto, placed.get(one.run.run.id)) if pareto and placed else []),
        ]
        for place, one in enumerate(analysis.ranked, 1)
    ]
    return Table(header, rows, frozenset({0, 3, 4, 5, 6, 7}))


def _p(one: Ranked, place: int) -> str:
    return NONE if place == 1 else p_text(one.p)


def _cost(pareto: Pareto, one: Tradeoff | None) -> list[str]:
    if one is None:
        return [NONE, NONE, NONE]
    return [cost_value(pareto, one), cost_limits(pareto, one.cost_interval), standing(one)]


def pareto_table(pareto: Pareto) -> Table:
    """Return the runs with quality, cost and where they stand, best first."""
    quality = str(pareto.quality)
    names, places = placed_names(pareto), {one.run.run.id: place for place, one in enumerate(pareto.points, 1)}
    header = ["#", "run", label(quality), "95% interval", cost_label(pareto), "95% interval", "trade-off", "by"]
    rows = [
        [
            str(place),
            names.of(one.run),
            value_text(quality, one.quality),
            interval_text(quality, one.quality_interval),
            *_cost(pareto, one),
            ", ".join(f"#{place}" for place in sorted(places[run] for run in one.dominated_by)),
        ]
        for place, one in enumerate(pareto.points, 1)
    ]
    return Table(header, rows, frozenset({0, 2, 3, 4, 5}))


def effects_table(analysis: MatrixAnalysis) -> Table:
    """Return what each factor is worth."""
    metric = analysis.table.metric
    unit = ", points" if in_points(metric) else ""
    header = [
        "factor",
        "level",
        "against",
        f"change{unit}",
        "95% interval",
        "p",
        "pairs",
        "smallest to largest",
        "verdict",
    ]
    return Table(
        header, [_effect(one, analysis) for one in analysis.effects], frozenset({3, 4, 5, 6, 7}), whole={8}
    )


def _effect(one: Effect, analysis: MatrixAnalysis) -> list[str]:
    metric = analysis.table.metric
    head = [one.factor, one.level, one.baseline]
    if one.difference is None or one.interval is None or one.p is None:
        return [*head, NONE, NONE, NONE, "0", NONE, "not computed"]
    ends = f"{change_number(metric, one.least)} to {change_number(metric, one.most)}" if one.pairs > 1 else NONE
    change, limits = change_number(metric, one.difference), limits_text(metric, one.interval)
    return [*head, change, limits, p_text(one.p), str(one.pairs), ends, one.verdict or NONE]


def grid_table(grid: Grid) -> Table:
    """Return a heat map's numbers."""
    heads = [label(name) if grid.across == METRICS else name for name in grid.columns]
    rows = [
        [name, *(value_text(str(metric), value) for metric, value in zip(grid.metrics, values, strict=True))]
        for name, values in zip(grid.rows, grid.values, strict=True)
    ]
    return Table([grid.down, *heads], rows, frozenset(range(1, len(heads) + 1)))
