"""Joins the rankings of several retrievers into one."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ragstone.systems.embedded.ranking import EMPTY, Ranking, best


def reciprocal_rank_fusion(
    rankings: Sequence[Ranking], *, k: int = 60, weights: Sequence[float] | None = None
) -> Ranking:
    """Score each row with the sum over the rankings of ``weight / (k + rank)``, rank counted from 1.

    A row that a ranking lacks gets nothing from it. A ranking of weight 0 is left out altogether. Ties are ordered
    by row. Cormack, Clarke and Büttcher, SIGIR 2009, where every weight is 1, the default here.
    """
    gains = [1.0 / (k + np.arange(1, len(ranking) + 1)) for ranking in rankings]
    return _join(rankings, gains, weights or [1.0] * len(rankings))


def weighted_fusion(rankings: Sequence[Ranking], weights: Sequence[float]) -> Ranking:
    """Score each row with the weighted sum of its scores, each ranking's scaled to 0..1 first.

    The best of a ranking becomes 1 and its worst 0; where all scores are equal, a single candidate included, each
    becomes 1. A row that a ranking lacks gets 0 from it. A ranking of weight 0 is left out altogether. Ties are
    ordered by row.
    """
    return _join(rankings, [_scaled(ranking.scores) for ranking in rankings], weights)


def _scaled(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    if not len(scores):
        return scores
    low, high = scores.min(), scores.max()
    return (scores - low) / (high - low) if high > low else np.ones_like(scores)


def _join(rankings: Sequence[Ranking], gains: Sequence[NDArray[np.float64]], weights: Sequence[float]) -> Ranking:
    used = [
        (ranking, weight * gain) for ranking, gain, weight in zip(rankings, gains, weights, strict=True) if weight
    ]
    if not used:
        return EMPTY
    rows, places = np.unique(np.concatenate([ranking.rows for ranking, _ in used]), return_inverse=True)
    scores = np.zeros(len(rows))
    np.add.at(scores, places, np.concatenate([gain for _, gain in used]))
    return best(rows, scores, len(rows))
