"""Exact dense search."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ragstone.systems.embedded.ranking import Ranking, best
from ragstone.systems.embedded.vectors import CachedEmbedder


class DenseIndex:
    """Compares a query with every text: the score is the cosine of their vectors.

    Args:
        embedder: Embeds queries; its name and fingerprint are the index's.
        matrix: One unit-length row per text, shape (texts, dimensions).
    """

    def __init__(self, embedder: CachedEmbedder, matrix: NDArray[np.float32]) -> None:
        self.name = embedder.name
        self.fingerprint = embedder.fingerprint
        self._embedder = embedder
        self._matrix = matrix

    def search(self, query: str, n: int) -> Ranking:
        """Return the `n` texts nearest to the query; equal cosines are ordered by row."""
        vector = self._embedder.embed_query(query)
        # Each row on its own: a matrix product may round equal rows differently by where they stand.
        cosines: NDArray[np.float32] = np.vecdot(self._matrix, vector)
        return best(np.arange(len(cosines), dtype=np.int64), cosines, n)
