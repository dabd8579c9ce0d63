"""From the rows of a run to its judged hits: where judged documents stand, and how many rows each query has."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import repeat
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ragstone.bulk.duplicates import repeated, twice
from ragstone.bulk.judgments import Judgments
from ragstone.bulk.ranking import Ties, ranked_scores, ranks
from ragstone.bulk.rows import InterleavedError, Rows
from ragstone.bulk.words import Places
from ragstone.errors import Problem


class Hits(NamedTuple):
    """Judged hits of a run.

    Attributes:
        query: Query number of each hit (int32).
        rank: 1-based rank of each hit (int32).
        judgment: Which judgment it found (int32).
        returned: Number of rows of each judged query; -1 where the run does not have the query (int64).
        unjudged: Queries of the run that have no judgments.
        scores: Scores of all rows of judged queries, as they are compared, in the order of queries and ranks
            (float64); None where nobody asked for them.
    """

    query: NDArray[np.int32]
    rank: NDArray[np.int32]
    judgment: NDArray[np.int32]
    returned: NDArray[np.int64]
    unjudged: Sequence[bytes] = ()
    scores: NDArray[np.float64] | None = None


class Found(NamedTuple):
    """What a collector finds in a part of a run.

    Attributes:
        queries: Query of each block.
        number: Their numbers, -1 for a query without judgments.
        sizes: Number of rows of each block.
        hits: Query number, rank and judgment of each hit.
        problems: What is wrong with the part.
        scores: Scores of the rows, ranked within each block; None where nobody asked for them.
    """

    queries: list[bytes]
    number: Places
    sizes: Places
    hits: tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]]
    problems: Sequence[Problem]
    scores: NDArray[np.float64] | None


class Collector:
    """Takes the rows of a run part by part and keeps the judged hits.

    Args:
        judgments: What is judged.
        ties: How exactly scores are compared.
        source: Name of the run for messages.
        scored: Whether to keep the scores of all rows.
    """

    def __init__(self, judgments: Judgments, ties: Ties, source: str, *, scored: bool = False) -> None:
        self.judgments, self.ties, self.source, self.scored = judgments, ties, source, scored
        self.returned = np.full(len(judgments.queries), -1, dtype=np.int64)
        self.unjudged: dict[bytes, None] = {}
        self._parts: list[Found] = []

    def find(self, rows: Rows) -> Found:
        """Return the judged hits of whole blocks of rows; changes nothing, so that threads may call it."""
        sizes = np.diff(rows.first)
        number = np.fromiter(
            map(self.judgments.number.get, rows.queries, repeat(-1)), dtype=np.int64, count=len(rows.queries)
        )
        hashes = rows.documents.hashes()
        again = [twice(rows, row, first, self.source) for row, first in repeated(rows, hashes)]
        found, judgment = self.judgments.search(number, sizes, rows.documents, hashes)
        block = np.searchsorted(rows.first, found, side="right") - 1
        rank = ranks(rows, found, block, self.ties)
        hits = number[block].astype(np.int32), rank.astype(np.int32), judgment.astype(np.int32)
        scores = ranked_scores(rows, self.ties) if self.scored else None
        return Found(rows.queries, number, sizes, hits, [*rows.problems, *again], scores)

    def take(self, found: Found) -> None:
        """Keep what was found.

        Raises:
            InterleavedError: A query has a block already.
        """
        judged = found.number >= 0
        number = found.number[judged]
        unjudged = [found.queries[place] for place in np.flatnonzero(~judged).tolist()]
        again = bool((self.returned[number] >= 0).any()) or not self.unjudged.keys().isdisjoint(unjudged)
        if again or len(set(found.queries)) < len(found.queries):
            raise InterleavedError
        self.returned[number] = found.sizes[judged]
        self.unjudged.update(dict.fromkeys(unjudged))
        self._parts.append(found._replace(queries=[]))

    def hits(self) -> Hits:
        """Return all hits, by query and rank."""
        columns = [
            np.concatenate([np.zeros(0, dtype=np.int32), *(part.hits[i] for part in self._parts)])
            for i in range(3)
        ]
        query, rank, judgment = columns
        keys = (query.astype(np.int64) << 32) | rank
        if bool((keys[1:] < keys[:-1]).any()):
            order = np.argsort(keys)
            query, rank, judgment = query[order], rank[order], judgment[order]
        scores = self._scores() if self.scored else None
        return Hits(query, rank, judgment, self.returned, list(self.unjudged), scores)

    def _scores(self) -> NDArray[np.float64]:
        """Return the scores of all judged queries, in the order of the qrels."""
        ends = np.cumsum(np.maximum(self.returned, 0))
        scores = np.empty(int(ends[-1]) if len(ends) else 0)
        for part in self._parts:
            kept = part.number >= 0
            first = (np.cumsum(part.sizes) - part.sizes)[kept]
            sizes, behind = part.sizes[kept], ends[part.number[kept]]
            row = np.arange(int(sizes.sum())) - np.repeat(np.cumsum(sizes) - sizes, sizes)
            if part.scores is not None:
                scores[np.repeat(behind - sizes, sizes) + row] = part.scores[np.repeat(first, sizes) + row]
        return scores
