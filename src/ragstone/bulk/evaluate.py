"""From judged hits to scores: the metrics of all queries, block by block."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from ragstone.bulk.hits import Hits
from ragstone.bulk.result import RunScores
from ragstone.bulk.words import Places
from ragstone.judged import JudgedRun
from ragstone.metrics import Column, Metric, Policy, score_columns
from ragstone.metrics.blocks import blocks
from ragstone.metrics.columns import joined

BLOCK = 1 << 16
THREADS = 2  # each needs memory for a block; numpy lets them run side by side
FEW_JUDGED = 0.01
MISSING_QUERY = "missing_query"
T = TypeVar("T", bound=np.generic)


@dataclass(frozen=True, slots=True)
class Golds:
    """What is judged, as metrics need it: query ids, and grades query after query with their offsets."""

    queries: tuple[str, ...]
    grade: NDArray[np.int32]
    start: Places


def evaluate(
    golds: Golds, hits: Hits, metrics: Sequence[Metric], policy: Policy, *, name: str, ties: str
) -> RunScores:
    """Return the scores of one run."""
    run = JudgedRun(
        queries=golds.queries,
        query=hits.query,
        rank=hits.rank,
        grade=golds.grade[hits.judgment],
        gold=np.full(len(hits.query), -1, dtype=np.int32),
        n_returned=np.maximum(hits.returned, 0).astype(np.int32),
        gold_grade=golds.grade,
        gold_start=golds.start,
    )
    columns = _columns(run, metrics, policy)
    if policy.missing_query == "exclude":
        columns = [_without(column, hits.returned < 0) for column in columns]
    names = tuple(dict.fromkeys(["", *(name for column in columns for name in column.names)]))
    return RunScores(
        name=name,
        queries=golds.queries,
        metrics=tuple(map(str, metrics)),
        values=_matrix([column.values for column in columns], len(golds.queries), np.float64),
        reasons=_matrix([_recoded(column, names) for column in columns], len(golds.queries), np.int8),
        reason_names=names,
        retrieved=hits.returned,
        warnings=tuple(_warnings(golds, hits)),
        policy=policy,
        ties=ties,
    )


def _columns(run: JudgedRun, metrics: Sequence[Metric], policy: Policy) -> list[Column]:
    """Return the column of each metric, put together from blocks of queries, on which threads share the work."""
    if len(run.queries) <= BLOCK:
        return [score_columns(run, metric, policy) for metric in metrics]
    from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415 - slow to load, and few runs have many blocks

    with ThreadPoolExecutor(THREADS) as threads:
        parts = threads.map(
            lambda part: [score_columns(part, metric, policy) for metric in metrics], blocks(run, BLOCK)
        )
        return [joined(column) for column in zip(*parts, strict=True)]


def _matrix(columns: Sequence[NDArray[T]], rows: int, kind: type[T]) -> NDArray[T]:
    return np.column_stack(columns) if columns else np.zeros((rows, 0), dtype=kind)


def _without(column: Column, absent: NDArray[np.bool_]) -> Column:
    """Take the values of queries that the run does not have away."""
    if not absent.any():
        return column
    reason = np.where(absent, len(column.names), column.reason).astype(np.int8)
    return Column(np.where(absent, np.nan, column.values), reason, (*column.names, MISSING_QUERY))


def _recoded(column: Column, names: tuple[str, ...]) -> NDArray[np.int8]:
    return np.array([names.index(name) for name in column.names], dtype=np.int8)[column.reason]


def _warnings(golds: Golds, hits: Hits) -> list[str]:
    """Return what is doubtful: queries in one file alone, and runs in which next to nothing is judged."""
    found = []
    absent = np.flatnonzero(hits.returned < 0)
    if len(absent):
        example = golds.queries[absent[0]]
        found.append(f"{len(absent):,} judged queries are not in the run, such as {example!r}")
    if hits.unjudged:
        example = hits.unjudged[0].decode(errors="backslashreplace")
        found.append(
            f"{len(hits.unjudged):,} queries of the run have no judgments and do not count, such as {example!r}"
        )
    searched = hits.returned > 0
    judged = int(np.diff(golds.start)[searched].sum())
    if judged and len(hits.query) < FEW_JUDGED * judged:
        found.append(
            f"almost nothing that was judged was retrieved: {len(hits.query):,} of {judged:,} judgments; "
            "do qrels and run spell document ids alike?"
        )
    return found
