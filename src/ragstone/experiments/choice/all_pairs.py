"""Which runs of a score table differ: one test of all pairs, in which runs with identical results count once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ragstone.experiments.choice.factors import Alike, alike
from ragstone.experiments.choice.score_table import ScoreTable
from ragstone.stats.tukey import Tukey, randomized_tukey_many

ALPHA = 0.05


@dataclass(frozen=True, slots=True, kw_only=True)
class AllPairs:
    """Randomized Tukey HSD of the runs of a score table.

    Runs that gave every question the same hits in the same order are one try, not several: they enter the test
    once.

    Attributes:
        p: Matrix of p-values for each pair of runs, adjusted for all pairs; 1 for a run with itself or its like.
        critical: Two runs whose means differ by more than this differ at `alpha`.
        alpha: Chance of even one false alarm among all pairs.
        best_of_equal: By how much the best of as many equal runs looks better than it is, on average.
        distinct: Columns of the runs with different results, the first of each.
        sample: The scores that were tested: independent questions x distinct runs, higher is better.
    """

    p: NDArray[np.float64]
    critical: float
    alpha: float
    best_of_equal: float
    distinct: tuple[int, ...]
    sample: NDArray[np.float64]

    @property
    def apart(self) -> NDArray[np.bool_]:
        """Whether each pair differs."""
        return np.asarray(self.p <= self.alpha)


def all_pairs(tables: Sequence[ScoreTable], *, seed: int = 0) -> list[AllPairs | None]:
    """Test the pairs of each table; tables of the same questions and runs share the permutations.

    Returns:
        One result for each table; None where there are no two runs or no question to compare.
    """
    found: list[AllPairs | None] = [None] * len(tables)
    groups: dict[tuple[object, ...], list[int]] = {}
    for index, table in enumerate(tables):
        if table.comparable:
            groups.setdefault((table.queries, tuple(run.run.id for run in table.runs)), []).append(index)
    for members in groups.values():
        first = first_of_like(len(tables[members[0]].runs), alike(tables[members[0]].runs))
        distinct, place = np.unique(first, return_inverse=True)
        samples = [tables[index].sample()[:, distinct] for index in members]
        for index, sample, test in zip(members, samples, _tukey(samples, seed), strict=True):
            found[index] = AllPairs(
                p=test.p[np.ix_(place, place)],
                critical=test.critical,
                alpha=test.alpha,
                best_of_equal=test.best_of_equal,
                distinct=tuple(distinct.tolist()),
                sample=sample,
            )
    return found


def first_of_like(n: int, groups: Sequence[Alike]) -> NDArray[np.intp]:
    """Return for each of n runs the first run with the same results."""
    first = np.arange(n)
    for group in groups:
        if group.same_results:
            first[list(group.runs)] = min(group.runs)
    return first


def _tukey(samples: Sequence[NDArray[np.float64]], seed: int) -> list[Tukey]:
    if samples[0].shape[1] < 2:
        return [Tukey(np.ones((1, 1)), 0.0, ALPHA, 0.0) for _ in samples]
    return randomized_tukey_many(np.stack(samples, axis=1), seed=seed, alpha=ALPHA)
