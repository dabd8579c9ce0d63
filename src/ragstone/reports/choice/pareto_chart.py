"""Quality against cost as a picture: numbered dots with whiskers, the frontier, and who is who below."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise, product

from ragstone.experiments.choice.pareto import Pareto, Tradeoff
from ragstone.metrics import parse
from ragstone.reports.choice.pareto_words import (
    DOMINATED,
    FRONTIER,
    NEAR,
    cost_label,
    cost_text,
    cost_value,
    placed_names,
    standing,
)
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
    number,
    text,
    text_width,
    ticks,
    tooltip,
)
from ragstone.reports.words import label, value_text
from ragstone.types import Interval

PAPER = "var(--paper,#fff)"
_LEFT, _TOP, _RIGHT, _BELOW = 52.0, 26.0, 18.0, 44.0
_ROW = 20.0
_DOT = 5.0
_NAME = 42.0
_STUB = 14.0
_WIDE_RANGE = 12.0
_NEAR_STEPS = 3
_DIGIT, _HEIGHT = 7.2, 11.0

Box = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class _Axes:
    """Where values are drawn; costs on a logarithmic axis where they differ by much."""

    across: Scale
    up: Scale
    log: bool

    def x(self, cost: float) -> float:
        return self.across(math.log10(cost) if self.log else cost)


def pareto_chart(pareto: Pareto, *, width: float = 700.0) -> str:
    """Return the plot as SVG: cost to the right, quality upwards, the best at the top left.

    A run on the frontier is a filled dot, one within noise of it a ring, one dominated at 95% a ring crossed out,
    so that they differ without their colours. Whiskers are 95% intervals; a limit that does not exist is a dashed
    stub. Dots are numbered by quality, and the numbers explained below, so that no name covers another.
    """
    title = f"{label(str(pareto.quality))} against {cost_label(pareto)}"
    if not pareto.points:
        return drawing(title, "No run to show.", width, 28, [text("No run to show.", 0, 18, colour=MUTED)])
    plot = min(340.0, width * 0.55)
    axes = _axes(pareto, width, plot)
    places = [(axes.x(one.cost), axes.up(one.quality)) for one in pareto.points]
    parts = [*_grid(pareto, axes, width), *_ceiling(pareto, axes), _staircase(pareto, axes)]
    parts += [_whiskers(one, axes) for one in reversed(pareto.points)]
    parts += [_dot(one, x, y) for one, (x, y) in reversed(list(zip(pareto.points, places, strict=True)))]
    drawn = [*_steps(pareto, axes), *(arm for one in pareto.points for arm, _ in _arms(one, axes))]
    parts += _numbers(places, (_LEFT, _TOP, width - _RIGHT, axes.up.left), [_around(one) for one in drawn])
    legend = axes.up.left + _BELOW + 14
    end = legend + len(pareto.points) * _ROW
    key, height = _key(pareto, end + 8, width)
    return drawing(title, _described(pareto), width, height, [*parts, *_legend(pareto, legend, width), *key])


def _axes(pareto: Pareto, width: float, plot: float) -> _Axes:
    costs = [value for one in pareto.points for value in _limits(one.cost, one.cost_interval)]
    qualities = [value for one in pareto.points for value in _limits(one.quality, one.quality_interval)]
    log = min(costs) > 0 and max(costs) > _WIDE_RANGE * min(costs)
    low, high = (math.log10(min(costs)), math.log10(max(costs))) if log else (min(costs), max(costs))
    spare = (high - low) * 0.06 or abs(high) * 0.1 or 1.0
    bottom, top = min(qualities), max(qualities)
    room = (top - bottom) * 0.05 or 0.05
    limits = parse(str(pareto.quality)).traits.bounds
    up = Scale(max(limits[0], bottom - room), min(limits[1], top + room), _TOP + plot, _TOP)
    across = Scale(low - spare if log else max(0.0, low - spare), high + spare, _LEFT, width - _RIGHT)
    return _Axes(across, up, log)


def _limits(value: float, interval: Interval | None) -> list[float]:
    ends = (interval.low, interval.high) if interval else ()
    return [value, *(end for end in ends if end is not None)]


def _grid(pareto: Pareto, axes: _Axes, width: float) -> Iterator[str]:
    bottom = axes.up.left
    for value in ticks(axes.up.low, axes.up.high, 7):
        yield line(_LEFT, axes.up(value), width - _RIGHT, axes.up(value), GRID)
        words = value_text(str(pareto.quality), value)
        shown = words if words.endswith("%") else f"{value:g}"
        yield text(shown.replace(".0%", "%"), _LEFT - 7, axes.up(value) + 4, anchor="end", colour=MUTED)
    last = -math.inf
    for value in _cost_ticks(axes):
        x, words = axes.x(value), cost_text(pareto, value)
        if x - text_width(words) / 2 > last + 8 and x + text_width(words) / 2 < width:
            yield line(x, _TOP, x, bottom, GRID)
            yield text(words, x, bottom + 17, anchor="middle", colour=MUTED)
            last = x + text_width(words) / 2
    scale = " (logarithmic)" if axes.log else ""
    yield text(f"↑ {label(str(pareto.quality))}", 0, 12, colour=MUTED)
    yield text(f"{cost_label(pareto)}{scale} →", width - _RIGHT, bottom + 36, anchor="end", colour=MUTED)


def _cost_ticks(axes: _Axes) -> list[float]:
    low, high = axes.across.low, axes.across.high
    if not axes.log:
        return ticks(low, high, 6)
    powers = range(math.floor(low), math.ceil(high) + 1)
    factors = (1, 2, 5) if high - low < 3 else (1,)
    values = [factor * 10.0**power for power, factor in product(powers, factors)]
    return [value for value in values if low <= math.log10(value) <= high]


def _ceiling(pareto: Pareto, axes: _Axes) -> Iterator[str]:
    if pareto.ceiling is None or (axes.log and pareto.ceiling.limit <= 0):
        return
    x, words = axes.x(pareto.ceiling.limit), f"at most {cost_text(pareto, pareto.ceiling.limit)}"
    yield line(x, _TOP - 8, x, axes.up.left, WARM, 1, dash="5 3")
    near_edge = x + text_width(words) + 6 > axes.across.right
    yield text(words, x - 5 if near_edge else x + 5, _TOP - 2, anchor="end" if near_edge else "start", colour=WARM)


def _staircase(pareto: Pareto, axes: _Axes) -> str:
    """Return the frontier as steps: what is the best quality to be had for at most this cost."""
    steps = list(_steps(pareto, axes))
    path = f"M{number(steps[0][0])} {number(steps[0][1])}"
    path += "".join(f"L{number(x)} {number(y)}" for _, _, x, y in steps)
    style = f"fill:none;stroke:{ACCENT};stroke-width:1.5;stroke-dasharray:6 4"
    return element("path", d=path, style=style)


def _steps(pareto: Pareto, axes: _Axes) -> Iterator[Box]:
    """Yield the frontier's lines from their starts to their ends."""
    dots = sorted((axes.x(one.cost), axes.up(one.quality)) for one in pareto.points if one.on_frontier)
    for (x, y), (next_x, next_y) in pairwise(dots):
        yield x, y, next_x, y
        yield next_x, y, next_x, next_y
    x, y = dots[-1]
    yield x, y, axes.across.right, y


