"""The report for a terminal: short, the trouble first."""

from __future__ import annotations

import shutil

from ragstone.experiments.report import Report
from ragstone.reports.base import FORMATS, Format

_NARROWEST = 40
_USUAL = 100


def render_terminal(report: Report, *, width: int = _USUAL, colour: bool = False) -> str:
    """Return the report for a terminal of this width; plain characters unless colour is asked for."""
    from ragstone.reports.terminal_parts import lay_out  # noqa: PLC0415 - rich is loaded where it is wanted

    return lay_out(report, max(width, _NARROWEST), colour=colour)


def terminal_width() -> int:
    """Return the width of the terminal that this process writes to; 100 where there is none."""
    return shutil.get_terminal_size((_USUAL, 24)).columns


FORMATS.add("terminal")(Format("terminal", ".txt", render_terminal))
