"""Blocks of queries: a part of a judged run that is a judged run itself, so that memory stays bounded."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from ragstone.judged import JudgedRun

_N = TypeVar("_N", bound=np.generic)


def block(run: JudgedRun, start: int, stop: int) -> JudgedRun:
    """Return the queries `start` to `stop` (exclusive) of a run as a run of their own.

    Every metric gives them the values that it gives them in the whole run.

    Example:
        >>> from ragstone.metrics import judge_list
        >>> block(judge_list(["a"], {"a": 1}), 0, 1).queries
        ('query',)
    """
    rows = slice(*np.searchsorted(run.query, (start, stop)))
    golds = slice(int(run.gold_start[start]), int(run.gold_start[stop]))
    queries = slice(start, stop)
    part = replace(
        run,
        queries=run.queries[queries],
        query=run.query[rows] - np.int32(start),
        rank=run.rank[rows],
        grade=run.grade[rows],
        gold=_shifted(run.gold[rows], golds.start),
        n_returned=run.n_returned[queries],
        gold_grade=run.gold_grade[golds],
        gold_start=run.gold_start[start : stop + 1] - golds.start,
        groups=run.groups[queries],
        answerable=_part(run.answerable, queries),
        failed=_part(run.failed, queries),
        failure_kind=run.failure_kind[queries],
        abstained=_part(run.abstained, queries),
        latency_ms=_part(run.latency_ms, queries),
        scope_miss=_part(run.scope_miss, queries),
    )
    return _cut_scores(_cut_fits(part, start, stop, golds.start), start, stop)


def blocks(run: JudgedRun, size: int) -> Iterator[JudgedRun]:
    """Yield the run in blocks of at most `size` queries, in order."""
    for start in range(0, len(run.queries), size):
        yield block(run, start, min(start + size, len(run.queries)))


def _shifted(golds: NDArray[np.int32], by: int) -> NDArray[np.int32]:
    """Return gold rows counted from the block's first gold; -1 stays."""
    return np.where(golds < 0, golds, golds - by).astype(np.int32)


def _part(column: NDArray[_N] | None, queries: slice) -> NDArray[_N] | None:
    return None if column is None else column[queries]


def _cut_scores(run: JudgedRun, start: int, stop: int) -> JudgedRun:
    if run.scores is None or run.score_start is None:
        return run
    borders = run.score_start[start : stop + 1]
    return replace(run, scores=run.scores[borders[0] : borders[-1]], score_start=borders - borders[0])


def _cut_fits(run: JudgedRun, start: int, stop: int, first_gold: int) -> JudgedRun:
    if run.further_query is None or run.further_rank is None or run.further_gold is None:
        return run
    kept = (run.further_query >= start) & (run.further_query < stop)
    return replace(
        run,
        further_query=run.further_query[kept] - np.int32(start),
        further_rank=run.further_rank[kept],
        further_gold=_shifted(run.further_gold[kept], first_gold),
    )
