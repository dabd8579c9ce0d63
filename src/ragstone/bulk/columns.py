"""Rows from columns in memory, and from plain Python values that are made into columns."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain, islice
from typing import Any, Protocol, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from ragstone.bulk.problems import MOST, Problems, shown
from ragstone.bulk.rows import BATCH, Rows, first_rows, names
from ragstone.bulk.words import Tokens
from ragstone.errors import Problem, UsageError, did_you_mean

QUERY = ("query_id", "qid", "query-id", "query", "q_id", "topic", "topic_id")
DOCUMENT = (
    "doc_id",
    "docid",
    "docno",
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


class ColumnSource:
    """Rows that stand in memory as columns.

    Args:
        name: Name for messages.
        queries: Query of each row.
        documents: Document of each row.
        values: Score or grade of each row.
    """

    def __init__(self, name: str, queries: Column, documents: Column, values: Numbers) -> None:
        self.name, self._queries, self._documents, self._values = name, queries, documents, values

    def parts(self) -> Iterator[Callable[[], Rows]]:
        """Yield what returns the rows, in parts of whole blocks, few enough to stay in the processor's cache."""
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
        size = BATCH
        while low + size < len(self._values):
            high = low + size
            for seen in (min(_TAIL, size), size):
                edges = np.flatnonzero(self._queries[high - seen : high].changes())
                if len(edges):
                    return high - seen + 1 + int(edges[-1])
            size *= 2
        return len(self._values)

    def _rows(self, low: int, high: int) -> Rows:
        queries, values = self._queries[low:high], self._values[low:high]
        first = first_rows(queries)
        line, wrong = np.arange(low + 1, high + 1), list(islice(self._not_finite(values, low), MOST))
        return Rows(names(queries, first[:-1]), first, self._documents[low:high], values, line, wrong)

    def _not_finite(self, values: NDArray[np.float64], before: int) -> Iterator[Problem]:
        for row in np.flatnonzero(~np.isfinite(values)).tolist():
            message = f"the value must be a finite number, got {values[row]}"
            yield Problem(message, self.name, before + row + 1)


def tokens_of(values: Sequence[str] | Sequence[bytes]) -> Tokens:
    """Return Python strings as tokens."""
    encoded = [value if isinstance(value, bytes) else value.encode() for value in values]
    length = np.fromiter(map(len, encoded), dtype=np.int32, count=len(encoded))
    return Tokens.packed(np.frombuffer(b"".join(encoded), dtype=np.uint8), length)


def from_table(table: Mapping[str, Mapping[str, float]], name: str) -> ColumnSource:
    """Return the rows of a dictionary of dictionaries."""
    queries = list(chain.from_iterable([query] * len(found) for query, found in table.items()))
    documents = list(chain.from_iterable(table.values()))
    values = list(chain.from_iterable(found.values() for found in table.values()))
    return from_values(name, queries, documents, values)


def from_values(
    name: str, queries: Sequence[Any], documents: Sequence[Any], values: Sequence[Any]
) -> ColumnSource:
    """Return the rows of three lists."""
    problems = Problems()
    for what, column in (("query", queries), ("document", documents)):
        problems.extend(_no_ids(what, column, name))
    problems.extend(
        Problem(f"the value must be a number, got {shown(value)}", name, row)
        for row, value in enumerate(values, 1)
        if isinstance(value, bool | str | bytes) or not hasattr(value, "__float__")
    )
    problems.raise_any()
    return ColumnSource(name, tokens_of(queries), tokens_of(documents), np.array(values, dtype=np.float64))


def _no_ids(what: str, column: Sequence[Any], name: str) -> Iterator[Problem]:
    for row, value in enumerate(column, 1):
        if not isinstance(value, str) or not value:
            yield Problem(f"the {what} id must be a string that is not empty, got {shown(value)}", name, row)


def pick(found: Iterable[str], known: Sequence[str], what: str, name: str) -> str:
    """Return the column that holds something, by the names it may have."""
    spelled = {one.lower(): one for one in found}
    for one in known:
        if one in spelled:
            return spelled[one]
    raise UsageError(
        f"{name}: no column holds the {what}; it is named {' or '.join(map(repr, known))}, "
        f"and there are {', '.join(map(repr, spelled.values())) or 'none'}{did_you_mean(known[0], spelled)}"
    )


def from_frame(frame: Any, values: Sequence[str], name: str) -> ColumnSource:  # noqa: ANN401 - any data frame
    """Return the rows of a data frame that has no Arrow stream."""
    chosen = [pick(map(str, frame.columns), known, what, name) for known, what in wanted(values)]
    queries, documents, numbers = (frame[column].tolist() for column in chosen)
    return from_values(name, list(map(_as_id, queries)), list(map(_as_id, documents)), numbers)


def wanted(values: Sequence[str]) -> tuple[tuple[Sequence[str], str], ...]:
    """Return the names that the three columns may have, with what each holds."""
    return (QUERY, "query"), (DOCUMENT, "document"), (values, "score" if values is SCORE else "grade")


def _as_id(value: object) -> object:
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value
