"""Bootstrap intervals of a mean: percentile and BCa, sampled or with infinitely many resamples.

They are kept for continuity with tools that print them. With few queries, or where most differences are 0, they
are too narrow (``ragstone selfcheck`` shows by how much); `guarded_t` is not.

Sources: B. Efron, R. Tibshirani, An Introduction to the Bootstrap (1993); B. Efron, JASA 82 (1987) for BCa.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ragstone.errors import UsageError
from ragstone.stats.bootstrap_limit import MeanDistribution, smooth_enough
from ragstone.stats.distributions import normal_cdf, normal_quantile
from ragstone.stats.intervals import LEVEL
from ragstone.stats.samples import finite
from ragstone.types import Interval

RESAMPLES = 1000
MANY = 10_000
RATIO = "percentile bootstrap of a ratio"
_BLOCK = 1 << 22

Limits = tuple[NDArray[np.float64], NDArray[np.float64]]


def percentile_bootstrap(
    values: ArrayLike, *, resamples: int = RESAMPLES, level: float = LEVEL, seed: int = 0
) -> Interval:
    """Return the percentile bootstrap interval of the mean: quantiles of the resampled means.

    Right for large samples. Where all values are equal both limits are that value; None limits without values.

    Args:
        values: One value, or one paired difference, for each query.
        resamples: Number of resamples.
        level: Confidence level.
        seed: Seed of the resampling.

    Example:
        >>> interval = percentile_bootstrap([0.0, 0.5, 1.0, 0.5, 0.5, 1.0], seed=1)
        >>> 0 < interval.low < 0.58 < interval.high < 1
        True
    """
    sample = finite(values)
    if not len(sample):
        return Interval(None, None, level, "percentile bootstrap")
    means = resampled_means(sample[None], resamples, seed)[0]
    low, high = np.quantile(means, [(1 - level) / 2, (1 + level) / 2])
    return Interval(float(low), float(high), level, "percentile bootstrap")


def bca_bootstrap(
    values: ArrayLike, *, resamples: int = RESAMPLES, level: float = LEVEL, seed: int = 0
) -> Interval:
    """Return the bias-corrected and accelerated bootstrap interval of the mean.

    Right for large, skewed samples. Where all values are equal both limits are that value (scipy returns NaN).

    Args:
        values: One value, or one paired difference, for each query.
        resamples: Number of resamples.
        level: Confidence level.
        seed: Seed of the resampling.

    Example:
        >>> interval = bca_bootstrap([0.0, 0.5, 1.0, 0.5, 0.5, 1.0], seed=1)
        >>> 0 < interval.low < 0.58 < interval.high < 1
        True
    """
    sample = finite(values)
    if not len(sample):
        return Interval(None, None, level, "BCa bootstrap")
    low, high = _sampled_limits(sample[None], level, resamples, seed, bca=True)
    return Interval(float(low[0]), float(high[0]), level, "BCa bootstrap")


def resampled_means(rows: NDArray[np.float64], resamples: int, seed: int) -> NDArray[np.float64]:
    """Return the means of resamples of each row, samples x resamples; all rows share the same draws.

    The counts of how often each position was drawn, times the data, is one matrix product.
    """
    rng = np.random.default_rng(seed)
    n = rows.shape[1]
    means = np.empty((len(rows), resamples))
    block = max(1, _BLOCK // n)
    for start in range(0, resamples, block):
        count = min(block, resamples - start)
        drawn = rng.integers(0, n, (count, n)) + n * np.arange(count)[:, None]
        counts = np.bincount(drawn.ravel(), minlength=count * n).reshape(count, n)
        means[:, start : start + count] = rows @ counts.T.astype(np.float64) / n
    return means


def ratio_bootstrap(
    above: NDArray[np.float64],
    below: NDArray[np.float64],
    *,
    resamples: int = RESAMPLES,
    level: float = LEVEL,
    seed: int = 0,
) -> Interval:
    """Return the percentile bootstrap interval of a ratio of two means over the same queries.

    Args:
        above: Values of each query whose mean is divided.
        below: Values of each query, 0 or more, whose mean it is divided by; resamples in which that is 0 have no
            ratio and are left out.
        resamples: Number of resamples.
        level: Confidence level.
        seed: Seed of the resampling.

    Returns:
        Without limits where no query has a value below above 0.

    Example:
        >>> interval = ratio_bootstrap(np.array([0.5, 0.0, 0.5, 0.0]), np.array([1.0, 0.5, 0.5, 0.0]))
        >>> 0 <= interval.low < 0.5 < interval.high <= 1
        True
    """
    if not (below > 0).any():
        return Interval(None, None, level, RATIO)
    means = resampled_means(np.stack([above, below]), resamples, seed)
    known = means[1] > 0
    low, high = np.quantile(means[0][known] / means[1][known], [(1 - level) / 2, (1 + level) / 2])
    return Interval(float(low), float(high), level, RATIO)


def percentile_many(values: ArrayLike, *, level: float = LEVEL, resamples: int = MANY, seed: int = 0) -> Limits:
    """Return the limits of the percentile bootstrap interval of each column.

    With large samples the limits are those of infinitely many resamples; columns for which that is not accurate
    are resampled, all with the same draws.

    Args:
        values: Array of queries x samples.
        level: Confidence level.
        resamples: Number of resamples where they are needed.
        seed: Their seed.

    Example:
        >>> low, high = percentile_many(np.eye(40)[:, :2])
        >>> low.round(3).tolist(), high.round(3).tolist()
        ([0.0, 0.0], [0.075, 0.075])
    """
    return _limits_many(values, level, resamples, seed, bca=False)


def bca_many(values: ArrayLike, *, level: float = LEVEL, resamples: int = MANY, seed: int = 0) -> Limits:
    """Return the limits of the BCa bootstrap interval of each column, as `percentile_many` does.

    Args:
        values: Array of queries x samples.
        level: Confidence level.
        resamples: Number of resamples where they are needed.
        seed: Their seed.

    Example:
        >>> low, high = bca_many(np.arange(2000.0)[:, None] % 7)
        >>> low.round(2).tolist(), high.round(2).tolist()
        ([2.91], [3.09])
    """
    return _limits_many(values, level, resamples, seed, bca=True)


def _limits_many(values: ArrayLike, level: float, resamples: int, seed: int, *, bca: bool) -> Limits:
    columns = finite(values)
    if columns.ndim != 2 or not len(columns):
        raise UsageError(f"values need the shape (queries, samples), got {columns.shape}")
    rows = np.ascontiguousarray(columns.T)
    low, high = np.empty(len(rows)), np.empty(len(rows))
    smooth = smooth_enough(rows)
    if smooth.any():
        low[smooth], high[smooth] = _exact_limits(rows[smooth], level, bca=bca)
    if not smooth.all():
        low[~smooth], high[~smooth] = _sampled_limits(rows[~smooth], level, resamples, seed, bca=bca)
    return low, high


def _exact_limits(rows: NDArray[np.float64], level: float, *, bca: bool) -> Limits:
    means = MeanDistribution(rows)
    tails = _tails(len(rows), level)
    if bca:
        tails = _adjusted(tails, means.cdf(np.zeros(len(rows))), means.skewness / (6 * math.sqrt(rows.shape[1])))
    return means.quantile(tails[0]), means.quantile(tails[1])


def _sampled_limits(rows: NDArray[np.float64], level: float, resamples: int, seed: int, *, bca: bool) -> Limits:
    means = resampled_means(rows, resamples, seed)
    tails = _tails(len(rows), level)
    if bca:
        centre = rows.mean(1)[:, None]
        slack = 1e-12 * (np.abs(rows).max(1)[:, None])
        below = ((means < centre - slack).mean(1) + (means <= centre + slack).mean(1)) / 2
        tails = _adjusted(tails, below, _acceleration(rows))
    low, high = (np.array([np.quantile(row, at) for row, at in zip(means, tail, strict=True)]) for tail in tails)
    return low, high


def _acceleration(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the jackknife's acceleration of the mean, 0 where nothing varies."""
    deviations = rows - rows.mean(1, keepdims=True)
    squares = (deviations**2).sum(1)
    cubes = (deviations**3).sum(1)
    return np.asarray(cubes / (6 * np.where(squares > 0, squares, 1.0) ** 1.5))


def _tails(count: int, level: float) -> NDArray[np.float64]:
    return np.repeat([[(1 - level) / 2], [(1 + level) / 2]], count, axis=1)


def _adjusted(
    tails: NDArray[np.float64], below: NDArray[np.float64], acceleration: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return BCa's tail probabilities from the share of resampled means below the mean."""
    z = normal_quantile(float(tails[1, 0]))
    result = np.empty_like(tails)
    for column, (share, bend) in enumerate(zip(below.tolist(), acceleration.tolist(), strict=True)):
        bias = normal_quantile(min(max(share, 1e-9), 1 - 1e-9))
        for row, side in enumerate((bias - z, bias + z)):
            result[row, column] = normal_cdf(bias + side / (1 - bend * side))
    return result
