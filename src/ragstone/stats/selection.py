"""The winner's curse: the best of many runs looks better than it is."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ragstone.errors import UsageError
from ragstone.stats.samples import finite
from ragstone.stats.tukey import PERMUTATIONS, best_of_equal, permuted_means, residuals


@dataclass(frozen=True, slots=True, kw_only=True)
class Winner:
    """The best of several runs, and what is left of its lead.

    Attributes:
        system: Column of the best mean; of equal ones the first.
        mean: Its mean, as seen.
        shrunken: Its mean drawn towards the mean of all runs by the share that is noise.
        shrinkage: That share, 0 (all differences are real) to 1 (all are luck).
        best_of_equal: By how much the best of as many equal runs looks better than the average run, on average.
        lead: How much the winner's mean lies above the average run.
    """

    system: int
    mean: float
    shrunken: float
    shrinkage: float
    best_of_equal: float
    lead: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Holdout:
    """A winner picked on one half of the queries and measured on the other.

    Attributes:
        system: Column of the best mean on the first half.
        picked_mean: Its mean on the half on which it was picked.
        mean: Its mean on the other half, which is free of the winner's curse.
        difference: Its lead over the average run on the other half.
        picked_on: Rows of the half on which it was picked.
        held_out: Rows of the other half, for a comparison on them alone.
    """

    system: int
    picked_mean: float
    mean: float
    difference: float
    picked_on: tuple[int, ...]
    held_out: tuple[int, ...]

    @property
    def n_picked(self) -> int:
        """Number of queries on which it was picked."""
        return len(self.picked_on)

    @property
    def n(self) -> int:
        """Number of queries on which it is reported."""
        return len(self.held_out)


def expected_advantage(scores: ArrayLike, *, permutations: int = PERMUTATIONS, seed: int = 0) -> float:
    """Return by how much the best of equal runs looks better than the average run, given the spread of the data.

    Labels are permuted within each query, as in `randomized_tukey`, which also reports this number. Real
    differences between the runs do not add to it (see `best_of_equal` in ``stats.tukey``).

    Args:
        scores: Array of queries x systems, complete.
        permutations: Number of replicates.
        seed: Seed of the permutations.

    Example:
        >>> rng = np.random.default_rng(0)
        >>> round(expected_advantage(rng.normal(size=(100, 16))), 2)
        0.17
    """
    values = _matrix(scores)
    (replicates,) = permuted_means(values[:, None, :], permutations, seed)
    return best_of_equal(values, replicates)


def winner(
    scores: ArrayLike, *, advantage: float | None = None, permutations: int = PERMUTATIONS, seed: int = 0
) -> Winner:
    """Return the best of several runs with its shrunken mean.

    The shrinkage is empirical Bayes in the two-way layout: residual mean square over the mean square of systems,
    at most 1 (B. Efron, C. Morris, JASA 70 (1975)).

    Args:
        scores: Array of queries x systems, complete; higher is better.
        advantage: What `expected_advantage` or `randomized_tukey` found for these scores; None to find it here.
        permutations: Replicates for it, where it is not given.
        seed: Their seed.

    Example:
        >>> best = winner([[0.1, 0.2, 0.9], [0.2, 0.1, 0.8], [0.1, 0.1, 0.9]])
        >>> best.system, round(best.mean, 3), round(best.shrunken, 3)
        (2, 0.867, 0.863)
    """
    values = _matrix(scores)
    means = values.mean(0)
    best = int(means.argmax())
    overall, noise = float(means.mean()), _noise_share(values)
    if advantage is None:
        advantage = expected_advantage(values, permutations=permutations, seed=seed)
    return Winner(
        system=best,
        mean=float(means[best]),
        shrunken=overall + (1 - noise) * (float(means[best]) - overall),
        shrinkage=noise,
        best_of_equal=advantage,
        lead=float(means[best]) - overall,
    )


def _noise_share(values: NDArray[np.float64]) -> float:
    queries, systems = values.shape
    if queries < 2:
        return 1.0
    noise = float((residuals(values) ** 2).sum()) / ((queries - 1) * (systems - 1))
    between = queries * float(values.mean(0).var(ddof=1))
    return min(1.0, noise / between) if between > 0 else 1.0


def holdout_winner(scores: ArrayLike, *, seed: int = 0) -> Holdout:
    """Pick the best run on a random half of the queries and report it on the other.

    Args:
        scores: Array of at least two queries x systems, complete; higher is better.
        seed: Seed of the split.

    Example:
        >>> found = holdout_winner([[0.1, 0.2, 0.9], [0.2, 0.1, 0.8], [0.1, 0.1, 0.9], [0.0, 0.1, 1.0]])
        >>> found.system, found.n_picked, found.n
        (2, 2, 2)
    """
    values = _matrix(scores)
    if len(values) < 2:
        raise UsageError(f"a holdout needs at least two queries, got {len(values)}")
    order = np.random.default_rng(seed).permutation(len(values))
    half = len(values) // 2
    first, second = values[order[:half]].mean(0), values[order[half:]].mean(0)
    best = int(first.argmax())
    return Holdout(
        system=best,
        picked_mean=float(first[best]),
        mean=float(second[best]),
        difference=float(second[best] - second.mean()),
        picked_on=tuple(sorted(order[:half].tolist())),
        held_out=tuple(sorted(order[half:].tolist())),
    )


def _matrix(scores: ArrayLike) -> NDArray[np.float64]:
    values = finite(scores, "scores")
    if values.ndim != 2 or values.shape[1] < 2 or not len(values):
        raise UsageError(f"a winner needs queries x at least two systems, got the shape {values.shape}")
    return values
