"""Metrics of binary relevance: what was found, and how high."""

from __future__ import annotations

import numpy as np

from ragstone.judged import JudgedRun
from ragstone.metrics.base import REL, Param, Values, family
from ragstone.metrics.kernel import (
    best_rank,
    count,
    every_fit,
    first_match,
    gold_query,
    ratio,
    relevant,
    running_count,
    total,
    total_relevant,
    within,
)
from ragstone.metrics.requirements import ANSWERABLE, GOLD_NEEDED, GROUPS, RETRIEVAL

MATCH = Param("first", "Whether a hit finds one of the golds that it fits, or all of them.", ("first", "any"))


@family("P", cutoff="required", params=REL, requires=RETRIEVAL, aliases=("precision",), monotone=True)
def precision(run: JudgedRun, cutoff: int, rel: int) -> Values:
    """Precision: the share of the first k hits that are relevant.

    Divides by k even when fewer hits came back, as trec_eval does. Every relevant hit counts, also a second one
    that matches the same gold.

    Range: 0 to 1. Ties: as ranked. Nothing returned: 0.

    Source: trec_eval ``P``. Example: hits [a, b], both relevant, k = 10 give 0.2.
    """
    return count(run, relevant(run, rel) & within(run, cutoff)) / cutoff


@family("precision_returned", cutoff="optional", params=REL, requires=RETRIEVAL, aliases=("set_p",), monotone=True)
def precision_returned(run: JudgedRun, cutoff: int | None, rel: int) -> Values:
    """Precision of what came back: relevant hits divided by the smaller of k and the number of hits.

    A single right hit scores 1.0, however many were asked for; P is the standard.

    Range: 0 to 1. Ties: as ranked. Nothing returned: 0.

    Source: trec_eval ``set_P``. Example: hits [a, b], both relevant, k = 10 give 1.0.
    """
    depth = run.n_returned if cutoff is None else np.minimum(run.n_returned, cutoff)
    return ratio(count(run, relevant(run, rel) & within(run, cutoff)), depth.astype(np.float64))


@family(
    "R",
    cutoff="optional",
    params={**REL, "match": MATCH},
    requires=RETRIEVAL,
    aliases=("recall", "set_recall"),
    monotone=True,
)
def recall(run: JudgedRun, cutoff: int | None, rel: int, match: str) -> Values:
    """Recall: the share of all relevant golds found in the first k hits; each gold counts once.

    Without a cutoff everything that came back counts.

    With ``match='first'`` a hit that fits several golds finds one of them, so that a long chunk does not count for
    much evidence; with ``match='any'`` it finds all that it fits. The two differ only where references overlap,
    such as neighbouring pages under a page tolerance.

    Range: 0 to 1. Ties: as ranked. Nothing returned: 0.

    Source: trec_eval ``recall``, ``set_recall``.

    Example: hits [a, b, c, d, e], relevant {a, c, f}, k = 5 give 2/3.
    """
    found = count(run, relevant(run, rel) & first_match(run) & within(run, cutoff))
    if match == "any":
        found = _distinct_golds(run, cutoff, rel)
    return ratio(found, total_relevant(run, rel))


def _distinct_golds(run: JudgedRun, cutoff: int | None, rel: int) -> Values:
    """Count the relevant golds that any of the first k hits fits."""
    golds = np.unique(every_fit(run, cutoff)[1])
    unknown = count(run, relevant(run, rel) & within(run, cutoff) & (run.gold < 0))
    owners = gold_query(run)[golds[run.gold_grade[golds] >= rel]]
    return np.bincount(owners, minlength=len(run.queries)) + unknown


@family(
    "Hit",
    kind="rate",
    cutoff="required",
    params=REL,
    requires=RETRIEVAL,
    aliases=("hit_rate", "success", "recall_any", "accuracy"),
    monotone=True,
)
def hit(run: JudgedRun, cutoff: int, rel: int) -> Values:
    """Hit: 1 if any of the first k hits is relevant, else 0. Its mean is the hit rate.

    Also called success (TREC) and recall_any; the legacy accuracy of needle benchmarks is Hit at the search depth.

    Range: 0 to 1. Ties: as ranked. Nothing returned: 0.

    Source: trec_eval ``success``.

    Example: a needle at rank 2 gives Hit@1 0 and Hit@5 1.
    """
    return (best_rank(run, relevant(run, rel)) <= cutoff).astype(np.float64)


@family("recall_all", kind="rate", cutoff="required", requires=(*RETRIEVAL, GROUPS))
def recall_all(run: JudgedRun, cutoff: int) -> Values:
    """All-support recall of multi-hop questions: 1 if all golds of some support group are in the first k hits.

    Groups are alternatives; the members of a group are required together. A hit that fits several golds supports
    all of them. Not computed for queries without groups.

    Range: 0 to 1. Ties: as ranked. Nothing returned: 0.

    Source: defined here.

    Example: groups [[0, 1], [2]]: golds {0} give 0, {0, 1} give 1, {2} give 1.
    """
    found: list[set[int]] = [set() for _ in run.queries]
    for query, gold in zip(*(column.tolist() for column in every_fit(run, cutoff)), strict=True):
        found[query].add(gold - int(run.gold_start[query]))
    complete = [any(found[i].issuperset(group) for group in groups) for i, groups in enumerate(run.groups)]
    return np.array(complete or np.zeros(len(run.queries)), dtype=np.float64)


