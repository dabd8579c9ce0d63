"""A track of runs over time as a picture: values with their intervals, falls marked."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from ragstone.experiments.history import Moment, Track
from ragstone.metrics import Metric
from ragstone.reports.history.words import day, mark_text
from ragstone.reports.svg import (
    ACCENT,
    GRID,
    MUTED,
    WARM,
    Scale,
    drawing,
    element,
    line,
    nice_top,
    number,
    text,
    ticks,
    tooltip,
)
from ragstone.reports.words import label, value_text

_TOP, _BOTTOM, _LEFT, _RIGHT = 14.0, 130.0, 52.0, 14.0
_SHOWN = 60
_SIGNS = {"fell": "▼", "rose": "▲"}


def track_chart(
    track: Track, metric: Metric, *, width: float = 640.0, bounds: tuple[float, float] = (0.0, 1.0)
) -> str:
    """Return a track as dots with whiskers joined by a line, oldest left; at most the latest sixty runs.

    A run that is not comparable with the one before breaks the line. What got worse by more than noise is a red
    dot with a triangle pointing down, so that the mark does not hang on its colour.

    Args:
        track: What is drawn.
        metric: What its values are of.
        width: In pixels.
        bounds: Ends of the axis.
    """
    moments = [moment for moment in track.moments if moment.value.value is not None][-_SHOWN:]
    title = f"{label(str(metric))} of {track.name} over time"
    if not moments:
        return drawing(title, "Nothing to show.", width, 28, [text("No run has a value.", 0, 18, colour=MUTED)])
    up = Scale(*bounds, _BOTTOM, _TOP)
    across = Scale(0, max(1, len(moments) - 1), _LEFT + 8, width - _RIGHT - 8)
    places = [across(index) for index in range(len(moments))] if len(moments) > 1 else [(_LEFT + width) / 2]
    parts = [*_grid(up, metric, width), *_lines(moments, places, up), *_dots(moments, places, up, metric)]
    parts += _days(moments, places)
    said = "; ".join(f"{day(one.run)} {_value(one, metric)} {mark_text(one, metric)}" for one in moments)
    return drawing(title, said, width, _BOTTOM + 26, parts)


def _value(one: Moment, metric: Metric) -> str:
    return value_text(str(metric), one.value.value, at_least=one.value.at_least)


def axis_of(tracks: Sequence[Track], bounds: tuple[float, float]) -> tuple[float, float]:
    """Return the ends of an axis on which all tracks fit with their intervals, round numbers within the bounds.

    It need not begin at 0: what matters here are changes, and every value stands beside the picture.
    """
    limits = [limit for track in tracks for moment in track.moments for limit in _limits(moment)]
    if not limits:
        return (0.0, 1.0)
    step = nice_top((max(limits) - min(limits)) / 2 or 0.1)
    low, high = math.floor(min(limits) / step + 1e-9) * step, math.ceil(max(limits) / step - 1e-9) * step
    return max(low, bounds[0]), min(max(high, low + step), bounds[1])


def _limits(moment: Moment) -> list[float]:
    one = moment.value.interval
    found = (moment.value.value, one.low if one else None, one.high if one else None)
    return [limit for limit in found if limit is not None]


def _grid(up: Scale, metric: Metric, width: float) -> Iterator[str]:
    for tick in ticks(up.low, up.high, 4):
        yield line(_LEFT, up(tick), width - _RIGHT, up(tick), GRID)
        yield text(value_text(str(metric), tick), _LEFT - 6, up(tick) + 4, anchor="end", colour=MUTED)


def _lines(moments: Sequence[Moment], places: Sequence[float], up: Scale) -> Iterator[str]:
    path = ""
    for index, (moment, x) in enumerate(zip(moments, places, strict=True)):
        broken = index == 0 or moment.mark == "not_comparable"
        path += f"{'M' if broken else 'L'}{number(x)} {number(up(moment.value.value or 0.0))}"
    yield element("path", d=path, style=f"fill:none;stroke:{ACCENT};stroke-width:1.5")


def _dots(moments: Sequence[Moment], places: Sequence[float], up: Scale, metric: Metric) -> Iterator[str]:
    for moment, x in zip(moments, places, strict=True):
        value = moment.value.value or 0.0
        colour = WARM if moment.mark == "fell" else ACCENT
        limits = moment.value.interval
        whisker = (
            line(x, up(limits.low), x, up(limits.high), colour, 1)
            if limits and limits.low is not None and limits.high is not None
            else ""
        )
        sign = _SIGNS.get(moment.mark, "")
        yield element(
            "g",
            tooltip(f"{day(moment.run)} {moment.run.id}: {_value(moment, metric)}, {mark_text(moment, metric)}"),
            whisker,
            element("circle", cx=x, cy=up(value), r=4, style=f"fill:{colour}"),
            text(sign, x + 6, up(value) - 6, colour=colour) if sign else "",
        )


def _days(moments: Sequence[Moment], places: Sequence[float]) -> Iterator[str]:
    """Yield the first and the last day."""
    ends = [(0, "start")] if len(moments) == 1 else [(0, "start"), (len(moments) - 1, "end")]
    for index, anchor in ends:
        at = "middle" if len(moments) == 1 else anchor
        yield text(day(moments[index].run), places[index], _BOTTOM + 20, anchor=at, colour=MUTED)
