"""From the rows of a run to its judged hits: where judged documents stand, and how many rows each query has."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import repeat

import numpy as np
from numpy.typing import NDArray

from ragstone.bulk.duplicates import repeated, twice
from ragstone.bulk.judgments import Judgments
from ragstone.bulk.problems import Problems
from ragstone.bulk.ranking import Ties, ranks
from ragstone.bulk.rows import InterleavedError, Rows
from ragstone.bulk.words import Places


@dataclass(slots=True)
class Hits:
    """Judged hits of a run.

    Attributes:
        query: Query number of each hit (int32).
        rank: 1-based rank of each hit (int32).
        judgment: Which judgment it found (int32).
        returned: Number of rows of each judged query; -1 where the run does not have the query (int64).
        unjudged: Queries of the run that have no judgments.
    """

    query: NDArray[np.int32]
    rank: NDArray[np.int32]
    judgment: NDArray[np.int32]
    returned: NDArray[np.int64]
    unjudged: list[bytes] = field(default_factory=list)


class Collector:
    """Takes the rows of a run part by part and keeps the judged hits.

    Args:
        judgments: What is judged.
        ties: How exactly scores are compared.
        source: Name of the run for messages.
        problems: Collects documents that stand twice.
    """

    def __init__(self, judgments: Judgments, ties: Ties, source: str, problems: Problems) -> None:
        self.judgments, self.ties, self.source, self.problems = judgments, ties, source, problems
        self.returned = np.full(len(judgments.queries), -1, dtype=np.int64)
        self.unjudged: dict[bytes, None] = {}
        self._parts: list[tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]]] = []

    def add(self, rows: Rows) -> None:
        """Take whole blocks of rows.

        Raises:
            InterleavedError: A query has a block already.
        """
        sizes = np.diff(rows.first)
        query = self._numbers(rows.queries, sizes)
        hashes = rows.documents.hashes()
        self.problems.extend(twice(rows, row, first, self.source) for row, first in repeated(rows, hashes))
        found, judgment = self.judgments.search(query, sizes, rows.documents, hashes)
        block = np.searchsorted(rows.first, found, side="right") - 1
        rank = ranks(rows, found, block, self.ties)
        self._parts.append((query[block].astype(np.int32), rank.astype(np.int32), judgment.astype(np.int32)))

    def _numbers(self, queries: list[bytes], sizes: Places) -> Places:
        """Return the number of each block's query, -1 where it is not judged."""
        found = map(self.judgments.number.get, queries, repeat(-1))
        numbers = np.fromiter(found, dtype=np.int64, count=len(queries))
        judged = numbers >= 0
        unjudged = [queries[place] for place in np.flatnonzero(~judged).tolist()]
        again = bool((self.returned[numbers[judged]] >= 0).any()) or not self.unjudged.keys().isdisjoint(unjudged)
        if again or len(set(queries)) < len(queries):
            raise InterleavedError
        self.returned[numbers[judged]] = sizes[judged]
        self.unjudged.update(dict.fromkeys(unjudged))
        return numbers

    def hits(self) -> Hits:
        """Return all hits, by query and rank; raises what is wrong with the run."""
        self.problems.raise_any()
        columns = [
            np.concatenate([np.zeros(0, dtype=np.int32), *(part[i] for part in self._parts)]) for i in range(3)
        ]
        query, rank, judgment = columns
        keys = (query.astype(np.int64) << 32) | rank
        if bool((keys[1:] < keys[:-1]).any()):
            order = np.argsort(keys)
            query, rank, judgment = query[order], rank[order], judgment[order]
        return Hits(query, rank, judgment, self.returned, list(self.unjudged))
