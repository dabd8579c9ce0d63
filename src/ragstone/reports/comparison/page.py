"""The A/B report as one page of HTML: the verdict, the changed questions, the tables; no script, no request."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ragstone.experiments.comparison.compare import Candidate, Comparison
from ragstone.experiments.comparison.flips import Flip
from ragstone.experiments.results import QueryResult, RunResult
from ragstone.reports.comparison.advice import (
    confidence_text,
    recommendation,
    secondary_sentences,
    winner_text,
)
from ragstone.reports.comparison.notes import notes
from ragstone.reports.comparison.render import COMPARISON_FORMATS, ComparisonFormat
from ragstone.reports.comparison.tables import (
    CLASSIC_NOTE,
    SLICE_NOTE,
    classic_table,
    correction_note,
    judged_note,
    metric_table,
    price_table,
    settings_table,
    slice_table,
    units_note,
)
from ragstone.reports.comparison.verdict import interactions_text, verdict_sentence
from ragstone.reports.comparison.words import change_number, metric_label
from ragstone.reports.evidence import GoldRow, HitRow, gold_rows, hit_rows
from ragstone.reports.words import score_text

_FLIPS, _HITS, _GOLDS = 20, 10, 15


@dataclass(frozen=True, slots=True)
class Side:
    """What one run has to show for a question.

    Attributes:
        hits: The first ones, and those further down that match a gold.
        more_hits: How many hits are not shown.
        failure: Why the search failed; empty where it did not.
    """

    name: str
    hits: Sequence[HitRow]
    more_hits: int
    golds: Sequence[GoldRow]
    failure: str


@dataclass(frozen=True, slots=True)
class FlipView:
    """A changed question with both lists."""

    flip: Flip
    change: str
    scores: str
    sides: tuple[Side, Side]


@dataclass(frozen=True, slots=True)
class CandidateView:
    """What the page shows of a candidate."""

    name: str
    sentences: Sequence[str]
    lost: Sequence[FlipView]
    won: Sequence[FlipView]
    more_lost: int
    more_won: int
    chart: str
    chart_narrow: str
    slices: Any
    interactions: Sequence[str]


def page(comparison: Comparison) -> dict[str, Any]:
    """Return everything that the template shows."""
    from ragstone.reports.comparison.charts import NARROW, WIDE, difference_chart  # noqa: PLC0415 - markupsafe

    return {
        "comparison": comparison,
        "names": comparison.names,
        "primary": str(comparison.primary),
        "primary_label": metric_label(comparison.primary),
        "winner": winner_text(comparison),
        "confidence": confidence_text(comparison),
        "recommendation": recommendation(comparison),
        "leads": [verdict_sentence(one.primary, one.name, comparison.names[0]) for one in comparison.candidates],
        "notes": notes(comparison),
        "candidates": [_candidate(comparison, one) for one in comparison.candidates],
        "metrics": metric_table(comparison),
        "differences": difference_chart(comparison, WIDE),
        "differences_narrow": difference_chart(comparison, NARROW),
        "units_note": units_note(comparison),
        "correction_note": correction_note(comparison),
        "judged_note": judged_note(comparison),
        "classic": classic_table(comparison),
        "classic_note": CLASSIC_NOTE,
        "slice_note": SLICE_NOTE,
        "prices": price_table(comparison),
        "settings": settings_table(comparison),
    }


def _candidate(comparison: Comparison, one: Candidate) -> CandidateView:
    from ragstone.reports.comparison.charts import NARROW, WIDE, change_chart  # noqa: PLC0415 - markupsafe

    lost, won = one.flips.lost, one.flips.won
    return CandidateView(
        name=one.name,
        sentences=secondary_sentences(comparison, one),
        lost=[_flip(comparison, one, flip) for flip in lost[:_FLIPS]],
        won=[_flip(comparison, one, flip) for flip in won[:_FLIPS]],
        more_lost=max(0, len(lost) - _FLIPS),
        more_won=max(0, len(won) - _FLIPS),
        chart=change_chart(comparison, one, WIDE),
        chart_narrow=change_chart(comparison, one, NARROW),
        slices=slice_table(comparison, one),
        interactions=interactions_text(one.interactions, comparison.level),
    )


def _flip(comparison: Comparison, one: Candidate, flip: Flip) -> FlipView:
    name = str(comparison.primary)
    return FlipView(
        flip=flip,
        change=change_number(comparison.primary, flip.change),
        scores=f"{score_text(name, flip.baseline)} → {score_text(name, flip.candidate)}",
        sides=(
            _side(comparison.names[0], comparison.baseline, flip.before),
            _side(one.name, one.result, flip.after),
        ),
    )


def _side(name: str, result: RunResult, found: QueryResult) -> Side:
    rows = hit_rows(found)
    shown = [row for index, row in enumerate(rows) if index < _HITS or (row.grade or 0) > 0]
    failure = found.response.failure if found.response else None
    return Side(
        name=name,
        hits=shown,
        more_hits=len(rows) - len(shown),
        golds=gold_rows(found, result.benchmark.matching)[:_GOLDS],
        failure=failure.message if failure else "",
    )


def render_html(comparison: Comparison) -> str:
    """Return the comparison as one self-contained page, for light and dark screens, phones and paper."""
    from ragstone.reports.page_template import environment  # noqa: PLC0415 - jinja2 is loaded where wanted

    return environment().get_template("comparison.html").render(page(comparison))


COMPARISON_FORMATS.add("html")(ComparisonFormat("html", ".html", render_html))