def _whiskers(one: Tradeoff, axes: _Axes) -> str:
    colour = ACCENT if one.on_frontier else MUTED
    lines = [line(*arm, colour, 1.2, dash="2 3" if open_ else "") for arm, open_ in _arms(one, axes)]
    return element("g", *lines, opacity=0.55 if one.on_frontier else 0.3)


def _arms(one: Tradeoff, axes: _Axes) -> Iterator[tuple[Box, bool]]:
    """Yield a dot's whiskers from the dot outwards; one whose limit does not exist is a stub, and open."""
    x, y = axes.x(one.cost), axes.up(one.quality)
    cost, quality = one.cost_interval, one.quality_interval
    for limit, sign in ((cost.low, -1), (cost.high, 1)) if cost else ():
        end = x + sign * _STUB if limit is None or (axes.log and limit <= 0) else axes.x(limit)
        yield (x, y, end, y), limit is None
    for limit, sign in ((quality.low, 1), (quality.high, -1)) if quality else ():
        yield (x, y, x, y + sign * _STUB if limit is None else axes.up(limit)), limit is None


def _dot(one: Tradeoff, x: float, y: float) -> str:
    where = standing(one)
    stroke = ACCENT if where == FRONTIER else MUTED
    style = f"fill:{ACCENT if where == FRONTIER else PAPER};stroke:{stroke};stroke-width:1.6"
    dot = element("circle", cx=x, cy=y, r=_DOT, style=style)
    arm = _DOT * math.sqrt(0.5)
    cross = [line(x - arm, y + turn * arm, x + arm, y - turn * arm, stroke, 1.6) for turn in (-1, 1)]
    return element("g", tooltip(where), dot, *(cross if where == DOMINATED else ()))


