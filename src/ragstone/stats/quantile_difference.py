"""The difference of a quantile, such as p95 latency, between two systems on the same queries."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ragstone.errors import UsageError
from ragstone.stats.intervals import LEVEL
from ragstone.stats.measurements import Measurements, percentiles, quantile_of
from ragstone.stats.samples import finite
from ragstone.types import CutOff, Interval

RESAMPLES = 2000
_BLOCK = 1 << 21


@dataclass(frozen=True, slots=True, kw_only=True)
class QuantileDifference:
    """A quantile of two systems and its difference, a - b.

    Attributes:
        n: Number of queries.
        interval: Of the difference; without limits where `enough` is false, and without an upper one where a's
            quantile may rest on measurements that were cut off, a lower one where b's may.
        interval_a: Of a alone, from order statistics.
        interval_b: Of b alone.
        enough: Whether there are queries enough for finite limits; for p95 at 95% that takes 72.
        cut_off_a: The measurements of a that were cut off at a time limit; None where none were.
        cut_off_b: Those of b.
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
    cut_off_a: CutOff | None = None
    cut_off_b: CutOff | None = None

    @property
    def at_least(self) -> tuple[bool, bool]:
        """Whether the quantiles of a and of b are known only to be at least so much."""
        first, second = (one is not None and one.reached for one in (self.cut_off_a, self.cut_off_b))
        return first, second


def quantile_difference(
    a: ArrayLike | Measurements,
    b: ArrayLike | Measurements,
    *,
    p: float = 0.95,
    level: float = LEVEL,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> QuantileDifference:
    """Return the difference of the p-quantiles with its interval.

    The queries are resampled with all their measurements (seeded percentile bootstrap), because slow queries are
    often slow in both systems, and again when they are repeated. Where too few values lie beyond the quantile for
    a finite limit of either system, no interval is given: resampling would only repeat the largest values seen.

    Where a search was cut off at its time limit, the difference is bounded in every resample: at most with a's cut
    off ones at infinity, at least with b's. A limit of the interval that is infinite then is None.

    Args:
        a: Measurements of the first system, one for each query, or `Measurements`.
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
    first, second = _measured(a, "first measurements"), _measured(b, "second measurements")
    if len(first.at_least) != len(second.at_least):
        raise UsageError(
            "measurements of the same queries are needed on both sides, got "
            f"{len(first.at_least)} and {len(second.at_least)} queries"
        )
    one, two = quantile_of(first, p, level), quantile_of(second, p, level)
    enough = one.enough and two.enough
    return QuantileDifference(
        p=p,
        n=len(first.at_least),
        value_a=one.value,
        value_b=two.value,
        difference=None if one.value is None or two.value is None else one.value - two.value,
        interval=_interval(first, second, p, level, resamples, seed) if enough else _none(level),
        interval_a=one.interval,
        interval_b=two.interval,
        enough=enough,
        cut_off_a=one.cut_off,
        cut_off_b=two.cut_off,
    )


def _measured(given: ArrayLike | Measurements, what: str) -> Measurements:
    if isinstance(given, Measurements):
        return given
    values = finite(given, what)
    if values.ndim != 1:
        raise UsageError(f"{what}: one a query is needed, got an array of {values.ndim} dimensions")
    return Measurements.plain(values)


def resampled(
    found: Sequence[Measurements], p: float, resamples: int, seed: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the p-quantiles of resamples of the queries, at least and at most.

    Args:
        found: Measurements of several systems on the same queries; each resample has the same queries of all.
        p: The quantile.
        resamples: How many.
        seed: Their seed.

    Returns:
        Two arrays of resamples x systems.
    """
    rng = np.random.default_rng(seed)
    n = len(found[0].at_least)
    block = max(1, _BLOCK // max(1, *(one.at_least.size for one in found)))
    lows, highs = [], []
    for start in range(0, resamples, block):
        drawn = rng.integers(0, n, (min(block, resamples - start), n))
        parts = [one.rows(drawn) for one in found]
        low = [percentiles(least, p) for least, _ in parts]
        high = [
            known if most is least else percentiles(most, p)
            for known, (least, most) in zip(low, parts, strict=True)
        ]
        lows.append(np.stack(low, axis=1))
        highs.append(np.stack(high, axis=1))
    return np.concatenate(lows), np.concatenate(highs)


def _none(level: float) -> Interval:
    return Interval(None, None, level, "paired bootstrap")


def _interval(a: Measurements, b: Measurements, p: float, level: float, resamples: int, seed: int) -> Interval:
    low, high = resampled([a, b], p, resamples, seed)
    side = (1 - level) / 2
    ends = percentiles(low[:, 0] - high[:, 1], side), percentiles(high[:, 0] - low[:, 1], (1 + level) / 2)
    least, most = (None if np.isinf(end) else float(end) for end in ends)
    return Interval(least, most, level, "paired bootstrap")
