"""Measurements whose percentile is wanted: several a question, and some cut off at a time limit.

A search that was stopped at its time limit took at least so long; how long it would have taken, nobody knows: its
time is *censored*. The k-th smallest of all values then lies between the k-th smallest with every censored value
at its limit and the k-th smallest with every censored value at infinity.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ragstone.stats.intervals import LEVEL, order_statistics
from ragstone.types import CutOff, Interval, Score

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Measurements:
    """What was measured, question by question.

    Attributes:
        at_least: A row for each question and a column for each repeat, the limit where a measurement was cut off
            there; NaN where there is none (float64).
        at_most: The same with infinity where a measurement was cut off.
    """

    at_least: Floats
    at_most: Floats

    @classmethod
    def of(cls, rows: Sequence[Sequence[Score]]) -> Measurements:
        """Gather the scores of each question; one that was cut off says so (`Score.at_least`).

        Example:
            >>> found = Measurements.of([[Score(20.0)], [Score(50.0, "timeout")], [Score(None, "failed")]])
            >>> found.at_least.tolist(), found.at_most.tolist()
            ([[20.0], [50.0], [nan]], [[20.0], [inf], [nan]])
        """
        width = max(map(len, rows), default=0)
        # None becomes NaN.
        low = np.array([[s.value for s in row] + [None] * (width - len(row)) for row in rows], dtype=np.float64)
        cut = np.array([[s.at_least for s in row] + [False] * (width - len(row)) for row in rows], dtype=np.bool_)
        shape = (len(rows), width)
        return cls(low.reshape(shape), np.where(cut, np.inf, low).reshape(shape))

    @classmethod
    def plain(cls, values: ArrayLike) -> Measurements:
        """Return one measurement for each question, none of them cut off."""
        column = np.asarray(values, dtype=np.float64).reshape(-1, 1)
        return cls(column, column)

    @property
    def independent(self) -> float:
        """As how many questions asked once they count at least: the questions, where all have equally many.

        Measurements of one question are taken to be alike, the worst case; L. Kish, Survey Sampling (1965), 8.2,
        for unequal numbers.
        """
        sizes = (~np.isnan(self.at_least)).sum(axis=1).astype(np.float64)
        return float(sizes.sum() ** 2 / (sizes @ sizes)) if sizes.any() else 0.0

    def rows(self, numbers: NDArray[np.int64]) -> tuple[Floats, Floats]:
        """Return the measurements of some questions, at least and at most, with all repeats in one row each.

        Args:
            numbers: Numbers of questions; the last axis is one sample.
        """
        shape = (*numbers.shape[:-1], -1)
        low = self.at_least[numbers].reshape(shape)
        return low, low if self.at_most is self.at_least else self.at_most[numbers].reshape(shape)


@dataclass(frozen=True, slots=True)
class Quantile:
    """A percentile of measurements.

    Attributes:
        value: The percentile; where `cut_off` reaches it, it is at least so much. None without a measurement.
        n: Number of measurements.
        independent: As how many questions asked once they count.
        enough: Whether that many have finite limits, were nothing cut off; for p95 at 95% it takes 72.
    """

    value: float | None
    n: int
    independent: float
    interval: Interval
    cut_off: CutOff | None
    enough: bool


def quantile_of(found: Measurements, p: float, level: float = LEVEL) -> Quantile:
    """Return the p-quantile over all measurements, with the interval that the questions allow.

    Repeats of a question tell what the system does again, not what it does on other questions, so the limits are
    those of as many values as there are questions (`order_statistics`). A limit that falls on a measurement that
    was cut off is unknown: None.

    Args:
        found: The measurements.
        p: The quantile, 0 to 1.
        level: Confidence level.

    Example:
        >>> times = Measurements.of([[Score(10.0)]] * 90 + [[Score(50.0, "timeout")]] * 10)
        >>> slow = quantile_of(times, 0.95)
        >>> slow.value, slow.cut_off, slow.interval.low, slow.interval.high
        (50.0, CutOff(n=10, limit=50.0, reached=True), 10.0, None)
    """
    known = ~np.isnan(found.at_least)
    low, high = np.sort(found.at_least[known]), np.sort(found.at_most[known])
    independent = found.independent
    limits = order_statistics(low, p, level, at_most=high, independent=independent)
    finite = order_statistics(low, p, level, independent=independent)
    return Quantile(
        value=float(np.quantile(low, p)) if len(low) else None,
        n=len(low),
        independent=independent,
        interval=limits,
        cut_off=_cut_off(found, high, p),
        enough=None not in (finite.low, finite.high),
    )


def _cut_off(found: Measurements, at_most: Floats, p: float) -> CutOff | None:
    limits = found.at_least[np.isinf(found.at_most) & np.isfinite(found.at_least)]
    if not len(limits):
        return None
    reached = bool(np.isinf(percentiles(at_most, p)))
    return CutOff(n=len(limits), limit=float(limits.min()), reached=reached)


def percentiles(rows: Floats, p: float) -> Floats:
    """Return the p-quantile of each row, as `numpy.quantile` interpolates, for rows that may hold NaN or infinity.

    NaN is left out. The quantile is infinite where a value that it rests on is; the lower one decides first.

    Example:
        >>> percentiles(np.array([[1.0, 2.0, np.inf], [1.0, np.nan, 3.0]]), 0.5).tolist()
        [2.0, 2.0]
    """
    if np.isfinite(rows).all():
        return np.asarray(np.quantile(rows, p, axis=-1))
    ordered = np.sort(rows, axis=-1)  # NaN comes last
    place = p * np.maximum((~np.isnan(ordered)).sum(axis=-1) - 1, 0)
    below = np.floor(place).astype(np.int64)
    first, second = (
        np.take_along_axis(ordered, one[..., None], axis=-1)[..., 0]
        for one in (below, np.ceil(place).astype(np.int64))
    )
    part = place - below
    with np.errstate(invalid="ignore"):
        between = first + part * (second - first)
    known = np.where(np.isposinf(second), np.inf, between)
    return np.asarray(np.where((part == 0) | np.isneginf(first), first, known))