def _around(one: Box) -> Box:
    """Return the box around a line, in which no number is to stand."""
    left, right = sorted((one[0], one[2]))
    top, bottom = sorted((one[1], one[3]))
    return left - 1, top - 1, right + 1, bottom + 1


def _numbers(places: Sequence[tuple[float, float]], frame: Box, lines: Sequence[Box] = ()) -> Iterator[str]:
    """Return each dot's number, beside it where there is room, else further off with a thin line to it.

    No number covers another or a dot; where there is room it covers none of the lines either.
    """
    taken: list[Box] = [(x - _DOT - 1, y - _DOT - 1, x + _DOT + 1, y + _DOT + 1) for x, y in places]
    for index, (x, y) in enumerate(places, 1):
        width = len(str(index)) * _DIGIT + 6
        spot = _free(x, y, width, [*taken, *lines], frame, _NEAR_STEPS) or _free(x, y, width, taken, frame)
        box, far = spot or ((x + _DOT, y - _DOT - _HEIGHT, x + _DOT + width, y - _DOT), True)
        taken.append(box)
        middle = (box[0] + box[2]) / 2
        if far:
            height = (box[1] + box[3]) / 2
            edge = (_DOT + 1) / math.dist((x, y), (middle, height))
            yield line(x + edge * (middle - x), y + edge * (height - y), middle, height, MUTED, 0.7)
            style = f"fill:{PAPER}"
            yield element("rect", x=box[0], y=box[1], width=width, height=_HEIGHT, style=style)
        yield text(str(index), middle, box[3] - 1, anchor="middle", bold=True)


def _free(
    x: float, y: float, width: float, taken: Sequence[Box], frame: Box, steps: int = 12
) -> tuple[Box, bool] | None:
    """Return the nearest free place for a number, and whether it is too far off to be understood by itself."""
    angles = [math.pi * turn / 8 for turn in (14, 2, 10, 6, 0, 8, 12, 4, 15, 1, 9, 7, 13, 3, 11, 5)]
    for step, angle in product(range(steps), angles):
        reach = _DOT + 6 + 9 * step
        cx, cy = x + (reach + width / 4) * math.cos(angle), y + reach * math.sin(angle)
        box = (cx - width / 2, cy - _HEIGHT / 2, cx + width / 2, cy + _HEIGHT / 2)
        inside = box[0] >= frame[0] and box[2] <= frame[2] and box[1] >= frame[1] and box[3] <= frame[3]
        if inside and not any(_overlap(box, other) for other in taken):
            return box, step > 0
    return None


def _overlap(one: Box, other: Box) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def _legend(pareto: Pareto, top: float, width: float) -> Iterator[str]:
    """Return a row for each run: its dot, number, name and values."""
    shown = placed_names(pareto)
    names = [shown.of(one.run) for one in pareto.points]
    quality = str(pareto.quality)
    values = [f"{value_text(quality, one.quality)} · {cost_value(pareto, one)}" for one in pareto.points]
    room = min(width - _NAME - max(map(text_width, values)) - 12, max(map(text_width, names)))
    for index, (one, name, value) in enumerate(zip(pareto.points, names, values, strict=True)):
        y = top + index * _ROW
        yield _dot(one, 8, y - 4)
        yield text(str(index + 1), 34, y, anchor="end", bold=True)
        yield element("g", tooltip(name), text(fitting(name, room), _NAME, y, colour=INK))
        yield text(value, _NAME + room + 12, y, colour=MUTED)


def _key(pareto: Pareto, top: float, width: float) -> tuple[list[str], float]:
    """Return what the dots mean, as far as there are such, and where that ends."""
    said = {
        FRONTIER: "on the frontier",
        NEAR: "off it, within noise",
        DOMINATED: "dominated at 95%",
    }
    shown = [where for where in said if any(standing(one) == where for one in pareto.points)]
    parts, x, y = [], 8.0, top + 6
    for where in shown:
        one = next(one for one in pareto.points if standing(one) == where)
        if x > 8 and x + 12 + text_width(said[where]) > width:
            x, y = 8.0, y + _ROW
        parts += [_dot(one, x, y - 4), text(said[where], x + 12, y, colour=MUTED)]
        x += 12 + text_width(said[where]) + 20
    return parts, y + 8


def _described(pareto: Pareto) -> str:
    quality, names = str(pareto.quality), placed_names(pareto)
    return "; ".join(
        f"{names.of(one.run)}: {value_text(quality, one.quality)} at {cost_value(pareto, one)}, {standing(one)}"
        for one in pareto.points
    )
