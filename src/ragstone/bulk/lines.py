"""Lines of columns: where the tokens of a piece of text stand.

A plain piece, every line with the same number of tokens and one space or tab between them, costs one search for
its separators. Any other piece (CRLF, several spaces, blank lines) takes a second look; what then has the wrong
number of columns is handed on as wrong.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ragstone.bulk.pieces import NEWLINE
from ragstone.bulk.words import Mask, Places, Text, Tokens

TAB = 9
MOST_WRONG = 100
_SPACE = np.zeros(256, dtype=bool)
_SPACE[list(b" \t\n\r\v\f")] = True


class Layout(NamedTuple):
    """What the columns of a text mean.

    Attributes:
        columns: How many there are.
        query: Number of the column with the query; 0, since its place is also that of the line.
        document: Number of the column with the document.
        value: Number of the column with the score or the grade.
        wanted: The columns in words, for messages.
        value_name: What the value is called.
        header: Names in the first line; none where the rows begin at once.
    """

    columns: int
    query: int
    document: int
    value: int
    wanted: str
    value_name: str
    header: tuple[bytes, ...] = ()


RUN = Layout(6, 0, 2, 4, "a run has 6: query, Q0, document, rank, score, tag", "score")
QRELS = Layout(4, 0, 2, 3, "qrels have 4: query, 0, document, grade", "grade")
BEIR = Layout(
    3,
    0,
    1,
    2,
    "judgments of BEIR have 3: query-id, corpus-id, score",
    "grade",
    (b"query-id", b"corpus-id", b"score"),
)


class WrongLine(NamedTuple):
    """A line that does not have the columns of the layout: its number in the piece, and its bytes."""

    line: int
    columns: int
    begin: int
    end: int


class Grid(NamedTuple):
    """The tokens of a piece of text, in the columns that matter.

    Attributes:
        line: 0-based number of each row's line in the piece.
        lines: Number of lines in the piece.
        wrong: Lines with the wrong number of columns, at most `MOST_WRONG`.
    """

    queries: Tokens
    documents: Tokens
    values: Tokens
    line: NDArray[np.int64]
    lines: int
    wrong: Sequence[WrongLine] = ()


def split(text: Text, begin: int, end: int, layout: Layout) -> Grid:
    """Find the tokens of the lines in ``text[begin:end]``, which ends with a newline."""
    piece = text.data[begin:end]
    blank = piece <= 32
    ends = np.flatnonzero(blank)
    if len(ends) and len(ends) % layout.columns == 0 and _is_plain(piece, blank, ends, layout.columns):
        return _plain(text, begin, ends.reshape(-1, layout.columns), layout)
    return _general(text, begin, piece, layout)


def _is_plain(piece: NDArray[np.uint8], blank: Mask, ends: Places, columns: int) -> bool:
    """Say whether each `columns`-th separator is a newline, the others are spaces or tabs, and none is doubled."""
    rows = len(ends) // columns
    controls = np.count_nonzero(piece < 32)
    if controls != rows:
        controls -= np.count_nonzero(piece == TAB)
    newlines = bool((piece.take(ends[columns - 1 :: columns]) == NEWLINE).all())
    return controls == rows and newlines and not blank[0] and not bool((blank[1:] & blank[:-1]).any())


def _plain(text: Text, begin: int, ends: Places, layout: Layout) -> Grid:
    rows = len(ends)

    def column(number: int) -> Tokens:
        if number:
            start = ends[:, number - 1] + (begin + 1)
        else:
            start = np.empty(rows, dtype=np.int64)
            start[0] = begin
            np.add(ends[:-1, -1], begin + 1, out=start[1:])
        length = ends[:, number] - start
        return Tokens(text, start, length + begin if begin else length)

    return Grid(column(layout.query), column(layout.document), column(layout.value), np.arange(rows), rows)


def _general(text: Text, begin: int, piece: NDArray[np.uint8], layout: Layout) -> Grid:
    inside = np.concatenate([[False], ~_SPACE[piece]]).view(np.int8)
    edges = np.diff(inside)
    starts, ends = np.flatnonzero(edges == 1), np.flatnonzero(edges == -1)
    newlines = np.flatnonzero(piece == NEWLINE)
    counts = np.diff(np.searchsorted(starts, newlines), prepend=0)
    right = counts == layout.columns
    kept = np.repeat(right, counts)
    start = starts[kept].reshape(-1, layout.columns)
    length = ends[kept].reshape(-1, layout.columns) - start
    queries, documents, values = (
        Tokens(text, start[:, number] + begin, length[:, number].copy())
        for number in (layout.query, layout.document, layout.value)
    )
    lows = np.concatenate([[0], newlines + 1])
    wrong = [
        WrongLine(i, int(counts[i]), int(lows[i]) + begin, int(newlines[i]) + begin)
        for i in np.flatnonzero(~right & (counts > 0))[:MOST_WRONG].tolist()
    ]
    return Grid(queries, documents, values, np.flatnonzero(right), len(newlines), wrong)
