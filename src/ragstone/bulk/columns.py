"""Rows from columns in memory, and from plain Python values that are made into columns."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain, islice
from numbers import Integral
from typing import Any, Protocol, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from ragstone.bulk.problems import MOST, Problems, shown
from ragstone.bulk.rows import Rows, batches, first_rows, names
from ragstone.bulk.tables import AN_ID, is_id, is_number
from ragstone.bulk.words import Tokens
from ragstone.errors import Problem, UsageError, did_you_mean

QUERY = ("query_id", "qid", "query-id", "query", "q_id", "topic", "topic_id")
DOCUMENT = (
    "doc_id",
    "docno",  # before docid, which is PyTerrier's own number where both are there
    "docid",
    "did",
    "document_id",
    "document",
    "corpus-id",
    "corpus_id",
    "chunk_id",
    "id",
)
SCORE = ("score", "sim", "similarity")
GRADE = ("relevance", "grade", "rel", "score", "label")
PART = 1 << 17  # rows; with fewer, threads would spend their time on taking turns
_TAIL = 2048  # rows that are looked at first for the beginning of a block

T_co = TypeVar("T_co", covariant=True)


class Stretches(Protocol[T_co]):
    """A column of which stretches are taken."""

    def __len__(self) -> int:
        """Return the number of rows."""

    def __getitem__(self, rows: slice, /) -> T_co:
        """Return some consecutive rows."""


Column: TypeAlias = Stretches[Tokens]
Numbers: TypeAlias = Stretches[NDArray[np.float64]]
Lines: TypeAlias = NDArray[np.int32] | NDArray[np.int64]


class ColumnSource:
    """Rows that stand in memory as columns.

    Args:
        name: Name for messages.
        queries: Query of each row.
        documents: Document of each row.
        values: Score or grade of each row.
        lines: Line of each row in the input; without it rows are counted.
    """

    def __init__(
        self, name: str, queries: Column, documents: Column, values: Numbers, lines: Lines | None = None
    ) -> None:
        self.name, self._queries, self._documents, self._values = name, queries, documents, values
        self._lines = lines

    def parts(self) -> Iterator[Callable[[], Rows]]:
        """Yield what returns the rows, in parts of whole blocks."""
        low = 0
        while low < len(self._values):
            high = self._cut(low)
            yield partial(self._rows, low, high)
            low = high

    def pieces(self) -> Iterator[Rows]:
        """Yield all rows at once, in any blocks."""
        yield self._rows(0, len(self._values))

    def _cut(self, low: int) -> int:
        """Return the end of the part that begins at `low`: where the last block begins that need not be whole."""
        size = PART
        while low + size < len(self._values):
            high = low + size
            for seen in (min(_TAIL, size), size):
                edges = np.flatnonzero(self._queries[high - seen : high].changes())
                if len(edges):
                    return high - seen + 1 + int(edges[-1])
            size *= 2
        return len(self._values)

    def _rows(self, low: int, high: int) -> Rows:
        queries, documents, values = self._queries[low:high], self._documents[low:high], self._values[low:high]
        first = first_rows(queries)
        line = np.arange(low + 1, high + 1) if self._lines is None else self._lines[low:high]
        wrong = list(islice(self._wrong(queries, documents, values, line), MOST))
        return Rows(names(queries, first[:-1]), first, documents, values, line, wrong)

    def _wrong(
        self, queries: Tokens, documents: Tokens, values: NDArray[np.float64], line: Lines
    ) -> Iterator[Problem]:
        for row in np.flatnonzero(~np.isfinite(values)).tolist():
            yield Problem(f"the value must be a finite number, got {values[row]}", self.name, int(line[row]))
        for what, tokens in (("query", queries), ("document", documents)):
            for row in np.flatnonzero(tokens.length == 0).tolist():
                yield Problem(f"the {what} id is empty", self.name, int(line[row]))


class TableSource:
    """The rows of a dictionary of dictionaries: a block for each query, also where it is empty.

    Args:
        name: Name for messages.
        table: Value by document by query, with ids and values that have been checked.
    """

    def __init__(self, name: str, table: Mapping[str, Mapping[str, float]]) -> None:
        self.name, self._table = name, table

    def parts(self) -> Iterator[Callable[[], Rows]]:
        """Yield what returns the rows, in parts of whole blocks."""
        for rows in self.pieces():
            yield from (partial(_itself, part) for part in batches(rows))

    def pieces(self) -> Iterator[Rows]:
        """Yield all rows at once."""
        found = self._table.values()
        first = np.cumsum([0, *map(len, found)])
        documents = tokens_of(list(chain.from_iterable(found)))
        numbers = chain.from_iterable(one.values() for one in found)
        values = np.fromiter(numbers, dtype=np.float64, count=len(documents))
        yield Rows(
            [query.encode() for query in self._table], first, documents, values, np.arange(1, len(values) + 1)
        )


def _itself(rows: Rows) -> Rows:
    return rows


def tokens_of(values: Sequence[str] | Sequence[bytes]) -> Tokens:
    """Return Python strings as tokens."""
    encoded = [value if isinstance(value, bytes) else value.encode() for value in values]
    length = np.fromiter(map(len, encoded), dtype=np.int32, count=len(encoded))
    return Tokens.packed(np.frombuffer(b"".join(encoded), dtype=np.uint8), length)


def from_values(
    name: str, queries: Sequence[Any], documents: Sequence[Any], values: Sequence[Any]
) -> ColumnSource:
    """Return the rows of three lists; ids may be whole numbers."""
    problems = Problems()
    ids = [list(map(_as_id, column)) for column in (queries, documents)]
    for what, column in zip(("query", "document"), ids, strict=True):
        problems.extend(
            Problem(f"the {what} id must be {AN_ID}, got {shown(value)}", name, row)
            for row, value in enumerate(column, 1)
            if not is_id(value)
        )
    problems.extend(
        Problem(f"the value must be a finite number, got {shown(value)}", name, row)
        for row, value in enumerate(values, 1)
        if not is_number(value)
    )
    problems.raise_any()
    return ColumnSource(name, tokens_of(ids[0]), tokens_of(ids[1]), np.array(values, dtype=np.float64))


def pick(found: Iterable[str], known: Sequence[str], what: str, name: str) -> str:
    """Return the column that holds something, by the names it may have."""
    spelled: dict[str, list[str]] = {}
    for one in found:
        spelled.setdefault(one.lower(), []).append(one)
    for one in known:
        if len(same := spelled.get(one, [])) > 1:
            named = ", ".join(map(repr, same))
            raise UsageError(f"{name}: several columns may hold the {what}: {named}; keep one of them")
        if same:
            return same[0]
    there = [one for same in spelled.values() for one in same]
    raise UsageError(
        f"{name}: no column holds the {what}; it is named {' or '.join(map(repr, known))}, "
        f"and there are {', '.join(map(repr, there)) or 'none'}{did_you_mean(known[0], there)}"
    )


def from_frame(frame: Any, values: Sequence[str], name: str) -> ColumnSource:  # noqa: ANN401 - any data frame
    """Return the rows of a data frame as Python's values, for one that has no Arrow stream to hand out."""
    chosen = [pick(map(str, frame.columns), known, what, name) for known, what in wanted(values)]
    queries, documents, numbers = (frame[column].tolist() for column in chosen)
    return from_values(name, queries, documents, numbers)


def wanted(values: Sequence[str]) -> tuple[tuple[Sequence[str], str], ...]:
    """Return the names that the three columns may have, with what each holds."""
    return (QUERY, "query"), (DOCUMENT, "document"), (values, "score" if values is SCORE else "grade")


def _as_id(value: Any) -> Any:  # noqa: ANN401 - any value of a column
    return str(value) if isinstance(value, Integral) and not isinstance(value, bool) else value
