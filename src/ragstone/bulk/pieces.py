"""Text read in pieces that hold whole blocks of queries.

A piece of `CHUNK` bytes is read; the block at its end, which may go on, is carried over to the next. So the memory
in use is that of a few pieces, or of the longest block.
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
    """Whole lines of a text: where they stand, and the number of the first, which is 1 at the top of the file."""

    text: Text
    begin: int
    end: int
    line: int

    @classmethod
    def of(cls, data: bytearray, begin: int, end: int, line: int) -> Piece:
        """Return what stands at ``begin:end`` of a buffer that has room behind its end."""
        return cls(Text(np.frombuffer(data, dtype=np.uint8)), begin, end, line)

    def lines(self) -> int:
        """Return the number of lines."""
        return int(np.count_nonzero(self.text.data[self.begin : self.end] == NEWLINE))

    def slices(self) -> Iterator[Piece]:
        """Cut a long piece at ends of lines into pieces of about `CHUNK` bytes."""
        rest = self
        while rest.end - rest.begin > 2 * CHUNK:
            tail = rest.text.data[rest.begin : rest.begin + CHUNK].tobytes()
            cut = rest.begin + tail.rfind(b"\n") + 1
            if cut == rest.begin:
                break
            head = rest._replace(end=cut)
            yield head
            rest = rest._replace(begin=cut, line=rest.line + head.lines())
        yield rest


def pieces(stream: Stream) -> Iterator[Piece]:
    """Read a text to its end and yield it in pieces; a byte-order mark is skipped.

    The query of a line is its first token. A query whose lines do not stand together may come in several pieces.
    """
    rest, line, ended = b"", 1, False
    while not ended:
        data, filled, ended = _filled(stream, rest)
        begin = len(_BOM) if line == 1 and data.startswith(_BOM) else 0
        end = filled if ended else _last_block(data, begin, filled)
        if end > begin:
            piece = Piece.of(data, begin, end, line)
            yield piece
            line += piece.lines()
        rest = bytes(memoryview(data)[end if end > begin else 0 : filled])


def whole(stream: Stream) -> Piece:
    """Read a text to its end, as one piece; a byte-order mark is skipped."""
    data, filled, ended = _filled(stream, b"")
    while not ended:
        data, filled, ended = _filled(stream, memoryview(data)[:filled])
    return Piece.of(data, len(_BOM) if data.startswith(_BOM) else 0, filled, 1)


def _filled(stream: Stream, rest: bytes | memoryview) -> tuple[bytearray, int, bool]:
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


def _last_block(data: bytearray, begin: int, filled: int) -> int:
    """Return where the block of the last whole line begins, `begin` where nothing of another stands before it.

    Lines are looked at by halves: where a line of another query is followed by one of this query, a block begins.
    """
    end = data.rfind(b"\n", begin, filled) + 1
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
