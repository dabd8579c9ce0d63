"""Qrels: from rows to the table of judgments."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count

import numpy as np
from numpy.typing import NDArray

from ragstone.bulk.duplicates import repeated, twice
from ragstone.bulk.judgments import Judgments, keys_of
from ragstone.bulk.problems import Problems
from ragstone.bulk.rows import InterleavedError, Rows
from ragstone.bulk.words import Tokens, Words, concatenated, pack
from ragstone.errors import Problem

MOST_GRADE = 2**31 - 1


class QrelsCollector:
    """Takes the rows of qrels part by part and keeps ids and grades, packed.

    Args:
        source: Name of the qrels for messages.
        problems: Collects grades that are no whole numbers, and documents that are judged twice.
    """

    def __init__(self, source: str, problems: Problems) -> None:
        self.source, self.problems = source, problems
        self._number: dict[bytes, int] = {}
        self._parts: list[tuple[Words, Words, NDArray[np.int32], NDArray[np.int32]]] = []

    def add(self, rows: Rows) -> None:
        """Take whole blocks of rows.

        Raises:
            InterleavedError: A query has a block already.
        """
        before = len(self._number)
        self._number.update(zip(rows.queries, count(before), strict=False))
        if len(self._number) < before + len(rows.queries):
            raise InterleavedError
        hashes = rows.documents.hashes()
        self.problems.extend(self._not_whole(rows))
        self.problems.extend(twice(rows, row, first, self.source) for row, first in repeated(rows, hashes))
        keys = keys_of(rows.blocks() + before, hashes)
        order = np.argsort(keys)
        documents = rows.documents[order]
        grades = np.nan_to_num(rows.values[order]).clip(-MOST_GRADE, MOST_GRADE).astype(np.int32)
        self._parts.append((keys[order], pack(documents), documents.length.astype(np.int32), grades))

    def judgments(self) -> Judgments:
        """Return the table; raises what is wrong with the qrels."""
        self.problems.raise_any()
        keys, data, lengths, grades = zip(*self._parts, strict=True) if self._parts else ((), (), (), ())
        self._parts = []
        documents = Tokens.in_words(concatenated(data, np.uint64), concatenated(lengths, np.int32))
        return Judgments.of(self._number, concatenated(keys, np.uint64), documents, concatenated(grades, np.int32))

    def _not_whole(self, rows: Rows) -> Iterator[Problem]:
        values = rows.values
        for row in np.flatnonzero(
            (values != np.floor(values)) & ~np.isnan(values) | (np.abs(values) > MOST_GRADE)
        ).tolist():
            message = f"the grade must be a whole number (negative: unjudged), got {values[row]:g}"
            yield Problem(message, self.source, int(rows.line[row]))
