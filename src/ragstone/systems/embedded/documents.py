"""What a corpus is made of: documents, their sections, and the chunks that are indexed."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Section:
    """A run of text under one heading, on one page where the format has pages."""

    heading: tuple[str, ...]
    text: str
    page: int | None = None


@dataclass(frozen=True, slots=True)
class Document:
    """A document as read: its name in the corpus (a relative path or a module name) and its sections."""

    name: str
    sections: tuple[Section, ...]


@dataclass(frozen=True, slots=True)
class Chunk:
    """A piece of a section; what search returns."""

    id: str
    document: str
    heading: tuple[str, ...]
    text: str
    page: int | None = None


def corpus_digest(documents: Iterable[Document]) -> str:
    """Return SHA-256 over names, headings, pages and texts, in order."""
    digest = hashlib.sha256()
    for document in documents:
        for section in document.sections:
            for part in (document.name, *section.heading, str(section.page), section.text):
                digest.update(part.encode())
                digest.update(b"\0")
    return digest.hexdigest()
