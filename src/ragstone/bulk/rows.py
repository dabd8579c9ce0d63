"""Rows of a run or of qrels, grouped into blocks of one query each."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from ragstone.bulk.words import PADDING, Places, Tokens, concatenated, pack
from ragstone.errors import Problem

Floats = NDArray[np.float64]
BATCH = 32_768
_NEAR = 16_384


class InterleavedError(Exception):
    """Rows of a query stand in more than one block; they have to be brought together first."""


class Rows:
    """Rows whose queries come in blocks.

    Args:
        queries: Id of each block's query.
        first: Number of each block's first row, and at the end the number of rows.
        documents: Document of each row.
        values: Score or grade of each row.
        line: Of each row, its line or position in the input.
        problems: What is wrong with them.
    """

    __slots__ = ("documents", "first", "line", "problems", "queries", "values")

    def __init__(
        self,
        queries: list[bytes],
        first: Places,
        documents: Tokens,
        values: Floats,
        line: NDArray[np.int32] | NDArray[np.int64],
        problems: Sequence[Problem] = (),
    ) -> None:
        self.queries, self.first, self.documents, self.values = queries, first, documents, values
        self.line, self.problems = line, problems

    def __len__(self) -> int:
        return len(self.documents)

    def blocks(self) -> NDArray[np.int64]:
        """Return the number of each row's block."""
        return np.repeat(np.arange(len(self.queries)), np.diff(self.first))

    def part(self, begin: int, end: int) -> Rows:
        """Return the rows of some of the blocks."""
        low, high = self.first[begin], self.first[end]
        kept = slice(int(low), int(high))
        first = self.first[begin : end + 1] - low
        return Rows(self.queries[begin:end], first, self.documents[kept], self.values[kept], self.line[kept])


def first_rows(queries: Tokens) -> Places:
    """Return the numbers of the rows at which a block begins, and at the end the number of rows."""
    edges = np.flatnonzero(queries.changes()) + 1 if len(queries) else np.zeros(0, dtype=np.int64)
    return np.concatenate([np.zeros(min(1, len(queries)), dtype=np.int64), edges, [len(queries)]])


def names(queries: Tokens, rows: Places) -> list[bytes]:
    """Return the query of each of the given rows; where there are many, equal ones are one object."""
    found: list[bytes] = []
    known: dict[bytes, bytes] = {}
    for at in range(0, len(rows), BATCH):
        new = _cut_out(queries[rows[at : at + BATCH]])
        found += map(known.setdefault, new, new) if len(rows) > BATCH else new
    return found


def _cut_out(tokens: Tokens) -> list[bytes]:
    """Return each token as bytes."""
    low, high = tokens.start, tokens.start + tokens.length
    begin, end = int(low.min(initial=0)), int(high.max(initial=0))
    if end - begin > _NEAR * len(tokens):
        return list(map(tokens.one, range(len(tokens))))
    # A copy of all that lies between is soon made, and bytes are cut out of bytes several times quicker.
    data = tokens.text.data[begin:end].tobytes()
    bounds = zip((low - begin).tolist(), (high - begin).tolist(), strict=True)
    return [data[a:b] for a, b in bounds]


def compact(rows: Rows) -> Rows:
    """Return the same rows without the text around their documents, for those of which many are kept."""
    length = rows.documents.length.astype(np.int32)
    documents = Tokens.in_words(np.concatenate([pack(rows.documents), PADDING]), length)
    return Rows(rows.queries, rows.first, documents, rows.values, rows.line.astype(np.int32), rows.problems)


def joined(parts: list[Rows]) -> Rows:
    """Return rows one after another, and empty the list; a block that goes on is one block."""
    queries: list[bytes] = []
    edges, before = [], 0
    for part in parts:
        goes_on = bool(queries and part.queries) and queries[-1] == part.queries[0]
        queries += part.queries[goes_on:]
        edges.append(part.first[goes_on:-1] + before)
        before += len(part)
    first = np.concatenate([*edges, [before]]).astype(np.int64)
    values = concatenated([part.values for part in parts], np.float64)
    line = np.concatenate([np.zeros(0, dtype=np.int32), *(part.line for part in parts)])
    problems = [wrong for part in parts for wrong in part.problems]
    documents = [part.documents for part in parts]
    parts.clear()
    return Rows(queries, first, Tokens.joined(documents), values, line, problems)


def whole_blocks(pieces: Iterable[Rows]) -> Iterator[Callable[[], Rows]]:
    """Yield what returns the rows of pieces in parts of whole blocks; blocks that go on are put together."""
    held: list[Rows] = []
    for rows in map(compact, pieces):
        last = len(rows.queries) - 1
        if held and rows.queries[:1] != held[-1].queries[-1:]:
            yield partial(joined, held)
            held = []
        if last < 1:
            held.append(rows)
            continue
        head = rows.part(0, last)
        head.problems = rows.problems
        yield partial(joined, [*held, head])
        held = [rows.part(last, last + 1)]
    if held:
        yield partial(joined, held)


def batches(rows: Rows) -> Iterator[Rows]:
    """Cut rows into parts of whole blocks, each of about `BATCH` rows or one block."""
    begin, last = 0, len(rows.queries)
    while begin < last:
        end = int(np.searchsorted(rows.first, rows.first[begin] + BATCH, side="right")) - 1
        end = min(max(end, begin + 1), last)
        yield rows.part(begin, end)
        begin = end


def regrouped(parts: Iterable[Rows]) -> Rows:
    """Bring the blocks of each query together, in the order in which the queries first appear.

    Args:
        parts: Rows in any blocks.
    """
    number: dict[bytes, int] = {}
    owners, found = [], []
    for part in parts:
        codes = [number.setdefault(name, len(number)) for name in part.queries]
        owners.append(np.repeat(np.array(codes, dtype=np.int32), np.diff(part.first)))
        found.append(Rows([], part.first[:1], part.documents, part.values, part.line, part.problems))
    owner = concatenated(owners, np.int32)
    rows = joined(found)
    order = np.argsort(owner, kind="stable")
    first = np.concatenate([[0], np.cumsum(np.bincount(owner, minlength=len(number)))])
    values, line = rows.values[order], rows.line[order]
    return Rows(list(number), first, rows.documents[order], values, line, rows.problems)
