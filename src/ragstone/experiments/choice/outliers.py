"""Runs far behind all others: they widen what may be luck between any two."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike


def far_behind(means: ArrayLike, p: ArrayLike, *, critical: float, alpha: float) -> int:
    """Return how many of the last runs stand so far behind the rest that they may hide differences within it.

    The randomized Tukey test shuffles the scores of all runs, so that one broken run widens the range that luck
    gives for every pair. Runs stand far behind if they are fewer than the rest, if the gap above them is larger
    than the critical difference and than the whole range of the rest, and if the rest holds two runs that differ
    but cannot be told apart.

    Args:
        means: Of the runs, best first, higher is better.
        p: Matrix of p-values of all pairs, in the same order.
        critical: Two runs whose means differ by more than this differ at `alpha`.
        alpha: A pair with p at or below it differs.

    Returns:
        A number of runs; 0 where none stands apart, or where nothing is hidden.

    Example:
        >>> p = np.array([[1.0, 0.6, 0.001], [0.6, 1.0, 0.001], [0.001, 0.001, 1.0]])
        >>> far_behind([0.71, 0.63, 0.0], p, critical=0.2, alpha=0.05)
        1
        >>> far_behind([0.71, 0.63, 0.5], p, critical=0.2, alpha=0.05)
        0
    """
    values = np.asarray(means, dtype=np.float64)
    gaps = values[:-1] - values[1:]
    kept = int(gaps.argmax()) + 1
    if gaps[kept - 1] <= max(critical, values[0] - values[kept - 1]) or len(values) - kept >= kept:
        return 0
    differ = np.abs(np.subtract.outer(values[:kept], values[:kept])) > 0
    hidden = differ & (np.asarray(p)[:kept, :kept] > alpha)
    return len(values) - kept if hidden.any() else 0
