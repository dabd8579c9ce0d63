"""Files of rows, recognised by content."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial
from io import FileIO
from typing import Protocol

from ragstone.bulk.columns import GRADE, SCORE
from ragstone.bulk.files import readable
from ragstone.bulk.lines import BEIR, QRELS, RUN, Layout
from ragstone.bulk.pieces import Piece, pieces, until_whole
from ragstone.bulk.rows import Rows, compact, whole_blocks
from ragstone.bulk.text import TextPart
from ragstone.errors import InvalidInputError, Problem

_PARQUET = b"PAR1"
_TAB = 9  # no text holds a lower byte, and every Parquet file does: an id of a TREC file may begin with PAR1
_OBJECT = re.compile(rb"\{\s*[\"}]")  # so may one begin with a brace
_HEAD = 4096


class Source(Protocol):
    """Where rows come from; it can be read more than once.

    Attributes:
        name: Name for messages.
    """

    name: str

    def parts(self) -> Iterator[Callable[[], Rows]]:
        """Yield what returns the rows, on whatever thread, in parts of whole blocks."""

    def pieces(self) -> Iterator[Rows]:
        """Yield all rows, in any blocks."""


class TextSource:
    """A file of text in columns, plain or compressed.

    Args:
        path: The file.
        layout: Its columns.
    """

    def __init__(self, path: str, layout: Layout) -> None:
        self.name, self.layout = path, layout

    def parts(self) -> Iterator[Callable[[], Rows]]:
        """Yield what returns the rows, on whatever thread, in parts of whole blocks."""
        with readable(self.name) as stream:
            text = pieces(stream)
            for piece in text:
                if piece.goes_on:
                    yield from whole_blocks(map(self._rows, until_whole(piece, text)))
                else:
                    yield partial(self._rows, piece)

    def pieces(self) -> Iterator[Rows]:
        """Yield all rows, in any blocks."""
        with readable(self.name) as stream:
            for piece in pieces(stream):
                yield compact(self._rows(piece))

    def _rows(self, piece: Piece) -> Rows:
        return TextPart(piece, self.layout, self.name).rows()


class StreamSource:
    """Rows that are read piece by piece, of which a few pieces are in memory.

    Args:
        name: Name for messages.
        read: Reads all rows anew, in pieces with any blocks.
    """

    def __init__(self, name: str, read: Callable[[], Iterator[Rows]]) -> None:
        self.name, self._read = name, read

    def parts(self) -> Iterator[Callable[[], Rows]]:
        """Yield what returns the rows, on whatever thread, in parts of whole blocks."""
        return whole_blocks(self._read())

    def pieces(self) -> Iterator[Rows]:
        """Yield all rows, in any blocks."""
        return map(compact, self._read())


def from_path(path: str, *, is_run: bool) -> Source:
    """Return the rows of a file or a BEIR folder, recognised by content.

    Args:
        path: TREC columns, JSON Lines, Parquet, or for qrels a BEIR folder or its TSV; text may be compressed.
        is_run: Whether it is a run; otherwise it is qrels.

    Raises:
        InvalidInputError: It cannot be read.
        MissingExtraError: Reading it needs an optional package.
    """
    if not is_run and _is_folder(path):
        path = _split_of(path)
    with readable(path) as stream:
        head = bytearray(_HEAD)
        size = stream.readinto(head) or 0
    start = bytes(head[:size]).removeprefix(b"\xef\xbb\xbf").lstrip()
    values = SCORE if is_run else GRADE
    if start.startswith(_PARQUET) and min(start) < _TAB:
        from ragstone.bulk import parquet  # noqa: PLC0415 - its libraries are loaded where they are wanted

        return StreamSource(path, partial(parquet.read, path, values))
    if _OBJECT.match(start):
        from ragstone.bulk import jsonl  # noqa: PLC0415 - its libraries are loaded where they are wanted

        return StreamSource(path, partial(jsonl.read, path, values))
    names = [name.lower() for name in start.split(b"\n", 1)[0].split()]
    return TextSource(path, RUN if is_run else BEIR if names == list(BEIR.header) else QRELS)


def _is_folder(path: str) -> bool:
    try:
        FileIO(path).close()
    except IsADirectoryError:
        return True
    except (OSError, ValueError):
        return False  # what is wrong with the path is told where it is read
    return False


def _split_of(beir: str) -> str:
    """Return the judgments of a BEIR folder: ``qrels/test.tsv``, or the only file there is."""
    from pathlib import Path  # noqa: PLC0415 - seldom wanted, and the start counts for small files

    folder = Path(beir) / "qrels"
    found = {path.name: path for path in sorted(folder.glob("*.tsv"))}
    if "test.tsv" in found or len(found) == 1:
        return str(found.get("test.tsv") or next(iter(found.values())))
    names = ", ".join(found) or "no judgments"
    message = f"holds {names}; a BEIR folder has qrels/test.tsv, or name the file itself"
    raise InvalidInputError([Problem(message, str(folder))])
