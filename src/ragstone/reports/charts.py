"""Charts as SVG text: pure functions from numbers to drawings, the same bytes for the same numbers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ragstone.reports.svg import (
    ACCENT,
    GRID,
    INK,
    MUTED,
    WARM,
    Scale,
    drawing,
    element,
    fitting,
    line,
    nice_top,
    number,
    text,
    text_width,
    ticks,
    tooltip,
)

Words = Callable[[float], str]
_ROW = 22.0
_AXIS = 24.0


@dataclass(frozen=True, slots=True)
class Point:
    """A value with its interval.

    Attributes:
        value: None where there is none; the row then says so.
        low: Lower limit; None where there is none: the whisker runs to the edge, dashed.
        high: Upper limit, likewise.
        note: What stands behind the value, such as ``n = 45``.
        faint: Whether it rests on too little to be read.
    """

    label: str
    value: float | None
    low: float | None = None
    high: float | None = None
    note: str = ""
    faint: bool = False


def interval_chart(
    points: Sequence[Point],
    title: str,
    words: Words,
    *,
    ticks_as: Words | None = None,
    bounds: tuple[float, float | None] = (0.0, 1.0),
    width: float = 640.0,
) -> str:
    """Return a row for each point: its name, a dot with its whisker, and the value in words.

    Args:
        points: What is drawn, from top to bottom.
        title: Read aloud in place of the drawing.
        words: Turns a value into text.
        ticks_as: Turns a value on the axis into text, where that should be shorter.
        bounds: Ends of the axis; without an upper one, it ends at a round number above all limits.
        width: In pixels.
    """
    if all(point.value is None for point in points):
        return _nothing(title, width, "Not computed." if points else "Nothing to show.")
    names = min(width * 0.52, max(text_width(point.label) for point in points) + 18)
    values = max(text_width(_value_words(point, words)) for point in points) + 12
    top = bounds[1] if bounds[1] is not None else nice_top(max(_extent(point) for point in points))
    scale = Scale(bounds[0], top, names, width - values)
    height = len(points) * _ROW + _AXIS
    rows = [_row(point, index, scale, words, width) for index, point in enumerate(points)]
    at = ticks(bounds[0], top, most=5 if scale.right - scale.left > 220 else 3)
    axis = _axis(scale, at, height, ticks_as or words)
    return drawing(title, _describe(points, words), width, height, [*axis, *rows])


def strip(point: Point, title: str, words: Words, *, bounds: tuple[float, float] = (0.0, 1.0)) -> str:
    """Return one dot with its whisker, to stand in a table's cell."""
    scale = Scale(*bounds, 6, 134)
    frame = [line(x, 2, x, 14, GRID) for x in (6, 70, 134)]
    return drawing(title, _describe([point], words), 140, 16, [*frame, *_mark(point, scale, 8)])


def bars(counts: Sequence[tuple[str, int]], title: str, *, width: float = 340.0, warn: str = "") -> str:
    """Return a horizontal bar for each count, with the count and its share; `warn` names the bar to mark."""
    total = sum(n for _, n in counts)
    if not total:
        return _nothing(title, width)
    left = max(text_width(name) for name, _ in counts) + 12
    scale = Scale(0, max(n for _, n in counts), 0, width - left - 86)
    rows = []
    for index, (name, n) in enumerate(counts):
        y = index * _ROW + 4
        colour = WARM if name == warn else ACCENT
        rows.append(text(name, left - 8, y + 12, anchor="end"))
        rows.append(
            element("rect", x=left, y=y, width=max(scale(n), 1) if n else 0, height=15, style=f"fill:{colour}")
        )
        rows.append(text(f"{n:,} · {100 * n / total:.0f}%", left + scale(n) + 6, y + 12, colour=MUTED))
    said = "; ".join(f"{name}: {n}" for name, n in counts)
    return drawing(title, said, width, len(counts) * _ROW + 2, rows)


