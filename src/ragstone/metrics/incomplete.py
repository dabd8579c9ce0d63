"""Metrics for judgements that are known to be incomplete."""

from __future__ import annotations

import numpy as np

from ragstone.judged import JudgedRun
from ragstone.metrics.base import REL, Values, family
from ragstone.metrics.kernel import (
    count,
    count_golds,
    first_match,
    ratio,
    relevant,
    running_count,
    total,
    total_relevant,
    within,
)
from ragstone.metrics.requirements import ANSWERABLE, NEGATIVES, RETRIEVAL

# Keeps trec_eval's estimate away from 0 / 0 where nothing above a relevant hit was judged.
_EPSILON = 0.00001


@family(
    "Judged", cutoff="optional", requires=(ANSWERABLE,), undefined="nothing_returned", aliases=("judged_rate",)
)
def judged(run: JudgedRun, cutoff: int | None) -> Values:
    """Judged: the share of the first k hits that were judged, relevant or not.

    Divides by the number of hits where fewer than k came back. Says how far a score can be trusted: a hit that
    nobody judged counts as wrong in most metrics. A hit whose grade is negative was not judged.

    Range: 0 to 1. Ties: as ranked. Nothing returned: not computed.

    Source: ir-measures ``Judged``. Example: hits [a, x, b], judged {a, b}, k = 5 give 2/3.
    """
    depth = run.n_returned if cutoff is None else np.minimum(run.n_returned, cutoff)
    found = count(run, (run.grade >= 0) & within(run, cutoff))
    return np.where(depth > 0, ratio(found, depth.astype(np.float64)), np.nan)


@family("bpref", params=REL, requires=(*RETRIEVAL, NEGATIVES), monotone=True)
def bpref(run: JudgedRun, rel: int) -> Values:
    """Binary preference: how rarely a judged irrelevant hit stands above a relevant one.

    Unjudged hits do not count.

    With R relevant and N judged irrelevant golds, the sum over the relevant golds found of 1 - min(n, R) / min(N,
    R), where n counts the judged irrelevant hits above, divided by R. A gold that was not found adds 0.

    Not computed for a query without judged irrelevant golds: it would measure the share of relevant golds found at
    any rank, whatever stands above them. The policy ``no_gold=zero`` gives that number, as trec_eval does.

    Range: 0 to 1. Ties: as ranked. Nothing returned: 0.

    Source: Buckley and Voorhees, SIGIR 2004; trec_eval ``bpref``.

    Example: hits [n, a, x, b], relevant {a, b}, judged irrelevant {n, m} give (1/2 + 1/2) / 2 = 0.5.
    """
    first = first_match(run)
    negative = first & (run.grade >= 0) & ~relevant(run, rel)
    found = first & relevant(run, rel)
    relevant_golds = total_relevant(run, rel)
    negatives = count_golds(run, (run.gold_grade >= 0) & (run.gold_grade < rel))
    above = np.minimum(running_count(run, negative), relevant_golds[run.query])
    possible = np.minimum(negatives, relevant_golds)[run.query]
    return ratio(total(run, found, 1.0 - ratio(above, possible)), relevant_golds)


@family("infAP", params=REL, requires=RETRIEVAL)
def inferred_ap(run: JudgedRun, rel: int) -> Values:
    """Inferred average precision: AP estimated from judgements of a random sample of the pool.

    A negative grade means: in the pool, not in the sample. The expected precision at a relevant hit of rank i is
    1/i + (i - 1)/i * (share of the hits above that are in the pool) * (share of the judged ones among them that
    are relevant), smoothed by 0.00001 per class; the sum over the relevant golds found is divided by the number of
    all. Where the whole pool was judged it differs from AP by the smoothing alone.

    Range: 0 to 1. Ties: as ranked. Nothing returned: 0.

    Source: Yilmaz and Aslam, CIKM 2006; trec_eval ``infAP``. Example: hits [a, x, b], relevant {a, b} give (1 +
    (1/3 + 2/3 * 1/2 * 1.00001/1.00002)) / 2 = 0.83333.
    """
    first = first_match(run)
    found = first & relevant(run, rel)
    negative = first & (run.grade >= 0) & ~relevant(run, rel)
    above_relevant = running_count(run, found) - 1.0
    above_judged = above_relevant + running_count(run, negative)
    above_pooled = above_judged + running_count(run, first & (run.grade < 0))
    rank = run.rank.astype(np.float64)
    above = rank - 1.0
    rate = (above_relevant + _EPSILON) / (above_judged + 2 * _EPSILON)
    expected = 1.0 / rank + above / rank * ratio(above_pooled, above) * rate
    return ratio(total(run, found, np.where(rank == 1.0, 1.0, expected)), total_relevant(run, rel))
