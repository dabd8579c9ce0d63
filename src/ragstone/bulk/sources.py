"""Files of rows, recognised by content."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from importlib import import_module
from io import FileIO
from typing import Any, Protocol

from ragstone.bulk.columns import GRADE, SCORE, pick, wanted
from ragstone.bulk.files import readable
from ragstone.bulk.lines import BEIR, QRELS, RUN, Layout
from ragstone.bulk.pieces import pieces
from ragstone.bulk.rows import Rows, compact, joined
from ragstone.bulk.text import TextPart
from ragstone.errors import InvalidInputError, MissingExtraError, Problem

_PARQUET = b"PAR1"
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
            long: list[Rows] = []  # of a block that comes in several pieces
            for piece in pieces(stream):
                part = TextPart(piece, self.layout, self.name)
                if not long and not piece.goes_on:
                    yield part.rows
                    continue
                rows = compact(part.rows())
                if long and long[0].queries[:1] != rows.queries[:1]:
                    yield partial(joined, long)
                    long = []
                long.append(rows)
                if not piece.goes_on:
                    yield partial(joined, long)
                    long = []
            if long:
                yield partial(joined, long)

    def pieces(self) -> Iterator[Rows]:
        """Yield all rows, in any blocks."""
        with readable(self.name) as stream:
            for piece in pieces(stream):
                yield compact(TextPart(piece, self.layout, self.name).rows())


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
    if start.startswith(_PARQUET):
        return _from_parquet(path, values)
    if start.startswith(b"{"):
        from ragstone.bulk.jsonl import read  # noqa: PLC0415 - its libraries are loaded where they are wanted

        return read(path, values)
    names = [name.lower() for name in start.split(b"\n", 1)[0].split()]
    return TextSource(path, RUN if is_run else BEIR if names == list(BEIR.header) else QRELS)


def _is_folder(path: str) -> bool:
    try:
        FileIO(path).close()
    except IsADirectoryError:
        return True
    except OSError:
        return False
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


def _from_parquet(path: str, values: Sequence[str]) -> Source:
    """Read the three columns that matter with pyarrow, or with polars where that is installed alone."""
    from ragstone.bulk.arrow import from_stream  # noqa: PLC0415 - Arrow is loaded where it is wanted

    try:
        reader: Any = import_module("pyarrow.parquet")
        names = reader.read_schema(path).names
        table = reader.read_table(path, columns=[pick(names, known, what, path) for known, what in wanted(values)])
    except ModuleNotFoundError:
        try:
            polars: Any = import_module("polars")
        except ModuleNotFoundError:
            raise MissingExtraError(f"reading {path}", "parquet", "pyarrow") from None
        table = polars.read_parquet(path)
    return from_stream(table, values, path)
