"""Metrics that follow a reader down the list, who stops by chance: rank-biased precision and reciprocal rank."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ragstone.judged import JudgedRun
from ragstone.metrics.base import REL, Param, Values, family
from ragstone.metrics.kernel import first_match, relevant, total, within
from ragstone.metrics.requirements import ANSWERABLE, RETRIEVAL

PATIENCE = {"p": Param(0.8, "Chance that the reader goes on to the next hit.", low=0.01, high=0.99)}
MAX_GRADE = Param(
    4, "The best grade of the scale; a reader stops there with 1 - 2**-max_grade.", whole=True, low=1
)


@family("RBP", cutoff="optional", params={**PATIENCE, **REL}, requires=RETRIEVAL, monotone=True)
def rank_biased_precision(run: JudgedRun, cutoff: int | None, p: float, rel: int) -> Values:
    """Rank-biased precision: what a reader gets per hit looked at, who goes on after each with chance p.

    (1 - p) times the sum of ``p**(rank - 1)`` over the relevant hits, of the first k where a cutoff is given.
    Needs no number of golds. Every relevant hit counts, as for P. Reaches 1 only for an endless list; read it with
    RBP_residual.

    Range: 0 to 1. Ties: as ranked. Nothing returned: 0.

    Source: Moffat and Zobel, TOIS 27 (2008). Example: relevant hits at ranks 1 and 3, p = 0.5 give 0.625.
    """
    return total(run, relevant(run, rel) & within(run, cutoff), _weights(run, p))


@family("RBP_residual", cutoff="optional", higher_is_better=False, params=PATIENCE, requires=(ANSWERABLE,))
def rbp_residual(run: JudgedRun, cutoff: int | None, p: float) -> Values:
    """Residual of RBP: how much higher it would be if all hits not judged, and all below the list, were relevant.

    (1 - p) times the sum of ``p**(rank - 1)`` over the unjudged hits of the first k, plus ``p**d`` where the list,
    or what k leaves of it, ends after d hits. The true RBP lies between RBP and RBP + residual.

    Range: 0 to 1. Ties: as ranked. Nothing returned: 1.

    Source: Moffat and Zobel, TOIS 27 (2008).

    Example: three hits, judged at ranks 1 and 3, p = 0.5 give 0.25 + 0.125 = 0.375.
    """
    known = total(run, (run.grade >= 0) & within(run, cutoff), _weights(run, p))
    return np.clip(1.0 - known, 0.0, 1.0)


def _weights(run: JudgedRun, p: float) -> Values:
    return (1.0 - p) * np.power(p, run.rank.astype(np.float64) - 1.0)


@family(
    "ERR",
    cutoff="optional",
    params={"max_grade": MAX_GRADE},
    requires=RETRIEVAL,
    aliases=("expected_reciprocal_rank",),
    monotone=True,
)
def expected_reciprocal_rank(run: JudgedRun, cutoff: int | None, max_grade: int) -> Values:
    """Expected reciprocal rank: the mean of 1 / rank at which a reader stops, whom better hits satisfy more often.

    A hit of grade g satisfies with chance ``(2**g - 1) / 2**max_grade``; a grade above `max_grade` counts as
    `max_grade`. Not divided by the best that was possible, so that it stays below 1. The default of 4 is that of
    TREC's gdeval and ir-measures; with grades up to 3 write ``ERR(max_grade=3)@10``. Each gold counts once.

    Range: 0 to 1. Ties: as ranked. Nothing returned: 0.

    Source: Chapelle, Metzler, Zhang and Grinspan, CIKM 2009; gdeval ``err``.

    Example: grades 3 and 1 at ranks 1 and 2, max_grade = 3 give 7/8 + 1/2 * 1/8 * 1/8 = 0.882813.
    """
    rows = np.flatnonzero(first_match(run) & (run.grade > 0) & within(run, cutoff))
    stop = (np.exp2(np.minimum(run.grade[rows], max_grade)) - 1.0) / 2.0**max_grade
    # Step by step down the lists, all queries at once: first relevant hits, second ones, and so on.
    step = _steps(run.query[rows])
    values, going = np.zeros(len(run.queries)), np.ones(len(run.queries))
    order = np.argsort(step, kind="stable")
    for chosen in np.split(order, np.flatnonzero(np.diff(step[order])) + 1):
        queries = run.query[rows[chosen]]
        values[queries] += going[queries] * stop[chosen] / run.rank[rows[chosen]]
        going[queries] *= 1.0 - stop[chosen]
    return values


def _steps(queries: NDArray[np.int32]) -> NDArray[np.int64]:
    """Number the rows of each query from 0."""
    places = np.arange(len(queries))
    starts = np.where(np.diff(queries, prepend=-1) > 0, places, 0)
    return places - np.maximum.accumulate(starts)
