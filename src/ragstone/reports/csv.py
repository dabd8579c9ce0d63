"""CSV (RFC 4180): one row for each run and metric, and one for each run, question and metric."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Sequence

from ragstone.experiments.report import Report
from ragstone.experiments.results import RunResult
from ragstone.reports.base import FORMATS, Format
from ragstone.types import Summary

Cell = str | int | float | None

_SUMMARY = (
    "run", "config_hash", "metric", "value", "n", "missing", "low", "high", "level", "method", "reasons",
    "at_least", "cut_off",
)  # fmt: skip
_SCORE = ("run", "query_id", "metric", "value", "reason")
# What a spreadsheet takes for the start of a formula, the full-width forms among them.
_FORMULA = tuple("=+-@\t\r\n\uff1d\uff0b\uff0d\uff20")


def render_csv(report: Report) -> str:
    """Return one row for each run and metric; empty cells are not computed, `reasons` says why.

    `cut_off` counts the searches that were cut off at the time limit; `at_least` is 1 where the value rests on
    them and is known only to be at least so much, else 0.
    """
    return csv_table(_SUMMARY, (row for result in report.runs for row in _summaries(result)))


def per_query_csv(report: Report) -> str:
    """Return one row for each run, question and metric: its value, or the reason why there is none.

    A latency with the reason ``timeout`` is known only to be at least so much.
    """
    return csv_table(_SCORE, (row for result in report.runs for row in _scores(result)))


def _summaries(result: RunResult) -> Iterator[Sequence[Cell]]:
    spec = result.run.spec
    for summary in result.summaries.values():
        cut_off = (int(summary.at_least), summary.cut_off.n if summary.cut_off else 0)
        yield (spec.name, spec.config_hash, *_summary(summary), _reasons(summary), *cut_off)


def _summary(summary: Summary) -> Sequence[Cell]:
    one = summary.interval
    limits = (one.low, one.high, one.level, one.method) if one else (None,) * 4
    return (summary.metric, summary.value, summary.n, sum(summary.missing.values()), *limits)


def _reasons(summary: Summary) -> str:
    return "; ".join(f"{count} {reason}" for reason, count in summary.missing.items())


def _scores(result: RunResult) -> Iterator[Sequence[Cell]]:
    for found in result.queries:
        for metric, score in found.scores.items():
            yield (result.run.spec.name, found.query.id, metric, score.value, score.reason)


def csv_table(header: Sequence[str], rows: Iterable[Sequence[Cell]]) -> str:
    """Return a table as CSV; texts that a spreadsheet would compute are made harmless."""
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow(header)
    writer.writerows([_safe(cell) for cell in row] for row in rows)
    return text.getvalue()


def _safe(cell: Cell) -> Cell:
    """Return a text so that a spreadsheet shows it and never computes it; numbers stay numbers."""
    if not isinstance(cell, str):
        return cell
    text = cell.encode("utf-8", "replace").decode()
    return f"'{text}" if text.startswith(_FORMULA) else text


FORMATS.add("csv")(Format("csv", ".csv", render_csv))
