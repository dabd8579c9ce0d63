"""What a set of questions would probably have shown, and how many like them would show more.

Unlike the planning formulas of `power`, these know the verdicts that Ragstone gives: the guarded interval, whose
guard weighs most with few questions and changes at 50, the t quantile of few questions or clusters, and the other
comparisons that are made at the same time. They answer for a sample that was seen: more questions of that kind
have the same spread, and the same number in a cluster.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

from ragstone.errors import UsageError
from ragstone.stats.distributions import normal_quantile, t_quantile
from ragstone.stats.guarded import Sample, guarded_mean, unguarded
from ragstone.stats.power import ALPHA, POWER

MOST_QUERIES = 10_000_000
_STEPS = 60


def detectable(
    sample: Sample | None,
    *,
    range_width: float | None,
    alpha: float = ALPHA,
    family: int = 1,
    power: float = POWER,
) -> float | None:
    """Return the smallest true difference for which the default verdict is probably "better" on such a sample.

    The difference must be so large that, with chance `power`, the guarded interval leaves out 0 and p is at most
    alpha / family, the first step of Holm's correction. Questions differ by the typical amount seen, so that a
    difference needs at least its share of differing ones.

    Args:
        sample: From `sample_of`; None gives None.
        range_width: The metric's largest minus smallest value; None where it has no bounds.
        alpha: Two-sided level.
        family: How many comparisons are made together.
        power: Wanted chance to see it.

    Returns:
        None where no difference within the range would show, where nothing is known of the spread, or where the
        scale has no bounds and the queries are too few for a verdict.

    Example:
        >>> import numpy as np
        >>> from ragstone.stats.guarded import sample_of
        >>> seen = sample_of(np.random.default_rng(0).normal(0, 0.33, 50).clip(-1, 1))
        >>> round(detectable(seen, range_width=1), 2), round(detectable(seen, range_width=1, family=12), 2)
        (0.14, 0.17)
    """
    if sample is None:
        return None

    def shows(difference: float) -> bool:
        return _shows(sample, difference, range_width, alpha, family, power)

    high = range_width or 2 * max(sample.largest, math.sqrt(sample.variance))
    for _ in range(_STEPS):
        if range_width is not None or shows(high):
            break
        high *= 2
    if not (high and shows(high)):
        return None
    low = 0.0
    for _ in range(_STEPS):
        middle = (low + high) / 2
        low, high = (low, middle) if shows(middle) else (middle, high)
    return high


def queries_to_show(
    sample: Sample | None,
    difference: float,
    *,
    range_width: float | None,
    alpha: float = ALPHA,
    family: int = 1,
    power: float = POWER,
) -> int | None:
    """Return how many queries of this kind make the default verdict probably see a true difference, in all.

    Args:
        sample: From `sample_of`; None gives None.
        difference: The true difference, not 0.
        range_width: As in `detectable`.
        alpha: As in `detectable`.
        family: As in `detectable`.
        power: As in `detectable`.

    Returns:
        The smallest number, which can be below the sample's; None where ten million queries would not do.

    Raises:
        UsageError: The difference is 0.

    Example:
        >>> from ragstone.stats.guarded import sample_of
        >>> queries_to_show(sample_of([0.0] * 10), 0.1, range_width=1)
        86
    """
    if not difference:
        raise UsageError("difference is 0: no number of queries shows that; give the smallest one that matters")
    if sample is None:
        return None
    return fewest_queries(
        lambda n: _shows(like(sample, n), abs(difference), range_width, alpha, family, power), sample
    )


def probable_low(sample: Sample, *, range_width: float | None, level: float, power: float = POWER) -> float:
    """Return what the guarded interval's lower limit exceeds with chance `power`, if the sample's mean is true.

    The error of the limits is as expected; the centre varies by the sample's own spread, without the guard.
    """
    centre, error = guarded_mean(sample, range_width)
    spread = math.sqrt(sample.variance * sample.rows) / (sample.rows + 2 * sample.weight)
    return centre - t_quantile((1 + level) / 2, sample.rows - 1) * error - normal_quantile(power) * spread


def like(sample: Sample, queries: float) -> Sample:
    """Return a sample of so many queries of the same kind."""
    return replace(sample, queries=queries, rows=sample.rows * queries / sample.queries)


def fewest_queries(enough: Callable[[int], bool], sample: Sample) -> int | None:
    """Return the smallest number of queries that is enough, of at least two rows; None above ten million.

    More is never worse: the guard weighs less, and where it changes it gets smaller.
    """
    low = math.ceil(2 * sample.queries / sample.rows) - 1
    high = low + 1
    while not enough(high):
        if high >= MOST_QUERIES:
            return None
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def _shows(
    sample: Sample, difference: float, range_width: float | None, alpha: float, family: int, power: float
) -> bool:
    """Return whether the default verdict probably sees a true difference above 0."""
    if unguarded(sample.queries, sample.rows, range_width):
        return False
    if sample.rows <= 1 or 2.0 ** (1 - sample.rows) > alpha / family:
        return False
    changed = _moved(sample, difference, range_width)
    if probable_low(changed, range_width=range_width, level=1 - alpha, power=power) <= 0:
        return False
    # Of p: the sign-flip test sees about what Student's t sees.
    reach = t_quantile(1 - alpha / family / 2, sample.rows - 1) + normal_quantile(power)
    return difference > reach * math.sqrt(changed.variance / changed.rows)


def _moved(sample: Sample, difference: float, range_width: float | None) -> Sample:
    """Return the sample with another mean, and with the spread and the largest difference that go with it."""
    typical = sample.typical or range_width or 0.0
    least = sample.weight * difference * max(0.0, typical - difference)
    farthest = sample.largest + max(0.0, difference - abs(sample.mean)) if sample.largest else 0.0
    return replace(
        sample,
        mean=difference,
        variance=max(sample.variance, least),
        largest=farthest if range_width is None else min(farthest, range_width),
    )
