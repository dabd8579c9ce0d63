"""The history of a benchmark as text, Markdown, CSV, SVG, HTML and data."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import PurePath
from typing import Any

from markupsafe import Markup

from ragstone.errors import UsageError
from ragstone.experiments.history import History, Moment, Track
from ragstone.metrics import Metric
from ragstone.reports.csv import csv_table
from ragstone.reports.escape import escaped
from ragstone.reports.history.chart import axis_of, track_chart
from ragstone.reports.history.words import NOISE, changes_text, day, history_sentence, mark_text
from ragstone.reports.page_template import environment
from ragstone.reports.plain import plain
from ragstone.reports.svg import drawing, element, text
from ragstone.reports.words import interval_text, label, value_text
from ragstone.stats.paired import PairedComparison

_WIDTH, _NARROW, _ROW = 700.0, 340.0, 190.0
FORMATS = (".csv", ".html", ".json", ".md", ".svg")


def render_history(found: History, out: PurePath | None = None) -> str:
    """Return a history in the format of a file's suffix; as plain text without one.

    Raises:
        UsageError: The suffix names no format.
    """
    suffix = ".txt" if out is None else out.suffix.lower()
    if suffix == ".json":
        import json  # noqa: PLC0415

        return json.dumps(history_data(found), ensure_ascii=False, indent=2, allow_nan=False) + "\n"
    writers = {".txt": _text, ".csv": _csv, ".html": _html, ".md": _markdown, ".svg": _svg}
    if suffix not in writers:
        raise UsageError(f"the suffix of {out.name if out else ''!r} names no format; known: {', '.join(FORMATS)}")
    return writers[suffix](found)


def history_data(found: History) -> dict[str, Any]:
    """Return a history as data."""
    return {
        "schema": "ragstone.history/1",
        "benchmark": found.benchmark,
        "metric": str(found.metric),
        "sentence": history_sentence(found),
        "tracks": [
            {"name": track.name, "moments": [_moment_data(moment) for moment in track.moments]}
            for track in found.tracks
        ],
    }


def _moment_data(moment: Moment) -> dict[str, Any]:
    run, value = moment.run, moment.value
    return {
        "run_id": run.id,
        "batch": run.batch,
        "state": run.state,
        "created_at": run.created_at,
        "dataset": run.dataset,
        "value": value.value,
        "n": value.n,
        "missing": dict(value.missing),
        "interval": None if value.interval is None else asdict(value.interval),
        "mark": moment.mark,
        "reason": moment.reason or None,
        "comparison": None if moment.comparison is None else asdict(moment.comparison),
        "changes": [asdict(change) for change in moment.changes],
    }


def _rows(track: Track, metric: Metric) -> Iterator[list[str]]:
    name = str(metric)
    for moment in track.moments:
        value = moment.value
        yield [
            day(moment.run),
            moment.run.id,
            value_text(name, value.value, at_least=value.at_least),
            interval_text(name, value.interval),
            str(value.n),
            mark_text(moment, metric),
            changes_text(moment.changes),
        ]


_HEADER = ("planned", "run", "value", "95% interval", "n", "against the run before", "what changed")


def _text(found: History) -> str:
    metric = str(found.metric)
    lines = [history_sentence(found)]
    for track in found.tracks:
        rows = [[*_HEADER[:2], label(metric), *_HEADER[3:]], *_rows(track, found.metric)]
        shown = [[plain(cell) for cell in row] for row in rows]
        widths = [max(len(row[at]) for row in shown) for at in range(len(_HEADER))]
        lines += ["", plain(track.name)]
        lines += [
            ("  " + "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True))).rstrip()
            for row in shown
        ]
    return "\n".join([plain(lines[0]), *lines[1:], "", NOISE]) + "\n"


def _markdown(found: History) -> str:
    metric = str(found.metric)
    parts = [f"# {escaped(found.benchmark)} over time\n\n{escaped(history_sentence(found))}\n"]
    for track in found.tracks:
        header = [*_HEADER[:2], label(metric), *_HEADER[3:]]
        rule = ["---", "---", "---:", "---:", "---:", "---", "---"]
        rows = [[escaped(cell) for cell in row] for row in _rows(track, found.metric)]
        table = "\n".join("| " + " | ".join(cells) + " |" for cells in (header, rule, *rows))
        parts.append(f"\n## {escaped(track.name)}\n\n{table}\n")
    return "".join([*parts, f"\n{NOISE}\n"])


def _csv(found: History) -> str:
    header = (
        "run_name", "run_id", "created_at", "state", "dataset", "metric", "value", "low", "high", "n", "mark",
        "reason", "difference", "p", "changes",
    )  # fmt: skip
    rows = [_csv_row(track, moment, str(found.metric)) for track in found.tracks for moment in track.moments]
    return csv_table(header, rows)


def _csv_row(track: Track, moment: Moment, metric: str) -> list[str | int | float | None]:
    run, value, found = moment.run, moment.value, moment.comparison
    low, high = (value.interval.low, value.interval.high) if value.interval else (None, None)
    change = (found.difference if found else None, found.p if isinstance(found, PairedComparison) else None)
    head = [track.name, run.id, run.created_at, run.state, run.dataset]
    changed = changes_text(moment.changes, len(moment.changes))
    return [*head, metric, value.value, low, high, value.n, moment.mark, moment.reason, *change, changed]


def _charts(found: History, width: float) -> list[str]:
    bounds = axis_of(found.tracks, found.metric.traits.bounds)
    return [track_chart(track, found.metric, width=width, bounds=bounds) for track in found.tracks]


def _svg(found: History) -> str:
    """Return all tracks in one drawing, one under another."""
    parts = []
    for index, (track, chart) in enumerate(zip(found.tracks, _charts(found, _WIDTH), strict=True)):
        move = f"translate(0 {index * _ROW:.0f})"
        inner = element("g", chart, transform="translate(0 22)")
        parts.append(element("g", text(track.name, 0, 14, bold=True), inner, transform=move))
    title = f"{label(str(found.metric))} of {found.benchmark} over time"
    return drawing(title, history_sentence(found), _WIDTH, len(found.tracks) * _ROW, parts) + "\n"


def _html(found: History) -> str:
    # The charts escape every text themselves.
    charts = {width: [Markup(chart) for chart in _charts(found, width)] for width in (_WIDTH, _NARROW)}  # noqa: S704
    return (
        environment()
        .get_template("history.html")
        .render(
            found=found,
            metric=str(found.metric),
            sentence=history_sentence(found),
            noise=NOISE,
            header=[*_HEADER[:2], label(str(found.metric)), *_HEADER[3:]],
            tracks=[
                (track, wide, narrow, list(zip(track.moments, _rows(track, found.metric), strict=True)))
                for track, wide, narrow in zip(found.tracks, charts[_WIDTH], charts[_NARROW], strict=True)
            ],
        )
    )
