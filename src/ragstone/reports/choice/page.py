"""What the page shows of its runs as a matrix."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from markupsafe import Markup

from ragstone.experiments.choice.analysis import MatrixAnalysis
from ragstone.experiments.choice.grids import Grid
from ragstone.experiments.choice.pareto import Pareto
from ragstone.experiments.report import Report
from ragstone.reports.choice.heat_map import grid_title, heat_map
from ragstone.reports.choice.pareto_chart import pareto_chart
from ragstone.reports.choice.pareto_words import DEFINITION, pareto_sentences
from ragstone.reports.choice.report import grids_of, which
from ragstone.reports.choice.tables import (
    EFFECTS_NOTE,
    GROUPS_NOTE,
    P_NOTE,
    SPREAD_NOTE,
    effects_table,
    ranking_table,
)
from ragstone.reports.choice.words import names_of, sentences
from ragstone.reports.page_charts import NARROW, WIDE
from ragstone.reports.tables import Table

_EFFECTS = 24


@dataclass(frozen=True, slots=True, kw_only=True)
class MatrixView:
    """The page's section on which configuration to choose, and the one on noise.

    Attributes:
        sentences: What is to be known, the answer first; empty where there is no matrix.
        pareto: The plot for wide screens, and for narrow ones; empty where nothing is measured.
        grids: Heat maps: title, for wide screens, for narrow ones.
        spreads: By run, what its repeats say of the noise.
        metric: What the runs are ranked by.
    """

    sentences: Sequence[str] = ()
    ranking: Table | None = None
    ranking_note: str = ""
    pareto: Sequence[Markup] = ()
    pareto_sentences: Sequence[str] = ()
    pareto_note: str = DEFINITION
    effects: Table | None = None
    effects_note: str = f"{EFFECTS_NOTE} {SPREAD_NOTE}"
    grids: Sequence[tuple[str, Markup, Markup]] = ()
    spreads: Sequence[tuple[str, str]] = ()
    metric: str = ""


def matrix_view(report: Report) -> MatrixView:
    """Return what the page shows of a report's runs as a matrix."""
    found = which(report)
    if found.analysis is None:
        return MatrixView(spreads=found.spreads)
    return replace(_view(found.analysis, found.pareto, found.grids), spreads=found.spreads)


def matrix_page(report: Report, pairs: Sequence[tuple[MatrixAnalysis, Pareto]]) -> str:
    """Return a page of its own: by each metric the ranking, quality against cost, effects and heat maps."""
    from ragstone.reports.page_template import environment  # noqa: PLC0415 - it knows this module

    grids = [grids_of(report, one) for one, _ in pairs]
    # The runs by all metrics come last; once is enough.
    shown = [some if place == len(grids) - 1 else some[:-1] for place, some in enumerate(grids)]
    views = [_view(one, costs, some) for (one, costs), some in zip(pairs, shown, strict=True)]
    template = environment().get_template("matrix_page.html")
    return template.render(title=report.title, runs=len(report.runs), views=views)


def _view(analysis: MatrixAnalysis, pareto: Pareto | None, grids: Sequence[Grid]) -> MatrixView:
    placed = pareto is not None and bool(pareto.points)
    return MatrixView(
        sentences=sentences(analysis),
        ranking=ranking_table(analysis, pareto) if analysis.ranked else None,
        ranking_note=" ".join(filter(None, [names_of(analysis.table).note, GROUPS_NOTE, P_NOTE])),
        pareto=[_svg(pareto_chart(pareto, width=width)) for width in (WIDE, NARROW)] if pareto and placed else (),
        pareto_sentences=pareto_sentences(pareto) if pareto else (),
        effects=effects_table(analysis) if 0 < len(analysis.effects) <= _EFFECTS else None,
        grids=[_grid(grid) for grid in grids],
        metric=str(analysis.table.metric),
    )


def _grid(grid: Grid) -> tuple[str, Markup, Markup]:
    return grid_title(grid), _svg(heat_map(grid, width=WIDE)), _svg(heat_map(grid, width=NARROW))


def _svg(drawing: str) -> Markup:
    # The charts escape every text themselves.
    return Markup(drawing)  # noqa: S704
