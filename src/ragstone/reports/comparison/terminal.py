"""A comparison for a terminal: the verdict in words, then the table, then what changed."""

from __future__ import annotations

from ragstone.experiments.comparison.compare import Comparison
from ragstone.reports.comparison.render import COMPARISON_FORMATS, ComparisonFormat

_NARROWEST = 40
_USUAL = 100


def render_comparison_terminal(comparison: Comparison, *, width: int = _USUAL, colour: bool = False) -> str:
    """Return the comparison for a terminal of this width; plain characters unless colour is asked for."""
    from ragstone.reports.comparison.terminal_parts import lay_out  # noqa: PLC0415 - rich only where wanted

    return lay_out(comparison, max(width, _NARROWEST), colour=colour)


COMPARISON_FORMATS.add("terminal")(ComparisonFormat("terminal", ".txt", render_comparison_terminal))
