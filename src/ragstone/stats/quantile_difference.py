"""The difference of a quantile, such as p95 latency, between two systems on the same queries."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ragstone.errors import UsageError
from ragstone.stats.intervals import LEVEL, order_statistics
from ragstone.stats.samples import finite
from ragstone.stats.summary import percentile
from ragstone.types import Interval

RESAMPLES = 2000
_BLOCK = 1 << 21


@dataclass(frozen=True, slots=True, kw_only=True)
class QuantileDifference:
    """A quantile of two systems and its difference, a - b.

    Attributes:
        interval: Of the difference; without limits where `enough` is false.
        interval_a: Of a alone, from order statistics.
        interval_b: Of b alone.
        enough: Whether each system's quantile has finite limits; for p95 at 95% that takes 72 queries.
    """

    p: float
    n: int
    value_a: float | None
    value_b: float | None
    difference: float | None
    interval: Interval
    interval_a: Interval
    interval_b: Interval
    enough: bool


def quantile_difference(
    a: ArrayLike, b: ArrayLike, *, p: float = 0.95, level: float = LEVEL, resamples: int = RESAMPLES, seed: int = 0
) -> QuantileDifference:
    """Return the difference of the p-quantiles with its interval.

    The queries are resampled with both their measurements (seeded percentile bootstrap), because slow queries are
    often slow in both systems. Where too few values lie beyond the quantile for a finite limit of either system,
    no interval is given: resampling would only repeat the largest values seen.

    Args:
        a: Measurements of the first system, one for each query; those censored at a time limit stand at it.
        b: Measurements of the second system, same order.
        p: The quantile, 0 < p < 1.
        level: Confidence level.
        resamples: Number of resamples.
        seed: Their seed.

    Source: B. Efron, R. Tibshirani, An Introduction to the Bootstrap (1993).

    Example:
        >>> slow = quantile_difference(np.arange(100.0) + 20, np.arange(100.0))
        >>> slow.difference, slow.interval.low, slow.interval.high
        (20.0, 20.0, 20.0)
        >>> quantile_difference(np.arange(50.0) + 20, np.arange(50.0)).enough
        False
    """
    first, second = finite(a, "first measurements"), finite(b, "second measurements")
    if first.shape != second.shape or first.ndim != 1:
        raise UsageError(
            f"one measurement per query is needed on both sides, got {first.shape} and {second.shape}"
        )
    one, two = order_statistics(first, p, level), order_statistics(second, p, level)
    enough = None not in (one.low, one.high, two.low, two.high)
    value_a, value_b = (percentile(values, p) if len(values) else None for values in (first, second))
    return QuantileDifference(
        p=p,
        n=len(first),
        value_a=value_a,
        value_b=value_b,
        difference=None if value_a is None or value_b is None else value_a - value_b,
        interval=_interval(first, second, p, level, resamples, seed) if enough else _none(level),
        interval_a=one,
        interval_b=two,
        enough=enough,
    )


def _none(level: float) -> Interval:
    return Interval(None, None, level, "paired bootstrap")


def _interval(
    a: NDArray[np.float64], b: NDArray[np.float64], p: float, level: float, resamples: int, seed: int
) -> Interval:
    rng = np.random.default_rng(seed)
    block = max(1, _BLOCK // len(a))
    parts = []
    for start in range(0, resamples, block):
        rows = rng.integers(0, len(a), (min(block, resamples - start), len(a)))
        parts.append(np.quantile(a[rows], p, axis=1) - np.quantile(b[rows], p, axis=1))
    low, high = np.quantile(np.concatenate(parts), [(1 - level) / 2, (1 + level) / 2])
    return Interval(float(low), float(high), level, "paired bootstrap")
