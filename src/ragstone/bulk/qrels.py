"""Qrels: from rows to the table of judgments."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import count, islice
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from ragstone.bulk.duplicates import repeated, twice
from ragstone.bulk.judgments import Judgments, further, keys_of
from ragstone.bulk.problems import MOST
from ragstone.bulk.rows import InterleavedError, Rows
from ragstone.bulk.words import PADDING, Tokens, Words, pack
from ragstone.errors import Problem

MOST_GRADE = 2**31 - 1
_NONE = np.zeros(0, dtype=np.int32)
_NO_KEYS = np.zeros(0, dtype=np.uint64)
T = TypeVar("T", bound=np.generic)


class JudgedPart(NamedTuple):
    """A part of qrels, sorted by block and by the hash of the document.

    Attributes:
        queries: Query of each block.
        keys: Block and hash of each judgment, as `keys_of` has them.
        documents: Their ids, as `pack` has them.
        lengths: Lengths of the ids.
        grades: Their grades.
        problems: What is wrong with the part.
    """

    queries: list[bytes]
    keys: Words
    documents: Words
    lengths: NDArray[np.int32]
    grades: NDArray[np.int32]
    problems: Sequence[Problem]


class QrelsCollector:
    """Takes the rows of qrels part by part and keeps ids and grades, packed.

    Args:
        source: Name of the qrels for messages.
    """

    def __init__(self, source: str) -> None:
        self.source = source
        self._number: dict[bytes, int] = {}
        self._keys: list[Words] = []
        self._documents: list[Words] = []
        self._lengths: list[NDArray[np.int32]] = []
        self._grades: list[NDArray[np.int32]] = []

    def find(self, rows: Rows) -> JudgedPart:
        """Return the judgments of whole blocks of rows; changes nothing, so that threads may call it."""
        hashes = rows.documents.hashes()
        problems = [*rows.problems, *islice(self._not_whole(rows), MOST)]
        problems += (twice(rows, row, first, self.source) for row, first in repeated(rows, hashes))
        keys = keys_of(rows.blocks(), hashes)
        order = np.argsort(keys)
        documents = rows.documents[order]
        grades = np.nan_to_num(rows.values[order]).clip(-MOST_GRADE, MOST_GRADE).astype(np.int32)
        lengths = documents.length.astype(np.int32)
        return JudgedPart(rows.queries, keys[order], pack(documents), lengths, grades, problems)

    def take(self, found: JudgedPart) -> None:
        """Keep what was found.

        Raises:
            InterleavedError: A query has a block already.
        """
        before = len(self._number)
        self._number.update(zip(found.queries, count(before), strict=False))
        if len(self._number) < before + len(found.queries):
            raise InterleavedError
        self._keys.append(further(found.keys, before))
        self._documents.append(found.documents)
        self._lengths.append(found.lengths)
        self._grades.append(found.grades)

    def judgments(self) -> Judgments:
        """Return the table."""
        documents = Tokens.in_words(_emptied(self._documents, PADDING), _emptied(self._lengths, _NONE))
        return Judgments(self._number, _emptied(self._keys, _NO_KEYS), documents, _emptied(self._grades, _NONE))

    def _not_whole(self, rows: Rows) -> Iterator[Problem]:
        values = rows.values
        for row in np.flatnonzero(
            (values != np.floor(values)) & ~np.isnan(values) | (np.abs(values) > MOST_GRADE)
        ).tolist():
            message = f"the grade must be a whole number (negative: unjudged), got {values[row]:g}"
            yield Problem(message, self.source, int(rows.line[row]))


def _emptied(parts: list[NDArray[T]], last: NDArray[T]) -> NDArray[T]:
    """Return arrays one after another, and let go of them: large qrels are not held twice."""
    whole = np.concatenate([*parts, last])
    parts.clear()
    return whole
