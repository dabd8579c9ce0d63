"""In what the questions of two runs differ: which were asked, how, and with which golds."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from ragstone.experiments.results import QueryResult, RunResult

_WORDS = {
    "baseline": "only in the baseline",
    "candidate": "only in the other",
    "text": "asked in other words",
    "golds": "with other golds or grades",
    "fields": "with another category, tag or the like",
}


def questions_apart(baseline: RunResult, candidate: RunResult) -> str:
    """Return how many questions differ in what, each counted once; empty where none does.

    Example:
        ``12 questions only in the baseline, 5 only in the other, 3 with other golds or grades``
    """
    first, second = ({one.query.id: one for one in run.queries} for run in (baseline, candidate))
    counts = Counter(_difference(first.get(query), second.get(query)) for query in {**first, **second})
    said = [f"{counts[key]:,} {words}" for key, words in _WORDS.items() if counts[key]]
    if not said:
        return ""
    number, _, rest = said[0].partition(" ")
    return ", ".join([f"{number} {'question' if number == '1' else 'questions'} {rest}", *said[1:]])


def _difference(first: QueryResult | None, second: QueryResult | None) -> str:
    """Return the gravest difference of a question in two runs; empty where there is none."""
    if first is None or second is None:
        return "candidate" if first is None else "baseline"
    if first.query.text != second.query.text:
        return "text"
    if _golds(first) != _golds(second):
        return "golds"
    one, other = (replace(found.query, notes=None, provenance={}) for found in (first, second))
    return "fields" if one != other else ""


def _golds(found: QueryResult) -> tuple[list[str], tuple[tuple[int, ...], ...]]:
    return sorted(map(repr, found.golds)), found.groups
