"""Files read line by line, so that their size does not matter."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

from ragstone.errors import InvalidInputError, Problem
from ragstone.files import MAX_LINE_BYTES, parse_json

MAX_LINE_VALUES = 1_000_000


def read_lines(path: Path, problems: list[Problem]) -> Iterator[tuple[int, str]]:
    """Yield (line number, text) for each line of a UTF-8 file that is not blank, without its end.

    Lines that are too long and the first line that is not UTF-8 are added to `problems`.
    """
    try:
        with path.open("rb") as file:
            yield from _decoded(file, str(path), problems)
    except OSError as error:
        problems.append(Problem(f"cannot be read: {error.strerror or error}", str(path)))


def _decoded(file: BinaryIO, source: str, problems: list[Problem]) -> Iterator[tuple[int, str]]:
    told = False
    for number, raw in enumerate(_raw_lines(file), 1):
        if len(raw) > MAX_LINE_BYTES:
            problems.append(Problem(f"a line of more than {MAX_LINE_BYTES:,} bytes; none is read", source, number))
            continue
        try:
            line = raw.decode("utf-8-sig" if number == 1 else "utf-8")
        except UnicodeDecodeError as error:
            if not told:
                bad = error.object[error.start : error.start + 1]
                message = f"byte {bad!r} is not UTF-8 (column {error.start + 1}); save the file as UTF-8"
                problems.append(Problem(message, source, number))
            told = True
            continue
        if line.strip():
            yield number, line.rstrip("\r\n")


def _raw_lines(file: BinaryIO) -> Iterator[bytes]:
    """Yield the lines; of one that is too long only the beginning, one byte more than is allowed."""
    while raw := file.readline(MAX_LINE_BYTES + 1):
        yield raw
        while len(raw) > MAX_LINE_BYTES and not raw.endswith(b"\n"):
            raw = file.readline(MAX_LINE_BYTES + 1) or b"\n"


def json_lines(path: Path, problems: list[Problem]) -> Iterator[tuple[int, Any]]:
    """Yield (line number, value) for each good line of a JSON Lines file.

    Lines that begin with ``#`` are skipped; the problems of other lines are added to `problems`.
    """
    for number, line in read_lines(path, problems):
        if line.lstrip().startswith("#"):
            continue
        if sum(map(line.count, ",[{")) > MAX_LINE_VALUES:
            message = f"a line of more than {MAX_LINE_VALUES:,} values, which no question needs"
            problems.append(Problem(message, str(path), number))
            continue
        try:
            yield number, parse_json(line, str(path), number)
        except InvalidInputError as error:
            comma = line.rstrip().endswith(",") and "Extra data" in str(error)
            hint = "; no comma stands between the lines of JSON Lines" if comma else ""
            whole = line.strip().startswith("{") and line.rstrip().endswith(("}", "},"))
            hint = (
                hint
                if whole or "not JSON" not in str(error)
                else "; JSON Lines hold one whole record on each line"
            )
            problems.extend(problem._replace(message=problem.message + hint) for problem in error.problems)
