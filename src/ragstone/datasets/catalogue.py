"""The documents of a corpus, as references may name them."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from pydantic import AliasChoices, BaseModel, ConfigDict, Field

from ragstone.datasets.intake import Id, Intake, Row
from ragstone.datasets.limits import Limits
from ragstone.datasets.lines import json_lines
from ragstone.errors import InvalidInputError, Problem


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """One document: its id, and the other names it goes by; an empty one is unknown.

    Attributes:
        content_hash: SHA-256 of its bytes, in hexadecimal digits.
    """

    id: str
    uri: str = ""
    content_hash: str = ""
    file_name: str = ""
    path: str = ""


@dataclass(frozen=True, slots=True)
class Catalogue:
    """The documents of a corpus; ids are unique."""

    documents: tuple[Document, ...]

    @classmethod
    def read(cls, path: Path) -> Catalogue:
        """Read a JSON Lines file of documents, or the files of a folder.

        Of a folder's file the id, the uri and the path are its path relative to the folder. Hidden files and
        folders are passed over, links to folders not followed.

        Raises:
            InvalidInputError: Something is wrong with a line, or a file cannot be read.
        """
        if path.exists() and not path.is_dir() and not path.is_file():
            message = "is a pipe or a device; name a folder, or a file of one document a line"
            raise InvalidInputError([Problem(message, str(path))])
        return cls(_folder(path) if path.is_dir() else _file(path))


class _Record(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    id: Id = Field(validation_alias=AliasChoices("id", "document_id"))
    uri: str | None = None
    content_hash: str | None = None
    file_name: str | None = None
    path: str | None = None

    def document(self) -> Document:
        return Document(
            id=self.id,
            uri=self.uri or "",
            content_hash=self.content_hash or "",
            file_name=self.file_name or "",
            path=self.path or "",
        )


def _file(path: Path) -> tuple[Document, ...]:
    intake = Intake(Limits.local())
    first: dict[str, Row] = {}
    documents = []
    for line, value in json_lines(path, intake.problems):
        row = Row(value, str(path), line)
        found = intake.check(row, _Record)
        if found is None:
            continue
        if found.id in first:
            message = (
                f"the document {found.id!r} stands twice, first at {first[found.id].place}; ids must be unique"
            )
            intake.problems.append(row.problem(message))
        first[found.id] = row
        documents.append(found.document())
    if intake.problems:
        raise InvalidInputError(intake.problems)
    return tuple(documents)


def _folder(folder: Path) -> tuple[Document, ...]:
    problems: list[Problem] = []
    documents = []
    for path in _visible_files(folder):
        name = os.fsencode(path.relative_to(folder).as_posix()).decode("utf-8", "replace")
        try:
            with path.open("rb") as file:
                content_hash = hashlib.file_digest(file, "sha256").hexdigest()
        except OSError as error:
            problems.append(Problem(f"cannot be read: {error.strerror or error}", str(path)))
            continue
        file_name = PurePosixPath(name).name
        documents.append(Document(id=name, uri=name, content_hash=content_hash, file_name=file_name, path=name))
    if problems:
        raise InvalidInputError(problems)
    return tuple(documents)


def _visible_files(folder: Path) -> Iterator[Path]:
    for root, folders, names in os.walk(folder):
        folders[:] = sorted(_visible(folders))
        yield from (path for name in sorted(_visible(names)) if (path := Path(root, name)).is_file())


def _visible(names: Sequence[str]) -> Iterator[str]:
    return (name for name in names if not name.startswith("."))
