"""What a report format is, and the registry of those that there are."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import PurePath

from ragstone.errors import UsageError
from ragstone.experiments.report import Report
from ragstone.registry import Registry


@dataclass(frozen=True, slots=True)
class Format:
    """A way to write a report.

    Attributes:
        suffix: Of a file in this format, with the dot.
        render: Takes the report, returns its text.
    """

    name: str
    suffix: str
    render: Callable[[Report], str]


FORMATS: Registry[Format] = Registry(
    "report format",
    group="report_formats",
    modules=(
        "ragstone.reports.csv",
        "ragstone.reports.html",
        "ragstone.reports.json",
        "ragstone.reports.markdown",
        "ragstone.reports.terminal",
    ),
)


def render(report: Report, format_name: str) -> str:
    """Return the report in a format.

    Raises:
        UnknownNameError: There is no such format; the message lists those that there are.
    """
    return FORMATS[format_name].render(report)


def format_of(
    form: str | None,
    out: PurePath | None,
    *,
    as_json: bool = False,
    canonical: bool = False,
    per_query: bool = False,
) -> str:
    """Return the format that a command's options ask for: `canonical`, `per-query` or a name in `FORMATS`.

    Without an option, the suffix of the file to write decides; without a file, it is `terminal`.

    Raises:
        UsageError: Two options ask for different formats, or no format has the file's suffix.
    """
    flags = {"json": as_json, "canonical": canonical, "per-query": per_query}
    asked = [*([form] if form else []), *(name for name, on in flags.items() if on)]
    # A canonical report is JSON, and the scores by question are CSV: saying so twice is no contradiction.
    kinds = {{"canonical": "json", "per-query": "csv"}.get(name, name) for name in asked}
    if len(kinds) > 1:
        raise UsageError(f"the options ask for different formats: {', '.join(asked)}; choose one")
    if asked:
        return asked[-1]
    return "terminal" if out is None else _by_suffix(out)


def _by_suffix(out: PurePath) -> str:
    suffixes = {one.suffix: name for name, one in FORMATS.items()}
    if out.suffix.lower() not in suffixes:
        raise UsageError(
            f"the suffix of {out.name!r} names no report format; known: {', '.join(sorted(suffixes))}; "
            "or give the format with --format"
        )
    return suffixes[out.suffix.lower()]
