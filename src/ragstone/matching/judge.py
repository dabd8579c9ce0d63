"""From responses to a judged run: the arrays that metrics read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import accumulate

import numpy as np

from ragstone.matching.match import MatchOptions, match_response
from ragstone.matching.scope import scope_miss
from ragstone.types import Dataset, Failure, Gold, JudgedRun, Response


def judge_run(
    dataset: Dataset,
    responses: Mapping[str, Response],
    options: MatchOptions | None = None,
    *,
    depth: int | None = None,
) -> JudgedRun:
    """Match the responses to the golds of their queries.

    Args:
        dataset: Decides the order of queries in the result.
        responses: By query id; queries without one are not part of the result. A failed response has no hits.
        options: How references are matched.
        depth: How many hits the system could return at most, if it is limited.

    Returns:
        A judged run over the queries that have a response.
    """
    queries = [query for query in dataset.queries if query.id in responses]
    golds = [dataset.golds.get(query.id, ()) for query in queries]
    answers = [responses[query.id] for query in queries]
    starts = _offsets([len(found) for found in golds])
    rows, kept_scores = _rows(answers, golds, starts, options)
    columns = np.array(rows, dtype=np.int32).reshape(-1, 4).T
    return JudgedRun(
        queries=tuple(query.id for query in queries),
        query=columns[0],
        rank=columns[1],
        grade=columns[2],
        gold=columns[3],
        n_returned=np.array([len(scores) for scores in kept_scores], dtype=np.int32),
        gold_grade=np.array([gold.grade for found in golds for gold in found], dtype=np.int32),
        gold_start=starts,
        groups=tuple(dataset.support_groups.get(query.id, ()) for query in queries),
        scores=np.array([score for scores in kept_scores for score in scores], dtype=np.float64),
        score_start=_offsets([len(scores) for scores in kept_scores]),
        depth=depth,
        answerable=np.array([query.answerable for query in queries], dtype=np.int8),
        failed=np.array([answer.failure is not None for answer in answers], dtype=bool),
        failure_kind=tuple(answer.failure.kind if answer.failure else "" for answer in answers),
        abstained=np.array([_flag(answer.abstained) for answer in answers], dtype=np.int8),
        latency_ms=np.array([_latency(answer) for answer in answers], dtype=np.float64),
        scope_miss=np.array(
            [scope_miss(answer.scope, found) for answer, found in zip(answers, golds, strict=True)], dtype=np.int8
        ),
    )


def _rows(
    answers: Sequence[Response],
    golds: Sequence[Sequence[Gold]],
    starts: np.ndarray[tuple[int], np.dtype[np.int64]],
    options: MatchOptions | None,
) -> tuple[list[tuple[int, int, int, int]], list[list[float]]]:
    """Return the judged hits as (query, rank, grade, gold row) and every query's scores after collapsing."""
    rows: list[tuple[int, int, int, int]] = []
    scores = []
    for number, (answer, found) in enumerate(zip(answers, golds, strict=True)):
        hits = () if answer.failure else answer.hits
        matches = match_response(hits, found, options)
        rows.extend(
            (number, match.rank, found[match.gold].grade, int(starts[number]) + match.gold)
            for match in matches
            if match.gold is not None
        )
        given = (hits[match.position].score for match in matches)
        scores.append([float("nan") if score is None else score for score in given])
    return rows, scores


def _offsets(lengths: Sequence[int]) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    return np.fromiter(accumulate(lengths, initial=0), dtype=np.int64, count=len(lengths) + 1)


def _flag(value: bool | None) -> int:
    return -1 if value is None else int(value)


def _latency(answer: Response) -> float:
    failure: Failure | None = answer.failure
    return float("nan") if failure is not None and failure.kind != "timeout" else answer.latency_ms
