"""HTML: one file that holds everything it needs, without scripts and without a single request."""

from __future__ import annotations

from ragstone.experiments.report import Report
from ragstone.reports.base import FORMATS, Format


def render_html(report: Report) -> str:
    """Return the report as one self-contained page, for light and dark screens, phones and paper."""
    from ragstone.reports.page_template import fill  # noqa: PLC0415 - jinja2 is loaded where a page is wanted

    return fill(report)


FORMATS.add("html")(Format("html", ".html", render_html))