def step_chart(
    values: Sequence[float],
    title: str,
    words: Words,
    *,
    marks: Sequence[tuple[str, float]] = (),
    width: float = 340.0,
) -> str:
    """Return the share of values at or below each value, as steps, with marks such as percentiles."""
    if not values:
        return _nothing(title, width)
    ordered = sorted(values)
    top, bottom = 34.0, 150.0
    across = Scale(0, nice_top(ordered[-1]), 44, width - 24)
    up = Scale(0, 1, bottom, top)
    grid = [part for share in (0, 0.5, 1) for part in _level(share, across, up(share))]
    axis = [
        text(words(tick), across(tick), bottom + 17, anchor="middle", colour=MUTED)
        for tick in ticks(0, across.high, 3)
    ]
    path = element("path", d=_steps(ordered, across, up), style=f"fill:none;stroke:{ACCENT};stroke-width:2")
    said = "; ".join(f"{name}: {words(value)}" for name, value in marks)
    shown = [part for index, mark in enumerate(marks) for part in _percentile(mark, index, across, bottom, words)]
    return drawing(title, f"{len(values)} values. {said}", width, bottom + 24, [*grid, *axis, path, *shown])


def _row(point: Point, index: int, scale: Scale, words: Words, width: float) -> str:
    y = index * _ROW + _ROW / 2
    colour = MUTED if point.faint or point.value is None else INK
    parts = [
        tooltip(f"{point.label}: {_value_words(point, words)}"),
        text(fitting(point.label, scale.left - 16), scale.left - 10, y + 4, anchor="end", colour=colour),
        *_mark(point, scale, y),
        text(_value_words(point, words), width, y + 4, anchor="end", colour=colour),
    ]
    return element("g", *parts)


def _mark(point: Point, scale: Scale, y: float) -> list[str]:
    if point.value is None:
        return []
    colour = MUTED if point.faint else ACCENT
    return [
        _whisker(point.low, scale.left, scale(point.value), y, colour, scale),
        _whisker(point.high, scale.right, scale(point.value), y, colour, scale),
        element("circle", cx=scale(point.value), cy=y, r=4, style=f"fill:{colour}"),
    ]


def _whisker(limit: float | None, edge: float, start: float, y: float, colour: str, scale: Scale) -> str:
    if limit is None:
        return line(start, y, edge, y, colour, 1.5, dash="2 3")
    end = scale(limit)
    return line(start, y, end, y, colour, 2) + line(end, y - 4, end, y + 4, colour, 1.5)


def _axis(scale: Scale, at: Sequence[float], height: float, words: Words) -> list[str]:
    bottom = height - _AXIS
    return [
        part
        for tick in at
        for part in (
            line(scale(tick), 2, scale(tick), bottom, GRID),
            text(words(tick), scale(tick), height - 8, anchor="middle", colour=MUTED),
        )
    ]


def _level(share: float, across: Scale, y: float) -> list[str]:
    name = text(f"{100 * share:.0f}%", across.left - 6, y + 4, anchor="end", colour=MUTED)
    return [line(across.left, y, across.right, y, GRID), name]


def _steps(ordered: Sequence[float], across: Scale, up: Scale) -> str:
    """Return the path; of many values only so many steps as can be seen."""
    n = len(ordered)
    shown = sorted({round(index * (n - 1) / min(n, 120)) for index in range(min(n, 120) + 1)})
    steps = "".join(f"H{number(across(ordered[at]))}V{number(up((at + 1) / n))}" for at in shown)
    return f"M{number(across.left)} {number(up(0))}{steps}H{number(across.right)}"


def _percentile(mark: tuple[str, float], index: int, across: Scale, bottom: float, words: Words) -> list[str]:
    name, value = mark
    x, y = across(value), 12.0 + 14 * index
    label = f"{name} {words(value)}"
    # A label stands on the side where it has room.
    anchor = "end" if x + text_width(label) > across.right + 20 else "start"
    return [
        line(x, y - 8, x, bottom, INK, 1, dash="3 3"),
        text(label, x - 5 if anchor == "end" else x + 5, y + 2, anchor=anchor),
    ]


def _extent(point: Point) -> float:
    return max(value for value in (point.value, point.high, point.low, 0.0) if value is not None)


def _value_words(point: Point, words: Words) -> str:
    value = "not computed" if point.value is None else words(point.value)
    return f"{value}  {point.note}" if point.note else value


def _describe(points: Sequence[Point], words: Words) -> str:
    return "; ".join(f"{point.label}: {_with_limits(point, words)}" for point in points)


def _with_limits(point: Point, words: Words) -> str:
    if point.value is None:
        return "not computed"
    low, high = ("no limit" if limit is None else words(limit) for limit in (point.low, point.high))
    return f"{words(point.value)}, interval {low} to {high}"


def _nothing(title: str, width: float, said: str = "Nothing to show.") -> str:
    return drawing(title, said, width, 28, [text(said, 0, 18, colour=MUTED)])
