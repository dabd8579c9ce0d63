"""The charts of the page: from a report's numbers to SVG."""

from __future__ import annotations

from markupsafe import Markup

from ragstone.experiments.report import Report
from ragstone.experiments.results import RunResult
from ragstone.metrics import parse
from ragstone.reports.charts import Point, Words, bars, interval_chart, step_chart, strip
from ragstone.reports.overview import FEW, latency_of, short_names
from ragstone.reports.words import duration, label, value_text
from ragstone.types import Summary

WIDE, NARROW = 700.0, 340.0
_LABEL = 20
_RANKS = 12
_NO_RANK = "not found"


def metric_chart(report: Report, name: str, width: float = NARROW) -> Markup:
    """Return a metric with its interval for every run."""
    names = short_names(report)
    if width < WIDE and numbered(report):
        names = [str(number) for number in range(1, len(names) + 1)]
    named = zip(names, report.runs, strict=True)
    points = [_point(run, result.summaries.get(name)) for run, result in named]
    title = f"{label(name)} with 95% interval, by run"
    return _svg(
        interval_chart(points, title, _words(name), ticks_as=_ticks(name), bounds=_bounds(name), width=width)
    )


def numbered(report: Report) -> bool:
    """Say whether the runs' names are too long for a small chart, so that numbers stand for them."""
    return max(map(len, short_names(report))) > _LABEL


def slice_strip(value: str, summary: Summary) -> Markup:
    """Return a slice's dot and whisker; empty where the metric has no bounds."""
    low, high = _bounds(summary.metric)
    if high is None:
        return Markup("")
    point = _point(value, summary)
    title = f"{label(summary.metric)} of {value}"
    return _svg(strip(point, title, _words(summary.metric), bounds=(low, high)))


def rank_chart(result: RunResult) -> Markup:
    """Return how many questions found their first relevant hit at each rank; far ranks are taken together."""
    ranks = {int(rank): n for rank, n in result.histogram.items() if rank != "none"}
    near = [(str(rank), ranks.get(rank, 0)) for rank in range(1, min(max(ranks, default=0), _RANKS) + 1)]
    far = sum(n for rank, n in ranks.items() if rank > _RANKS)
    rest = [(f"> {_RANKS}", far)] if far else []
    counts = [*near, *rest, (_NO_RANK, result.histogram.get("none", 0))]
    return _svg(bars(counts, f"Rank of the first relevant hit, {result.run.spec.name}", warn=_NO_RANK))


def latency_chart(result: RunResult) -> Markup:
    """Return the share of searches done by each latency, with p50 and p95."""
    values = [value for found in result.queries if (value := latency_of(found)) is not None]
    known = {name: result.summaries.get(f"latency(p={name})") for name in (50, 95)}
    marks = [
        (f"p{name}{' ≥' if one.at_least else ''}", one.value)
        for name, one in known.items()
        if one and one.value is not None
    ]
    return _svg(step_chart(values, f"Latency, {result.run.spec.name}", duration, marks=marks))


def _svg(drawing: str) -> Markup:
    # The charts escape every text themselves.
    return Markup(drawing)  # noqa: S704


def _point(name: str, summary: Summary | None) -> Point:
    if summary is None:
        return Point(name, None)
    one = summary.interval
    few = 0 < summary.n < FEW
    return Point(name, summary.value, one.low if one else None, one.high if one else None, faint=few)


def _bounds(name: str) -> tuple[float, float | None]:
    low, high = parse(name).traits.bounds
    return (low if low > -1e300 else 0.0), (high if high < 1e300 else None)


def _words(name: str) -> Words:
    return lambda value: value_text(name, value)


def _ticks(name: str) -> Words:
    kind = parse(name).traits.kind
    if kind == "quantile":
        return duration
    return (lambda value: f"{100 * value:g}%") if kind == "rate" else (lambda value: f"{value:g}")
