"""A matrix and a Pareto plot as plain data, ready for JSON. None means: not computed."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from ragstone.experiments.choice.analysis import MatrixAnalysis
from ragstone.experiments.choice.grids import Grid
from ragstone.experiments.choice.pareto import Ceiling, Pareto, Tradeoff
from ragstone.experiments.results import RunResult
from ragstone.reports.choice.pareto_words import pareto_sentences, standing
from ragstone.reports.choice.spread import spread_data
from ragstone.reports.choice.words import sentences
from ragstone.types import Interval

Data = dict[str, Any]


def matrix_data(analysis: MatrixAnalysis) -> Data:
    """Return everything that is said of a matrix by one metric."""
    table, test, best = analysis.table, analysis.test, analysis.best
    return {
        "schema": "ragstone.matrix/1",
        "metric": str(table.metric),
        "n": len(table.queries),
        "clusters": None if table.clusters is None else len(set(table.clusters)),
        "left_out": [{"query": one.query, "reasons": dict(one.reasons)} for one in table.left_out],
        "neither": dict(table.neither),
        "unranked": [{**_run(one.run), "reason": one.reason} for one in table.unranked],
        "ranking": [
            {
                **_run(one.run),
                "mean": one.mean,
                "interval": _interval(one.interval),
                "letters": one.letters,
                "p": one.p,
            }
            for one in analysis.ranked
        ],
        "tukey": None
        if test is None
        else {
            "runs": [run.run.id for run in table.runs],
            "p": test.p.tolist(),
            "critical_difference": test.critical,
            "alpha": test.alpha,
            "distinct": [table.runs[column].run.id for column in test.distinct],
            "best_of_equal": test.best_of_equal,
        },
        "best": None
        if best is None
        else {
            **_run(best.run.run),
            "mean": best.run.mean,
            "shrunken": best.shrunken,
            "luck": best.luck,
            "lead": best.lead,
            "tied": best.tied,
        },
        "far_behind": [_run(one.run) for one in analysis.far_behind],
        "holdout": None
        if analysis.holdout is None
        else {**asdict(analysis.holdout), **_run(table.runs[analysis.holdout.system])},
        "sight": None if analysis.sight is None else asdict(analysis.sight),
        "effects": [asdict(one) for one in analysis.effects],
        "alike": [
            {**asdict(one), "runs": [table.runs[place].run.id for place in one.runs]} for one in analysis.alike
        ],
        "noise": [
            {"runs": [run.run.id for run in one.runs], **spread_data(one.spread)} for one in analysis.reruns
        ],
        "repeats": [
            {**_run(run), **spread_data(run.spread[str(table.metric)])}
            for run in table.runs
            if str(table.metric) in run.spread
        ],
        "sentences": sentences(analysis),
    }


def pareto_data(pareto: Pareto) -> Data:
    """Return everything behind a Pareto plot."""
    return {
        "schema": "ragstone.pareto/1",
        "quality": str(pareto.quality),
        "cost": pareto.cost,
        "n": pareto.n,
        "points": [_point(one) for one in pareto.points],
        "unplaced": [{**_run(one.run), "reason": one.reason} for one in pareto.unplaced],
        "ceiling": None if pareto.ceiling is None else _ceiling(pareto.ceiling),
        "sentences": pareto_sentences(pareto),
    }


def _point(one: Tradeoff) -> Data:
    return {
        **_run(one.run),
        "quality": one.quality,
        "quality_interval": _interval(one.quality_interval),
        "cost": one.cost,
        "cost_interval": _interval(one.cost_interval),
        "cost_cut_off": None if one.cost_cut_off is None else asdict(one.cost_cut_off),
        "standing": standing(one),
        "on_frontier": one.on_frontier,
        "dominated_by": list(one.dominated_by),
        "tied": list(one.tied),
    }


def _ceiling(found: Ceiling) -> Data:
    best = None if found.best is None else _run(found.best.run)
    return {"limit": found.limit, "admitted": found.admitted, "best": best, "sure": found.sure}


def grid_data(grid: Grid) -> Data:
    """Return a heat map's numbers."""
    return {"schema": "ragstone.grid/1", **asdict(grid), "metrics": [str(metric) for metric in grid.metrics]}


def _run(run: RunResult) -> Data:
    return {"run_id": run.run.id, "name": run.run.spec.name}


def _interval(interval: Interval | None) -> Data | None:
    return None if interval is None else asdict(interval)
