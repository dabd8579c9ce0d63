"""The loss funnel as a picture: a bar for each stage, what it let pass and what it lost."""

from __future__ import annotations

from ragstone.experiments.diagnosis.fates import Leaf
from ragstone.experiments.diagnosis.funnel import Funnel
from ragstone.reports.diagnosis.words import percent, title
from ragstone.reports.svg import ACCENT, GRID, INK, MUTED, WARM, drawing, element, text, text_width, tooltip

_ROW, _BAR = 30.0, 18.0


def funnel_chart(funnel: Funnel, name: str, *, width: float = 700.0) -> str:
    """Return the stages that lost something, from top to bottom, and what came to the end.

    A bar begins at the left with what reached the stage; its dark end is what the stage lost, with number and
    share of all.

    Args:
        funnel: What is drawn.
        name: Of the run, for the title that is read aloud.
        width: In pixels.
    """
    heading = f"Where the evidence was lost, {name}"
    if not funnel.n:
        return drawing(heading, "Nothing to show.", width, 28, [text("Nothing to show.", 0, 18, colour=MUTED)])
    rows = _rows(funnel)
    names = max(text_width(label) for label, *_ in rows) + 12
    room = width - names - text_width("0,000 · 100%") - 10
    parts: list[str] = []
    for index, (label, before, lost, good) in enumerate(rows):
        y = index * _ROW + 6
        kept = before - lost
        start, scale = names, room / funnel.n
        said = f"{label}: {lost if not good else before} of {funnel.n}"
        colour = ACCENT if good else GRID
        bars = [
            element("rect", x=start, y=y, width=max(kept * scale, 0), height=_BAR, style=f"fill:{colour}"),
            element("rect", x=start + kept * scale, y=y, width=lost * scale, height=_BAR, style=f"fill:{WARM}"),
        ]
        number = f"{before if good else lost:,} · {percent((before if good else lost) / funnel.n)}"
        parts.append(
            element(
                "g",
                tooltip(said),
                text(label, names - 8, y + 13, anchor="end", bold=good),
                *bars,
                text(number, start + before * scale + 6, y + 13, colour=INK if good else MUTED, bold=good),
            )
        )
    said = "; ".join(f"{label}: {lost if not good else before}" for label, before, lost, good in rows)
    return drawing(heading, f"{said}; of {funnel.n}.", width, len(rows) * _ROW + 4, parts)


def _rows(funnel: Funnel) -> list[tuple[str, int, int, bool]]:
    """Return name, what reached it, what it lost, and whether it is an end."""
    rows: list[tuple[str, int, int, bool]] = []
    left = funnel.n
    for stage in funnel.stages:
        if stage.lost:
            rows.append((title(stage.name, funnel.cutoff), left, stage.lost, False))
            left -= stage.lost
    end: Leaf = funnel.end
    if funnel.unjudged:
        rows.append(("Answer not judged", left, funnel.unjudged, False))
    return [*rows, (title(end, funnel.cutoff), funnel.kept, 0, True)]
