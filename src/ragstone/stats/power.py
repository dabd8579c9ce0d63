"""How many queries: what a set can see, and what it takes to see a wanted difference.

All formulas are for two systems on the same queries. They use the standard deviation of the *differences*, which
is known after a comparison and guessed from the last one, or from the share of queries that flip, before it.

Sources: W. Webber, A. Moffat, J. Zobel, CIKM 2008; T. Sakai, Laboratory Experiments in IR (2018).
"""

from __future__ import annotations

import math

from ragstone.errors import UsageError
from ragstone.stats.distributions import normal_quantile

POWER = 0.8
ALPHA = 0.05
MARGIN_SIZES = (30, 50, 100, 200)


def margin_of_error(n: int, p: float = 0.5, level: float = 0.95) -> float:
    """Return half the width of the textbook (Wald) interval of one system's rate.

    It speaks of one yes/no metric of one system, at p = .5 in the worst case. It is not the margin of a
    difference between two systems, nor of MRR or nDCG, nor the smallest difference that would be noticed.

    Example:
        >>> [round(margin_of_error(n), 4) for n in (30, 50, 100, 200)]
        [0.1789, 0.1386, 0.098, 0.0693]
    """
    _check("n", n, at_least=1)
    _check("p", p, at_least=0, at_most=1)
    return normal_quantile((1 + level) / 2) * math.sqrt(p * (1 - p) / n)


def detectable_difference(sd: float, n: float, power: float = POWER, alpha: float = ALPHA) -> float:
    """Return the smallest true mean difference that `n` queries show with chance `power`: 2.80 sd / sqrt(n).

    Args:
        sd: Standard deviation of the per-query differences.
        n: Number of queries, or their effective number.
        power: Wanted chance to see it.
        alpha: Two-sided level of the test.

    Example:
        >>> round(detectable_difference(0.33, 50), 3), round(detectable_difference(0.33, 200), 3)
        (0.131, 0.065)
    """
    _check("sd", sd, at_least=0)
    _check("n", n, at_least=1)
    return _reach(power, alpha) * sd / math.sqrt(n)


def queries_needed(sd: float, difference: float, power: float = POWER, alpha: float = ALPHA) -> int:
    """Return how many queries show a true mean difference with chance `power`: (2.80 sd / difference)^2.

    The normal approximation: statsmodels' ``TTestPower`` asks for about two queries more.

    Example:
        >>> queries_needed(sd_from_flips(0.10, 0.05), 0.05)
        307
    """
    _check("sd", sd, at_least=0)
    if not difference:
        raise UsageError("difference is 0: no number of queries shows that; give the smallest one that matters")
    return max(2, math.ceil((_reach(power, alpha) * sd / difference) ** 2))


def sd_from_flips(share: float, difference: float) -> float:
    """Return the standard deviation of differences of a 0/1 metric: sqrt(share - difference^2).

    Args:
        share: Share of queries whose hit is gained or lost.
        difference: Share gained minus share lost.

    Example:
        >>> round(sd_from_flips(0.15, 0.10), 4)
        0.3742
    """
    _check("share of flips", share, at_least=0, at_most=1)
    if abs(difference) > share:
        raise UsageError(f"a difference of {difference:g} needs at least that share of flips, got {share:g}")
    return math.sqrt(share - difference * difference)


def _reach(power: float, alpha: float) -> float:
    """Return how many standard errors away a true difference must be."""
    if not (0 < alpha < 1 and 0 < power < 1):
        raise UsageError(f"power and alpha lie between 0 and 1, got power {power:g} and alpha {alpha:g}")
    return normal_quantile(1 - alpha / 2) + normal_quantile(power)


def _check(name: str, value: float, *, at_least: float, at_most: float = math.inf) -> None:
    if not at_least <= value <= at_most:
        limit = f"at least {at_least:g}" + (f" and at most {at_most:g}" if at_most < math.inf else "")
        raise UsageError(f"{name} is {value!r}; it must be {limit}")
