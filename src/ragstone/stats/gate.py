"""May a change ship? Non-inferiority and equivalence with a margin that was fixed beforehand.

"No significant difference" is not "no regression": few questions show nothing. A gate therefore has a margin, the
loss that one accepts, and three outcomes.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Literal

from numpy.typing import ArrayLike

from ragstone.errors import UsageError
from ragstone.stats.distributions import t_cdf
from ragstone.stats.guarded import Sample, guarded_t, sample_of, unguarded
from ragstone.stats.outlook import fewest_queries, like, probable_low
from ragstone.stats.samples import Labels, finite

Outcome = Literal["pass", "fail", "not_enough"]
GATE_LEVEL = 0.90


@dataclass(frozen=True, slots=True, kw_only=True)
class Gate:
    """The outcome of a non-inferiority gate.

    Attributes:
        low: Lower limit of the guarded interval of candidate - baseline, None below two queries.
        high: Its upper limit.
        margin: The loss that was accepted.
        queries_to_settle: How many more queries would settle it with 80% chance if the difference stays as seen;
            0 where it is settled, None where no number would (the difference is the margin) or nothing is known.
    """

    outcome: Outcome
    difference: float | None
    low: float | None
    high: float | None
    level: float
    margin: float
    strict: bool
    queries_to_settle: int | None


def non_inferiority(
    d: ArrayLike,
    *,
    margin: float,
    range_width: float | None,
    strict: bool = False,
    clusters: Labels | None = None,
    level: float = GATE_LEVEL,
) -> Gate:
    """Decide whether a candidate is at most `margin` worse than the baseline.

    The guarded interval is two-sided 90%, which is one-sided 95%: it passes when the whole interval lies above
    -margin, fails when it lies below -margin (strict: below 0), and else there is not enough evidence. Nor is
    there on a scale without bounds below 50 queries or ten clusters (`ragstone.stats.guarded.unguarded`).

    Args:
        d: Candidate minus baseline for each query, turned so that higher is better.
        margin: Largest loss that is accepted, above 0, in the metric's units.
        range_width: The metric's largest minus smallest value; None where it has no bounds.
        strict: A proven loss fails also within the margin.
        clusters: A label for each query.
        level: Two-sided confidence level.

    Raises:
        UsageError: The margin is not above 0.

    Example:
        >>> non_inferiority([0.0] * 100, margin=0.05, range_width=1).outcome
        'pass'
        >>> ten = non_inferiority([0.0] * 9 + [-1.0], margin=0.05, range_width=1)
        >>> ten.outcome
        'not_enough'
    """
    if not margin > 0:
        raise UsageError(f"a margin is above 0, got {margin!r}; with none, no number of queries could pass")
    values = finite(d, "differences")
    interval = guarded_t(values, range_width=range_width, level=level, clusters=clusters)
    sample = sample_of(values, clusters)
    outcome = _outcome(interval.low, interval.high, margin, strict=strict)
    if sample is not None and unguarded(sample.queries, sample.rows, range_width):
        outcome = "not_enough"
    return Gate(
        outcome=outcome,
        difference=float(values.mean()) if len(values) else None,
        low=interval.low,
        high=interval.high,
        level=level,
        margin=margin,
        strict=strict,
        queries_to_settle=0
        if outcome != "not_enough"
        else _to_settle(sample, margin, range_width, level, strict=strict),
    )


def _outcome(low: float | None, high: float | None, margin: float, *, strict: bool) -> Outcome:
    if low is None or high is None:
        return "not_enough"
    if high < (0.0 if strict else -margin):
        return "fail"
    return "pass" if low > -margin else "not_enough"


def _to_settle(
    sample: Sample | None, margin: float, range_width: float | None, level: float, *, strict: bool
) -> int | None:
    """Return how many more queries would probably settle it, if the mean stays as it is."""
    if sample is None:
        return None
    least = 0.0 if strict else -margin

    def settled(n: int) -> bool:
        larger = like(sample, n)
        if unguarded(larger.queries, larger.rows, range_width):
            return False
        smaller = replace(larger, mean=-larger.mean)
        return (
            probable_low(larger, range_width=range_width, level=level) > -margin
            or probable_low(smaller, range_width=range_width, level=level) > -least
        )

    found = fewest_queries(settled, sample)
    return None if found is None else max(1, found - round(sample.queries))


@dataclass(frozen=True, slots=True, kw_only=True)
class Tost:
    """Two one-sided t tests: of "at most low", of "at least high", and the larger p of the two."""

    p: float
    p_low: float
    p_high: float


def tost(d: ArrayLike, *, low: float, high: float) -> Tost:
    """Test whether the mean difference lies within (low, high): did a change leave everything as it was?

    Right under the conditions of `paired_t`. Without variance the answer is certain by rule: p is 0 inside, 1
    outside.

    Source: D. J. Schuirmann (1987); D. Lakens (2017); equal to statsmodels' ``ttost_paired``.

    Raises:
        UsageError: Fewer than two differences, or low is not below high.

    Example:
        >>> round(tost([0.01, -0.02, 0.0, 0.01], low=-0.05, high=0.05).p, 4)
        0.0029
    """
    values = finite(d, "differences")
    if len(values) < 2 or not low < high:
        raise UsageError(f"tost needs two differences and low < high, got {len(values)}, {low!r} and {high!r}")
    mean, error = float(values.mean()), float(values.std(ddof=1)) / math.sqrt(len(values))
    if not error:
        p_low, p_high = float(mean <= low), float(mean >= high)
    else:
        p_low = t_cdf(-(mean - low) / error, len(values) - 1)
        p_high = t_cdf((mean - high) / error, len(values) - 1)
    return Tost(p=max(p_low, p_high), p_low=p_low, p_high=p_high)
