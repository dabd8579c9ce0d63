"""What a file looks like at its top: enough to recognise its format by content."""

from __future__ import annotations

import codecs
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, Literal

from ragstone.datasets.intake import Row
from ragstone.datasets.limits import Limits
from ragstone.errors import InvalidInputError, Problem
from ragstone.files import MAX_LINE_BYTES, parse_json, read_text, shown

LOOKED_AT = 50
OPEN_ENDS = ("{", "[", ",", ":")
CONTAINERS = ("queries", "questions", "per_question")
_KEY = re.compile(r'"([^"\\]{1,100})"\s*:')


@dataclass(frozen=True, slots=True)
class Sample:
    """A path and what was seen of it.

    Attributes:
        layout: A folder, one JSON document, JSON Lines, or other text.
        value: The document, for ``layout="document"``.
        keys: Keys of the document or of the first record, for JSON.
        lines: The first lines that are not blank, for text.
    """

    path: Path
    layout: Literal["folder", "document", "lines", "text"]
    value: Any = None
    keys: frozenset[str] = frozenset()
    lines: tuple[str, ...] = ()

    @property
    def row(self) -> Row:
        """The whole document as one record."""
        return Row(self.value, str(self.path))

    def records(self, key: str) -> Sequence[dict[str, Any]]:
        """Return the first mappings of the list under a key of the document; empty where there are none."""
        listed = self.value.get(key) if isinstance(self.value, dict) else None
        return _mappings(listed)

    def seen(self) -> str:
        """Say in a phrase what stands at the top, for a message."""
        if self.layout == "folder":
            names = sorted(entry.name for entry in islice(self.path.iterdir(), 1000))
            return f"a folder with {', '.join(map(shown, names[:8])) or 'nothing in it'}"
        if self.keys:
            kind = "a JSON document" if self.layout == "document" else "JSON Lines"
            return f"{kind} with the keys {', '.join(map(shown, sorted(self.keys)[:12]))}"
        if self.layout == "document":
            return f"a JSON document that holds {shown(self.value)}"
        first = next(iter(self.lines), "")
        what = "not text; it" if "\ufffd" in first or "\0" in first else "text that"
        return f"{what} begins with {shown(first)}"


def look(path: Path, limits: Limits) -> Sample:
    """Look at a file or folder; a JSON document is parsed whole, anything else only seen at its top.

    Raises:
        InvalidInputError: It cannot be read, is empty or too large, or is a document but not strict JSON.
    """
    if path.is_dir():
        if not os.access(path, os.R_OK | os.X_OK):
            raise InvalidInputError([Problem("the folder cannot be read: permission denied", str(path))])
        return Sample(path, "folder")
    limits.check_size(path)
    if not path.is_file():
        message = "is a pipe or a device, which can be read only once; save what it holds in a file"
        raise InvalidInputError([Problem(message, str(path))])
    lines = _top(path)
    if not lines:
        raise InvalidInputError([Problem("is empty: there is no question in it", str(path))])
    if _is_document(lines):
        return _document(path, limits)
    if any(line.startswith("{") for line in lines):
        return Sample(path, "lines", keys=_line_keys(lines))
    return Sample(path, "text", lines=tuple(lines))


def _top(path: Path) -> list[str]:
    """Return the first lines that are neither blank nor comments; bytes that are no text are replaced."""
    found: list[str] = []
    try:
        with path.open("rb") as file:
            while len(found) < LOOKED_AT and (raw := file.readline(MAX_LINE_BYTES)):
                if not found and raw.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
                    raise InvalidInputError([Problem("is written as UTF-16; save it as UTF-8", str(path))])
                line = raw.decode("utf-8", "replace").lstrip("\ufeff").strip()
                if line and not line.startswith("#"):
                    found.append(line)
                if len(raw) == MAX_LINE_BYTES:
                    break
    except OSError as error:
        raise InvalidInputError([Problem(f"cannot be read: {error.strerror or error}", str(path))]) from None
    return found


def _is_document(lines: Sequence[str]) -> bool:
    """Tell one JSON document from JSON Lines: its first line goes on, is too long, or is all there is."""
    first = lines[0]
    if not first.startswith(("{", "[")):
        return False
    if first.startswith("[") or len(first.encode()) >= MAX_LINE_BYTES - 1:
        return True
    if len(lines) == 1:
        return first.endswith(OPEN_ENDS) or not _line_keys(lines).isdisjoint(CONTAINERS)
    return first.endswith(OPEN_ENDS) and not _is_json(first.removesuffix(","))


def _document(path: Path, limits: Limits) -> Sample:
    limits.check_size(path, whole=True)
    text = read_text(path)
    limits.check_values(text, path)
    value = parse_json(text, str(path))
    keys = value if isinstance(value, dict) else next(iter(_mappings(value)), {})
    return Sample(path, "document", value, frozenset(keys))


def _is_json(text: str) -> bool:
    try:
        parse_json(text, "")
    except InvalidInputError:
        return False
    return True


def _line_keys(lines: Sequence[str]) -> frozenset[str]:
    """Return the keys of the first line that is a whole record, or of what looks like keys where none is."""
    for line in lines:
        try:
            value = parse_json(line, "")
        except InvalidInputError:
            continue
        if isinstance(value, dict) and value:
            return frozenset(value)
    return frozenset(key for line in lines for key in _KEY.findall(line))


def _mappings(value: object) -> Sequence[dict[str, Any]]:
    return [one for one in value[:LOOKED_AT] if isinstance(one, dict)] if isinstance(value, list) else []
