"""The bootstrap of a mean with infinitely many resamples.

The resampled mean is the n-fold convolution of the sample's own distribution, so its characteristic function is
the n-th power of the sample's, which is a power series of the sample's moments. Its distribution function follows
by Gil-Pelaez's integral, its quantiles by Newton's method.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from ragstone.stats.distributions import normal_quantile
from ragstone.stats.exact import REACH, power_sums

_ORDERS = 16
_LARGEST_ANGLE = 1.5
_FEWEST = 50
_POINTS = 28
_STEPS = 6


def smooth_enough(rows: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Say for which samples the series is accurate: many values, none of which dominates the spread."""
    centred = rows - rows.mean(1, keepdims=True)
    spread = np.sqrt(np.einsum("ij,ij->i", centred, centred))
    largest = np.maximum(centred.max(1), -centred.min(1))
    few = rows.shape[1] < _FEWEST
    return np.asarray(
        (spread > 1e-12 * np.abs(rows).max(1)) & (largest * REACH <= _LARGEST_ANGLE * spread) & (not few)
    )


class MeanDistribution:
    """The distribution of the resampled mean of each row, in standard errors from the row's mean."""

    def __init__(self, rows: NDArray[np.float64]) -> None:
        n = rows.shape[1]
        self._means, spread = rows.mean(1), rows.std(1)
        self._error = spread / math.sqrt(n)
        moments = power_sums(rows, self._means, spread, _ORDERS, even=False) / n
        self.skewness = moments[:, 2]
        self._width = np.pi / REACH
        self._t = (np.arange(_POINTS) + 0.5) * self._width
        angle = 1j * self._t[None, :] / math.sqrt(n)
        excess = np.zeros((len(rows), _POINTS), dtype=np.complex128)
        for order in range(_ORDERS, 1, -1):
            excess = (excess + moments[:, order - 1, None] / math.factorial(order)) * angle
        self._transform = np.exp(n * np.log1p(excess * angle))

    def cdf(self, at: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return for each row the chance of a mean up to so many standard errors above its mean."""
        turned = np.exp(-1j * at[:, None] * self._t) * self._transform
        return np.asarray(0.5 - (turned.imag / self._t).sum(1) * self._width / np.pi)

    def _density(self, at: NDArray[np.float64]) -> NDArray[np.float64]:
        turned = np.exp(-1j * at[:, None] * self._t) * self._transform
        return np.asarray(turned.real.sum(1) * self._width / np.pi)

    def quantile(self, tail: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return for each row the mean that is not exceeded with the given chance."""
        at = np.array([normal_quantile(min(max(one, 1e-6), 1 - 1e-6)) for one in tail.tolist()])
        for _ in range(_STEPS):
            step = (self.cdf(at) - tail) / np.maximum(self._density(at), 1e-6)
            at -= np.clip(step, -0.5, 0.5)
        return np.asarray(self._means + self._error * at)
