"""Why one question came out as it did: as text and as data."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ragstone.experiments.diagnosis.explain import trace_golds
from ragstone.experiments.diagnosis.fates import Fate, cutoff_of, fates
from ragstone.experiments.results import QueryResult, RunResult
from ragstone.matching.reference import place
from ragstone.reports.data import golds_data, hit_data, scores_data
from ragstone.reports.diagnosis.words import because, title
from ragstone.reports.evidence import GoldRow, HitRow, gold_rows, grade_text, hit_rows
from ragstone.reports.overview import is_latency, latency_of
from ragstone.reports.plain import plain, shortened
from ragstone.reports.words import duration, label, reason_text, score_text

_WIDTH = 72


def render_explanation(result: RunResult, found: QueryResult) -> str:
    """Return why a question came out as it did: its hits with gold marks, and where missed golds were lost."""
    return "\n".join(plain(line) for line in _lines(result, found)) + "\n"


def explanation_data(result: RunResult, found: QueryResult) -> dict[str, Any]:
    """Return the same as data: question, scores, hits, golds and the trace of each gold through the stages."""
    query, response = found.query, found.response
    failure = response.failure if response else None
    return {
        "schema": "ragstone.explanation/1",
        "run_id": result.run.id,
        "run": result.run.spec.name,
        "query": query.id,
        "text": query.text,
        "answerable": query.answerable,
        "expected_answer": query.expected_answer,
        "asked": response is not None,
        "failure": None if failure is None else {"kind": failure.kind, "message": failure.message},
        "latency_ms": latency_of(found),
        "scores": scores_data(found.scores),
        "hits": [{**hit_data(row), "text": row.hit.text} for row in hit_rows(found)],
        "golds": golds_data(found),
        "fate": _fate_data(fates(result)[query.id]),
        "traces": [
            {
                "gold": place(trace.gold),
                "grade": trace.gold.grade,
                "rank": trace.rank,
                "stages": dict(trace.stages),
                "lost_at": trace.lost_at,
            }
            for trace in trace_golds(found, result.benchmark.matching)
        ],
    }


def _lines(result: RunResult, found: QueryResult) -> Iterator[str]:
    query, response = found.query, found.response
    yield f"{query.id}  {query.text}"
    yield f"run       {result.run.spec.name} ({result.run.id})"
    if query.expected_answer:
        yield f"expected  {query.expected_answer}"
    if response is None:
        yield "This question has not been asked yet."
        return
    if response.failure:
        yield f"The search failed ({response.failure.kind.replace('_', ' ')}): {response.failure.message}"
    yield from (f"degraded  {note}" for note in response.degraded)
    yield ""
    yield from _score_lines(found)
    yield from _hit_lines(hit_rows(found))
    yield from _gold_lines(found, gold_rows(found, result.benchmark.matching))
    yield from _fate_lines(result, found)


def _fate_data(fate: Fate | str) -> dict[str, Any]:
    """Return how far the evidence came; a reason where there is none to follow."""
    if isinstance(fate, str):
        return {"leaf": None, "reason": fate, "golds": {}, "required": []}
    golds = {str(index): leaf for index, leaf in fate.golds.items()}
    return {"leaf": fate.leaf, "reason": None, "golds": golds, "required": list(fate.required)}


def _fate_lines(result: RunResult, found: QueryResult) -> Iterator[str]:
    fate, cutoff = fates(result)[found.query.id], cutoff_of(result)
    if isinstance(fate, str):
        return
    reason = because(fate.leaf, cutoff)
    yield ""
    yield f"Evidence  {title(fate.leaf, cutoff)}" + (f": {reason}" if reason else "")
    if len(fate.required) > 1:
        yield f"  {len(fate.required)} golds are needed together:"
        for index in fate.required:
            place_of = shortened(place(found.golds[index]), _WIDTH)
            yield f"       {place_of:{_WIDTH}}  {title(fate.golds[index], cutoff).lower()}"


def _score_lines(found: QueryResult) -> Iterator[str]:
    latency = latency_of(found)
    if latency is not None:
        yield _score_line("Latency", duration(latency))
    for name, score in found.scores.items():
        if not is_latency(name):
            reason = f"not computed: {reason_text(score.reason)}"
            said = reason if score.value is None else score_text(name, score.value)
            yield _score_line(label(name, single=True), said)


def _score_line(name: str, value: str) -> str:
    return f"{name:32}{value}"


def _hit_lines(rows: list[HitRow]) -> Iterator[str]:
    yield ""
    yield f"Retrieved ({len(rows)})"
    for row in rows:
        rank = "" if row.rank is None else str(row.rank)
        mark = "*" if (row.grade or 0) > 0 else " "
        yield f" {mark}{rank:>3}  {shortened(place(row.hit), _WIDTH):{_WIDTH}}  {row.mark}"


def _gold_lines(found: QueryResult, rows: list[GoldRow]) -> Iterator[str]:
    yield ""
    yield (
        f"Golds ({len(rows)})"
        if rows
        else "No relevant gold" + ("" if found.query.answerable else ": unanswerable")
    )
    for row in rows:
        mark, name = "*" if row.rank else " ", shortened(place(row.gold), _WIDTH)
        yield f" {mark}     {name:{_WIDTH}}  {grade_text(row.gold.grade)}: {row.fate}"
