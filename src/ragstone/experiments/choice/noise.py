"""The system's own noise: how much the same question varies when it is asked again, and what that does to means.

Two sources tell it: `repeats` of one run, and A/A runs, two runs of the same configuration.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ragstone.errors import UsageError
from ragstone.stats.distributions import t_quantile
from ragstone.stats.intervals import LEVEL
from ragstone.stats.samples import finite


@dataclass(frozen=True, slots=True, kw_only=True)
class Spread:
    """How far measurements of the same questions lie apart.

    Attributes:
        n: Number of questions.
        repeats: Measurements of each.
        means: Mean over the questions of each measurement, in order.
        within: Variance of the measurements of one question, averaged over the questions (ddof 1).
        between: Variance between the questions' true means, not below 0.
        changed: Questions whose measurements are not all equal.
    """

    n: int
    repeats: int
    means: tuple[float, ...]
    within: float
    between: float
    changed: int

    @property
    def noise_share(self) -> float | None:
        """The share of a single measurement's variance that is noise; None where nothing varies."""
        total = self.within + self.between
        return self.within / total if total > 0 else None

    @property
    def error(self) -> float:
        """Standard error of the mean over questions and repeats."""
        return math.sqrt((self.between + self.within / self.repeats) / self.n)

    @property
    def error_if_quiet(self) -> float:
        """What the standard error would be without noise: no number of repeats brings it lower."""
        return math.sqrt(self.between / self.n)

    def floor(self, repeats: int = 1, level: float = LEVEL) -> float:
        """Return by how much the means of two runs of the same configuration differ through noise alone.

        At most that much in a share `level` of all such pairs: t * sqrt(2 * within / (n * repeats)).

        Args:
            repeats: How often each of the two runs asks every question.
            level: The share.
        """
        quantile = t_quantile((1 + level) / 2, self.n * (self.repeats - 1))
        return quantile * math.sqrt(2 * self.within / (self.n * repeats))


def spread(values: ArrayLike) -> Spread:
    """Return the spread of repeated measurements: a one-way analysis of variance with questions as groups.

    Args:
        values: Array of questions x measurements, complete, at least one question and two measurements.

    Raises:
        UsageError: The array has another shape, or a value is missing.

    Source: the variance components of R. A. Fisher, Statistical Methods for Research Workers (1925), chapter 7.

    Example:
        >>> noisy = spread([[1.0, 0.0], [1.0, 1.0], [0.0, 0.0], [0.0, 0.0]])
        >>> noisy.within, noisy.changed, noisy.means
        (0.125, 1, (0.5, 0.25))
        >>> round(noisy.noise_share, 3), round(noisy.floor(), 3)
        (0.429, 0.694)
    """
    table = finite(values, "repeated measurements")
    if table.ndim != 2 or table.shape[1] < 2 or not len(table):
        raise UsageError(f"spread needs questions x at least two measurements, got the shape {table.shape}")
    n, repeats = table.shape
    within = float(table.var(axis=1, ddof=1).mean())
    means = table.mean(axis=1)
    between = float(means.var(ddof=1)) - within / repeats if n > 1 else 0.0
    return Spread(
        n=n,
        repeats=repeats,
        means=tuple(table.mean(axis=0).tolist()),
        within=within,
        between=max(0.0, between),
        changed=int(np.any(table != table[:, :1], axis=1).sum()),
    )
