"""From responses to a judged run: the arrays that metrics read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from ragstone.matching.match import Match, match_response
from ragstone.matching.options import MatchOptions
from ragstone.matching.scope import scope_miss
from ragstone.types import Dataset, Failure, Gold, Hit, JudgedRun, Response


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
    hits = [() if answer.failure else answer.hits for answer in answers]
    matches = [match_response(one, found, options) for one, found in zip(hits, golds, strict=True)]
    columns = _columns(_rows(matches, golds, starts.tolist()), 4)
    further = _columns(_further(matches, starts.tolist()), 3)
    kept_scores = [_scores(one, found) for one, found in zip(hits, matches, strict=True)]
    return JudgedRun(
        queries=tuple(query.id for query in queries),
        query=columns[0],
        rank=columns[1],
        grade=columns[2],
        gold=columns[3],
        further_query=further[0],
        further_rank=further[1],
        further_gold=further[2],
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
    matches: Sequence[Sequence[Match]], golds: Sequence[Sequence[Gold]], starts: Sequence[int]
) -> list[tuple[int, int, int, int]]:
    """Return the judged hits as (query, rank, grade, gold row)."""
    return [
        (number, match.rank, found[match.gold].grade, start + match.gold)
        for number, (matched, found, start) in enumerate(zip(matches, golds, starts, strict=False))
        for match in matched
        if match.gold is not None
    ]


def _further(matches: Sequence[Sequence[Match]], starts: Sequence[int]) -> list[tuple[int, int, int]]:
    """Return the golds that hits fit beside the one they were matched to, as (query, rank, gold row)."""
    return [
        (number, match.rank, start + gold)
        for number, (matched, start) in enumerate(zip(matches, starts, strict=False))
        for match in matched
        for gold in match.alternatives
        if gold != match.gold
    ]


def _columns(rows: Sequence[tuple[int, ...]], width: int) -> NDArray[np.int32]:
    return np.array(rows, dtype=np.int32).reshape(-1, width).T


def _scores(hits: Sequence[Hit], matches: Sequence[Match]) -> list[float]:
    """Return the scores of the hits that were kept, NaN where the system gave none."""
    given = (hits[match.position].score for match in matches)
    return [float("nan") if score is None else score for score in given]


def _offsets(lengths: Sequence[int]) -> NDArray[np.int64]:
    return np.fromiter(accumulate(lengths, initial=0), dtype=np.int64, count=len(lengths) + 1)


def _flag(value: bool | None) -> int:
    return -1 if value is None else int(value)


def _latency(answer: Response) -> float:
    failure: Failure | None = answer.failure
    return float("nan") if failure is not None and failure.kind != "timeout" else answer.latency_ms
