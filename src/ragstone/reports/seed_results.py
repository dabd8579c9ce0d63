"""The result fields of the needle benchmark, under its names. None means: not computed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ragstone.experiments.results import QueryResult, RunResult
from ragstone.reports.overview import latency_of

_NOT_JUDGED = ("avg_llm_grade", "avg_total_score", "pass_rate_8", "pass_rate_7", "pass_rate_6_5")


def seed_results(result: RunResult) -> dict[str, Any]:
    """Return a run in the fields of the needle benchmark; rates are fractions.

    A question counts where it is answerable, has relevant gold and was asked; a failed search counts as a miss
    unless the benchmark leaves failures out. `accuracy` is the share whose gold is anywhere in the returned list.
    """
    rows = [_row(result, found) for found in result.queries]
    return {
        "strategy": result.run.spec.name,
        "accuracy": _mean(row["needle_found"] for row in rows),
        "hit_at_1_rate": _mean(row["hit_at_1"] for row in rows),
        "hit_at_5_rate": _mean(row["hit_at_5"] for row in rows),
        "mrr": _mean(_reciprocal(row) for row in rows),
        **dict.fromkeys(_NOT_JUDGED),
        "avg_latency_ms": _mean(row["latency_ms"] for row in rows),
        "peak_memory_mb": None,
        "results": rows,
    }


def _row(result: RunResult, found: QueryResult) -> dict[str, Any]:
    counts, rank = _counts(result, found), found.rank
    best = max(found.golds, key=lambda gold: gold.grade, default=None)
    return {
        "question_id": found.query.id,
        "question": found.query.text,
        "expected_answer": found.query.expected_answer,
        "target_doc_id": best.document or None if best and best.grade > 0 else None,
        "needle_found": rank is not None if counts else None,
        "rank": rank,
        "hit_at_1": rank == 1 if counts else None,
        "hit_at_5": (rank is not None and rank <= 5) if counts else None,
        "llm_grade": None,
        "llm_reasoning": None,
        "total_score": None,
        "latency_ms": latency_of(found),
        "grading_latency_ms": None,
    }


def _counts(result: RunResult, found: QueryResult) -> bool:
    if found.response is None or not found.query.answerable:
        return False
    left_out = found.response.failure is not None and result.benchmark.policy.on_error == "exclude"
    return not left_out and any(gold.grade > 0 for gold in found.golds)


def _reciprocal(row: dict[str, Any]) -> float | None:
    if row["needle_found"] is None:
        return None
    return 1 / row["rank"] if row["rank"] else 0.0


def _mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None
