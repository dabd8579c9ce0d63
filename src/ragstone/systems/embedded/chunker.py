"""Cuts documents into chunks that never cross a section."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import count

from ragstone.systems.embedded.documents import Chunk, Document

_WORD = re.compile(r"\S+")


def chunk_documents(documents: Iterable[Document], size: int, overlap: int) -> list[Chunk]:
    """Cut every section into chunks of at most `size` words.

    A word is a run of characters without white space. Neighbouring chunks of a section share exactly `overlap`
    words, and every chunk of a section but the last has `size` of them. A chunk's text is the section's own text
    from its first to its last word, line breaks included. Sections without a word give no chunk. Chunks are
    numbered from 0 in their document: ``guide/install.md#3``.

    Args:
        documents: What to cut, in order.
        size: Words in a chunk, at least 1.
        overlap: Words shared with the chunk before; at least 0 and less than `size`.

    Raises:
        ValueError: `size` or `overlap` is out of its range.
    """
    if not 0 <= overlap < size:
        raise ValueError(f"overlap {overlap} must be at least 0 and less than the chunk size {size}")
    return [chunk for document in documents for chunk in _chunks(document, size, overlap)]


def _chunks(document: Document, size: int, overlap: int) -> Iterator[Chunk]:
    numbers = count()
    for section in document.sections:
        for text in _pieces(section.text, size, overlap):
            yield Chunk(f"{document.name}#{next(numbers)}", document.name, section.heading, text, section.page)


def _pieces(text: str, size: int, overlap: int) -> Iterator[str]:
    words = [match.span() for match in _WORD.finditer(text)]
    for start in range(0, max(len(words) - overlap, min(len(words), 1)), size - overlap):
        last = min(start + size, len(words)) - 1
        yield text[words[start][0] : words[last][1]]


def index_text(chunk: Chunk) -> str:
    """Return what is tokenised and embedded for a chunk: its heading path, then its text.

    The path stands on a line of its own, joined by `` > ``. It is left out where there is none, and where the text
    begins with it already, written with dots: an entry of the standard library begins with its qualified name.
    """
    if not chunk.heading or chunk.text.startswith(".".join(chunk.heading)):
        return chunk.text
    return f"{' > '.join(chunk.heading)}\n{chunk.text}"
