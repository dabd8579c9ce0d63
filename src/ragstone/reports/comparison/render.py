"""Rendering a comparison: the formats that there are, and how one is chosen."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import PurePath

from ragstone.errors import UsageError
from ragstone.experiments.comparison.compare import Comparison
from ragstone.registry import Registry


@dataclass(frozen=True, slots=True)
class ComparisonFormat:
    """A way to write a comparison.

    Attributes:
        suffix: Of a file in this format, with the dot.
        render: Takes the comparison, returns its text.
    """

    name: str
    suffix: str
    render: Callable[[Comparison], str]


COMPARISON_FORMATS: Registry[ComparisonFormat] = Registry(
    "comparison format",
    group="comparison_formats",
    modules=(
        "ragstone.reports.comparison.json",
        "ragstone.reports.comparison.junit",
        "ragstone.reports.comparison.markdown",
        "ragstone.reports.comparison.page",
        "ragstone.reports.comparison.terminal",
    ),
)


def render_comparison(comparison: Comparison, format_name: str) -> str:
    """Return the comparison in a format: terminal, markdown, html, json or junit.

    Raises:
        UnknownNameError: There is no such format; the message lists those that there are.
    """
    return COMPARISON_FORMATS[format_name].render(comparison)


def comparison_format_of(form: str | None, out: PurePath | None, *, as_json: bool = False) -> str:
    """Return the format that a command's options ask for: the one named, else by the file's suffix, else terminal.

    Raises:
        UsageError: Two options ask for different formats, or no format has the file's suffix.
    """
    if as_json and form not in (None, "json"):
        raise UsageError(f"--json and --format {form} ask for different formats; choose one")
    if form or as_json:
        return form or "json"
    if out is None:
        return "terminal"
    suffixes = {one.suffix: name for name, one in COMPARISON_FORMATS.items()}
    if out.suffix.lower() not in suffixes:
        raise UsageError(
            f"the suffix of {out.name!r} names no format; known: {', '.join(sorted(suffixes))}; "
            "or give the format with --format"
        )
    return suffixes[out.suffix.lower()]
