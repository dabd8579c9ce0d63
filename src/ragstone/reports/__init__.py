"""Rendering: from a report's content to text. Pure: no store, no clock, no files.

`render` writes a report in any of the registered `FORMATS`. A new format is one module that adds a `Format`.
"""

from ragstone.reports.base import FORMATS, Format, format_of, render
from ragstone.reports.csv import per_query_csv
from ragstone.reports.diagnosis.explanation import explanation_data, render_explanation
from ragstone.reports.json import canonical_json
from ragstone.reports.terminal import render_terminal, terminal_width

__all__ = [
    "FORMATS",
    "Format",
    "canonical_json",
    "explanation_data",
    "format_of",
    "per_query_csv",
    "render",
    "render_explanation",
    "render_terminal",
    "terminal_width",
]
