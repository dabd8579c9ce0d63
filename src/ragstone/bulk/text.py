"""Rows from text in columns, read in pieces that hold whole blocks of queries.

A piece of `CHUNK` bytes is read; the block at its end, which may go on, is carried over to the next. So the memory
in use is that of a piece, or of the longest block.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from ragstone.bulk.files import Stream
from ragstone.bulk.floats import parse
from ragstone.bulk.lines import NEWLINE, Grid, Layout, WrongLine, split
from ragstone.bulk.problems import Problems, shown
from ragstone.bulk.rows import Rows, first_rows, joined, names
from ragstone.bulk.words import Places, Text, room
from ragstone.errors import Problem

CHUNK = 1 << 20
_BOM = b"\xef\xbb\xbf"
_BLANKS = (b" ", b"\t")


class Reader:
    """Reads the rows of one text.

    Args:
        stream: The text; a byte-order mark is skipped.
        layout: Its columns.
        source: Name of the file for messages.
        problems: Collects what is wrong; values that are no numbers become NaN.
    """

    def __init__(self, stream: Stream, layout: Layout, source: str, problems: Problems) -> None:
        self.stream, self.layout, self.source, self.problems = stream, layout, source, problems
        self._buffer = np.zeros(room(CHUNK), dtype=np.uint8)
        self._filled = 0
        self._ended = False
        self._line = 1
        self._fill()
        self._begin = self._skip_head()

    def __iter__(self) -> Iterator[Rows]:
        """Yield the rows in parts of whole blocks."""
        while True:
            rows, tail = self._rows()
            if rows is not None:
                yield rows
            if self._ended:
                return
            self._carry(tail)

    def pieces(self) -> Iterator[Rows]:
        """Yield all rows in pieces, their blocks as they stand in the file; the whole text stays in memory."""
        while not self._ended:
            self._carry(self._begin)
        return self._sliced(self._filled)

    def _fill(self) -> None:
        """Read until the buffer is full or the stream at its end; the last line always gets its newline."""
        capacity = len(self._buffer) - room(0)
        with self._buffer.data as view:
            while self._filled < capacity and (count := self.stream.readinto(view[self._filled : capacity])):
                self._filled += count
        self._ended = self._filled < capacity
        if self._ended and self._filled and self._buffer[self._filled - 1] != NEWLINE:
            self._buffer[self._filled] = NEWLINE
            self._filled += 1

    def _carry(self, tail: int) -> None:
        """Move what begins at `tail` to the front, into a longer buffer where nothing was used, and read on."""
        rest = self._buffer[tail : self._filled]
        if tail == self._begin:
            self._buffer = np.zeros(room(2 * len(self._buffer)), dtype=np.uint8)
        self._buffer[: len(rest)] = rest
        self._begin, self._filled = 0, len(rest)
        self._fill()

    def _skip_head(self) -> int:
        """Return where the rows begin: behind a byte-order mark and the line of names."""
        begin = 3 if self._buffer[:3].tobytes() == _BOM else 0
        if not self.layout.header or not self._filled:
            return begin
        end = int(np.argmax(self._buffer == NEWLINE)) + 1
        found = self._buffer[begin:end].tobytes().split()
        if [name.lower() for name in found] != list(self.layout.header):
            message = f"the header must be {shown(b' '.join(self.layout.header))}, got {shown(b' '.join(found))}"
            self.problems.extend([Problem(message, self.source, self._line)])
        self._line += 1
        return end

    def _rows(self) -> tuple[Rows | None, int]:
        """Return the rows of the whole blocks in the buffer, and where what is carried over begins."""
        end = self._filled if self._ended else _behind_last_newline(self._buffer[: self._filled])
        if not self._ended and (end <= self._begin or self._is_one_block(end)):
            return None, self._begin
        if end - self._begin > 2 * CHUNK:
            return self._long(end)
        grid = split(Text(self._buffer), self._begin, end, self.layout)
        first = first_rows(grid.queries)
        kept, tail, lines = len(grid.queries), end, grid.lines
        if not self._ended and kept:
            if len(first) == 2:
                return None, self._begin
            kept, first = int(first[-2]), first[:-1]
            tail, lines = int(grid.queries.start[kept]), int(grid.line[kept])
        rows = self._checked(grid, first, self._begin, tail)
        self._line += lines
        return rows, tail

    def _long(self, end: int) -> tuple[Rows | None, int]:
        """Do the same for a long block and what stands around it, slice by slice, so that less is held at once."""
        tail = end if self._ended else self._last_block(end)
        return (None if tail == self._begin else joined(list(self._sliced(tail)))), tail

    def _last_block(self, end: int) -> int:
        """Return where the last block before `end` begins."""
        begin, query = end, b""
        for low, high in reversed(list(_slices(self._buffer, self._begin, end))):
            queries = split(Text(self._buffer), low, high, self.layout).queries
            if not len(queries):
                continue
            first = first_rows(queries)
            last = queries.one(len(queries) - 1)
            if query and last != query:
                break
            begin, query = int(queries.start[first[-2]]), last
            if len(first) > 2:
                return begin
        return begin if begin < end else self._begin

    def _sliced(self, end: int) -> Iterator[Rows]:
        for low, high in _slices(self._buffer, self._begin, end):
            grid = split(Text(self._buffer), low, high, self.layout)
            yield self._checked(grid, first_rows(grid.queries), low, high)
            self._line += grid.lines

    def _checked(self, grid: Grid, first: Places, begin: int, end: int) -> Rows:
        """Return the rows of the blocks in ``begin:end``, and note what is wrong there."""
        wrong = [bad for bad in grid.wrong if bad.begin < end]
        kept = int(first[-1])
        values, odd = parse(grid.values[:kept])
        rows = Rows(
            names(grid.queries, first[:-1]), first, grid.documents[:kept], values, grid.line[:kept] + self._line
        )
        if wrong or len(odd):
            self.problems.extend(self._wrong_columns(bad) for bad in wrong)
            self.problems.extend(self._wrong_value(rows, grid, row) for row in odd.tolist())
        piece = self._buffer[begin:end]
        if bool((piece > 127).any()):
            self.problems.extend(self._not_utf8(piece.tobytes()))
        return rows

    def _wrong_columns(self, bad: WrongLine) -> Problem:
        seen = shown(self._buffer[bad.begin : bad.end].tobytes().strip())
        message = f"{bad.columns} column{'s'[: bad.columns != 1]}, got {seen}; {self.layout.wanted}"
        return Problem(message, self.source, self._line + bad.line)

    def _wrong_value(self, rows: Rows, grid: Grid, row: int) -> Problem:
        what, column = self.layout.value_name, self.layout.value + 1
        message = f"column {column}: the {what} must be a finite decimal number, got {shown(grid.values.one(row))}"
        return Problem(message, self.source, int(rows.line[row]))

    def _not_utf8(self, piece: bytes) -> Iterator[Problem]:
        try:
            piece.decode()
        except UnicodeDecodeError:
            for number, line in enumerate(piece.split(b"\n"), self._line):
                try:
                    line.decode()
                except UnicodeDecodeError as error:
                    column = len(line[: error.start].split()) + (line[error.start - 1 : error.start] in _BLANKS)
                    bad = line[error.start : error.start + 1]
                    message = f"column {max(column, 1)}: byte {bad!r} is not UTF-8; save the file as UTF-8"
                    yield Problem(message, self.source, number)

    def _is_one_block(self, end: int) -> bool:
        """Say whether the first and the last line are of one query, so that its block may not end here."""
        last = self._buffer[self._begin : end - 1]
        last = last[_behind_last_newline(last) :]
        head = self._buffer[self._begin : self._begin + len(last)].tobytes().split(None, 1)[:1]
        return len(head) == 1 and last.tobytes().split(None, 1)[:1] == head


def _behind_last_newline(piece: NDArray[np.uint8]) -> int:
    """Return the offset behind the last newline, 0 where there is none."""
    size = 4096
    while True:
        begin = max(0, len(piece) - size)
        found = piece[begin:].tobytes().rfind(b"\n")
        if found >= 0 or begin == 0:
            return begin + found + 1
        size *= 16


def _slices(buffer: NDArray[np.uint8], begin: int, end: int) -> Iterator[tuple[int, int]]:
    """Cut a stretch at ends of lines into slices of about `CHUNK` bytes."""
    while end - begin > 2 * CHUNK:
        cut = _behind_last_newline(buffer[begin : begin + CHUNK])
        if not cut:
            break
        yield begin, begin + cut
        begin += cut
    yield begin, end
