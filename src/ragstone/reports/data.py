"""A report as plain data: everything in it, ready for JSON. None means: not computed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from math import isfinite
from typing import Any

from ragstone.experiments.diagnosis.ablation import ablations
from ragstone.experiments.report import Report
from ragstone.experiments.results import QueryResult, RunResult, Slice
from ragstone.reports.bands import band
from ragstone.reports.choice.spread import spread_data
from ragstone.reports.diagnosis.data import ablation_data, diagnosis_data
from ragstone.reports.diagnosis.holes import judged_data
from ragstone.reports.evidence import HitRow, gold_ranks, hit_rows
from ragstone.reports.matching import matching_data
from ragstone.reports.overview import coverage, failures_within, latency_of, verdict_sentence, verdict_word
from ragstone.reports.seed_results import seed_results
from ragstone.reports.words import label
from ragstone.types import Dataset, Gold, Response, Score, Summary

SCHEMA = "ragstone.report/1"
Data = dict[str, Any]


def report_data(report: Report) -> Data:
    """Return everything in a report."""
    return {
        "schema": SCHEMA,
        "benchmark": report.title,
        "description": report.description,
        "batch": report.batch,
        "dataset": dataset_data(report),
        "verdict": {
            "exit_code": int(report.verdict),
            "word": verdict_word(report),
            "sentence": verdict_sentence(report),
        },
        "notices": [asdict(notice) for notice in report.notices],
        "runs": [run_data(report.dataset, result) for result in report.runs],
        "ablation": ablation_data(ablations(report.runs)),
    }


def dataset_data(report: Report) -> Data:
    """Return the identity of the dataset and what it holds."""
    dataset = report.dataset
    answerable = [query for query in dataset.queries if query.answerable]
    return {
        "name": dataset.name,
        "digest": dataset.digest,
        "n": len(dataset.queries),
        "unanswerable": len(dataset.queries) - len(answerable),
        "without_gold": sum(not relevant(dataset.golds.get(query.id, ())) for query in answerable),
    }


def relevant(golds: Sequence[Gold]) -> bool:
    """Say whether there is a gold with a grade above 0."""
    return any(gold.grade > 0 for gold in golds)


def run_data(dataset: Dataset, result: RunResult) -> Data:
    """Return everything about a run."""
    run, spec = result.run, result.run.spec
    return {
        "run_id": run.id,
        "name": spec.name,
        "position": spec.position,
        "state": run.state,
        "error": run.error,
        "created_at": run.created_at,
        "started_at": run.started_at,
        "finished_at": run.finished_at,
        "config": dict(spec.config),
        "config_hash": spec.config_hash,
        "factors": dict(spec.factors),
        "system_options": dict(spec.system),
        "system": dict(run.system),
        "repeats": spec.repeats,
        "primary": str(result.benchmark.primary),
        "coverage": asdict(coverage(result)),
        "policy": result.benchmark.policy._asdict(),
        "matching": matching_data(dataset, result),
        "summaries": [summary_data(one, failures_within(result, one)) for one in result.summaries.values()],
        "slices": [_slice_data(one) for one in result.slices],
        "histogram": dict(result.histogram),
        "spread": {name: spread_data(found) for name, found in result.spread.items()},
        "judged": judged_data(result),
        "diagnosis": diagnosis_data(result),
        "checks": [asdict(check) for check in result.checks],
        "queries": [_query_data(found) for found in result.queries],
        "results": seed_results(result),
    }


def summary_data(summary: Summary, failed: int | None = None) -> Data:
    """Return a summary; `failed` counts the failed searches that its mean holds as misses."""
    counted = {} if failed is None else {"failed": failed}
    return {
        "metric": summary.metric,
        "label": label(summary.metric),
        "value": summary.value,
        "at_least": summary.at_least,
        "n": summary.n,
        **counted,
        "effective_n": summary.effective_n,
        "missing": dict(summary.missing),
        "cut_off": None if summary.cut_off is None else asdict(summary.cut_off),
        "interval": None if summary.interval is None else asdict(summary.interval),
        "band": band(summary.metric, summary.value),
    }


def _slice_data(one: Slice) -> Data:
    summaries = [summary_data(summary) for summary in one.summaries.values()]
    return {"dimension": one.dimension, "value": one.value, "n": one.n, "summaries": summaries}


def _query_data(found: QueryResult) -> Data:
    query, response = found.query, found.response
    return {
        "id": query.id,
        "text": query.text,
        "answerable": query.answerable,
        "category": query.category,
        "difficulty": query.difficulty,
        "tags": list(query.tags),
        "vaults": list(query.vaults),
        "asked": response is not None,
        "scores": scores_data(found.scores),
        "rank": found.rank,
        "hits": [hit_data(row) for row in hit_rows(found)],
        "golds": golds_data(found),
        **_response_data(response),
        "latency_ms": latency_of(found),
    }


def scores_data(scores: Mapping[str, Score]) -> Data:
    """Return each metric's score of one query."""
    return {name: {"value": score.value, "reason": score.reason} for name, score in scores.items()}


def _response_data(response: Response | None) -> Data:
    failure = response.failure if response else None
    return {
        "failure": None if failure is None else asdict(failure),
        "attempts": response.attempts if response else None,
        "degraded": list(response.degraded) if response else [],
        "abstained": response.abstained if response else None,
    }


def hit_data(row: HitRow) -> Data:
    """Return a hit with its gold; a score that is no number becomes None, as JSON has none such."""
    score = row.hit.score
    return {
        "rank": row.rank,
        "id": row.hit.id,
        "document": row.hit.document,
        "heading": list(row.hit.heading),
        "page": row.hit.page,
        "score": score if score is not None and isfinite(score) else None,
        "gold": row.gold,
        "grade": row.grade,
        "repeated": row.repeated,
    }


def golds_data(found: QueryResult) -> list[Data]:
    """Return a query's golds, each with the rank at which it was found."""
    return [
        {
            "kind": gold.kind,
            "document": gold.document,
            "heading": list(gold.heading),
            "page": gold.page,
            "chunk": gold.chunk,
            "grade": gold.grade,
            "rank": rank,
        }
        for gold, rank in zip(found.golds, gold_ranks(found), strict=True)
    ]
