"""The A/B report as Markdown: the verdict, the changed questions, then the tables; short enough for a comment."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ragstone.experiments.comparison.compare import Candidate, Comparison
from ragstone.experiments.comparison.flips import Flip
from ragstone.experiments.results import QueryResult, RunResult
from ragstone.matching.reference import place
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
from ragstone.reports.comparison.words import metric_label, signed_text
from ragstone.reports.escape import escaped, with_commands
from ragstone.reports.evidence import gold_rows, grade_text, hit_rows
from ragstone.reports.markdown import markdown_table
from ragstone.reports.plain import shortened
from ragstone.reports.tables import Table
from ragstone.reports.words import count, score_text

# GitHub takes comments of 64 KiB.
_LIMIT = 60_000
_CUT = "\n_Cut here for length; the HTML and JSON reports hold the rest._\n"
_SIGNS = {"error": "❌", "warning": "⚠️", "note": "\N{INFORMATION SOURCE}\ufe0f"}
_FLIPS, _HITS, _NOTES, _SLICES = 6, 5, 20, 30


def render_markdown(comparison: Comparison) -> str:
    """Return the comparison as GitHub Markdown of at most 60 KB, cut between sections where there is more."""
    text = ""
    for section in _sections(comparison):
        if len((text + section + _CUT).encode()) > _LIMIT:
            return text + _CUT
        text += section
    return text


def _sections(comparison: Comparison) -> Iterator[str]:
    yield _head(comparison)
    yield from _changes(comparison)
    note = f"{escaped(correction_note(comparison))} {units_note(comparison)}"
    yield f"\n## Metrics\n\n{_table(metric_table(comparison))}\n{note}\n"
    judged = judged_note(comparison)
    yield f"\n{escaped(judged)}\n" if judged else ""
    yield from _sentences(comparison)
    yield from (section for one in comparison.candidates for section in _slices(comparison, one))
    yield f"\n## Price\n\n{_table(price_table(comparison))}"
    yield f"\n## Recommendation\n\n{escaped(recommendation(comparison))}\n"
    yield f"\n## Classic tests\n\n{_table(classic_table(comparison))}\n{escaped(CLASSIC_NOTE)}\n"
    settings = settings_table(comparison)
    if settings.rows:
        yield f"\n## Settings that differ\n\n{_table(settings)}"


def _head(comparison: Comparison) -> str:
    names = [escaped(name) for name in comparison.names]
    lines = [f"# A/B report: {names[0]} vs {', '.join(names[1:])}", "", "## Summary", ""]
    lines += [
        f"- **Winner**: {escaped(winner_text(comparison))}",
        f"- **Confidence**: {escaped(confidence_text(comparison))}",
        f"- **Recommendation**: {escaped(recommendation(comparison))}",
        "",
    ]
    for one in comparison.candidates:
        lines += [escaped(verdict_sentence(one.primary, one.name, comparison.names[0])), ""]
    found = notes(comparison)
    lines += [f"- {_SIGNS[note.level]} {with_commands(note.message)}" for note in found[:_NOTES]]
    lines += [f"- and {len(found) - _NOTES} more"] if len(found) > _NOTES else []
    return "\n".join(lines).rstrip() + "\n"


def _changes(comparison: Comparison) -> Iterator[str]:
    name = metric_label(comparison.primary)
    each = max(1, _FLIPS // len(comparison.candidates))
    yield f"\n## Changed questions by {name}\n"
    for one in comparison.candidates:
        for word, flips in (("Lost", one.flips.lost), ("Won", one.flips.won)):
            cut = f", the {min(each, len(flips))} largest" if len(flips) > each else ""
            yield f"\n### {word} by {escaped(one.name)}: {count(len(flips), 'question')}{cut}\n"
            yield from (_flip(comparison, one, flip) for flip in flips[:each])


def _flip(comparison: Comparison, one: Candidate, flip: Flip) -> str:
    query, metric = flip.before.query, comparison.primary
    name = str(metric)
    scores = f"{score_text(name, flip.baseline)} → {score_text(name, flip.candidate)}"
    head = f"{escaped(query.id)}: {escaped(shortened(query.text, 300))}"
    columns = [_hits(flip.before), _hits(flip.after), _golds(one.result, flip.after)]
    longest = max(map(len, columns))
    rows = list(zip(*([*cells, *[""] * (longest - len(cells))] for cells in columns), strict=True))
    table = markdown_table(
        [escaped(comparison.names[0]), escaped(one.name), f"gold in {escaped(one.name)}"], rows, ()
    )
    return f"\n**{head}** ({scores}, {signed_text(metric, flip.change)})\n\n{table}"


def _hits(found: QueryResult) -> list[str]:
    if found.response and found.response.failure:
        return [f"the search failed: {escaped(shortened(found.response.failure.message, 120))}"]
    rows = [
        f"{row.rank or ''} {_marked(escaped(shortened(place(row.hit), 80)), row.grade)} · {row.mark}"
        for row in hit_rows(found)[:_HITS]
    ]
    return rows or ["nothing"]


def _marked(text: str, grade: int | None) -> str:
    return f"**{text}**" if grade is not None and grade > 0 else text


def _golds(result: RunResult, found: QueryResult) -> list[str]:
    golds = gold_rows(found, result.benchmark.matching)
    rows = [
        f"{escaped(shortened(place(row.gold), 80))} · {grade_text(row.gold.grade)}: {row.fate}"
        for row in golds[:_HITS]
    ]
    return [*rows, f"{len(golds) - _HITS} more golds"] if len(golds) > _HITS else rows


def _sentences(comparison: Comparison) -> Iterator[str]:
    lines = [
        f"- {escaped(said)}\n" for one in comparison.candidates for said in secondary_sentences(comparison, one)
    ]
    if lines:
        yield "\n### The secondary metrics in words\n\n" + "".join(lines)


def _slices(comparison: Comparison, one: Candidate) -> Iterator[str]:
    if not one.slices:
        return
    name = metric_label(comparison.primary)
    said = "".join(f"- {escaped(one)}\n" for one in interactions_text(one.interactions, comparison.level))
    more = f"\n{len(one.slices) - _SLICES} more slices.\n" if len(one.slices) > _SLICES else ""
    table = _table(slice_table(comparison, one, _SLICES))
    yield f"\n## {name} of {escaped(one.name)} by slice\n\n{said}\n{table}{more}\n{SLICE_NOTE}\n"


def _table(table: Table) -> str:
    """Return a table of plain cells; figures are our own, and only kept from being markup."""
    rows: Sequence[Sequence[str]] = [
        [_figure(cell) if place in table.numbers else escaped(cell) for place, cell in enumerate(row)]
        for row in table.rows
    ]
    return markdown_table([escaped(name) for name in table.header], rows, table.numbers)


def _figure(cell: str) -> str:
    return cell.replace("<", "&lt;").replace("*", "\\*")


COMPARISON_FORMATS.add("markdown")(ComparisonFormat("markdown", ".md", render_markdown))
