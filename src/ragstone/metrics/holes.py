"""Holes: what a score could be if the hits that nobody judged had been judged."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ragstone.metrics.base import Metric, Values
from ragstone.metrics.blocks import blocks
from ragstone.metrics.scoring import Column, Policy, joined, score_columns
from ragstone.types import JudgedRun

BLOCK = 1_000  # queries at a time; a list of 1,000 hits without a cutoff makes a million rows
Ints = NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Bounds:
    """A metric under two assumptions about all holes of a run at once.

    Attributes:
        wrong: Scores if every hole were judged irrelevant, with grade 0.
        right: Scores if every hole were relevant.
    """

    wrong: Column
    right: Column

    @property
    def low(self) -> Values:
        """The smaller of the two values of each query; NaN where one of them does not exist."""
        return np.minimum(self.wrong.values, self.right.values)

    @property
    def high(self) -> Values:
        """The larger of the two values of each query; NaN where one of them does not exist."""
        return np.maximum(self.wrong.values, self.right.values)


def bounds(run: JudgedRun, metric: Metric, policy: Policy | None = None) -> Bounds:
    """Score every query with all its holes taken as wrong, and again with all taken as right.

    A hole is a hit of the first k (of all returned, without a cutoff) that has no judgement: no row, or a
    negative grade. Taken as wrong it is judged with grade 0. Taken as right it is a further gold of the query, as
    good as the best gold that the query has and at least as good as the metric's `rel` (1 where it has none); it
    counts in the ideal ranking and in every denominator.

    For P, R, Hit, RR, DCG, RBP and ERR no other labelling of these holes, with grades up to that of the best gold,
    leaves the bounds. For the rest (nDCG, AP, Rprec, bpref, F1) new golds also raise what was possible, so that a
    mixed labelling may lie a little outside.

    Args:
        run: With `n_returned`, which says how many hits have no row.
        metric: Any metric; one that reads no judgements gives the same twice.
        policy: As for `score_columns`.

    Returns:
        Two columns in the run's order. A query without gold has no value while its holes are wrong, and so no
        bounds, unless the policy says ``no_gold=zero``.

    Example:
        >>> from ragstone.metrics import judge_list, parse
        >>> found = bounds(judge_list(["a", "x", "y"], {"a": 1, "b": 1}), parse("P@5"))
        >>> found.low.tolist(), found.high.tolist()
        ([0.2], [0.6])
    """
    halves = [_bounds(part, metric, policy) for part in blocks(run, BLOCK)]
    if not halves:
        column = score_columns(run, metric, policy)
        return Bounds(column, column)
    return Bounds(joined([half.wrong for half in halves]), joined([half.right for half in halves]))


def difference(a: Bounds, b: Bounds) -> tuple[Values, Values]:
    """Return per query the smallest and the largest difference B - A that the holes of both allow.

    The smallest takes the holes of A as right and those of B as wrong, the largest the reverse. A hit that both
    systems returned is then right for one and wrong for the other, so the true difference is no further out. If
    both ends have one sign, judging more cannot turn the verdict. For a metric of which less is better the ends
    are the other way round, and are put in order. NaN where either system has no value.

    Example:
        >>> from ragstone.metrics import judge_list, parse
        >>> a, b = (bounds(judge_list(list(found), {"g": 1}), parse("P@2")) for found in ("gx", "yz"))
        >>> [ends.tolist() for ends in difference(a, b)]
        [[-1.0], [0.5]]
    """
    ends = b.wrong.values - a.right.values, b.right.values - a.wrong.values
    return np.minimum(*ends), np.maximum(*ends)


def _bounds(run: JudgedRun, metric: Metric, policy: Policy | None) -> Bounds:
    rel = int(metric.arguments().get("rel", 1))
    best = np.full(len(run.queries), rel, dtype=np.int32)
    np.maximum.at(best, np.repeat(np.arange(len(best)), np.diff(run.gold_start)), run.gold_grade)
    wrong = fill(run, np.zeros_like(best), metric.cutoff)
    return Bounds(
        wrong=score_columns(wrong, metric, policy),
        right=score_columns(fill(run, best, metric.cutoff), metric, policy),
    )


def fill(run: JudgedRun, grade: Ints, cutoff: int | None) -> JudgedRun:
    """Return the run with every hole judged, each as a further gold of its query.

    Args:
        run: As it was judged.
        grade: Per query, the grade of its holes.
        cutoff: Depth to which holes are filled; None for all that was returned.
    """
    run = _judged_alone(run)
    holes, ranks = _holes(run, cutoff)
    counts = np.bincount(holes, minlength=len(run.queries))
    before = np.concatenate([[0], np.cumsum(counts)])
    rows = np.lexsort((np.concatenate([run.rank, ranks]), np.concatenate([run.query, holes])))
    # A hole matches one gold of its own, so that it does not matter which.
    gold = np.concatenate([_moved(run.gold, run.query, before), np.full(len(holes), -1, dtype=np.int32)])
    filled = replace(
        run,
        query=np.concatenate([run.query, holes])[rows],
        rank=np.concatenate([run.rank, ranks])[rows],
        grade=np.concatenate([run.grade, grade[holes]])[rows],
        gold=gold[rows],
        gold_grade=np.insert(run.gold_grade, np.repeat(run.gold_start[1:], counts), grade[holes]),
        gold_start=run.gold_start + before,
    )
    if run.further_gold is None or run.further_query is None:
        return filled
    return replace(filled, further_gold=_moved(run.further_gold, run.further_query, before))


def _judged_alone(run: JudgedRun) -> JudgedRun:
    """Drop the rows of hits that are in the pool without a judgement: they are holes."""
    kept = run.grade >= 0
    return replace(run, query=run.query[kept], rank=run.rank[kept], grade=run.grade[kept], gold=run.gold[kept])


def _holes(run: JudgedRun, cutoff: int | None) -> tuple[Ints, Ints]:
    """Return query and rank of every hole down to the cutoff."""
    depth = run.n_returned if cutoff is None else np.minimum(run.n_returned, cutoff)
    starts = np.cumsum(depth) - depth
    queries = np.repeat(np.arange(len(depth), dtype=np.int32), depth)
    ranks = np.arange(1, len(queries) + 1, dtype=np.int32) - starts[queries].astype(np.int32)
    open_ = np.ones(len(queries), dtype=bool)
    seen = run.rank <= depth[run.query]
    open_[starts[run.query[seen]] + run.rank[seen] - 1] = False
    return queries[open_], ranks[open_]


def _moved(golds: Ints, queries: Ints, before: NDArray[np.int64]) -> Ints:
    """Return gold rows after each query's holes were added behind its golds; -1 stays."""
    return np.where(golds < 0, golds, golds + before[queries]).astype(np.int32)
