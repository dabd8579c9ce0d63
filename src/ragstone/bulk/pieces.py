"""Text read in pieces that hold whole blocks of queries.

A piece of `CHUNK` bytes is read; the block at its end, which may go on, is carried over to the next. A block that
is longer than a piece comes in several. So the memory in use is that of a few pieces.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from ragstone.bulk.files import Stream
from ragstone.bulk.words import Text, room

CHUNK = 1 << 20
NEWLINE = 10
_BOM = b"\xef\xbb\xbf"
_TOKEN = re.compile(rb"\S+")


class Piece(NamedTuple):
    """Whole lines of a text.

    Attributes:
        text: The text, with what stands around them.
        begin: Where they begin.
        end: Where they end, behind a newline.
        line: Number of the first; 1 at the top of the file.
        goes_on: Whether the block at their end may go on in the next piece.
    """

    text: Text
    begin: int
    end: int
    line: int
    goes_on: bool

    def lines(self) -> int:
        """Return the number of lines."""
        return int(np.count_nonzero(self.text.data[self.begin : self.end] == NEWLINE))


def pieces(stream: Stream) -> Iterator[Piece]:
    """Read a text to its end and yield it in pieces; a byte-order mark is skipped.

    The query of a line is its first token. A query whose lines do not stand together may come in several pieces.
    """
    rest, line, ended = b"", 1, False
    while not ended:
        data, filled, ended = _filled(stream, rest)
        begin = len(_BOM) if line == 1 and data.startswith(_BOM) else 0
        last = filled if ended else data.rfind(b"\n", begin, filled) + 1
        end = last if ended else _last_block(data, begin, last)
        goes_on = end == begin and not ended
        if goes_on:
            end = max(begin, last)
        if end > begin:
            piece = Piece(Text(np.frombuffer(data, dtype=np.uint8)), begin, end, line, goes_on)
            yield piece
            line += piece.lines()
        rest = bytes(memoryview(data)[end if end > begin else 0 : filled])


def until_whole(piece: Piece, rest: Iterator[Piece]) -> Iterator[Piece]:
    """Yield a piece and those behind it, down to the first that ends with a block."""
    yield piece
    while piece.goes_on and (following := next(rest, None)) is not None:
        yield following
        piece = following


def _filled(stream: Stream, rest: bytes) -> tuple[bytearray, int, bool]:
    """Read on: return a buffer with `rest` and at least as much again, where that ends, and whether all is read.

    The last line of a text always gets its newline.
    """
    filled = len(rest)
    size = filled + max(CHUNK, filled)
    data = bytearray(room(size))
    data[:filled] = rest
    with memoryview(data) as view:
        while filled < size and (count := stream.readinto(view[filled:size])):
            filled += count
    ended = filled < size
    if ended and filled and data[filled - 1] != NEWLINE:
        data[filled] = NEWLINE
        filled += 1
    return data, filled, ended


def _last_block(data: bytearray, begin: int, end: int) -> int:
    """Return where the block of the last line before `end` begins, `begin` where it is the only block.

    Lines are looked at by halves: where a line of another query is followed by one of this query, a block begins.
    """
    if end <= begin:
        return begin
    high = _last_line(data, begin, end)
    query = _TOKEN.search(data, high, end)
    if query is None:
        return end
    low = begin
    while low < high:
        middle = max(begin, data.rfind(b"\n", begin, (low + high) // 2) + 1)
        # A blank line belongs to the query of the line behind it.
        found = _TOKEN.search(data, middle, end)
        if found is None or found.group() == query.group():
            high = middle
        else:
            low = data.find(b"\n", found.end()) + 1
    return high


def _last_line(data: bytearray, begin: int, end: int) -> int:
    """Return where the last line that is not blank begins."""
    if end > begin and not data[max(begin, end - 2) : end].strip():
        end = begin + len(data[begin:end].rstrip())
    return max(begin, data.rfind(b"\n", begin, max(begin, end - 1)) + 1)
