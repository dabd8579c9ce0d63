"""Which questions went worst, and which searches failed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from ragstone.experiments.report import Report
from ragstone.experiments.results import QueryResult, RunResult
from ragstone.metrics import Metric
from ragstone.reports.evidence import lost_words


@dataclass(frozen=True, slots=True)
class Hard:
    """A question with its mean primary score over the runs, and in how many of them its search failed."""

    found: QueryResult
    value: float
    failed: int


def below_best(result: RunResult) -> list[QueryResult]:
    """Return the questions whose search worked but whose primary score is not the best there is, worst first."""
    name, sign = str(result.benchmark.primary), direction(result.benchmark.primary)
    scored = [
        (sign * value, index, found)
        for index, found in enumerate(result.queries)
        if found.response and not found.response.failure and (value := found.scores[name].value) is not None
    ]
    best = _best(result.benchmark.primary)
    return [found for value, _, found in sorted(scored, key=_worst_first) if value < best]


def hardest(report: Report) -> list[Hard]:
    """Return the questions below the best score with their mean primary score over the runs, worst first."""
    metric = report.runs[0].benchmark.primary
    columns = zip(*(result.queries for result in report.runs), strict=True)
    hard = [one for column in columns if (one := _hard(column, str(metric)))]
    sign, best = direction(metric), _best(metric)
    return sorted((one for one in hard if sign * one.value < best), key=lambda one: sign * one.value)


def _hard(column: tuple[QueryResult, ...], name: str) -> Hard | None:
    values = [value for found in column if (value := found.scores[name].value) is not None]
    failed = sum(bool(found.response and found.response.failure) for found in column)
    return Hard(column[0], sum(values) / len(values), failed) if values else None


def direction(metric: Metric) -> float:
    """Return 1 where higher values are better, -1 where lower ones are."""
    return -1.0 if metric.traits.higher_is_better is False else 1.0


def _best(metric: Metric) -> float:
    return max(direction(metric) * bound for bound in metric.traits.bounds)


def _worst_first(scored: tuple[float, int, QueryResult]) -> tuple[float, int]:
    return scored[0], scored[1]


def failure_groups(result: RunResult) -> list[tuple[str, str, list[str]]]:
    """Return the failures of a run by kind and message, the commonest first, with the ids of the questions."""
    groups: dict[tuple[str, str], list[str]] = {}
    for found in result.failed:
        for failure in found.failures:
            groups.setdefault((failure.kind.replace("_", " "), failure.message), []).append(found.query.id)
    ordered = sorted(groups.items(), key=lambda group: -len(group[1]))
    return [(kind, message, ids) for (kind, message), ids in ordered]


def lost_counts(stages: Iterable[str | None]) -> str:
    """Return in words where golds were lost, the commonest place first."""
    counts = Counter(stage for stage in stages if stage)
    return ", ".join(f"{n} {lost_words(stage)}" for stage, n in counts.most_common())
