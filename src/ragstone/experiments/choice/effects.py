"""What each factor of a matrix is worth: levels compared over pairs of runs that differ in nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import count

import numpy as np
from numpy.typing import NDArray

from ragstone.experiments.choice.all_pairs import ALPHA
from ragstone.experiments.choice.factors import Factor
from ragstone.experiments.choice.score_table import ScoreTable
from ragstone.stats.corrections import holm
from ragstone.stats.paired import Verdict, compare_paired
from ragstone.types import Interval


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """The main effect of a factor's level against its first level.

    Attributes:
        level: The level in words.
        baseline: The factor's first level.
        pairs: Like-with-like pairs behind it: settings of all other factors under which both levels were run.
        difference: Mean score at the level less that at the baseline, averaged over the pairs; None without any.
        interval: Guarded t interval over the questions, of this effect alone.
        p: Sign-flip p-value, by Holm for all effects of the matrix; None without pairs.
        verdict: Of the level: better or worse only where interval and p agree on it, by Holm too; else borderline,
            or that no difference was seen. None without pairs.
        least: Smallest difference of a pair; far from `most`, the effect depends on the other factors.
        most: Largest difference of a pair.
    """

    factor: str
    level: str
    baseline: str
    pairs: int
    difference: float | None = None
    interval: Interval | None = None
    p: float | None = None
    verdict: Verdict | None = None
    least: float | None = None
    most: float | None = None


def main_effects(table: ScoreTable, factors: Sequence[Factor]) -> list[Effect]:
    """Return the main effect of every level of every factor against the factor's first level.

    Like is compared with like: for each setting of all other factors under which both levels were run, the
    difference is taken question by question, then averaged. In a full matrix that is the average over the other
    factors; in a part of one it uses the pairs that there are. Runs of one configuration count as their mean.

    Args:
        table: The scores; `factors` have a level for each of its runs.
        factors: From `factors_of`.

    Source: a factorial's main effects, G. Box, J. Hunter, W. Hunter, Statistics for Experimenters, 5.
    """
    effects = [
        _effect(table, factors, factor, number) for factor in factors for number in range(1, len(factor.levels))
    ]
    adjusted = iter(holm([effect.p for effect in effects if effect.p is not None]).tolist())
    return [effect if effect.p is None else _corrected(effect, next(adjusted)) for effect in effects]


def _corrected(effect: Effect, p: float) -> Effect:
    undone = effect.verdict in ("better", "worse") and p > ALPHA
    return replace(effect, p=p, verdict="borderline" if undone else effect.verdict)


def _effect(table: ScoreTable, factors: Sequence[Factor], factor: Factor, number: int) -> Effect:
    bare = Effect(factor=factor.name, level=factor.levels[number], baseline=factor.levels[0], pairs=0)
    pairs = _pairs(table, factors, factor, number)
    if not len(pairs):
        return bare
    d = pairs.mean(0)
    d = np.where(np.abs(d) <= 1e-12, 0.0, d)
    by_pair = pairs.mean(1)
    found = compare_paired(
        d,
        np.zeros_like(d),
        range_width=table.range_width,
        clusters=table.clusters,
        level=1 - ALPHA,
        higher_is_better=table.sign > 0,
    )
    return replace(
        bare,
        pairs=len(pairs),
        difference=found.difference,
        interval=found.interval,
        p=found.p,
        verdict=found.verdict,
        least=float(by_pair.min()),
        most=float(by_pair.max()),
    )


def _pairs(table: ScoreTable, factors: Sequence[Factor], factor: Factor, number: int) -> NDArray[np.float64]:
    """Return for each setting of the other factors the questions' differences, level less baseline."""
    others = [one for one in factors if one is not factor]
    cells: dict[tuple[int, ...], tuple[list[int], list[int]]] = {}
    for run, level in zip(count(), factor.level):
        if level in (0, number):
            key = tuple(one.level[run] for one in others)
            cells.setdefault(key, ([], []))[level == number].append(run)
    rows = [
        table.values[:, ours].mean(1) - table.values[:, base].mean(1)
        for base, ours in cells.values()
        if base and ours
    ]
    return np.array(rows, dtype=np.float64)
