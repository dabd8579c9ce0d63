"""JSON Lines: one row a line, as an object with a query, a document and a score or grade."""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import islice

import numpy as np

from ragstone.bulk.columns import ColumnSource, pick, wanted
from ragstone.bulk.files import lines
from ragstone.bulk.problems import MOST, shown
from ragstone.bulk.rows import Rows
from ragstone.bulk.words import Tokens
from ragstone.errors import InvalidInputError, Problem, UsageError
from ragstone.files import parse_json

LINES = 1 << 15


class _Column:
    """Ids as bytes, one behind the other."""

    def __init__(self) -> None:
        self.data = bytearray()
        self.length = array("i")

    def add(self, name: str) -> None:
        """Add an id."""
        encoded = name.encode()
        self.data += encoded
        self.length.append(len(encoded))

    def tokens(self) -> Tokens:
        """Return the ids as tokens."""
        return Tokens.packed(np.frombuffer(self.data, dtype=np.uint8), np.frombuffer(self.length, dtype=np.int32))


def read(path: str, values: Sequence[str]) -> Iterator[Rows]:
    """Yield the rows of a file of JSON Lines in pieces, with the lines that are no such objects as problems.

    Args:
        path: The file, plain or compressed; empty lines are skipped.
        values: Names that the value may have.
    """
    with lines(path) as found:
        numbered = enumerate(found, 1)
        while piece := list(islice(numbered, LINES)):
            yield _rows(piece, values, path)


def _rows(piece: Sequence[tuple[int, bytes]], values: Sequence[str], path: str) -> Rows:
    queries, documents, numbers, places = _Column(), _Column(), array("d"), array("i")
    wrong: list[Problem] = []
    for line, text in piece:
        if not text.strip():
            continue
        try:
            query, document, value = _fields(text, values, path, line)
        except InvalidInputError as error:
            wrong += error.problems
            if len(wrong) >= MOST:
                break
            continue
        queries.add(query)
        documents.add(document)
        numbers.append(value)
        places.append(line)
    values64, places32 = np.frombuffer(numbers, dtype=np.float64), np.frombuffer(places, dtype=np.int32)
    (rows,) = ColumnSource(path, queries.tokens(), documents.tokens(), values64, places32).pieces()
    rows.problems = (*wrong, *rows.problems)
    return rows


def _fields(text: bytes, values: Sequence[str], source: str, line: int) -> tuple[str, str, float]:
    """Return query, document and value of one line."""
    try:
        found = parse_json(text.decode("utf-8-sig" if line == 1 else "utf-8"), source, line)
    except UnicodeDecodeError as error:
        message = f"byte {text[error.start : error.start + 1]!r} is not UTF-8; save the file as UTF-8"
        raise InvalidInputError([Problem(message, source, line)]) from None
    if not isinstance(found, dict):
        raise InvalidInputError([Problem(f"must be an object, got {shown(found)}", source, line)])
    try:
        query, document, value = (found[key] for key in _keys(tuple(found), tuple(values)))
    except UsageError as error:
        raise InvalidInputError([Problem(str(error).removeprefix(": "), source, line)]) from None
    for one in (query, document):
        if isinstance(one, bool) or not isinstance(one, str | int) or one == "":
            raise InvalidInputError([Problem(f"an id must be a string, got {shown(one)}", source, line)])
    return str(query), str(document), _number(value, source, line)


@lru_cache(maxsize=64)
def _keys(found: tuple[str, ...], values: tuple[str, ...]) -> tuple[str, ...]:
    """Return the keys of query, document and value; lines of one file mostly have the same."""
    return tuple(pick(found, known, what, "") for known, what in wanted(values))


def _number(value: object, source: str, line: int) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise InvalidInputError([Problem(f"the value must be a number, got {shown(value)}", source, line)])
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise InvalidInputError([Problem(f"the value must be a finite number, got {shown(value)}", source, line)])
    return number
