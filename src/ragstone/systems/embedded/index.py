"""The index of a corpus: built once, kept on disk, shared by the configurations of a process."""

from __future__ import annotations

import hashlib
import json
from importlib.metadata import version
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from ragstone.errors import InvalidInputError, Problem
from ragstone.systems import Progress, silent
from ragstone.systems.embedded import index_files
from ragstone.systems.embedded.chunker import chunk_documents, index_text
from ragstone.systems.embedded.corpus import Corpus
from ragstone.systems.embedded.dense import DenseIndex
from ragstone.systems.embedded.documents import Chunk, corpus_digest
from ragstone.systems.embedded.index_files import Built
from ragstone.systems.embedded.lexical import K1, B, LexicalIndex
from ragstone.systems.embedded.tokens import TOKENIZER_VERSION
from ragstone.systems.embedded.vectors import CachedEmbedder
from ragstone.types import Hit

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

INDEX_VERSION = 1  # raised with every change of the chunker, of `index_text` or of the files
_KEPT = 4  # indexes in memory at once

_indexes: dict[tuple[Path, str], Index] = {}
_lock = Lock()


class Index:
    """Chunks with what finds them.

    Attributes:
        built: Chunks and lexical index.
        texts: By row, the text of a chunk as it is indexed.
        passages: By row, the chunk as a hit without a score.
    """

    def __init__(self, built: Built) -> None:
        self.built = built
        self.texts = tuple(map(index_text, built.chunks))
        self.passages = tuple(map(_passage, built.chunks))
        self._matrices: dict[str, NDArray[np.float32]] = {}
        self._lock = Lock()

    def dense(self, embedder: CachedEmbedder) -> DenseIndex:
        """Return dense search over the chunks; the first call embeds what the vector cache lacks."""
        with self._lock:
            if embedder.fingerprint not in self._matrices:
                self._matrices[embedder.fingerprint] = embedder.embed(self.texts)
            return DenseIndex(embedder, self._matrices[embedder.fingerprint])


def _passage(chunk: Chunk) -> Hit:
    return Hit(id=chunk.id, document=chunk.document, text=chunk.text, page=chunk.page, heading=chunk.heading)


def open_index(
    corpus: Corpus, *, chunk_size: int, chunk_overlap: int, cache: Path, progress: Progress = silent
) -> Index:
    """Return the index of a corpus: from memory, from ``cache/indexes``, or built now.

    It is built anew whenever the corpus, the chunk settings, the tokeniser or the version of bm25s is another, and
    where the files on disk are damaged.

    Raises:
        InvalidInputError: The corpus cannot be read, or has no text.
    """
    key = _key(corpus, chunk_size, chunk_overlap)
    with _lock:
        index = _indexes.pop((cache, key), None) or Index(
            _load_or_build(cache / "indexes" / key, corpus, chunk_size, chunk_overlap, progress)
        )
        _indexes[cache, key] = index  # last in order: the one used longest ago goes first
        while len(_indexes) > _KEPT:
            del _indexes[next(iter(_indexes))]
        return index


def _key(corpus: Corpus, chunk_size: int, chunk_overlap: int) -> str:
    settings = {
        "bm25": [version("bm25s"), K1, B],
        "chunks": [chunk_size, chunk_overlap],
        "corpus": [corpus.kind, corpus.signature],
        "tokenizer": TOKENIZER_VERSION,
        "version": INDEX_VERSION,
    }
    return hashlib.sha256(json.dumps(settings, sort_keys=True).encode()).hexdigest()


def _load_or_build(folder: Path, corpus: Corpus, size: int, overlap: int, progress: Progress) -> Built:
    built = index_files.load(folder)
    if built is None:
        progress("indexing", 0, 1)
        built = _build(corpus, size, overlap)
        index_files.save(folder, built)
        progress("indexing", 1, 1)
    return built


def _build(corpus: Corpus, size: int, overlap: int) -> Built:
    documents = corpus.read()
    chunks = tuple(chunk_documents(documents, size, overlap))
    if not chunks:
        problem = Problem(
            f"none of the {len(documents)} documents of the corpus has any text: nothing to search in"
        )
        raise InvalidInputError([problem])
    lexical = LexicalIndex.build(map(index_text, chunks))
    return Built(corpus_digest(documents), len(documents), chunks, lexical)
