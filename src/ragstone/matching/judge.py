"""From responses to a judged run: the arrays that metrics read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from ragstone.matching.match import Match, match_response
from ragstone.matching.normalise import forget_names
from ragstone.matching.options import MatchOptions
from ragstone.matching.scope import scope_miss
from ragstone.types import Dataset, Failure, Gold, Hit, JudgedRun, Response

_NAN = float("nan")


def judge_run(
    dataset: Dataset,
    responses: Mapping[str, Response],
    options: MatchOptions | None = None,
    *,
    depth: int | None = None,
    known: Mapping[str, Sequence[Match]] | None = None,
) -> JudgedRun:
    """Match the responses to the golds of their queries.

    Args:
        dataset: Decides the order of queries in the result.
        responses: By query id; queries without one are not part of the result. A failed response has no hits.
        options: How references are matched.
        depth: How many hits the system could return at most, if it is limited.
        known: The matches by query id, where `match_response` has found them already; then `options` do not count.

    Returns:
        A judged run over the queries that have a response.
    """
    queries = [query for query in dataset.queries if query.id in responses]
    golds = [dataset.golds.get(query.id, ()) for query in queries]
    answers = [responses[query.id] for query in queries]
    starts = _offsets([len(found) for found in golds])
    hits = [() if answer.failure else answer.hits for answer in answers]
    matches = (
        known[query.id] if known is not None else match_response(own, wanted, options)
        for query, own, wanted in zip(queries, hits, golds, strict=True)
    )
    matched = _gathered(matches, hits, golds, starts.tolist())
    forget_names()
    columns, further = _columns(matched.rows, 4), _columns(matched.further, 3)
    return JudgedRun(
        queries=tuple(query.id for query in queries),
        query=columns[0],
        rank=columns[1],
        grade=columns[2],
        gold=columns[3],
        further_query=further[0],
        further_rank=further[1],
        further_gold=further[2],
        n_returned=np.array([len(scores) for scores in matched.scores], dtype=np.int32),
        gold_grade=np.array([gold.grade for found in golds for gold in found], dtype=np.int32),
        gold_start=starts,
        groups=tuple(dataset.support_groups.get(query.id, ()) for query in queries),
        scores=np.array([score for scores in matched.scores for score in scores], dtype=np.float64),
        score_start=_offsets([len(scores) for scores in matched.scores]),
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


@dataclass(frozen=True, slots=True)
class _Matched:
    """What all queries have together.

    Attributes:
        rows: The judged hits as (query, rank, grade, gold row).
        further: The golds that hits fit beside the one they were matched to, as (query, rank, gold row).
        scores: Every query's scores after collapsing, NaN where the system gave none.
    """

    rows: list[tuple[int, int, int, int]] = field(default_factory=list)
    further: list[tuple[int, int, int]] = field(default_factory=list)
    scores: list[list[float]] = field(default_factory=list)


def _gathered(
    matches: Iterable[Sequence[Match]],
    hits: Sequence[Sequence[Hit]],
    golds: Sequence[Sequence[Gold]],
    starts: Sequence[int],
) -> _Matched:
    """Gather query by query, keeping numbers alone: the matches of a large run would crowd the memory."""
    found = _Matched()
    for number, (matched, own, wanted, start) in enumerate(zip(matches, hits, golds, starts, strict=False)):
        for match in matched:
            if match.gold is not None:
                found.rows.append((number, match.rank, wanted[match.gold].grade, start + match.gold))
                others = (gold for gold in match.alternatives if gold != match.gold)
                found.further.extend((number, match.rank, start + gold) for gold in others)
        given = (own[match.position].score for match in matched)
        found.scores.append([_NAN if score is None else score for score in given])
    return found


def _columns(rows: Sequence[tuple[int, ...]], width: int) -> NDArray[np.int32]:
    return np.array(rows, dtype=np.int32).reshape(-1, width).T


def _offsets(lengths: Sequence[int]) -> NDArray[np.int64]:
    return np.fromiter(accumulate(lengths, initial=0), dtype=np.int64, count=len(lengths) + 1)


def _flag(value: bool | None) -> int:
    return -1 if value is None else int(value)


def _latency(answer: Response) -> float:
    failure: Failure | None = answer.failure
    return float("nan") if failure is not None and failure.kind != "timeout" else answer.latency_ms
