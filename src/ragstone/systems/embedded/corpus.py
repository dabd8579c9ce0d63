"""Where documents come from: a folder, or the documentation of the running Python's standard library."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path

from ragstone.errors import UnknownNameError
from ragstone.systems.embedded.documents import Document, corpus_digest
from ragstone.systems.embedded.readers import find_files, folder_signature, read_folder
from ragstone.systems.embedded.stdlib import MODULES, read_stdlib

STDLIB = "stdlib"


@dataclass(frozen=True, slots=True)
class Corpus:
    """A corpus that can be read.

    Attributes:
        kind: ``stdlib`` or ``folder``.
        signature: Changes whenever `read` would return something else.
        read: Returns the documents; each content is read once per process.
    """

    kind: str
    signature: str
    read: Callable[[], tuple[Document, ...]]


def find_corpus(corpus: str, modules: tuple[str, ...] | None, base: Path) -> Corpus:
    """Find a corpus: ``"stdlib"``, or a folder relative to `base`.

    Args:
        corpus: ``"stdlib"`` or a path; a folder of that name is ``"./stdlib"``.
        modules: Modules of the standard library to restrict ``"stdlib"`` to; None for all.
        base: What a relative path is relative to.

    Raises:
        UnknownNameError: A module is not among those that are read.
        InvalidInputError: The folder cannot be read.
    """
    if corpus == STDLIB:
        return _find_stdlib(modules)
    folder = base / Path(corpus).expanduser()
    signature = folder_signature(folder)
    return Corpus("folder", signature, partial(_read_folder, folder, signature))


def check_corpus(corpus: str, modules: tuple[str, ...] | None, base: Path) -> None:
    """Raise what `find_corpus` raises, without reading a file."""
    _check_modules(modules)
    if corpus != STDLIB:
        find_files(base / Path(corpus).expanduser())


def _check_modules(modules: tuple[str, ...] | None) -> None:
    for name in modules or ():
        if name not in MODULES:
            raise UnknownNameError("standard library module", name, MODULES)


def _find_stdlib(modules: tuple[str, ...] | None) -> Corpus:
    _check_modules(modules)
    documents = _read_stdlib(tuple(name for name in MODULES if modules is None or name in modules))
    return Corpus(STDLIB, corpus_digest(documents), lambda: documents)


@lru_cache(maxsize=8)
def _read_stdlib(modules: tuple[str, ...]) -> tuple[Document, ...]:
    return tuple(read_stdlib(modules))


@lru_cache(maxsize=2)
def _read_folder(folder: Path, signature: str) -> tuple[Document, ...]:  # noqa: ARG001 - part of the cache's key
    return tuple(read_folder(folder))
