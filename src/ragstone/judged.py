"""A run as metrics see it; apart from the other types, so that scoring files need not load those."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class JudgedRun:
    """A run after matching, as arrays: one row per *judged* hit, sorted by (query, rank).

    Unjudged hits need no row, because a ranking metric is a function of the ranks and grades of the judged
    ones. Queries are numbered by their position in `queries`.

    Attributes:
        queries: Query ids.
        query: Query number of each judged hit (int32).
        rank: 1-based rank of each judged hit after collapsing (int32).
        grade: Grade of the matched gold; negative means in the pool, but not judged (int32).
        gold: Row of the matched gold in `gold_grade`, or -1 where it does not matter which (int32). A gold
            matched again keeps its row: precision counts it, recall, nDCG and AP count each gold once.
        n_returned: Number of hits each query got back, after collapsing (int32).
        gold_grade: Grades of all golds, query after query (int32).
        gold_start: Offsets into `gold_grade`, one more than there are queries (int64).
        groups: Per query its alternatives, each a tuple of indices into that query's golds.
        scores: Scores of all returned hits in rank order, query after query, NaN where none (float64).
        score_start: Offsets into `scores` (int64).
        further_query: Query number of each further fit: a judged hit and a gold it fits beside its own (int32).
        further_rank: Rank of that hit (int32).
        further_gold: Row of that gold in `gold_grade` (int32).
        depth: Number of hits the system could return at most; a metric with a larger cutoff is not computed.
        answerable: 1, 0, or -1 where unknown, per query (int8).
        failed: Per query, whether the search failed (bool).
        failure_kind: Per query, the kind of failure, or an empty string.
        abstained: 1, 0, or -1 where the system does not say (int8).
        latency_ms: Per query; NaN where none was measured (float64).
        scope_miss: 1, 0, or -1 where the search was not scoped (int8).
    """

    queries: tuple[str, ...]
    query: NDArray[np.int32]
    rank: NDArray[np.int32]
    grade: NDArray[np.int32]
    gold: NDArray[np.int32]
    n_returned: NDArray[np.int32]
    gold_grade: NDArray[np.int32]
    gold_start: NDArray[np.int64]
    groups: tuple[tuple[tuple[int, ...], ...], ...] = ()
    scores: NDArray[np.float64] | None = None
    score_start: NDArray[np.int64] | None = None
    further_query: NDArray[np.int32] | None = None
    further_rank: NDArray[np.int32] | None = None
    further_gold: NDArray[np.int32] | None = None
    depth: int | None = None
    answerable: NDArray[np.int8] | None = None
    failed: NDArray[np.bool_] | None = None
    failure_kind: tuple[str, ...] = ()
    abstained: NDArray[np.int8] | None = None
    latency_ms: NDArray[np.float64] | None = None
    scope_miss: NDArray[np.int8] | None = None
