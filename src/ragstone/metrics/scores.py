"""What the system's own scores say: spread, separation and agreement with the grades."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ragstone.judged import JudgedRun
from ragstone.metrics.base import REL, Param, Values, family
from ragstone.metrics.requirements import ANSWERABLE, GOLD_NEEDED, NOT_FAILED, SCORED, TWO_CLASSES
from ragstone.stats.correlation import average_ranks, kendall_tau_b, spearman


@family(
    "score_cv",
    kind="open",
    bounds=(0.0, np.inf),
    cutoff="optional",
    requires=(NOT_FAILED, SCORED),
    undefined="mean_zero",
    aliases=("score_discrimination",),
)
def score_cv(run: JudgedRun, cutoff: int | None) -> Values:
    """Score discrimination: the coefficient of variation of the returned scores (std / absolute mean).

    The standard deviation is the population's.

    Depends on where a score's zero lies and on its unit, so compare it only within one system; score_auc is the
    better question. Equal scores: 0. Mean 0 or no scores: not computed.

    Range: 0 or more. Ties: equal scores do not vary: 0. Nothing returned: not computed.

    Source: defined here, as reports before it did.

    Example: scores 3 and 1: deviation 1, mean 2, 0.5.
    """
    return np.array([_variation(scores[:cutoff]) for scores in _scores(run)])


def _variation(scores: Values) -> float:
    mean = float(scores.mean()) if len(scores) else 0.0
    return float(scores.std()) / abs(mean) if mean else float("nan")


@family("score_auc", params=REL, requires=(ANSWERABLE, GOLD_NEEDED, NOT_FAILED, SCORED), undefined="one_class")
def score_auc(run: JudgedRun, rel: int) -> Values:
    """Within-query AUC: the chance that a relevant hit outscores another returned hit, ties counting half.

    Not computed where all or none of the returned hits are relevant, or the system gives no scores.

    Range: 0 to 1. Ties: half a win. Nothing returned: not computed.

    Source: Hanley and McNeil, Radiology 143 (1982).

    Example: scores 3, 2, 1, only the second hit relevant: it beats one of two others, 0.5.
    """
    return np.array(
        [
            _auc(scores, (ranks[grades >= rel] - 1).astype(np.int64))
            for scores, (ranks, grades) in zip(_scores(run), _judged(run), strict=True)
        ]
    )


def _auc(scores: Values, positives: NDArray[np.int64]) -> float:
    n_pos = len(positives)
    n_neg = len(scores) - n_pos
    if n_pos == 0 or n_neg <= 0:
        return float("nan")
    ranks = average_ranks(scores)[positives]
    return float(ranks.sum() - n_pos * (n_pos + 1) / 2) / (n_pos * n_neg)


@family(
    "score_margin",
    kind="open",
    bounds=(-np.inf, np.inf),
    params=REL,
    requires=(ANSWERABLE, GOLD_NEEDED, NOT_FAILED, SCORED, TWO_CLASSES),
    undefined="no_spread",
)
def score_margin(run: JudgedRun, rel: int) -> Values:
    """Score margin: the best score of a relevant hit minus the best of the other hits, in standard deviations.

    The unit is the pooled standard deviation of the two groups, sqrt(sum of squared deviations from each group's
    mean / (n - 2)), so that a shift or another scale of the scores changes nothing. Above 0 a relevant hit is on
    top. Unjudged hits count as not relevant. Not computed where all or none of the returned hits are relevant,
    where each group has equal scores, or where the system gives no scores.

    Range: any number. Ties: a margin of 0 if at the top. Nothing returned: not computed.

    Source: defined here; the pooled deviation is that of the two-sample t-test.

    Example: scores 5 and 3 of relevant hits, 4 and 2 of others: pooled deviation sqrt(4 / 2), margin 0.707107.
    """
    return np.array(
        [
            _margin(scores, (ranks[grades >= rel] - 1).astype(np.int64))
            for scores, (ranks, grades) in zip(_scores(run), _judged(run), strict=True)
        ]
    )


def _margin(scores: Values, positives: NDArray[np.int64]) -> float:
    if not 0 < len(positives) < len(scores):
        return float("nan")
    found, others = scores[positives], np.delete(scores, positives)
    groups = [group - group.mean() for group in (found, others) if np.ptp(group) > 0]
    if not groups:
        return float("nan")
    deviation = np.sqrt(sum(float(group @ group) for group in groups) / (len(scores) - 2))
    return float((found.max() - others.max()) / deviation)


@family(
    "rank_correlation",
    kind="mean",
    bounds=(-1.0, 1.0),
    cutoff="optional",
    params={"method": Param("spearman", "Which coefficient.", ("spearman", "kendall"))},
    requires=(ANSWERABLE, NOT_FAILED),
    undefined="too_few_judged",
    aliases=("spearman",),
    presets={"kendall_tau": {"method": "kendall"}},
)
def rank_correlation(run: JudgedRun, cutoff: int | None, method: str) -> Values:
    """Rank correlation between the order of the judged hits and their grades: 1 when better grades come first.

    Only judged hits count; ties share their mean rank (Spearman) or are corrected for (Kendall's tau-b). Not
    computed below two judged hits or when all have one grade.

    Range: -1 to 1. Ties: equal grades share their mean rank. Nothing returned: not computed.

    Source: Spearman 1904; Kendall, Biometrika 33 (1945).

    Example: judged grades 3, 2, 1 in this order give 1, in the reverse order -1.
    """
    coefficient = kendall_tau_b if method == "kendall" else spearman
    values = []
    for ranks, grades in _judged(run):
        kept = (grades >= 0) & (ranks <= (cutoff or np.inf))
        values.append(coefficient(-ranks[kept].astype(np.float64), grades[kept].astype(np.float64)))
    return np.array(values, dtype=np.float64)


def _scores(run: JudgedRun) -> Iterator[Values]:
    """Yield each query's scores; none at all where any of its hits lacks one."""
    if run.scores is None or run.score_start is None:
        yield from (np.empty(0) for _ in run.queries)
        return
    for start, end in pairwise(run.score_start):
        scores = run.scores[start:end]
        yield scores if not np.isnan(scores).any() else np.empty(0)


def _judged(run: JudgedRun) -> Iterator[tuple[NDArray[np.int32], NDArray[np.int32]]]:
    borders = np.searchsorted(run.query, np.arange(len(run.queries) + 1))
    for start, end in pairwise(borders):
        yield run.rank[start:end], run.grade[start:end]
