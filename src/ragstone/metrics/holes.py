"""Holes: what a score could be if the hits that nobody judged had been judged."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest

import numpy as np
from numpy.typing import NDArray

from ragstone.judged import JudgedRun
from ragstone.metrics.base import Metric, Values
from ragstone.metrics.blocks import blocks
from ragstone.metrics.columns import Column, Policy, joined, score_columns

# Metrics that rest on whether hits of the first k are relevant and on nothing else: not on how relevant, and not
# on what else is relevant. No judging at all leads out of the ends that `difference` finds where there is gold.
CLOSED = frozenset({"P", "Hit", "RR", "RBP"})
BLOCK = 1_000  # queries at a time; a list of 1,000 hits without a cutoff makes a million rows
Ints = NDArray[np.int32]
Unjudged = tuple[int, Hashable]


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
    mixed labelling may lie outside. Hits below the cutoff, and documents that did not come back, are not holes. If
    they were judged relevant, R and the rest would be divided by more and could leave the bounds; P, Hit, RR, DCG,
    RBP and ERR would not change.

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


@dataclass(frozen=True, slots=True)
class Holes:
    """The hits of two runs on the same queries that nobody judged: one row for each unit of a query.

    Attributes:
        query: Query number (int32), in ascending order.
        a: Rank of the unit in A; 0 where A did not return it (int32).
        b: Its rank in B, likewise.
    """

    query: Ints
    a: Ints
    b: Ints

    def within(self, cutoff: int | None) -> Holes:
        """Return the holes that one of the runs has in the first k, as if both had returned no more than k."""
        if cutoff is None:
            return self
        a, b = (np.where(ranks > cutoff, 0, ranks) for ranks in (self.a, self.b))
        kept = (a > 0) | (b > 0)
        return Holes(self.query[kept], a[kept], b[kept])

    def part(self, start: int, stop: int) -> Holes:
        """Return the holes of the queries `start` to `stop` (exclusive), with queries counted from `start`."""
        rows = slice(*np.searchsorted(self.query, (start, stop)))
        return Holes(self.query[rows] - np.int32(start), self.a[rows], self.b[rows])


def holes_of(a: Sequence[Sequence[Unjudged]], b: Sequence[Sequence[Unjudged]]) -> Holes:
    """Return the holes of two runs from their unjudged hits, query by query.

    A unit that a run returned several times in one query makes a hole each time: its first place in A belongs to
    its first place in B, and so on.

    Args:
        a: For each query its unjudged hits, best first: pairs of 1-based rank and unit (document, page, chunk).
        b: The same of B, of the same queries in the same order.

    Example:
        >>> found = holes_of([[(2, "x")]], [[(1, "y"), (2, "x")]])
        >>> found.a.tolist(), found.b.tolist()
        ([2, 0], [2, 1])
    """
    rows: list[tuple[int, int, int]] = []
    for number, sides in enumerate(zip(a, b, strict=True)):
        ranks: dict[Hashable, tuple[list[int], list[int]]] = {}
        for side, hits in enumerate(sides):
            for rank, unit in hits:
                ranks.setdefault(unit, ([], []))[side].append(rank)
        for places in ranks.values():
            rows += [(number, first, second) for first, second in zip_longest(*places, fillvalue=0)]
    return Holes(*np.array(rows, dtype=np.int32).reshape(-1, 3).T)


def difference(
    a: JudgedRun, b: JudgedRun, metric: Metric, holes: Holes, policy: Policy | None = None
) -> tuple[Values, Values]:
    """Return per query the smallest and the largest difference B - A over ways to judge the holes of both.

    A unit has one grade, whoever returned it. So two runs with the same list differ by 0 whatever is judged, and
    a unit that turns out relevant is a gold that either run could have found. These labellings are tried, each
    for both runs at once, with 0 for wrong and the grade of `bounds` for right: all wrong; all right; and for
    either run, right alone what it

    - ranks higher than the other, as does whoever wants it to win,
    - ranks higher or equally high,
    - returned and the other did not,
    - returned at all.

    For RR also each hole right on its own. Both ends are therefore values that some labelling gives. For P, R,
    Hit, RR, DCG and RBP no other labelling of these holes with these two grades leaves them. For the rest (nDCG,
    AP, ERR, Rprec, bpref, F1), where a grade weighs differently beside others, a mixed labelling may lie outside:
    over 400 random small cases by at most .004 for ERR, .1 for nDCG and AP, .67 for Rprec, 1.75 for bpref. Hits
    below the cutoff are not holes; relevant, they would raise what R, nDCG, AP, Rprec, bpref and F1 are divided
    by, and a mean over questions could then even change its sign. For the families of `CLOSED` nothing else that
    may be judged matters.

    Args:
        a: A run.
        b: Another one, on the same queries in the same order and with the same golds.
        metric: Any metric; a cutoff leaves holes below it out.
        holes: Of both, from `holes_of`.
        policy: As for `score_columns`.

    Returns:
        Two arrays in the runs' order; NaN where either run has no value while all holes are wrong.

    Example:
        >>> from ragstone.metrics import judge_list, parse
        >>> a, b = (judge_list(list(found), {"g": 1}) for found in ("gx", "xy"))
        >>> holes = holes_of([[(2, "x")]], [[(1, "x"), (2, "y")]])
        >>> [ends.tolist() for ends in difference(a, b, parse("P@2"), holes)]
        [[-0.5], [0.0]]
    """
    holes = holes.within(metric.cutoff)
    ends = []
    for number, (first, second) in enumerate(zip(blocks(a, BLOCK), blocks(b, BLOCK), strict=True)):
        part = holes.part(number * BLOCK, (number + 1) * BLOCK)
        ends.append(_ends(first, second, metric, part, policy))
    lows, highs = zip(*ends, strict=True) if ends else ([np.empty(0)], [np.empty(0)])
    return np.concatenate(lows), np.concatenate(highs)


def _ends(
    a: JudgedRun, b: JudgedRun, metric: Metric, holes: Holes, policy: Policy | None
) -> tuple[Values, Values]:
    best = np.maximum(_best(a, metric), _best(b, metric))[holes.query]

    def scored(right: NDArray[np.bool_]) -> tuple[Values, Values]:
        grades = np.where(right, best, 0).astype(np.int32)
        filled = (_filled(run, holes.query, ranks, grades) for run, ranks in ((a, holes.a), (b, holes.b)))
        first, second = (score_columns(run, metric, policy).values for run in filled)
        return first, second

    wrong = scored(np.zeros(len(best), dtype=bool))
    low = high = wrong[1] - wrong[0]
    unknown = np.isnan(low)
    for right in _labellings(holes) if len(best) else ():
        first, second = scored(right)
        low, high = np.fmin(low, second - first), np.fmax(high, second - first)
    if metric.family == "RR":
        alone = np.maximum(wrong[1][holes.query], _inverse(holes.b))
        alone -= np.maximum(wrong[0][holes.query], _inverse(holes.a))
        np.fmin.at(low, holes.query, alone)
        np.fmax.at(high, holes.query, alone)
    low[unknown] = high[unknown] = np.nan
    return low, high


def _labellings(holes: Holes) -> Iterator[NDArray[np.bool_]]:
    """Yield which holes are right: all of them, and the sets that speak for one of the runs."""
    last = np.iinfo(np.int32).max
    a, b = (np.where(ranks > 0, ranks, last) for ranks in (holes.a, holes.b))
    yield np.ones(len(a), dtype=bool)
    for near, far in ((a, b), (b, a)):
        yield near < far
        yield near <= far
        yield far == last
        yield near < last


def _inverse(ranks: Ints) -> Values:
    return np.where(ranks > 0, 1 / np.maximum(ranks, 1), 0.0)


def _bounds(run: JudgedRun, metric: Metric, policy: Policy | None) -> Bounds:
    queries, ranks = _holes(_judged_alone(run), metric.cutoff)
    right = _best(run, metric)[queries]
    return Bounds(
        wrong=score_columns(_filled(run, queries, ranks, np.zeros_like(right)), metric, policy),
        right=score_columns(_filled(run, queries, ranks, right), metric, policy),
    )


def _best(run: JudgedRun, metric: Metric) -> Ints:
    """Return per query the grade of a hole that is right: that of the best gold, and relevant to the metric."""
    best = np.full(len(run.queries), int(metric.arguments().get("rel", 1)), dtype=np.int32)
    np.maximum.at(best, np.repeat(np.arange(len(best)), np.diff(run.gold_start)), run.gold_grade)
    return best


def _filled(run: JudgedRun, queries: Ints, ranks: Ints, grades: Ints) -> JudgedRun:
    """Return the run with its holes judged, each as a further gold of its query.

    Args:
        run: As it was judged.
        queries: Query number of each further gold, in ascending order.
        ranks: Where the run returned it; 0 where it did not.
        grades: Its grade.
    """
    run = _judged_alone(run)
    counts = np.bincount(queries, minlength=len(run.queries))
    before = np.concatenate([[0], np.cumsum(counts)])
    hit = ranks > 0
    rows = np.lexsort((np.concatenate([run.rank, ranks[hit]]), np.concatenate([run.query, queries[hit]])))
    # A hole matches one gold of its own, so that it does not matter which.
    alone = np.full(int(hit.sum()), -1, dtype=np.int32)
    filled = replace(
        run,
        query=np.concatenate([run.query, queries[hit]])[rows],
        rank=np.concatenate([run.rank, ranks[hit]])[rows],
        grade=np.concatenate([run.grade, grades[hit]])[rows],
        gold=np.concatenate([_moved(run.gold, run.query, before), alone])[rows],
        gold_grade=np.insert(run.gold_grade, np.repeat(run.gold_start[1:], counts), grades),
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
