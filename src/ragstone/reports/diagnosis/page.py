"""The diagnosis of a run for the HTML page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from ragstone.experiments.diagnosis.ablation import ablations
from ragstone.experiments.diagnosis.diagnose import diagnose
from ragstone.experiments.diagnosis.fates import cutoff_of, fates
from ragstone.experiments.report import Report
from ragstone.experiments.results import RunResult
from ragstone.reports.diagnosis.advice import advice
from ragstone.reports.diagnosis.chart import funnel_chart
from ragstone.reports.diagnosis.tables import (
    ablation_table,
    cascade_table,
    funnel_table,
    moves_table,
    reranking_sentences,
    retrievers_table,
)
from ragstone.reports.diagnosis.words import funnel_sentence, title
from ragstone.reports.tables import Table

WIDE, NARROW = 700.0, 340.0


@dataclass(frozen=True, slots=True)
class DiagnosisView:
    """What the page shows of a run's diagnosis; no chart and tables where no question has evidence to follow."""

    sentences: Sequence[str]
    chart: Markup
    chart_narrow: Markup
    tables: Sequence[Table]
    advice: Sequence[str]


def diagnosis_view(result: RunResult) -> DiagnosisView:
    """Return what the page shows of where a run loses."""
    found = diagnose(result)
    moves = moves_table(found.reranking.moves) if found.reranking else None
    tables = [moves, retrievers_table(found.retrievers), cascade_table(found.cascade)]
    name = result.run.spec.name
    # The charts escape every text themselves.
    charts = [Markup(funnel_chart(found.funnel, name, width=width)) for width in (WIDE, NARROW)]  # noqa: S704
    return DiagnosisView(
        sentences=[funnel_sentence(found.funnel), *reranking_sentences(found.reranking)],
        chart=charts[0],
        chart_narrow=charts[1],
        tables=[funnel_table(found.funnel), *(table for table in tables if table)] if found.funnel.n else [],
        advice=advice(found),
    )


def fate_titles(result: RunResult) -> dict[str, str]:
    """Return by question what became of its evidence; nothing for questions that have none."""
    cutoff = cutoff_of(result)
    return {
        query: title(fate.leaf, cutoff)
        for query, fate in fates(result, every_gold=False).items()
        if not isinstance(fate, str)
    }


def ablation_view(report: Report) -> Table | None:
    """Return what each part of the runs is worth."""
    return ablation_table(ablations(report.runs))
