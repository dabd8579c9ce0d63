"""Rows from text in columns."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ragstone.bulk.floats import parse
from ragstone.bulk.lines import Grid, Layout, WrongLine, split
from ragstone.bulk.pieces import Piece
from ragstone.bulk.problems import MOST, shown
from ragstone.bulk.rows import Rows, first_rows, names
from ragstone.errors import Problem

_BLANKS = (b" ", b"\t")


class TextPart(NamedTuple):
    """A piece of a text that has not been taken apart yet.

    Attributes:
        piece: Whole lines, the first of which has the names of the columns where the text begins with those.
        layout: The columns.
        source: Name of the file for messages.
    """

    piece: Piece
    layout: Layout
    source: str

    def rows(self) -> Rows:
        """Return the rows with what is wrong in them; values that are no numbers become NaN."""
        if not self.layout.header or self.piece.line > 1 or self.piece.end == self.piece.begin:
            return self._lines()
        wrong, behind = self._head()
        rows = behind._lines()  # noqa: SLF001 - the same part, without its first line
        rows.problems = (*wrong, *rows.problems)
        return rows

    def _head(self) -> tuple[list[Problem], TextPart]:
        """Return what is wrong with the line of names, and what stands behind it."""
        piece, header = self.piece, self.layout.header
        line = piece.text.data[piece.begin : piece.end].tobytes().split(b"\n", 1)[0]
        behind = self._replace(piece=piece._replace(begin=piece.begin + len(line) + 1, line=2))
        if [name.lower() for name in line.split()] == list(header):
            return [], behind
        message = f"the header must be {shown(b' '.join(header))}, got {shown(b' '.join(line.split()))}"
        return [Problem(message, self.source, 1)], behind

    def _lines(self) -> Rows:
        piece = self.piece
        grid = split(piece.text, piece.begin, piece.end, self.layout)
        first = first_rows(grid.queries)
        values, odd = parse(grid.values)
        line = grid.line + piece.line
        problems = [self._wrong_columns(bad) for bad in grid.wrong]
        problems += [self._wrong_value(grid, row, int(line[row])) for row in odd[:MOST].tolist()]
        if bool((piece.text.data[piece.begin : piece.end] > 127).any()):
            problems += self._not_utf8()
        return Rows(names(grid.queries, first[:-1]), first, grid.documents, values, line, problems)

    def _wrong_columns(self, bad: WrongLine) -> Problem:
        seen = shown(self.piece.text.data[bad.begin : bad.end].tobytes().strip())
        message = f"{bad.columns} column{'s'[: bad.columns != 1]}, got {seen}; {self.layout.wanted}"
        return Problem(message, self.source, self.piece.line + bad.line)

    def _wrong_value(self, grid: Grid, row: int, line: int) -> Problem:
        what, column = self.layout.value_name, self.layout.value + 1
        message = f"column {column}: the {what} must be a finite decimal number, got {shown(grid.values.one(row))}"
        return Problem(message, self.source, line)

    def _not_utf8(self) -> Iterator[Problem]:
        text = self.piece.text.data[self.piece.begin : self.piece.end].tobytes()
        try:
            text.decode()
        except UnicodeDecodeError:
            for number, line in enumerate(text.split(b"\n"), self.piece.line):
                try:
                    line.decode()
                except UnicodeDecodeError as error:
                    column = len(line[: error.start].split()) + (line[error.start - 1 : error.start] in _BLANKS)
                    bad = line[error.start : error.start + 1]
                    message = f"column {max(column, 1)}: byte {bad!r} is not UTF-8; save the file as UTF-8"
                    yield Problem(message, self.source, number)
