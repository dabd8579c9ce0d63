"""Ranked rows of an index: what every stage of a search takes and gives."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Ranking:
    """Chunks by their row in the index, best first, with their scores (higher is better)."""

    rows: NDArray[np.int64]
    scores: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.rows)

    def head(self, n: int) -> Ranking:
        """Return the first `n`."""
        return Ranking(self.rows[:n], self.scores[:n])

    def at_least(self, threshold: float) -> Ranking:
        """Return those whose score is not below `threshold`."""
        kept = self.scores >= threshold
        return Ranking(self.rows[kept], self.scores[kept])


EMPTY = Ranking(np.empty(0, np.int64), np.empty(0, np.float64))


def best(rows: NDArray[np.int64], scores: NDArray[np.float32] | NDArray[np.float64], n: int) -> Ranking:
    """Return the `n` rows with the highest scores; equal scores are ordered by row."""
    values: NDArray[np.float64] = scores.astype(np.float64)
    if len(values) > n:
        # Everything that ties with the n-th stays in, so that the row decides and not the partition.
        kept = np.flatnonzero(values >= np.partition(values, -n)[-n])
        rows, values = rows[kept], values[kept]
    order = np.lexsort((rows, -values))[:n]
    return Ranking(rows[order], values[order])
