"""Where a change helps or hurts: the slices of a comparison, ordered by evidence."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ragstone.experiments.comparison.metric import MetricComparison
from ragstone.experiments.pairs import values_by
from ragstone.experiments.results import DIMENSIONS, RunResult
from ragstone.stats.corrections import benjamini_hochberg
from ragstone.stats.paired import wins_ties_losses
from ragstone.stats.slices import SliceDifference, interaction_p, slice_differences

PERMUTATIONS = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class SliceComparison:
    """The questions of one slice.

    Attributes:
        found: Difference, shrunken difference, interval, and p adjusted over all slices of all dimensions.
        baseline: Mean of the baseline.
        candidate: Mean of the candidate.
        wins: Questions on which the candidate is better.
        ties: Questions on which both score the same.
        losses: Questions on which the baseline is better.
    """

    dimension: str
    value: str
    found: SliceDifference
    baseline: float
    candidate: float
    wins: int
    ties: int
    losses: int


@dataclass(frozen=True, slots=True)
class Interaction:
    """Whether the change differs between the slices of a dimension: p of the shuffled labels."""

    dimension: str
    slices: int
    p: float


def compare_slices(
    found: MetricComparison, candidate: RunResult, *, seed: int
) -> tuple[tuple[SliceComparison, ...], tuple[Interaction, ...]]:
    """Return the slices of every dimension that divides the questions, strongest evidence first.

    A question with several tags is in several slices; such a dimension has no interaction test.
    """
    slices: list[SliceComparison] = []
    interactions: list[Interaction] = []
    for dimension, members in _dimensions(found, candidate):
        places = np.array([place for inside in members.values() for place in inside])
        labels = [value for value, inside in members.items() for _ in inside]
        d = found.differences[places]
        width, level = found.pairs.range_width, found.paired.level
        origins = None if found.unclustered is None else found.pairs.clusters
        clusters = None if origins is None else [origins[place] for place in places]
        by_evidence = slice_differences(d, labels, range_width=width, level=level, clusters=clusters, seed=seed)
        slices += [_slice(found, dimension, one, members[str(one.label)]) for one in by_evidence]
        if len(set(places.tolist())) == len(places):
            p = interaction_p(d, labels, permutations=PERMUTATIONS, clusters=clusters, seed=seed)
            interactions.append(Interaction(dimension, len(members), p))
    values = benjamini_hochberg([one.found.p for one in slices]).tolist() if slices else []
    whole = [replace(one, found=replace(one.found, adjusted_p=p)) for one, p in zip(slices, values, strict=True)]
    return tuple(sorted(whole, key=_strongest_first)), tuple(interactions)


def _dimensions(found: MetricComparison, result: RunResult) -> Iterator[tuple[str, dict[str, list[int]]]]:
    """Yield the dimensions with at least two values among the paired questions."""
    for dimension, values_of in DIMENSIONS.items():
        members = values_by(found.pairs, result, values_of)
        if len(members) > 1:
            yield dimension, members


def _slice(
    found: MetricComparison, dimension: str, one: SliceDifference, inside: Sequence[int]
) -> SliceComparison:
    wins, ties, losses = wins_ties_losses(found.sign * found.differences[list(inside)])
    return SliceComparison(
        dimension=dimension,
        value=str(one.label),
        found=one,
        baseline=_mean(found.pairs.baseline, inside),
        candidate=_mean(found.pairs.candidate, inside),
        wins=wins,
        ties=ties,
        losses=losses,
    )


def _mean(values: NDArray[np.float64], inside: Sequence[int]) -> float:
    return float(values[list(inside)].mean())


def _strongest_first(one: SliceComparison) -> tuple[float, float, int, str, str]:
    return one.found.adjusted_p, one.found.p, -one.found.n, one.dimension, one.value
