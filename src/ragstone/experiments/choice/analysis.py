"""Which of many configurations is best, and how much of its lead is luck."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from ragstone.experiments.choice.all_pairs import AllPairs, all_pairs
from ragstone.experiments.choice.effects import Effect, main_effects
from ragstone.experiments.choice.factors import Alike, Factor, alike, factors_of
from ragstone.experiments.choice.noise import Spread, spread
from ragstone.experiments.choice.outliers import far_behind
from ragstone.experiments.choice.score_table import ScoreTable, score_table
from ragstone.experiments.results import RunResult
from ragstone.metrics import Metric
from ragstone.stats.guarded import average, sample_of
from ragstone.stats.outlook import detectable, queries_to_show
from ragstone.stats.samples import differences
from ragstone.stats.selection import Holdout, holdout_winner, winner
from ragstone.stats.summary import summarise_values
from ragstone.types import Interval

SHARE_WORTH_SEEING = 0.05


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranked:
    """A run in the ranking.

    Attributes:
        column: Its column in the score table.
        mean: Over the questions that all runs have a score for.
        interval: Of the mean.
        letters: Runs that share a letter cannot be told apart (compact letter display).
        p: Against the best run, for all pairs; 1 for the best itself.
    """

    run: RunResult
    column: int
    mean: float
    interval: Interval | None
    letters: str
    p: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Best:
    """The best run, and what is left of its lead after looking at so many.

    Attributes:
        shrunken: Its mean drawn towards the mean of all runs by the share of their differences that is luck.
        luck: That share, 0 to 1.
        lead: By how much its mean is better than the mean of all runs; those with identical results count once.
        best_of_equal: By how much the best of as many equal runs looks better than it is.
        tied: How many other runs cannot be told apart from it.
    """

    run: Ranked
    shrunken: float
    luck: float
    lead: float
    best_of_equal: float
    tied: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Sight:
    """What a comparison of two runs on these questions could have seen, at 80% power, one pair alone.

    Attributes:
        rows: Independent questions, or clusters of questions.
        sd: Typical standard deviation of the difference of two runs.
        detectable: Smallest true difference that would be noticed; None where none within the range would.
        wanted: A difference worth noticing: 5% of the metric's range; None for a metric without bounds.
        needed: Questions it would take to notice that; None where no number would.
    """

    rows: int
    sd: float
    detectable: float | None
    wanted: float | None
    needed: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Rerun:
    """Runs of one configuration (A/A), and how far apart they are: the noise floor."""

    runs: tuple[RunResult, ...]
    spread: Spread


@dataclass(frozen=True, slots=True, kw_only=True)
class MatrixAnalysis:
    """Everything that is said of the runs of a matrix by one metric.

    Attributes:
        table: The scores, and what was left out.
        factors: In what the compared runs differ.
        ranked: The runs, best first; empty where there is nothing to compare.
        groups: Runs that cannot be told apart, each group from best to worst, as places in `ranked`.
        test: The test of all pairs; its rows and columns are the table's.
        best: The best run; None where there is nothing to compare.
        far_behind: The last runs of the ranking, where they stand far behind and widen what may be luck for all.
        holdout: The best run picked on one half of the questions and measured on the other, if asked for; its
            `system` is a column of the table.
        sight: What the set could have seen.
        effects: What each factor is worth.
        alike: Runs between which nothing changed, as places in the table's runs.
        reruns: The noise floor from A/A runs.
    """

    table: ScoreTable
    factors: tuple[Factor, ...]
    ranked: tuple[Ranked, ...] = ()
    groups: tuple[tuple[int, ...], ...] = ()
    test: AllPairs | None = None
    best: Best | None = None
    far_behind: tuple[Ranked, ...] = ()
    holdout: Holdout | None = None
    sight: Sight | None = None
    effects: tuple[Effect, ...] = ()
    alike: tuple[Alike, ...] = ()
    reruns: tuple[Rerun, ...] = ()


def analyse(
    runs: Sequence[RunResult], metrics: Sequence[Metric], *, holdout: bool = False, seed: int = 0
) -> list[MatrixAnalysis]:
    """Analyse runs by each of several metrics.

    Args:
        runs: On one data set, scored by the same rules.
        metrics: What they are ranked by, each on its own.
        holdout: Whether to pick the best run on a random half of the questions and measure it on the other.
        seed: Of the permutations and the split.

    Raises:
        UsageError: The runs or a metric cannot be compared (see `score_table`).
    """
    tables = [score_table(runs, metric) for metric in metrics]
    known: dict[tuple[str, ...], _Design] = {}
    found = []
    for table, test in zip(tables, all_pairs(tables, seed=seed), strict=True):
        ids = tuple(run.run.id for run in table.runs)
        if ids not in known:
            known[ids] = _Design(tuple(factors_of(table.runs)), tuple(alike(table.runs)))
        found.append(_analysis(table, test, known[ids], holdout_seed=seed if holdout else None))
    return found


@dataclass(frozen=True, slots=True)
class _Design:
    factors: tuple[Factor, ...]
    alike: tuple[Alike, ...]


def _analysis(
    table: ScoreTable, test: AllPairs | None, design: _Design, *, holdout_seed: int | None
) -> MatrixAnalysis:
    if test is None:
        return MatrixAnalysis(table=table, factors=design.factors, alike=design.alike)
    ranked, groups = _ranking(table, test)
    return MatrixAnalysis(
        table=table,
        factors=design.factors,
        ranked=ranked,
        groups=groups,
        test=test,
        best=_best(table, test, ranked),
        far_behind=_far_behind(table, test, ranked),
        holdout=None if holdout_seed is None else _holdout(table, test, holdout_seed),
        sight=_sight(table, test),
        effects=tuple(main_effects(table, design.factors)),
        alike=design.alike,
        reruns=tuple(_reruns(table, design.alike)),
    )


def _ranking(table: ScoreTable, test: AllPairs) -> tuple[tuple[Ranked, ...], tuple[tuple[int, ...], ...]]:
    means = table.values.mean(0)
    order = np.argsort(-table.sign * means, kind="stable")
    groups = groups_of(test.p[np.ix_(order, order)], test.alpha)
    letters = letters_of(groups, len(order))
    traits, name = table.metric.traits, str(table.metric)
    ranked = tuple(
        Ranked(
            run=table.runs[column],
            column=column,
            mean=float(means[column]),
            interval=summarise_values(
                name, table.values[:, column], {}, kind=traits.kind, bounds=traits.bounds, clusters=table.clusters
            ).interval,
            letters=letters[place],
            p=float(test.p[order[0], column]),
        )
        for place, column in enumerate(order.tolist())
    )
    return ranked, groups


def groups_of(p: NDArray[np.float64], alpha: float) -> tuple[tuple[int, ...], ...]:
    """Return the groups of runs that cannot be told apart: the longest stretches without a pair that differs.

    Args:
        p: p-values of all pairs, runs sorted from best to worst; a wider pair never has the larger p.
        alpha: A pair with p at or below it differs.

    Example:
        >>> groups_of(np.array([[1.0, 0.2, 0.01], [0.2, 1.0, 0.3], [0.01, 0.3, 1.0]]), 0.05)
        ((0, 1), (1, 2))
    """
    groups: list[tuple[int, ...]] = []
    for first in range(len(p)):
        last = int(np.flatnonzero(p[first] > alpha).max())
        if not groups or last > groups[-1][-1]:
            groups.append(tuple(range(first, last + 1)))
    return tuple(groups)


def letters_of(groups: Sequence[Sequence[int]], n: int) -> list[str]:
    """Return the compact letter display: a letter for each group, and for each run the letters of its groups.

    Source: H.-P. Piepho, Journal of Computational and Graphical Statistics 13 (2004).

    Example:
        >>> letters_of([(0, 1), (1, 2)], 3)
        ['a', 'ab', 'b']
    """
    names = [chr(ord("a") + index % 26) + str(index // 26 or "") for index in range(len(groups))]
    return ["".join(name for name, group in zip(names, groups, strict=True) if run in group) for run in range(n)]


def _best(table: ScoreTable, test: AllPairs, ranked: Sequence[Ranked]) -> Best:
    tied = sum(one.p > test.alpha for one in ranked[1:])
    if len(test.distinct) < 2:
        return Best(run=ranked[0], shrunken=ranked[0].mean, luck=1.0, lead=0.0, best_of_equal=0.0, tied=tied)
    won = winner(test.sample, advantage=test.best_of_equal)
    return Best(
        run=ranked[0],
        shrunken=table.sign * won.shrunken,
        luck=won.shrinkage,
        lead=won.lead,
        best_of_equal=won.best_of_equal,
        tied=tied,
    )


def _far_behind(table: ScoreTable, test: AllPairs, ranked: Sequence[Ranked]) -> tuple[Ranked, ...]:
    order = [one.column for one in ranked]
    means = [table.sign * one.mean for one in ranked]
    below = far_behind(means, test.p[np.ix_(order, order)], critical=test.critical, alpha=test.alpha)
    return tuple(ranked[len(ranked) - below :])


def _holdout(table: ScoreTable, test: AllPairs, seed: int) -> Holdout | None:
    """Return the run picked on one half, with means as the metric counts them."""
    if len(test.distinct) < 2 or len(test.sample) < 2:
        return None
    found = holdout_winner(test.sample, seed=seed)
    picked, mean = table.sign * found.picked_mean, table.sign * found.mean
    return replace(found, system=test.distinct[found.system], picked_mean=picked, mean=mean)


def _sight(table: ScoreTable, test: AllPairs) -> Sight | None:
    """Return what the set could have seen between two runs, from the average of all pairs of distinct ones."""
    columns = table.values[:, list(test.distinct)].T
    pairs = (differences(first, second) for first, second in combinations(columns, 2))
    seen = average([sample for d in pairs if (sample := sample_of(d, table.clusters))])
    if seen is None:
        return None
    width = table.range_width
    wanted = None if width is None else SHARE_WORTH_SEEING * width
    return Sight(
        rows=round(seen.rows),
        sd=math.sqrt(seen.variance),
        detectable=detectable(seen, range_width=width),
        wanted=wanted,
        needed=None if wanted is None else queries_to_show(seen, wanted, range_width=width),
    )


def _reruns(table: ScoreTable, same: Sequence[Alike]) -> list[Rerun]:
    return [
        Rerun(runs=tuple(table.runs[index] for index in one.runs), spread=spread(table.values[:, list(one.runs)]))
        for one in same
        if one.same_settings
    ]
