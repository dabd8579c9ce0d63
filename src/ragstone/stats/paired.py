"""Two systems on the same queries: is one better by more than noise?

Everywhere the difference is a - b, so that positive means that a scores higher.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ragstone.stats.clusters import ClusterEffect, cluster_differences, cluster_effect, effective_n
from ragstone.stats.correlation import average_ranks
from ragstone.stats.distributions import t_cdf
from ragstone.stats.guarded import guarded_t, sample_of, unguarded
from ragstone.stats.intervals import LEVEL
from ragstone.stats.outlook import detectable
from ragstone.stats.randomization import Method, SignFlip, sign_flip_p
from ragstone.stats.samples import Labels, differences, finite, unscaled
from ragstone.types import Interval

__all__ = [
    "PairedComparison",
    "PairedT",
    "Wilcoxon",
    "cluster_differences",
    "compare_paired",
    "differences",
    "effective_n",
    "guarded_t",
    "paired_t",
    "wilcoxon",
    "wins_ties_losses",
]

Verdict = Literal["better", "worse", "no difference seen", "borderline", "not enough questions"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PairedT:
    """Student's t test of paired scores.

    Attributes:
        t: The statistic; None where it does not exist (fewer than two queries, or no variance).
        p: Two-sided p-value, never NaN.
        mean_difference: Mean of a - b; None without queries.
        sd: Standard deviation of the differences with `ddof`; None where it does not exist.
        ddof: 1 for the sample's, 0 for the population's formula.
        degenerate: The differences do not vary, so that p is set by rule: 1 where their mean is 0, else 0.
    """

    t: float | None
    p: float
    mean_difference: float | None
    sd: float | None
    n: int
    ddof: int
    degenerate: bool


def paired_t(a: ArrayLike, b: ArrayLike, *, ddof: int = 1) -> PairedT:
    """Return Student's paired t test of two systems' scores.

    Right when the mean of the differences is about normal: from some 30 queries on, or fewer with graded scores
    and no outliers. `sign_flip_p` needs no such assumption.

    Args:
        a: Scores of the first system, one for each query.
        b: Scores of the second system, same order.
        ddof: 0 to report the population's standard deviation; t and p do not depend on it.

    Source: Student, Biometrika 6 (1908); equal to ``scipy.stats.ttest_rel``.

    Example:
        >>> test = paired_t([1, 0.5, 1, 0.5, 1], [0.5, 0.5, 0.5, 0, 1])
        >>> round(test.t, 5), round(test.p, 7), round(test.mean_difference, 3), round(test.sd, 4)
        (2.44949, 0.070484, 0.3, 0.2739)
    """
    d, scale = unscaled(differences(a, b))
    n = len(d)
    mean = scale * float(d.mean()) if n else None
    sd = scale * float(d.std(ddof=ddof)) if n > ddof else None
    if n < 2 or np.ptp(d) <= 1e-12 * float(np.abs(d).max()):
        p = 1.0 if n < 2 or not mean else 0.0
        flat = 0.0 if sd is not None else None
        return PairedT(t=None, p=p, mean_difference=mean, sd=flat, n=n, ddof=ddof, degenerate=True)
    t = float(d.mean() / (d.std(ddof=1) / math.sqrt(n)))
    p = min(1.0, 2 * t_cdf(-abs(t), n - 1))
    return PairedT(t=t, p=p, mean_difference=mean, sd=sd, n=n, ddof=ddof, degenerate=False)


def wins_ties_losses(d: ArrayLike) -> tuple[int, int, int]:
    """Return how many differences are above 0, 0, and below 0.

    Example:
        >>> wins_ties_losses([0.5, 0.0, -0.5, 1.0])
        (2, 1, 1)
    """
    values = finite(d, "differences")
    wins, losses = int((values > 0).sum()), int((values < 0).sum())
    return wins, len(values) - wins - losses, losses


@dataclass(frozen=True, slots=True)
class Wilcoxon:
    """Wilcoxon's signed-rank test; `tests` says of what, because it is not the mean.

    Attributes:
        statistic: The smaller of the rank sums of gains and losses.
    """

    statistic: float
    p: float
    method: Method
    tests: str = "shift of the typical difference, not of the mean"


def wilcoxon(a: ArrayLike, b: ArrayLike, *, seed: int = 0) -> Wilcoxon:
    """Return Wilcoxon's signed-rank test: do gains and losses have the same shape around 0?

    Right for a shift of the typical difference. It is wrong for a difference of means: with few large wins and
    many small losses that cancel out, it rejects almost always. Ties at 0 are dropped; equal sizes share their
    mean rank; p is exact, as a sign-flip test of the ranks.

    Source: F. Wilcoxon, Biometrics Bulletin 1 (1945); without ties equal to ``scipy.stats.wilcoxon``.

    Example:
        >>> wilcoxon([3, 5, 8, 2, 9], [1, 1, 2, 1, 1]).p
        0.0625
    """
    d = differences(a, b)
    d = d[d != 0]
    signed = np.sign(d) * average_ranks(np.abs(np.round(d, 12))) if len(d) else d
    test = sign_flip_p(signed, seed=seed)
    statistic = min(float(signed[signed > 0].sum()), float(-signed[signed < 0].sum()))
    return Wilcoxon(statistic, test.p, test.method)


@dataclass(frozen=True, slots=True, kw_only=True)
class PairedComparison:
    """All that is said of system a against system b under one metric.

    Attributes:
        n: Number of queries that both have a value for.
        mean_a: Mean score of a; None without queries.
        mean_b: Mean score of b.
        difference: Mean of a - b.
        interval: Guarded t interval of the difference.
        p: Two-sided sign-flip p-value.
        method: How p was found.
        floor: Smallest p that the differing queries can give.
        wins: Queries on which a is better; where lower is better, those with the lower score.
        ties: Queries on which both score the same.
        losses: Queries on which b is better.
        effective_n: As how many independent queries they count; n without clusters.
        clusters: How much clusters cost; None without clusters.
        d_z: Mean over standard deviation of the differences, for planning; None where they do not vary.
        detectable: The smallest true difference for which this set gives the verdict with 80% chance, made alone
            (see `detectable` in ``stats.outlook``); None where no difference within the range would show.
        level: Confidence level; alpha is 1 - level.
        verdict: Of a against b.
        unguarded: Whether the verdict is borderline only because the metric's scale has no bounds and there are
            too few queries for a promise without any.
    """

    n: int
    mean_a: float | None
    mean_b: float | None
    difference: float | None
    interval: Interval
    p: float
    method: Method
    floor: float
    wins: int
    ties: int
    losses: int
    effective_n: float
    clusters: ClusterEffect | None
    d_z: float | None
    detectable: float | None
    level: float
    verdict: Verdict
    unguarded: bool = False


def compare_paired(
    a: ArrayLike,
    b: ArrayLike,
    *,
    range_width: float | None,
    clusters: Labels | None = None,
    level: float = LEVEL,
    higher_is_better: bool = True,
    seed: int = 0,
) -> PairedComparison:
    """Compare system a against system b on the same queries.

    The verdict comes from the guarded interval; it is ``borderline`` where the sign-flip p disagrees. Where the
    interval holds 0 and so few queries differ that no p could reach alpha, it is ``not enough questions``, unless
    none differs at all. On a scale without bounds it is at most ``borderline`` below 50 queries or ten clusters
    (`ragstone.stats.guarded.unguarded`).

    Args:
        a: Scores of the system in question, one for each query.
        b: Scores of the baseline, same order.
        range_width: The metric's largest minus smallest value; None where it has no bounds.
        clusters: A label for each query, such as the document that it was made from.
        level: Confidence level of the interval.
        higher_is_better: False for metrics such as an error rate.
        seed: Seed for the rare case in which sign patterns must be sampled.

    Example:
        >>> better = compare_paired([1.0] * 40 + [0.0] * 10, [1.0] * 25 + [0.0] * 25, range_width=1)
        >>> better.verdict, better.wins, better.ties, better.losses
        ('better', 15, 35, 0)
    """
    d = differences(a, b)
    gains = d if higher_is_better else -d
    test = sign_flip_p(d, clusters=clusters, seed=seed)
    interval = guarded_t(d, range_width=range_width, level=level, clusters=clusters)
    wins, ties, losses = wins_ties_losses(gains)
    effect = None if clusters is None else cluster_effect(d, clusters)
    verdict = _verdict(gains, interval, test, 1 - level)
    rows = len(d) if effect is None else effect.clusters
    capped = verdict in ("better", "worse") and unguarded(len(d), rows, range_width)
    return PairedComparison(
        n=len(d),
        mean_a=_mean(a),
        mean_b=_mean(b),
        difference=_mean(d),
        interval=interval,
        p=test.p,
        method=test.method,
        floor=test.floor,
        wins=wins,
        ties=ties,
        losses=losses,
        effective_n=float(len(d)) if effect is None else effect.effective_n,
        clusters=effect,
        d_z=_standardised(d),
        detectable=_detectable(d, range_width, clusters, 1 - level),
        level=level,
        verdict="borderline" if capped else verdict,
        unguarded=capped,
    )


def _mean(values: ArrayLike) -> float | None:
    array, scale = unscaled(np.asarray(values, dtype=np.float64))
    return scale * float(array.mean()) if len(array) else None


def _standardised(d: NDArray[np.float64]) -> float | None:
    values, _ = unscaled(d)
    spread = float(values.std(ddof=1)) if len(d) > 1 else 0.0
    return float(values.mean()) / spread if spread else None


def _detectable(
    d: NDArray[np.float64], range_width: float | None, clusters: Labels | None, alpha: float
) -> float | None:
    values, scale = unscaled(d, range_width)
    width = None if range_width is None else range_width / scale
    found = detectable(sample_of(values, clusters), range_width=width, alpha=alpha)
    return None if found is None or math.isinf(found * scale) else found * scale


def _verdict(d: NDArray[np.float64], interval: Interval, test: SignFlip, alpha: float) -> Verdict:
    """Return the verdict on differences of which positive means better."""
    side: Verdict = "better" if unscaled(d)[0].sum() > 0 else "worse"
    significant = test.p <= alpha
    excludes = interval.low is not None and interval.high is not None and not interval.low <= 0 <= interval.high
    if excludes != significant:
        return "borderline"
    if excludes:
        return side
    return (
        "not enough questions" if test.floor > alpha and (test.differing or len(d) < 2) else "no difference seen"
    )
