"""Confidence intervals for one system's score: rates, bounded means and quantiles.

Which interval fits which kind of number, and how often each covers the truth, is measured in
``docs/explanation/statistics.md``.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right

import numpy as np
from numpy.typing import NDArray

from ragstone.stats.distributions import binomial_cdf, normal_quantile, t_quantile
from ragstone.types import Interval

LEVEL = 0.95
_ROUNDING = 1e-9


def wilson(successes: float, n: float, level: float = LEVEL) -> Interval:
    """Return the Wilson score interval of a rate.

    Args:
        successes: Number of successes, 0 to `n`.
        n: Number of trials, or as how many they count; with none, both limits are None.
        level: Confidence level between 0 and 1.

    Source: E. B. Wilson, JASA 22 (1927). At n = 50 and a true rate of .9 it covers 97.0% where the textbook
    interval covers 87.9%.

    Example:
        >>> interval = wilson(45, 50)
        >>> round(interval.low, 4), round(interval.high, 4)
        (0.7864, 0.9565)
    """
    if n == 0:
        return Interval(None, None, level, "Wilson")
    z = normal_quantile((1 + level) / 2)
    rate = successes / n
    centre = (rate + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * math.sqrt(rate * (1 - rate) / n + z * z / (4 * n * n))
    # At the ends the limit is exact; rounding would leave a hair.
    low = 0.0 if successes == 0 else max(0.0, centre - half)
    high = 1.0 if successes == n else min(1.0, centre + half)
    return Interval(low, high, level, "Wilson")


def plus_two_t(values: NDArray[np.float64], low: float, high: float, level: float = LEVEL) -> Interval:
    """Return the plus-two t interval of the mean of bounded values.

    One observation is added at each end of the scale, then the t interval of the mean is taken and clipped to
    the scale. Where plain t and bootstrap intervals collapse (all scores 1.0), this one stays honest.

    Args:
        values: Scores within [low, high]; with none, both limits are None.
        low: Bottom of the scale.
        high: Top of the scale.
        level: Confidence level.

    Example:
        >>> interval = plus_two_t(np.ones(10), 0.0, 1.0)
        >>> round(interval.low, 3), interval.high
        (0.733, 1.0)
    """
    if len(values) == 0:
        return Interval(None, None, level, "plus-two t")
    padded = np.concatenate([values, [low, high]])
    centre, half = _t_parts(padded, level)
    return Interval(max(low, centre - half), min(high, centre + half), level, "plus-two t")


def student_t(values: NDArray[np.float64], level: float = LEVEL) -> Interval:
    """Return the t interval of the mean of values without a bounded scale; None limits below two values."""
    if len(values) < 2:
        return Interval(None, None, level, "t")
    centre, half = _t_parts(values, level)
    return Interval(centre - half, centre + half, level, "t")


def _t_parts(values: NDArray[np.float64], level: float) -> tuple[float, float]:
    n = len(values)
    half = t_quantile((1 + level) / 2, n - 1) * float(values.std(ddof=1)) / math.sqrt(n)
    return float(values.mean()), half


def order_statistics(
    values: NDArray[np.float64],
    p: float,
    level: float = LEVEL,
    *,
    at_most: NDArray[np.float64] | None = None,
    independent: float | None = None,
) -> Interval:
    """Return the distribution-free interval of the p-quantile, from two order statistics.

    A limit for which no order statistic gives half of the error probability is None: with 50 values there is no
    finite upper limit for the 95th percentile at 95%.

    Args:
        values: Measurements; values censored at a time limit stand at that limit.
        p: The quantile, 0 < p < 1.
        level: Confidence level; each side gets half of the rest.
        at_most: The same measurements with infinity for the censored ones: an upper limit that falls on one of
            those is None. By default none is censored.
        independent: As how many independent values they count, at most as many as there are; the limits are the
            values at the shares of the whole that the order statistics of so many have.

    Source: W. J. Conover, Practical Nonparametric Statistics, 3.2.

    Example:
        >>> order_statistics(np.arange(1.0, 101.0), 0.95)
        Interval(low=90.0, high=100.0, level=0.95, method='order statistics')
    """
    total = len(values)
    n = total if independent is None else math.floor(independent + _ROUNDING)
    ordered, highest_ordered = np.sort(values), np.sort(values if at_most is None else at_most)
    error = (1 - level) / 2

    def below(rank: int) -> float:
        """Return the chance that fewer than `rank` values lie at or below the quantile."""
        return binomial_cdf(rank - 1, n, p)

    lowest = bisect_right(range(1, n + 1), error, key=below)
    highest = bisect_left(range(1, n + 1), 1 - error, key=below)
    low = float(ordered[(lowest - 1) * total // n]) if lowest else None
    high = float(highest_ordered[-(-(highest + 1) * total // n) - 1]) if highest < n else None
    return Interval(low, None if high == math.inf else high, level, "order statistics")
