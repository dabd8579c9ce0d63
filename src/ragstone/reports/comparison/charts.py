"""The charts of a comparison: differences with their intervals, and every question's change."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup

from ragstone.experiments.comparison.compare import Candidate, Comparison
from ragstone.experiments.comparison.metric import MetricComparison
from ragstone.metrics import Metric
from ragstone.reports.charts import Point, Words, interval_chart
from ragstone.reports.comparison.words import change_number, in_points, metric_label
from ragstone.reports.svg import ACCENT, GRID, INK, MUTED, WARM, Scale, drawing, element, line, text, tooltip

WIDE, NARROW = 700.0, 330.0
_HEIGHT, _LABELS = 110.0, 22.0
_BARS = 350


def difference_chart(comparison: Comparison, width: float) -> Markup:
    """Return differences around 0 with their intervals: every metric of one candidate, of several the primary."""
    many = len(comparison.candidates) > 1
    found = [
        (one.name if many else metric_label(metric.metric), metric)
        for one in comparison.candidates
        for metric in ([one.primary] if many else one.metrics.values())
        if in_points(metric.metric)
    ]
    if not found:
        return Markup("")
    points = [_point(name, metric) for name, metric in found]
    ends = [abs(end) for point in points for end in (point.low, point.high, point.value) if end is not None]
    reach = _round_up(max(ends, default=0.0))
    title = f"Difference from {comparison.names[0]} in points, with {100 * comparison.level:g}% interval"
    words = _signed(found[0][1].metric)
    chart = interval_chart(points, title, words, ticks_as=_tick, bounds=(-reach, reach), width=width)
    return _svg(chart)


def _tick(value: float) -> str:
    return f"{100 * value:+.4g}" if value else "0"


def _point(name: str, found: MetricComparison) -> Point:
    interval = found.paired.interval
    return Point(name, found.paired.difference, interval.low, interval.high)


def _signed(metric: Metric) -> Words:
    return lambda value: change_number(metric, value)


def _round_up(value: float) -> float:
    """Return the next of 1, 2, 5, 10, 20, 50 and 100 points."""
    return next((step / 100 for step in (1, 2, 5, 10, 20, 50) if value <= step / 100), 1.0)


def change_chart(comparison: Comparison, one: Candidate, width: float) -> Markup:
    """Return a bar for each question: its change by the primary metric, the largest gain first.

    Of more questions than can be told apart, evenly spaced ones are drawn, the first and the last among them.
    """
    found = one.primary
    changes = sorted(
        zip(found.differences.tolist(), found.pairs.queries, strict=True), key=lambda each: -each[0] * found.sign
    )
    if not changes:
        return Markup("")
    shown = _evenly(changes)
    name = metric_label(comparison.primary)
    top = max((abs(change) for change, _ in changes), default=0.0) or 1.0
    across, up = Scale(0, len(shown), 0, width), Scale(-top, top, _HEIGHT, 0)
    bars = [_bar(index, change, query, found, across, up) for index, (change, query) in enumerate(shown) if change]
    middle = line(0, up(0), width, up(0), INK)
    paired = found.paired
    said = f"won {paired.wins}, tied {paired.ties}, lost {paired.losses}"
    title = f"Change of every question by {name}, {one.name} against {comparison.names[0]}"
    notes = _labels(paired.wins, paired.ties, paired.losses, width)
    grid = [line(0, y, width, y, GRID) for y in (0.5, _HEIGHT - 0.5)]
    return _svg(drawing(title, said, width, _HEIGHT + _LABELS, [*grid, *bars, middle, *notes]))


def _evenly(changes: Sequence[tuple[float, str]]) -> Sequence[tuple[float, str]]:
    n = len(changes)
    return changes if n <= _BARS else [changes[round(place * (n - 1) / (_BARS - 1))] for place in range(_BARS)]


def _bar(index: int, change: float, query: str, found: MetricComparison, across: Scale, up: Scale) -> str:
    gain = change * found.sign
    left, right = across(index), across(index + 1)
    gap = 1.0 if right - left > 3 else 0.0
    return element(
        "rect",
        tooltip(f"{query}: {change_number(found.metric, change)}"),
        x=left,
        y=min(up(gain), up(0)),
        width=right - left - gap,
        height=abs(up(gain) - up(0)),
        style=f"fill:{ACCENT if gain > 0 else WARM}",
    )


def _labels(wins: int, ties: int, losses: int, width: float) -> Sequence[str]:
    y = _HEIGHT + 16
    return (
        text(f"▲ won {wins}", 0, y, colour=ACCENT),
        text(f"tied {ties}", width / 2, y, anchor="middle", colour=MUTED),
        text(f"▼ lost {losses}", width, y, anchor="end", colour=WARM),
    )


def _svg(chart: str) -> Markup:
    # The charts escape every text themselves.
    return Markup(chart)  # noqa: S704
