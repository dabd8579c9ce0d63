"""Array operations that metrics share: masks over judged hits, counts and sums per query.

A hit with a negative grade is in the pool but was not judged: it is neither relevant nor irrelevant.

Sums run in rank order in double precision (``bincount`` adds one after another), and logarithms come from the C
library, so that values are bit-identical to trec_eval's.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from ragstone.judged import JudgedRun
from ragstone.metrics.base import Mask, Values

_discounts: Values = np.array([], dtype=np.float64)


def within(run: JudgedRun, cutoff: int | None) -> Mask:
    """Mark the judged hits at rank `cutoff` or better."""
    return np.ones(len(run.rank), dtype=bool) if cutoff is None else run.rank <= cutoff


def relevant(run: JudgedRun, rel: int) -> Mask:
    """Mark the judged hits whose grade is at least `rel`."""
    return run.grade >= rel


def first_match(run: JudgedRun) -> Mask:
    """Mark the hits that are the first to match their gold; hits whose gold is -1 always are."""
    first = np.ones(len(run.gold), dtype=bool)
    if (known := np.flatnonzero(run.gold >= 0)).size:
        _, index = np.unique(run.gold[known], return_index=True)
        first[known] = False
        first[known[index]] = True
    return first


def every_fit(run: JudgedRun, cutoff: int | None) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return query and gold of every fit within `cutoff`, those of hits that fit several golds included."""
    known = within(run, cutoff) & (run.gold >= 0) & (run.grade >= 0)
    queries, golds = run.query[known], run.gold[known]
    if run.further_query is None or run.further_rank is None or run.further_gold is None:
        return queries, golds
    chosen = np.ones(len(run.further_rank), dtype=bool) if cutoff is None else run.further_rank <= cutoff
    more = run.further_query[chosen], run.further_gold[chosen]
    return np.concatenate([queries, more[0]]), np.concatenate([golds, more[1]])


def count(run: JudgedRun, mask: Mask) -> Values:
    """Count the marked hits of each query."""
    return total(run, mask, None)


def total(run: JudgedRun, mask: Mask, weights: Values | None) -> Values:
    """Add up the weights of the marked hits of each query, in rank order."""
    chosen = None if weights is None else weights[mask]
    sums = np.bincount(run.query[mask], weights=chosen, minlength=len(run.queries))
    return np.asarray(sums, dtype=np.float64)


def gold_query(run: JudgedRun) -> NDArray[np.int64]:
    """Return the query number of each gold."""
    return np.repeat(np.arange(len(run.queries)), np.diff(run.gold_start))


def count_golds(run: JudgedRun, mask: Mask) -> Values:
    """Count the marked golds of each query."""
    before = np.concatenate([[0], np.cumsum(mask)])[run.gold_start]
    return np.diff(before).astype(np.float64)


def total_relevant(run: JudgedRun, rel: int) -> Values:
    """Count each query's golds whose grade is at least `rel`."""
    return count_golds(run, run.gold_grade >= rel)


def running_count(run: JudgedRun, mask: Mask) -> Values:
    """Count, for each judged hit, the marked hits of its query up to and including it."""
    summed = np.cumsum(mask)
    starts = np.searchsorted(run.query, np.arange(len(run.queries)))
    before = np.concatenate([[0], summed])[starts]
    return np.asarray(summed - before[run.query], dtype=np.float64)


def best_rank(run: JudgedRun, mask: Mask) -> Values:
    """Return the rank of each query's first marked hit, infinite where there is none."""
    rows = np.flatnonzero(mask)
    queries = run.query[rows]
    first = np.diff(queries, prepend=-1) > 0
    ranks = np.full(len(run.queries), np.inf)
    ranks[queries[first]] = run.rank[rows[first]]
    return ranks


def discounts(ranks: NDArray[np.int32] | NDArray[np.int64]) -> Values:
    """Return log2(rank + 1) for 1-based ranks, by the C library's log2."""
    global _discounts  # noqa: PLW0603 - a table kept for the next call
    deepest, table = int(ranks.max(initial=0)), _discounts
    if deepest > len(table):
        _discounts = table = np.array([math.log2(rank + 1) for rank in range(1, deepest + 1)])
    return table[ranks - 1]


def ratio(part: Values, whole: Values) -> Values:
    """Divide query by query; 0 where the whole is 0."""
    return np.divide(part, whole, out=np.zeros_like(part), where=whole != 0)
