"""A folder of Markdown, text, HTML and PDF files as documents."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TypeVar

from ragstone.errors import InvalidInputError, Problem
from ragstone.logs import logger_of
from ragstone.systems.embedded.documents import Document
from ragstone.systems.embedded.formats import FORMATS, UnreadableError

MAX_BYTES = 50 * 1024 * 1024
READER_VERSION = 1  # raised with every change of what is read from the same bytes

T = TypeVar("T")
logger = logger_of(__name__)


@dataclass(frozen=True, slots=True, order=True)
class SourceFile:
    """A file of a corpus: its name in the corpus (relative, with ``/``) and where it lies."""

    name: str
    path: Path


def read_folder(folder: Path) -> list[Document]:
    """Read every file of a known suffix below `folder`, sorted by name.

    Hidden files and folders (a name that begins with a dot) are left out, as are symbolic links to folders and
    links that leave `folder`. Files of other suffixes are ignored.

    Raises:
        InvalidInputError: There is no such folder, nothing readable in it, or files in it that cannot be read
            (too large, encrypted, damaged, not permitted): all of them are listed.
    """
    return _for_each(find_files(folder), _document)


def folder_signature(folder: Path) -> str:
    """Return SHA-256 over the names and bytes of the files that `read_folder` reads, and of what reads them.

    Equal signatures mean equal documents, at the price of reading but not of parsing the files. Raises as
    `read_folder` does, except for what only parsing finds.
    """
    digest = hashlib.sha256(repr((READER_VERSION, _reader_versions())).encode())
    for part in _for_each(find_files(folder), lambda file: (file.name, hashlib.sha256(_load(file)).hexdigest())):
        digest.update(repr(part).encode())
    return digest.hexdigest()


def find_files(folder: Path) -> list[SourceFile]:
    """List the files that `read_folder` reads; raises `InvalidInputError` where there are none."""
    suffixes = ", ".join(FORMATS)
    if not folder.is_dir():
        raise InvalidInputError([Problem("there is no such folder: name one with documents in it", str(folder))])
    files = sorted(_walk(folder, folder.resolve()))
    if not files:
        raise InvalidInputError([Problem(f"the folder holds no file that can be read ({suffixes})", str(folder))])
    return files


def _walk(folder: Path, root: Path) -> Iterable[SourceFile]:
    problems: list[Problem] = []
    for parent, folders, names in os.walk(
        folder, onerror=lambda error: problems.append(Problem(_reason(error), str(error.filename)))
    ):
        folders[:] = [name for name in folders if not name.startswith(".")]
        for name in names:
            path = Path(parent, name)
            if not name.startswith(".") and path.suffix.lower() in FORMATS and _belongs(path, root):
                yield SourceFile(_encodable(path.relative_to(folder).as_posix()), path)
    if problems:
        raise InvalidInputError(problems)


def _belongs(path: Path, root: Path) -> bool:
    """Whether this is a plain file that lies inside `root` once links are followed."""
    return path.is_file() and path.resolve().is_relative_to(root)


def _encodable(name: str) -> str:
    return os.fsencode(name).decode("utf-8", errors="replace")


def _for_each(files: Iterable[SourceFile], use: Callable[[SourceFile], T]) -> list[T]:
    """Apply `use` to every file; the failures of all are raised together."""
    results, problems = [], []
    for file in files:
        try:
            results.append(use(file))
        except (OSError, UnreadableError) as error:
            problems.append(Problem(_reason(error), file.name))
    if problems:
        raise InvalidInputError(problems)
    return results


def _document(file: SourceFile) -> Document:
    sections = FORMATS[file.path.suffix.lower()](_load(file))
    if not any(section.text.strip() for section in sections):
        logger.warning("%s: no text found; a scanned PDF needs text recognition first", file.name)
    return Document(file.name, sections)


def _load(file: SourceFile) -> bytes:
    size = file.path.stat().st_size
    if size > MAX_BYTES:
        raise UnreadableError(
            f"the file has {size} bytes, more than {MAX_BYTES}: split it, or take it out of the folder"
        )
    return file.path.read_bytes()


def _reason(error: OSError | UnreadableError) -> str:
    if isinstance(error, OSError):
        return f"cannot be read ({error.strerror}): check its permissions, or take it out of the folder"
    return str(error)


def _reader_versions() -> list[str]:
    return [_installed(package) for package in ("beautifulsoup4", "markdown-it-py", "pypdf")]


def _installed(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""
