"""A grid of numbers as a picture: every number is printed, the colour only helps to find the best."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import isclose

from ragstone.experiments.choice.grids import METRICS, Grid
from ragstone.metrics import Metric
from ragstone.reports.svg import ACCENT, INK, MUTED, drawing, element, fitting, number, text, text_width, tooltip
from ragstone.reports.words import NONE, label, value_text

_ROW = 26.0
_NARROWEST, _WIDEST = 58.0, 150.0
_PALE, _STRONG = 0.04, 0.55
# How far a heading turned by 40 degrees reaches up and to the right, of its width.
_UP, _RIGHT = 0.58, 0.77


def heat_map(grid: Grid, *, width: float = 700.0) -> str:
    """Return the grid as SVG: the better a cell, the stronger its colour.

    Each metric has its own scale, from its worst to its best value in the grid, in its own direction. Colour is
    laid over the page at up to 55%, so that the number stays readable on light and on dark.
    """
    title = grid_title(grid)
    names = [grid.rows, [_column(grid, index) for index in range(len(grid.columns))]]
    left = min(width * 0.5, max(map(text_width, [*names[0], grid.down])) + 14)
    cell = min(_WIDEST, max(_NARROWEST, (width - left) / len(grid.columns)))
    slanted = any(text_width(name) > cell - 6 for name in names[1])
    longest = max(map(text_width, names[1]))
    top = 20 + (longest * _UP + 16 if slanted else 18)
    whole = max(width, left + cell * len(grid.columns) + (longest * _RIGHT - cell / 2 if slanted else 0))
    strengths = _strengths(grid)
    across = "" if grid.across == METRICS else grid.across.replace("_", " ")
    parts = [text(across, left, 12, colour=MUTED)]
    parts += _headings(names[1], left, cell, top, slanted=slanted)
    for row, name in enumerate(names[0]):
        y = top + row * _ROW
        parts.append(element("g", tooltip(grid.rows[row]), text(fitting(name, left - 12), 0, y + 17)))
        parts += _cells(grid, row, strengths[row], (left, y, cell))
    return drawing(title, _described(grid), whole, top + len(grid.rows) * _ROW + 4, parts)


def grid_title(grid: Grid) -> str:
    """Return what a grid shows."""
    if grid.across == METRICS:
        return "Main metrics by run"
    return f"{label(str(grid.metrics[0]))}: {grid.down.replace('_', ' ')} by {grid.across.replace('_', ' ')}"


def _column(grid: Grid, index: int) -> str:
    if grid.across == METRICS:
        return label(grid.columns[index])
    return f"{grid.columns[index]} ({grid.n[index]})" if grid.n[index] else grid.columns[index]


def _headings(names: Sequence[str], left: float, cell: float, top: float, *, slanted: bool) -> Iterator[str]:
    for index, name in enumerate(names):
        x = left + (index + 0.5) * cell
        if slanted:
            turned = f"rotate(-40 {number(x)} {number(top - 8)})"
            yield element("g", text(name, x, top - 8, colour=MUTED), transform=turned)
        else:
            yield text(name, x, top - 8, anchor="middle", colour=MUTED)


def _cells(
    grid: Grid, row: int, strengths: Sequence[float | None], place: tuple[float, float, float]
) -> Iterator[str]:
    left, y, cell = place
    for column, value in enumerate(grid.values[row]):
        x, strength = left + column * cell, strengths[column]
        words = NONE if value is None else value_text(str(grid.metrics[column]), value)
        if strength is not None:
            style = f"fill:{ACCENT};fill-opacity:{strength:.2f}"
            said = tooltip(f"{grid.rows[row]}, {grid.columns[column]}: {words}")
            yield element("rect", said, x=x + 1, y=y + 1, width=cell - 2, height=_ROW - 2, rx=2, style=style)
        best = strength is not None and isclose(strength, _STRONG)
        yield text(words, x + cell / 2, y + 17, anchor="middle", colour=INK, bold=best)


def _strengths(grid: Grid) -> list[list[float | None]]:
    """Return how strongly each cell is coloured, by its place between the worst and the best of its metric."""
    ends = {metric: _ends(grid, metric) for metric in grid.metrics}
    return [
        [_strength(value, ends[metric]) for value, metric in zip(row, grid.metrics, strict=True)]
        for row in grid.values
    ]


def _ends(grid: Grid, metric: Metric) -> tuple[float, float]:
    """Return the worst and the best value of a metric in the grid."""
    values = [
        value
        for row in grid.values
        for value, own in zip(row, grid.metrics, strict=True)
        if own == metric and value is not None
    ]
    low, high = min(values, default=0.0), max(values, default=0.0)
    return (high, low) if metric.traits.higher_is_better is False else (low, high)


def _strength(value: float | None, ends: tuple[float, float]) -> float | None:
    if value is None:
        return None
    worst, best = ends
    share = 0.5 if worst == best else (value - worst) / (best - worst)
    return _PALE + share * (_STRONG - _PALE)


def _described(grid: Grid) -> str:
    return "; ".join(
        f"{row}, {column}: {value_text(str(metric), value)}"
        for row, values in zip(grid.rows, grid.values, strict=True)
        for column, metric, value in zip(grid.columns, grid.metrics, values, strict=True)
    )
