"""What the page's template is given: the report's sections, cut to what can be read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ragstone.experiments.report import Report
from ragstone.experiments.results import QueryResult, RunResult, Slice
from ragstone.reports.data import dataset_data
from ragstone.reports.evidence import GoldRow, HitRow, gold_rows, hit_rows
from ragstone.reports.hints import hints
from ragstone.reports.matching import GAP_NOTE, MOST, Doubtful, doubtful, gap_rows, lacking, validity_text
from ragstone.reports.overview import (
    Coverage,
    all_metrics,
    answer,
    coverage,
    failures_within,
    is_rejection,
    main_metrics,
    primary,
    shared_notices,
    verdict_sentence,
    verdict_word,
)
from ragstone.reports.page_charts import NARROW, WIDE, latency_chart, metric_chart, numbered, rank_chart
from ragstone.reports.words import NONE, sentence
from ragstone.reports.worst import below_best, failure_groups, lost_counts
from ragstone.types import Dataset, Summary

_NOTICES = 10
_SENTENCES = 4
_QUESTIONS = 20
_FAILURES = 10
_HITS = 10
_GOLDS = 15


@dataclass(frozen=True, slots=True)
class QuestionView:
    """A question with both lists.

    Attributes:
        hits: The first ones, and those further down that match a gold.
        more_hits: How many hits are not shown.
    """

    found: QueryResult
    hits: Sequence[HitRow]
    more_hits: int
    golds: Sequence[GoldRow]
    more_golds: int


@dataclass(frozen=True, slots=True)
class RunView:
    """What the page shows of a run.

    Attributes:
        slices: By dimension; `unscored` more have no question that the primary metric applies to.
        worst: The questions below the best primary score, of which there are `below`.
        lost: In words, where the golds missed by these questions were lost.
        rejections: The unanswerable questions, of which there are `unanswerable`.
        validity: How many golds the corpus has, in words; `lacking` are those that it lacks.
        doubtful: Hits that fit several golds.
    """

    result: RunResult
    coverage: Coverage
    summary: Summary
    failed_within: Mapping[str, int]
    slices: Mapping[str, Sequence[Slice]]
    unscored: int
    rank_chart: str
    latency_chart: str
    failures: Sequence[tuple[str, str, list[str]]]
    more_failures: int
    worst: Sequence[QuestionView]
    below: int
    lost: str
    rejections: Sequence[QueryResult]
    unanswerable: int
    validity: str
    lacking: Sequence[tuple[str, str]]
    doubtful: Sequence[Doubtful]
    facts: Sequence[tuple[str, str]]


def page(report: Report) -> dict[str, Any]:
    """Return everything that the template shows."""
    metrics, notices = main_metrics(report), shared_notices(report)
    name = primary(report.runs[0]).metric
    return {
        "report": report,
        "verdict": verdict_word(report),
        "verdict_sentence": verdict_sentence(report),
        "answer": answer(report),
        "notices": notices[:_NOTICES],
        "more_notices": notices[_NOTICES:],
        "dataset": dataset_data(report),
        "metrics": metrics,
        "primary": name,
        "numbered": numbered(report),
        "sentences": [_sentence(one) for one in report.runs] if 1 < len(report.runs) <= _SENTENCES else [],
        "rejection_metrics": [one for one in all_metrics(report) if is_rejection(one)],
        "primary_chart": metric_chart(report, name, WIDE),
        "primary_chart_narrow": metric_chart(report, name, NARROW),
        "charts": [(one, metric_chart(report, one)) for one in metrics if one != name],
        "checks": list(dict.fromkeys((one.metric, one.limit) for run in report.runs for one in run.checks)),
        "runs": [_run_view(report.dataset, result) for result in report.runs],
        "hints": hints(report),
        "gaps": gap_rows(report),
        "gap_note": GAP_NOTE,
    }


def _sentence(result: RunResult) -> str:
    return sentence(primary(result), failures_within(result, primary(result)))


def _run_view(dataset: Dataset, result: RunResult) -> RunView:
    worst = below_best(result)
    shown = [_question(result, found) for found in worst[:_QUESTIONS]]
    unanswerable = [found for found in result.queries if not found.query.answerable and found.response]
    failures = failure_groups(result)
    return RunView(
        result=result,
        coverage=coverage(result),
        summary=primary(result),
        failed_within={name: failures_within(result, one) for name, one in result.summaries.items()},
        slices=_by_dimension(result),
        unscored=sum(not one.summaries[primary(result).metric].n for one in result.slices),
        rank_chart=rank_chart(result),
        latency_chart=latency_chart(result),
        failures=failures[:_FAILURES],
        more_failures=max(0, len(failures) - _FAILURES),
        worst=shown,
        below=len(worst),
        lost=lost_counts(gold.lost_at for one in shown for gold in one.golds),
        rejections=unanswerable[:_QUESTIONS],
        unanswerable=len(unanswerable),
        validity=validity_text(result),
        lacking=lacking(dataset, result)[:MOST],
        doubtful=doubtful(result)[:MOST],
        facts=list(_facts(result)),
    )


def _question(result: RunResult, found: QueryResult) -> QuestionView:
    rows, golds = hit_rows(found), gold_rows(found, result.benchmark.matching)
    shown = [row for index, row in enumerate(rows) if index < _HITS or (row.grade or 0) > 0]
    return QuestionView(
        found=found,
        hits=shown,
        more_hits=len(rows) - len(shown),
        golds=golds[:_GOLDS],
        more_golds=max(0, len(golds) - _GOLDS),
    )


def _by_dimension(result: RunResult) -> dict[str, list[Slice]]:
    """Return the slices with a scored question; a dimension that holds all such in one slice tells nothing."""
    whole = primary(result)
    groups: dict[str, list[Slice]] = {}
    for one in result.slices:
        if one.summaries[whole.metric].n:
            groups.setdefault(one.dimension, []).append(one)
    return {
        dimension: slices
        for dimension, slices in groups.items()
        if any(one.summaries[whole.metric].n < whole.n for one in slices)
    }


def _facts(result: RunResult) -> Iterator[tuple[str, str]]:
    spec = result.run.spec
    yield "run id", result.run.id
    yield "configuration hash", spec.config_hash
    yield "started", result.run.started_at or NONE
    yield "finished", result.run.finished_at or NONE
    for title, facts in (("config", spec.config), ("system", spec.system), ("reported", result.run.system)):
        yield from ((f"{title}: {key}", value) for key, value in _flat(facts))


def _flat(facts: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, str]]:
    for key, value in facts.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", "none" if value is None else str(value)
