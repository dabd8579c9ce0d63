"""The judged documents of all queries in one table, and the search for them among the rows of a run."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ragstone.bulk.words import Places, Tokens, Words

_HALF = np.uint64(32)
_LOW = np.uint64(0xFFFFFFFF)
_STEP = 1 << 20
_FILTER_BYTES = 1 << 26
_SLOTS = 32  # for each judged document; with 16 and more, few rows that are not judged get past the filter


class Judgments:
    """Judged documents, sorted by query and by the hash of the document.

    Args:
        number: Number of each query, from 0 on, in order.
        keys: Query and hash of each judgment, as `keys_of` has them, sorted, each pair of query and document once.
        documents: Document of each judgment.
        grade: Grade of each judgment.

    Attributes:
        queries: Query ids, as bytes, in the order of the qrels.
        query: Query number of each judgment.
    """

    def __init__(self, number: dict[bytes, int], keys: Words, documents: Tokens, grade: NDArray[np.int32]) -> None:
        self.queries, self.number = list(number), number
        self.query: NDArray[np.int32] = (keys >> _HALF).astype(np.int32)
        self.documents, self.grade = documents, grade
        self._keys = keys
        self._bits = _filter_bits(len(keys), len(number))
        shift = np.uint64(32 - self._bits)
        self._slot_shift = shift + _HALF
        self._filter = np.zeros((len(number) + 1) << self._bits, dtype=bool)
        for low in range(0, len(keys), _STEP):
            part = keys[low : low + _STEP]
            self._filter[(part >> _HALF << np.uint64(self._bits)) + ((part & _LOW) >> shift)] = True

    def search(self, query: Places, sizes: Places, documents: Tokens, hashes: Words) -> tuple[Places, Places]:
        """Return the rows that hold judged documents, in order, and the judgment of each.

        Args:
            query: Query number of each block of rows, -1 for a query without judgments.
            sizes: Number of rows of each block.
            documents: Document of each row.
            hashes: Their hashes.
        """
        # Queries without judgments look into the last part of the filter, which is empty.
        part = np.where(query < 0, len(self.queries), query) << self._bits
        slots = (hashes >> self._slot_shift).view(np.int64)
        slots += np.repeat(part, sizes)
        rows = np.flatnonzero(self._filter.take(slots))
        owner = np.repeat(query, sizes)[rows] if len(rows) else rows
        place = self._places(owner, documents[rows], hashes[rows])
        found = place >= 0
        return rows[found], place[found]

    def _places(self, query: Places, documents: Tokens, hashes: Words) -> Places:
        """Return the judgment of each document, -1 where it has none; every match is verified byte for byte."""
        wanted = keys_of(query, hashes)
        at = self._first_at_least(wanted)
        found = np.full(len(wanted), -1, dtype=np.int64)
        left = np.arange(len(wanted))
        while len(left):
            inside = np.minimum(at[left], len(self._keys) - 1)
            left = left[(self._keys[inside] == wanted[left]) & (at[left] < len(self._keys))]
            same = documents[left].same(self.documents[at[left]])
            found[left[same]] = at[left[same]]
            left = left[~same]
            at[left] += 1
        return found

    def _first_at_least(self, wanted: Words) -> Places:
        """Return the first judgment whose key is not below each wanted one.

        The queries of neighbouring rows are mostly neighbours in the table; a short stretch is sooner searched.
        """
        if not len(wanted):
            return np.zeros(0, dtype=np.int64)
        low, high = np.searchsorted(self._keys, np.array([wanted.min(), wanted.max()]))
        return np.asarray(np.searchsorted(self._keys[low : high + 1], wanted) + low, dtype=np.int64)

    def offsets(self) -> Places:
        """Return offsets into the judgments, one more than there are queries."""
        return np.searchsorted(self.query, np.arange(len(self.queries) + 1)).astype(np.int64)


def keys_of(query: Places, hashes: Words) -> Words:
    """Return one number for the query and the upper half of the hash of each judgment."""
    return (query.view(np.uint64) << _HALF) | (hashes >> _HALF)


def further(keys: Words, queries: int) -> Words:
    """Return keys of queries whose numbers are higher by so many."""
    return keys + (np.uint64(queries) << _HALF)


def _filter_bits(judged: int, queries: int) -> int:
    """Return the logarithm of the number of slots for each query."""
    wanted = max(6, int(_SLOTS * judged / max(queries, 1)).bit_length())
    most = max(1, (_FILTER_BYTES // (queries + 1)).bit_length() - 1)
    return min(wanted, most, 24)
