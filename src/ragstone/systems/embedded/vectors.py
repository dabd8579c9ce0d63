"""Vectors that are computed once: a cache file shared by every run and process of a machine."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from ragstone.errors import StoreError
from ragstone.logs import logger_of
from ragstone.ports import Embedder
from ragstone.systems import Progress, Surroundings, silent
from ragstone.systems.embedded.embedders import EMBEDDERS

if TYPE_CHECKING:
    from numpy.typing import NDArray

SLICE = 64  # texts embedded between two commits: what an interrupt loses at most
_LOOKUP = 500  # keys in one query; SQLite allows 999 variables everywhere
_SCHEMA = """
CREATE TABLE IF NOT EXISTS vectors (
    embedder TEXT NOT NULL, text TEXT NOT NULL, vector BLOB NOT NULL, PRIMARY KEY (embedder, text)
)
"""

T = TypeVar("T")
logger = logger_of(__name__)


class VectorCache:
    """Vectors by (embedder fingerprint, SHA-256 of the text) in one SQLite file.

    Several threads and processes may use the same file. A damaged file is moved aside to ``<name>.damaged`` with a
    warning and begun anew: everything in it can be computed again.

    Raises:
        StoreError: The file cannot be opened, or is locked for longer than half a minute.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    def get(self, fingerprint: str, dimensions: int, keys: Sequence[str]) -> dict[str, NDArray[np.float32]]:
        """Return the vectors that are known, by key; one of another length counts as unknown."""
        return self._with_file(lambda file: _select(file, fingerprint, dimensions, keys))

    def put(self, fingerprint: str, vectors: Mapping[str, NDArray[np.float32]]) -> None:
        """Keep vectors; one that is known already is replaced."""
        rows = [(fingerprint, key, vector.astype("<f4").tobytes()) for key, vector in vectors.items()]
        self._with_file(lambda file: file.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?, ?)", rows))

    def _with_file(self, use: Callable[[sqlite3.Connection], T]) -> T:
        try:
            return self._try(use)
        except sqlite3.DatabaseError as error:
            aside = self._move_aside()
            logger.warning("the vector cache is damaged (%s); it was moved to %s and is built anew", error, aside)
            return self._try(use)

    def _try(self, use: Callable[[sqlite3.Connection], T]) -> T:
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with _connection(self.path) as file:
                return use(file)
        except (sqlite3.OperationalError, OSError) as error:
            raise StoreError(
                f"the vector cache {self.path} cannot be used ({error}): name another cache folder, or free it"
            ) from error

    def _move_aside(self) -> Path:
        aside = self.path.with_name(f"{self.path.name}.damaged")
        if self.path.exists():
            self.path.replace(aside)
        for suffix in ("-wal", "-shm"):
            self.path.with_name(self.path.name + suffix).unlink(missing_ok=True)
        return aside


@contextmanager
def _connection(path: Path) -> Iterator[sqlite3.Connection]:
    """Open for one transaction: short-lived connections need no thread and no owner."""
    file = sqlite3.connect(path, timeout=30)
    try:
        file.execute("PRAGMA journal_mode = WAL")
        file.execute("PRAGMA synchronous = NORMAL")
        file.execute(_SCHEMA)
        with file:
            yield file
    finally:
        file.close()


def _select(
    file: sqlite3.Connection, fingerprint: str, dimensions: int, keys: Sequence[str]
) -> dict[str, NDArray[np.float32]]:
    found = {}
    size = dimensions * np.dtype("<f4").itemsize
    for start in range(0, len(keys), _LOOKUP):
        wanted = keys[start : start + _LOOKUP]
        marks = ",".join("?" * len(wanted))
        where = f"embedder = ? AND length(vector) = ? AND text IN ({marks})"
        query = f"SELECT text, vector FROM vectors WHERE {where}"  # noqa: S608 - the marks are question marks
        for key, vector in file.execute(query, (fingerprint, size, *wanted)):
            found[key] = np.frombuffer(vector, "<f4").astype(np.float32)
    return found


class CachedEmbedder:
    """An embedder that computes each text's vector once; itself an `Embedder`.

    Args:
        embedder: Computes what the cache lacks.
        cache: Keeps it.
        progress: Called as texts are embedded; never where nothing is missing.
    """

    def __init__(self, embedder: Embedder, cache: VectorCache, progress: Progress = silent) -> None:
        self.name = embedder.name
        self.fingerprint = embedder.fingerprint
        self.dimensions = embedder.dimensions
        self._embedder = embedder
        self._cache = cache
        self._progress = progress

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return one unit-length row per text, in order; what is missing is embedded and kept, slice by slice."""
        keys = [hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest() for text in texts]
        by_key = dict(zip(keys, texts, strict=True))
        known = self._cache.get(self.fingerprint, self.dimensions, list(by_key))
        self._add_missing(known, {key: text for key, text in by_key.items() if key not in known})
        return np.stack([known[key] for key in keys]) if keys else np.empty((0, self.dimensions), np.float32)

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """Return one vector, always computed: a cached one would make a search look faster than it is."""
        vector: NDArray[np.float32] = self._embedder.embed([text])[0]
        return vector

    def _add_missing(self, known: dict[str, NDArray[np.float32]], missing: Mapping[str, str]) -> None:
        # Texts of one length in a slice: the embedder pads less.
        keys = sorted(missing, key=lambda key: len(missing[key]))
        for start in range(0, len(keys), SLICE):
            self._progress(f"embedding with {self.name}", start, len(keys))
            part = keys[start : start + SLICE]
            vectors = self._embedder.embed([missing[key] for key in part])
            fresh = dict(zip(part, vectors, strict=True))
            self._cache.put(self.fingerprint, fresh)
            known.update(fresh)
        if keys:
            self._progress(f"embedding with {self.name}", len(keys), len(keys))


def open_embedder(name: str, surroundings: Surroundings) -> CachedEmbedder:
    """Open a registered embedder over the machine's vector cache, and load its model.

    The model is loaded now so that the first search is not slower than the others.

    Raises:
        UnknownNameError: No embedder has this name.
        MissingExtraError: Its packages are not installed.
    """
    embedder = load_embedder(name)
    embedder.embed(["warm-up"])
    return CachedEmbedder(embedder, VectorCache(surroundings.cache / "vectors.sqlite"), surroundings.progress)


@lru_cache(maxsize=4)
def load_embedder(name: str) -> Embedder:
    """Return the registered embedder without a cache: one instance a process, so that runs share a model."""
    return EMBEDDERS[name]()
