"""What a comparison shows on the terminal, as parts that rich lays out."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence

from rich.console import Console, RenderableType
from rich.table import Table as RichTable
from rich.text import Text

from ragstone.experiments.comparison.compare import Candidate, Comparison
from ragstone.experiments.comparison.flips import Flip
from ragstone.reports.comparison.advice import recommendation, winner_text
from ragstone.reports.comparison.notes import notes
from ragstone.reports.comparison.tables import correction_note, metric_table, price_table, slice_table
from ragstone.reports.comparison.verdict import interactions_text, verdict_sentence
from ragstone.reports.comparison.words import change_number, in_points, metric_label
from ragstone.reports.plain import plain, shortened
from ragstone.reports.tables import Table
from ragstone.reports.terminal_parts import laid_out
from ragstone.reports.words import count

_NOTES, _FLIPS, _SLICES = 8, 3, 4
# What the table leaves out: the raw p-value and what the set could have seen, which the sentences say.
_LEFT_OUT = ("p", "could have seen")
_STYLES = {"better": "green", "worse": "red", "borderline": "yellow", "not enough questions": "yellow"}
_SIGNS = {"error": ("✗", "red"), "warning": ("!", "yellow"), "note": ("·", "dim")}


def lay_out(comparison: Comparison, width: int, *, colour: bool) -> str:
    """Return the comparison laid out for a terminal of this width."""
    return laid_out(lambda console: _parts(comparison, console), width, colour=colour)


def _parts(comparison: Comparison, console: Console) -> Iterator[RenderableType]:
    yield from _head(comparison)
    yield from _notes(comparison)
    yield ""
    # Of several candidates each metric's record would not fit; the sentences have the primary's.
    record = ("won / lost / tied",) if len(comparison.candidates) > 1 else ()
    yield _grid(metric_table(comparison), (*_LEFT_OUT, *record))
    yield Text(plain(correction_note(comparison)), style="dim")
    for one in comparison.candidates:
        yield from _changes(comparison, one, console.width)
    if len(comparison.candidates) == 1:
        yield from _where(comparison, comparison.candidates[0])
    prices = price_table(comparison)
    if prices.rows:
        yield ""
        yield Text("Price", style="bold")
        yield _grid(prices)
    yield from _pointers(comparison)


def _head(comparison: Comparison) -> Iterator[RenderableType]:
    names = [plain(name) for name in comparison.names]
    style = "bold green" if comparison.winner is not None else "bold yellow"
    winner = plain(winner_text(comparison))
    said = winner if comparison.winner is None else f"winner: {winner}"
    yield Text.assemble((f"{names[0]} against {', '.join(names[1:])}", "bold"), "  ", (said, style))
    for one in comparison.candidates:
        yield ""
        yield Text(plain(verdict_sentence(one.primary, one.name, comparison.names[0])))
    yield ""
    yield Text(plain(recommendation(comparison)), style="bold")


def _notes(comparison: Comparison) -> Iterator[RenderableType]:
    found = notes(comparison)
    if not found:
        return
    lines = RichTable.grid(padding=(0, 1, 0, 0))
    for note in found[:_NOTES]:
        sign, style = _SIGNS[note.level]
        lines.add_row(Text(sign, style=style), Text(plain(note.message)))
    yield ""
    yield lines
    if len(found) > _NOTES:
        yield Text(f"  … and {len(found) - _NOTES} more", style="dim")


def _grid(table: Table, left_out: Sequence[str] = ()) -> RichTable:
    kept = [place for place, name in enumerate(table.header) if name not in left_out]
    grid = RichTable(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold", show_edge=False)
    for place in kept:
        grid.add_column(
            Text(plain(table.header[place])),
            justify="right" if place in table.numbers else "left",
            overflow="fold",
            no_wrap=place in table.numbers and " " not in table.header[place],
        )
    for number, row in enumerate(table.rows):
        cells = [Text(plain(row[place]), style=_STYLES.get(row[place], "")) for place in kept]
        grid.add_row(*cells, style="dim" if number in table.faint else "")
    return grid


def _changes(comparison: Comparison, one: Candidate, width: int) -> Iterator[RenderableType]:
    metric = comparison.primary
    unit = ", in points" if in_points(metric) else ""
    for word, flips in (("Lost", one.flips.lost), ("Won", one.flips.won)):
        if flips:
            yield ""
            asked = count(len(flips), "question")
            title = f"{word} by {plain(one.name)}: {asked} by {metric_label(metric)}{unit}"
            yield Text(title, style="bold")
            yield from (_flip(comparison, flip, width) for flip in flips[:_FLIPS])
            if len(flips) > _FLIPS:
                yield Text(f"  … and {len(flips) - _FLIPS} more", style="dim")


def _flip(comparison: Comparison, flip: Flip, width: int) -> Text:
    query = flip.before.query
    head = f"  {change_number(comparison.primary, flip.change):>6}  {shortened(query.id, 16)}  "
    return Text(head + shortened(query.text, max(10, width - len(head))))


def _where(comparison: Comparison, one: Candidate) -> Iterator[RenderableType]:
    if not one.slices:
        return
    yield ""
    yield Text(f"Where, by {metric_label(comparison.primary)}, strongest evidence first", style="bold")
    left_out = ("shrunken", "won / lost / tied")
    yield _grid(slice_table(comparison, one, _SLICES), left_out)
    if len(one.slices) > _SLICES:
        yield Text(f"  … and {len(one.slices) - _SLICES} more slices", style="dim")
    yield from map(Text, interactions_text(one.interactions, comparison.level))


def _pointers(comparison: Comparison) -> Iterator[RenderableType]:
    ids = [result.run.id for result in comparison.results]
    lost = next((one for one in comparison.candidates if one.flips.lost), None)
    yield ""
    if lost is not None:
        query = shlex.quote(plain(lost.flips.lost[0].before.query.id))
        yield Text(f"why:   ragstone explain {lost.result.run.id} {query}", style="dim")
    yield Text(f"page:  ragstone compare {' '.join(ids)} --out comparison.html", style="dim")
