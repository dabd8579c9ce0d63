"""Queries that belong together: questions on one document, turns of one conversation, paraphrases.

Such queries succeed and fail together, so they tell less than as many independent ones. The cluster is then the
sample: tests flip whole clusters, and intervals use the spread between clusters.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ragstone.stats.samples import Labels, finite, group_numbers


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterEffect:
    """How much clusters cost.

    Attributes:
        clusters: Number of clusters.
        icc: Intra-cluster correlation, 0 to 1: the share of the variance that lies between clusters.
        design_effect: Variance of the mean over that of independent queries, at least 1.
        effective_n: As how many independent queries these count.
    """

    clusters: int
    icc: float
    design_effect: float
    effective_n: float


def cluster_sums(d: ArrayLike, clusters: Labels) -> NDArray[np.float64]:
    """Return the sum of each cluster, in order of first sight.

    Example:
        >>> cluster_sums([1.0, 2.0, 4.0], ["x", "y", "x"]).tolist()
        [5.0, 2.0]
    """
    values = finite(d)
    numbers, count = group_numbers(clusters, len(values))
    return np.asarray(np.bincount(numbers, weights=values, minlength=count), dtype=np.float64)


def cluster_differences(d: ArrayLike, clusters: Labels) -> NDArray[np.float64]:
    """Return one value per cluster whose mean is the mean over all queries, weighted by size.

    The t interval of these values uses the clustered standard error of Miller (2024), SE^2 = sum over clusters of
    (sum of the deviations)^2 / n^2, times G / (G - 1) for G clusters. With clusters of one query each they are the
    differences themselves; with clusters of one size, the cluster means.

    Example:
        >>> cluster_differences([1.0, 0.0, 0.5, 0.5], ["x", "x", "y", "y"]).tolist()
        [0.5, 0.5]
    """
    values = finite(d)
    if not len(values):
        return values
    mean = float(values.mean())
    deviations = cluster_sums(values - mean, clusters)
    return mean + deviations * (len(deviations) / len(values))


def clustered_standard_error(d: ArrayLike, clusters: Labels) -> float | None:
    """Return the clustered standard error of the mean (Miller 2024); None below two clusters.

    It equals statsmodels' ``OLS(d, 1).fit(cov_type="cluster")`` without the small-sample correction.

    Example:
        >>> clustered_standard_error([1.0, 1.0, 0.0, 0.0], ["x", "x", "y", "y"])
        0.3535533905932738
    """
    values = finite(d)
    if not len(values):
        return None
    deviations = cluster_sums(values - values.mean(), clusters)
    return math.sqrt(float(deviations @ deviations)) / len(values) if len(deviations) > 1 else None


def cluster_effect(d: ArrayLike, clusters: Labels) -> ClusterEffect:
    """Return how many independent queries the clustered ones count as.

    The intra-cluster correlation is the analysis-of-variance estimate for unequal sizes (Donner 1986), not below
    0; the design effect is 1 + (m - 1) icc with m the size-weighted mean size (Kish 1965). Where nothing varies,
    or each cluster has one query, the correlation is 0.

    Example:
        >>> effect = cluster_effect([1.0, 1.0, 0.0, 0.0], ["x", "x", "y", "y"])
        >>> effect.icc, effect.effective_n
        (1.0, 2.0)
    """
    values = finite(d)
    numbers, count = group_numbers(clusters, len(values))
    sizes = np.bincount(numbers, minlength=count)
    n = len(values)
    if count < 2 or count == n:
        return ClusterEffect(clusters=count, icc=0.0, design_effect=1.0, effective_n=float(n))
    means = np.bincount(numbers, weights=values) / sizes
    between = float((sizes * (means - values.mean()) ** 2).sum()) / (count - 1)
    within = float(((values - means[numbers]) ** 2).sum()) / (n - count)
    weighted = mean_cluster_size(clusters)
    typical = (n - weighted) / (count - 1)
    total = between + (typical - 1) * within
    icc = min(1.0, max(0.0, (between - within) / total)) if total > 0 else 0.0
    effect = 1 + (weighted - 1) * icc
    return ClusterEffect(clusters=count, icc=icc, design_effect=effect, effective_n=n / effect)


def mean_cluster_size(clusters: Labels) -> float:
    """Return the size of the cluster that a query is in, on average over the queries.

    Example:
        >>> mean_cluster_size(["x", "x", "x", "y"])
        2.5
    """
    numbers, _ = group_numbers(clusters, len(clusters))
    sizes = np.bincount(numbers)
    return float((sizes**2).sum()) / len(numbers) if len(numbers) else 0.0


def effective_n(d: ArrayLike, clusters: Labels) -> float:
    """Return as how many independent queries the clustered ones count.

    Twenty groups of five with an intra-cluster correlation of .2 count as about 56.

    Example:
        >>> effective_n([1.0, 1.0, 0.0, 0.0], ["x", "x", "y", "y"])
        2.0
    """
    return cluster_effect(d, clusters).effective_n
