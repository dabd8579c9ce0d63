"""Slices of a comparison: does the change help some kinds of questions and hurt others?

Small slices swing: with eight categories of six questions, some category gains or loses two hits three times of
four though nothing changed. So slices are ordered by evidence, shrunken towards the whole, and no sentence about a
difference between them is made before the interaction test.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ragstone.stats.corrections import benjamini_hochberg
from ragstone.stats.guarded import guarded_t
from ragstone.stats.intervals import LEVEL
from ragstone.stats.randomization import sign_flip_p
from ragstone.stats.samples import Labels, finite, group_numbers
from ragstone.types import Interval

FEW = 10
_BLOCK = 256


@dataclass(frozen=True, slots=True, kw_only=True)
class SliceDifference:
    """The difference of two systems on the queries that share a label.

    Attributes:
        difference: Mean of the slice.
        shrunken: The mean drawn towards the overall mean, the more the smaller the slice.
        interval: Guarded t interval of the mean.
        p: Sign-flip p-value.
        adjusted_p: The same after Benjamini and Hochberg over all slices: a screen, not a verdict.
        few: Below ten queries, where little can be said.
    """

    label: Hashable
    n: int
    difference: float
    shrunken: float
    interval: Interval
    p: float
    adjusted_p: float
    few: bool


def interaction_p(
    d: ArrayLike,
    labels: Labels,
    *,
    clusters: Labels | None = None,
    permutations: int = 10_000,
    seed: int = 0,
) -> float:
    """Return how often shuffled labels spread the slices' means as much as the true ones do.

    Right before any sentence of the kind "helps X, hurts Y". The statistic is the sum of squares between slices;
    p = (1 + at least as large) / (1 + permutations); 1 with fewer than two slices. Clusters are shuffled whole:
    what a cluster has in a slice counts once, by its mean. Where clusters spread over slices that is conservative.

    Args:
        d: Difference of each query.
        labels: One label for each query.
        clusters: A label for each query.
        permutations: Number of shuffles.
        seed: Their seed.

    Example:
        >>> interaction_p([1.0] * 10 + [-1.0] * 10, ["x"] * 10 + ["y"] * 10) < 0.001
        True
    """
    values = finite(d, "differences")
    numbers, count = group_numbers(labels, len(values))
    if count < 2:
        return 1.0
    if clusters is not None:
        values, numbers = _parts_of_clusters(values, numbers, clusters)
    members = np.zeros((len(values), count))
    members[np.arange(len(values)), numbers] = 1.0
    weights = 1.0 / members.sum(0)
    centred = values - values.mean()
    rng = np.random.default_rng(seed)
    observed = float((((centred @ members) ** 2) * weights).sum())
    extreme = 0
    for start in range(0, permutations, _BLOCK):
        shuffled = np.tile(centred, (min(_BLOCK, permutations - start), 1))
        rng.permuted(shuffled, axis=1, out=shuffled)
        spread = (((shuffled @ members) ** 2) * weights).sum(1)
        extreme += int((spread >= observed * (1 - 1e-12)).sum())
    return (1 + extreme) / (1 + permutations)


def _parts_of_clusters(
    values: NDArray[np.float64], slices: NDArray[np.intp], clusters: Labels
) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
    """Return the mean of what each cluster has in each slice, and its slice."""
    of_cluster, _ = group_numbers(clusters, len(values))
    parts, count = group_numbers(list(zip(of_cluster.tolist(), slices.tolist(), strict=True)), len(values))
    means = np.bincount(parts, weights=values) / np.bincount(parts)
    slice_of = np.empty(count, dtype=np.intp)
    slice_of[parts] = slices
    return means, slice_of


def partial_pooling(d: ArrayLike, labels: Labels) -> dict[Hashable, float]:
    """Return the mean of each slice, drawn towards the overall mean by the share that is noise.

    The variance between slices is the moment estimate of R. DerSimonian and N. Laird (1986) with the pooled
    variance within slices; where it is 0 all slices get the overall mean.

    Example:
        >>> pooled = partial_pooling([0.2, 0.0, 0.1, -0.1], ["x", "x", "y", "y"])
        >>> {label: round(value, 3) for label, value in pooled.items()}
        {'x': 0.05, 'y': 0.05}
    """
    values = finite(d, "differences")
    numbers, count = group_numbers(labels, len(values))
    shrunken = _pooled(values, numbers, count)
    return {labels[int(np.argmax(numbers == one))]: float(shrunken[one]) for one in range(count)}


def _pooled(values: NDArray[np.float64], numbers: NDArray[np.intp], count: int) -> NDArray[np.float64]:
    sizes = np.bincount(numbers, minlength=count)
    means = np.bincount(numbers, weights=values, minlength=count) / sizes
    overall = float(values.mean()) if len(values) else 0.0
    within = float(((values - means[numbers]) ** 2).sum())
    if count < 2 or len(values) <= count:
        return np.full(count, overall)
    noise = within / (len(values) - count)
    if not noise:
        return means
    spread = float((sizes * (means - overall) ** 2).sum()) / noise - (count - 1)
    scale = (len(values) - float((sizes**2).sum()) / len(values)) / noise
    between = max(0.0, spread / scale)
    return np.asarray(overall + between / (between + noise / sizes) * (means - overall))


def slice_differences(
    d: ArrayLike,
    labels: Labels,
    *,
    range_width: float | None,
    clusters: Labels | None = None,
    level: float = LEVEL,
    seed: int = 0,
) -> list[SliceDifference]:
    """Return the difference on each slice, strongest evidence first.

    Args:
        d: Difference of each query.
        labels: One label for each query.
        range_width: The metric's largest minus smallest value; None where it has no bounds.
        clusters: A label for each query; intervals and p-values of a slice then go by the clusters within it.
        level: Confidence level of the intervals.
        seed: Seed for the rare case in which sign patterns must be sampled.

    Example:
        >>> found = slice_differences([1.0] * 12 + [0.0] * 4, ["x"] * 12 + ["y"] * 4, range_width=1)
        >>> [(one.label, one.difference, one.few) for one in found]
        [('x', 1.0, False), ('y', 0.0, True)]
    """
    values = finite(d, "differences")
    numbers, count = group_numbers(labels, len(values))
    if not count:
        return []
    groups = [values[numbers == one] for one in range(count)]
    within = [None if clusters is None else _chosen(clusters, numbers == one) for one in range(count)]
    p = [sign_flip_p(group, clusters=c, seed=seed).p for group, c in zip(groups, within, strict=True)]
    adjusted = benjamini_hochberg(p)
    pooled = partial_pooling(values, labels)
    found = [
        SliceDifference(
            label=label,
            n=len(group),
            difference=float(group.mean()),
            shrunken=pooled[label],
            interval=guarded_t(group, range_width=range_width, level=level, clusters=within[one]),
            p=p[one],
            adjusted_p=float(adjusted[one]),
            few=len(group) < FEW,
        )
        for one, (label, group) in enumerate(zip(pooled, groups, strict=True))
    ]
    return sorted(found, key=lambda one: (one.adjusted_p, one.p, -one.n))


def _chosen(labels: Labels, chosen: NDArray[np.bool_]) -> list[Hashable]:
    return [label for label, kept in zip(labels, chosen, strict=True) if kept]
