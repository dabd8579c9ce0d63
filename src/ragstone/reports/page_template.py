"""The page's templates: how they are loaded, and the words they may use."""

from __future__ import annotations

from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from ragstone.experiments.report import Report
from ragstone.matching.reference import place
from ragstone.metrics import parse
from ragstone.reports.bands import RULE_OF_THUMB, band
from ragstone.reports.choice.page import matrix_view
from ragstone.reports.diagnosis.holes import hole_warnings, judged_table
from ragstone.reports.diagnosis.page import ablation_view, diagnosis_view, fate_titles
from ragstone.reports.evidence import grade_text
from ragstone.reports.overview import FEW, latency_of, runs_text
from ragstone.reports.page import page
from ragstone.reports.page_charts import slice_strip
from ragstone.reports.plain import plain, shortened
from ragstone.reports.words import (
    count,
    duration,
    interval_text,
    label,
    n_text,
    reason_text,
    reasons_text,
    score_text,
    value_text,
)


def fill(report: Report) -> str:
    """Return the page of a report."""
    return environment().get_template("report.html").render(page(report))


@cache
def environment() -> Environment:
    """Return the environment; every value is stripped of control characters, then escaped."""
    environment = Environment(
        loader=PackageLoader("ragstone.reports"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_plain,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.globals.update(_helpers())
    return environment


def _plain(value: object) -> object:
    return plain(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def _helpers() -> dict[str, Any]:
    return {
        "FEW": FEW,
        "RULE_OF_THUMB": RULE_OF_THUMB,
        "ablation_view": ablation_view,
        "band": band,
        "count": count,
        "diagnosis_view": diagnosis_view,
        "doc": _doc,
        "duration": duration,
        "fate_titles": fate_titles,
        "grade": grade_text,
        "hole_warnings": hole_warnings,
        "interval": interval_text,
        "n_text": n_text,
        "judged_table": judged_table,
        "label": label,
        "latency_of": latency_of,
        "matrix_view": matrix_view,
        "place": place,
        "reason": reason_text,
        "reasons": reasons_text,
        "runs_text": runs_text,
        "score": score_text,
        "shortened": shortened,
        "slice_strip": slice_strip,
        "value": value_text,
        "with_code": _with_code,
    }


def _with_code(text: str) -> Markup:
    """Return escaped text in which what stands between backticks is code."""
    parts = [Markup("{}").format(plain(part)) for part in text.split("`")]
    closed = len(parts) % 2 == 1
    return Markup("").join(
        Markup("<code>{}</code>").format(part) if closed and index % 2 else part
        for index, part in enumerate(parts)
    )


def _doc(name: str) -> str:
    """Return the first paragraph of a metric's definition."""
    return " ".join(parse(name).traits.doc.split("\n\n")[0].split())
