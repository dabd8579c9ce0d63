"""Many systems on the same queries: randomized Tukey HSD, one number that controls all pairs.

If all systems are equal, their labels are exchangeable within each query. Each replicate permutes the labels
within the queries and keeps the best and the worst mean. A pair differs when its difference is larger than the
best-to-worst range that luck alone gives.

Sources: B. Carterette, ACM TOIS 30 (2012); T. Sakai, Laboratory Experiments in IR (2018).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ragstone.errors import UsageError
from ragstone.stats.samples import finite

PERMUTATIONS = 1000
_REPLICATES = 250
_ROUNDING = 1e-6


@dataclass(frozen=True, slots=True)
class Replicates:
    """Means of systems whose labels were permuted within each query, reduced to what tests need.

    Attributes:
        ranges: Best minus worst mean of each replicate.
        best: Best mean minus the overall mean of each replicate.
    """

    ranges: NDArray[np.float64]
    best: NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Tukey:
    """The result of a randomized Tukey HSD test.

    Attributes:
        p: Matrix of p-values for each pair of systems, adjusted for all pairs; 1 on the diagonal.
        critical: A pair whose means differ by more than this differs at `alpha`.
        alpha: Chance of even one false alarm among all pairs.
        best_of_equal: By how much the best of as many equal systems looks better than it is, on average; from what
            neither query nor system explains, so that real differences do not add to it.
    """

    p: NDArray[np.float64]
    critical: float
    alpha: float
    best_of_equal: float


def randomized_tukey(
    scores: ArrayLike, *, permutations: int = PERMUTATIONS, seed: int = 0, alpha: float = 0.05
) -> Tukey:
    """Return the randomized Tukey HSD test of all pairs of systems.

    Right for a matrix of configurations on the same queries.
    p = (1 + ranges at least as large) / (1 + permutations).

    Its null is that all systems are equal. Where some really differ, their differences are shuffled in with the
    noise: p-values and the critical difference of the others are then conservative, too large. One broken run can
    hide a small difference between two good ones; compare those two by themselves, or leave the broken one out.

    Args:
        scores: Array of queries x systems, complete.
        permutations: Number of replicates.
        seed: Seed of the permutations.
        alpha: Level of the critical difference.

    Raises:
        UsageError: A value is missing, or there are no two systems or no query.

    Example:
        >>> rng = np.random.default_rng(0)
        >>> test = randomized_tukey(rng.random((50, 1)) + [[0.0, 0.0, 0.5]])
        >>> test.p.round(3).tolist()
        [[1.0, 1.0, 0.001], [1.0, 1.0, 0.001], [0.001, 0.001, 1.0]]
    """
    values = finite(scores, "scores")
    if values.ndim != 2:
        raise UsageError(f"scores need the shape (queries, systems), got {values.shape}")
    (test,) = randomized_tukey_many(values[:, None, :], permutations=permutations, seed=seed, alpha=alpha)
    return test


def randomized_tukey_many(
    scores: ArrayLike, *, permutations: int = PERMUTATIONS, seed: int = 0, alpha: float = 0.05
) -> list[Tukey]:
    """Return the randomized Tukey HSD test of each metric, all from the same permutations.

    Args:
        scores: Array of queries x metrics x systems, complete.
        permutations: As in `randomized_tukey`.
        seed: As in `randomized_tukey`.
        alpha: As in `randomized_tukey`.
    """
    values = finite(scores, "scores")
    if values.ndim != 3 or values.shape[2] < 2 or not len(values):
        raise UsageError(f"Tukey's test needs queries and at least two systems, got the shape {values.shape}")
    replicates = permuted_means(values, permutations, seed)
    return [_tukey(values[:, metric], some, alpha) for metric, some in enumerate(replicates)]


def _tukey(scores: NDArray[np.float64], replicates: Replicates, alpha: float) -> Tukey:
    means = scores.mean(0)
    observed = np.abs(np.subtract.outer(means, means))
    ordered = np.sort(replicates.ranges)
    # A tie in exact arithmetic may be missed by rounding in single precision.
    slack = _ROUNDING * float(ordered[-1])
    below = np.searchsorted(ordered, observed - slack)
    p = (1 + len(ordered) - below) / (1 + len(ordered))
    np.fill_diagonal(p, 1.0)
    critical = float(np.quantile(ordered, 1 - alpha, method="higher"))
    return Tukey(p, critical, alpha, best_of_equal(scores, replicates))


def best_of_equal(scores: NDArray[np.float64], replicates: Replicates) -> float:
    """Return the mean of the best replicates, brought from the spread within queries to that of the residuals.

    Permuting the labels of unequal systems spreads the means by their differences too. Their variance is known for
    the scores as they are and without the systems' means, and the ratio takes the differences out.

    Args:
        scores: Array of queries x systems.
        replicates: Of these scores.
    """
    queries = len(scores)
    within = float(((scores - scores.mean(1, keepdims=True)) ** 2).sum()) / queries
    seen = float(replicates.best.mean())
    if queries < 2 or not within:
        return seen
    return seen * math.sqrt(float((residuals(scores) ** 2).sum()) / (queries - 1) / within)


def residuals(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return what of queries x systems neither the query nor the system explains, by their means.

    Example:
        >>> residuals(np.array([[0.0, 1.0], [1.0, 0.0]])).tolist()
        [[-0.5, 0.5], [0.5, -0.5]]
    """
    return np.asarray(scores - scores.mean(0) - scores.mean(1, keepdims=True) + scores.mean())


def permuted_means(scores: NDArray[np.float64], permutations: int, seed: int) -> list[Replicates]:
    """Return for each metric the replicates of permuted labels.

    Labels are shuffled within every query once for some hundred replicates, and shifted cyclically by a random
    number for each: every replicate is a uniform permutation, and sums over queries become matrix products.

    Args:
        scores: Array of queries x metrics x systems.
        permutations: Number of replicates.
        seed: Seed of the permutations.
    """
    rng = np.random.default_rng(seed)
    queries, metrics, systems = scores.shape
    centred = (scores - scores.mean(2, keepdims=True)).astype(np.float32)
    ranges, best = np.empty((metrics, permutations)), np.empty((metrics, permutations))
    for start in range(0, permutations, _REPLICATES):
        count = min(_REPLICATES, permutations - start)
        order = rng.random((queries, systems), dtype=np.float32).argsort(1)
        shuffled = np.take_along_axis(centred, order[:, None, :], axis=2)
        shifts = rng.integers(0, systems, (count, queries), dtype=np.uint8 if systems <= 256 else np.uint32)
        sums = _shifted_sums(shuffled, shifts)
        most = sums.max(2)
        ranges[:, start : start + count] = ((most - sums.min(2)) / queries).T
        best[:, start : start + count] = (most / queries).T
    return [Replicates(*pair) for pair in zip(ranges, best, strict=True)]


def _shifted_sums(values: NDArray[np.float32], shifts: NDArray[np.integer]) -> NDArray[np.float32]:
    """Return, of replicates x metrics x systems, the sums over queries with each query's labels shifted."""
    queries, metrics, systems = values.shape
    flat = np.ascontiguousarray(values.reshape(queries, metrics * systems))
    sums = np.zeros((len(shifts), metrics, systems), dtype=np.float32)
    for shift in range(systems):
        chosen = (shifts == shift).astype(np.float32)
        part = (chosen @ flat).reshape(sums.shape)
        sums += np.roll(part, shift, axis=2)
    return sums