@family("RR", cutoff="optional", params=REL, requires=RETRIEVAL, aliases=("mrr", "recip_rank"), monotone=True)
def reciprocal_rank(run: JudgedRun, cutoff: int | None, rel: int) -> Values:
    """Reciprocal rank of the first relevant hit, 0 if there is none (within k, where a cutoff is given).

    Its mean is MRR. Without a cutoff the whole returned list counts.

    Range: 0 to 1. Ties: as ranked. Nothing returned: 0.

    Source: trec_eval ``recip_rank``. Example: first relevant hit at rank 3 gives 1/3.
    """
    ranks = best_rank(run, relevant(run, rel) & within(run, cutoff))
    return 1.0 / ranks


@family(
    "AP",
    cutoff="optional",
    params=REL,
    requires=RETRIEVAL,
    aliases=("map", "average_precision"),
    monotone=True,
)
def average_precision(run: JudgedRun, cutoff: int | None, rel: int) -> Values:
    """Average precision: precision at the rank of each relevant gold found, summed, over all relevant golds.

    A gold that was not found adds 0. Its mean is MAP.

    Range: 0 to 1. Ties: as ranked. Nothing returned: 0.

    Source: trec_eval ``map``, ``map_cut``. Example: hits [a, x, b, y], relevant {a, b} give 0.83333.
    """
    found = relevant(run, rel) & first_match(run) & within(run, cutoff)
    precisions = running_count(run, found) / run.rank
    return ratio(total(run, found, precisions), total_relevant(run, rel))


@family("Rprec", params=REL, requires=RETRIEVAL, aliases=("r_precision",), monotone=True)
def r_precision(run: JudgedRun, rel: int) -> Values:
    """R-precision: the share of the R relevant golds found in the first R hits; each gold counts once.

    R is the query's own number of relevant golds, so that precision and recall are the same there.

    Range: 0 to 1. Ties: as ranked. Nothing returned: 0.

    Source: trec_eval ``Rprec``. Example: hits [a, x, b], relevant {a, b} give 1/2.
    """
    golds = total_relevant(run, rel)
    return ratio(count(run, relevant(run, rel) & first_match(run) & (run.rank <= golds[run.query])), golds)


@family(
    "IPrec",
    params={"recall": Param(None, "Recall from which on precision is looked at.", low=0, high=1), **REL},
    requires=RETRIEVAL,
    presets={f"iprec_at_recall_{tenth / 10:.2f}": {"recall": tenth / 10} for tenth in range(11)},
    monotone=True,
)
def interpolated_precision(run: JudgedRun, recall: float, rel: int) -> Values:
    """Interpolated precision: the best precision at any rank where this share of the golds has been found.

    The golds to be found are ``recall`` times all relevant ones, rounded up; 0 where they are not all found. At
    recall 0 it is the best precision anywhere. Each gold counts once.

    Rounds as trec_eval 9 does, by adding 0.9 and cutting off; trec_eval 10 rounds to the nearest whole number.

    Range: 0 to 1. Ties: as ranked. Nothing returned: 0.

    Source: trec_eval ``iprec_at_recall``. Example: hits [x, a, b, y], relevant {a, b} give 2/3 at recall 0.1.
    """
    needed = np.floor(recall * total_relevant(run, rel) + 0.9)
    found = relevant(run, rel) & first_match(run)
    so_far = running_count(run, found)
    rows = np.flatnonzero(found & (so_far >= needed[run.query]))
    best = np.zeros(len(run.queries))
    np.maximum.at(best, run.query[rows], so_far[rows] / run.rank[rows])
    return best


@family("context_precision", cutoff="optional", params=REL, requires=RETRIEVAL)
def context_precision(run: JudgedRun, cutoff: int | None, rel: int) -> Values:
    """Context precision as ragas defines it: mean precision at the ranks of the relevant hits that came back.

    Blind to what was missed: one relevant hit first among ten scores 1.0. No relevant hit: 0.

    Range: 0 to 1. Ties: as ranked. Nothing returned: 0.

    Source: ragas ``context_precision``. Example: hits [a, x, b], relevant {a, b, c} give (1 + 2/3) / 2.
    """
    found = relevant(run, rel) & within(run, cutoff)
    precisions = running_count(run, found) / run.rank
    return ratio(total(run, found, precisions), count(run, found))


@family(
    "first_rank",
    kind="open",
    bounds=(1.0, np.inf),
    cutoff="optional",
    higher_is_better=False,
    params=REL,
    requires=(ANSWERABLE, GOLD_NEEDED),
    undefined="not_found",
    monotone=True,
)
def first_rank(run: JudgedRun, cutoff: int | None, rel: int) -> Values:
    """Rank of the first relevant hit, 1-based; not computed where there is none.

    Never a stand-in number for a miss: read its mean together with Hit.

    Range: 1 or more. Ties: as ranked. Nothing returned: not computed.

    Source: defined here.

    Example: hits [x, a, b], relevant {a, b} give 2.
    """
    ranks = best_rank(run, relevant(run, rel) & within(run, cutoff))
    return np.where(np.isinf(ranks), np.nan, ranks)
