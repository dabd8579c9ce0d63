"""From judged hits to scores: the metrics of all queries, block by block."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ragstone.bulk.ahead import mapped
from ragstone.bulk.hits import Hits
from ragstone.bulk.result import RunScores
from ragstone.bulk.words import Places
from ragstone.judged import JudgedRun
from ragstone.metrics import Metric, Policy, score_columns
from ragstone.metrics.blocks import blocks

BLOCK = 1 << 16
FEW_JUDGED = 0.01
MISSING_QUERY = "missing_query"
Values = NDArray[np.float64]


class Golds(NamedTuple):
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
        scores=hits.scores,
        score_start=None if hits.scores is None else np.cumsum(np.append(0, np.maximum(hits.returned, 0))),
    )
    names = tuple(
        dict.fromkeys(["", *(reason for metric in metrics for reason in _reasons(metric)), MISSING_QUERY])
    )
    values, reasons = _scores(run, metrics, policy, names)
    if policy.missing_query == "exclude":
        absent = hits.returned < 0
        values[absent] = np.nan
        reasons[absent] = names.index(MISSING_QUERY)
    return RunScores(
        name=name,
        queries=golds.queries,
        metrics=tuple(map(str, metrics)),
        values=values,
        reasons=reasons,
        reason_names=names,
        retrieved=hits.returned,
        warnings=tuple(_warnings(golds, hits)),
        policy=policy,
        ties=ties,
    )


def _reasons(metric: Metric) -> list[str]:
    """Return every reason why the metric may have no value for a query of a run file."""
    return [metric.traits.undefined, *(need.reason for need in metric.traits.requires)]


def _scores(
    run: JudgedRun, metrics: Sequence[Metric], policy: Policy, names: tuple[str, ...]
) -> tuple[Values, NDArray[np.int8]]:
    """Return values and reasons of every query, put together from blocks, which threads share."""
    values = np.empty((len(run.queries), len(metrics)))
    reasons = np.empty(values.shape, dtype=np.int8)
    low = 0
    for part in mapped(partial(_block, metrics=metrics, policy=policy, names=names), blocks(run, BLOCK), alone=1):
        rows = slice(low, low + len(part[0]))
        values[rows], reasons[rows] = part
        low = rows.stop
    return values, reasons


def _block(
    run: JudgedRun, metrics: Sequence[Metric], policy: Policy, names: tuple[str, ...]
) -> tuple[Values, NDArray[np.int8]]:
    values = np.empty((len(run.queries), len(metrics)))
    reasons = np.empty(values.shape, dtype=np.int8)
    for place, metric in enumerate(metrics):
        column = score_columns(run, metric, policy)
        values[:, place] = column.values
        reasons[:, place] = np.array(list(map(names.index, column.names)), dtype=np.int8)[column.reason]
    return values, reasons


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
