"""Metrics of binary relevance: what was found, and how high."""

from __future__ import annotations

import numpy as np

from ragstone.metrics.base import Param, Values, family
from ragstone.metrics.kernel import (
    best_rank,
    count,
    first_match,
    ratio,
    relevant,
    running_count,
    total,
    total_relevant,
    within,
)
from ragstone.metrics.requirements import ANSWERABLE, GOLD_NEEDED, GROUPS, RETRIEVAL
from ragstone.types import JudgedRun

REL = {"rel": Param(1, "Lowest grade that counts as relevant.", whole=True, low=1)}


@family("P", cutoff="required", params=REL, requires=RETRIEVAL, aliases=("precision",))
def precision(run: JudgedRun, cutoff: int, rel: int) -> Values:
    """Precision: the share of the first k hits that are relevant.

    Divides by k even when fewer hits came back, as trec_eval does. Every relevant hit counts, also a second one
    that matches the same gold. Nothing returned: 0.

    Source: trec_eval ``P``. Example: hits [a, b], both relevant, k = 10 give 0.2.
    """
    return count(run, relevant(run, rel) & within(run, cutoff)) / cutoff


@family("precision_returned", cutoff="optional", params=REL, requires=RETRIEVAL)
def precision_returned(run: JudgedRun, cutoff: int | None, rel: int) -> Values:
    """Precision of what came back: relevant hits divided by the smaller of k and the number of hits.

    A single right hit scores 1.0, however many were asked for; P is the standard. Nothing returned: 0.

    Example: hits [a, b], both relevant, k = 10 give 1.0.
    """
    depth = run.n_returned if cutoff is None else np.minimum(run.n_returned, cutoff)
    return ratio(count(run, relevant(run, rel) & within(run, cutoff)), depth.astype(np.float64))


@family("R", cutoff="required", params=REL, requires=RETRIEVAL, aliases=("recall",))
def recall(run: JudgedRun, cutoff: int, rel: int) -> Values:
    """Recall: the share of all relevant golds found in the first k hits; each gold counts once.

    Source: trec_eval ``recall``. Example: hits [a, b, c, d, e], relevant {a, c, f}, k = 5 give 2/3.
    """
    found = count(run, relevant(run, rel) & first_match(run) & within(run, cutoff))
    return ratio(found, total_relevant(run, rel))


@family(
    "Hit",
    kind="rate",
    cutoff="required",
    params=REL,
    requires=RETRIEVAL,
    aliases=("hit_rate", "success", "recall_any", "accuracy"),
)
def hit(run: JudgedRun, cutoff: int, rel: int) -> Values:
    """Hit: 1 if any of the first k hits is relevant, else 0. Its mean is the hit rate.

    Also called success (TREC) and recall_any; the legacy accuracy of needle benchmarks is Hit at the search depth.

    Example: a needle at rank 2 gives Hit@1 0 and Hit@5 1.
    """
    return (best_rank(run, relevant(run, rel)) <= cutoff).astype(np.float64)


@family("recall_all", kind="rate", cutoff="required", requires=(*RETRIEVAL, GROUPS))
def recall_all(run: JudgedRun, cutoff: int) -> Values:
    """All-support recall of multi-hop questions: 1 if all golds of some support group are in the first k hits.

    Groups are alternatives; the members of a group are required together. Not computed for queries without
    groups.

    Example: groups [[0, 1], [2]]: golds {0} give 0, {0, 1} give 1, {2} give 1.
    """
    chosen = within(run, cutoff)
    found: list[set[int]] = [set() for _ in run.queries]
    for query, gold in zip(run.query[chosen].tolist(), run.gold[chosen].tolist(), strict=True):
        found[query].add(gold - int(run.gold_start[query]))
    complete = [any(found[i].issuperset(group) for group in groups) for i, groups in enumerate(run.groups)]
    return np.array(complete or np.zeros(len(run.queries)), dtype=np.float64)


@family("RR", cutoff="optional", params=REL, requires=RETRIEVAL, aliases=("mrr", "recip_rank"))
def reciprocal_rank(run: JudgedRun, cutoff: int | None, rel: int) -> Values:
    """Reciprocal rank of the first relevant hit, 0 if there is none (within k, where a cutoff is given).

    Its mean is MRR. Without a cutoff the whole returned list counts.

    Source: trec_eval ``recip_rank``. Example: first relevant hit at rank 3 gives 1/3.
    """
    ranks = best_rank(run, relevant(run, rel) & within(run, cutoff))
    return 1.0 / ranks


@family("AP", cutoff="optional", params=REL, requires=RETRIEVAL, aliases=("map", "average_precision"))
def average_precision(run: JudgedRun, cutoff: int | None, rel: int) -> Values:
    """Average precision: precision at the rank of each relevant gold found, summed, over all relevant golds.

    A gold that was not found adds 0. Its mean is MAP.

    Source: trec_eval ``map``, ``map_cut``. Example: hits [a, x, b, y], relevant {a, b} give 0.83333.
    """
    found = relevant(run, rel) & first_match(run) & within(run, cutoff)
    precisions = running_count(run, found) / run.rank
    return ratio(total(run, found, precisions), total_relevant(run, rel))


@family("context_precision", cutoff="optional", params=REL, requires=RETRIEVAL)
def context_precision(run: JudgedRun, cutoff: int | None, rel: int) -> Values:
    """Context precision as ragas defines it: mean precision at the ranks of the relevant hits that came back.

    Blind to what was missed: one relevant hit first among ten scores 1.0. No relevant hit: 0.

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
)
def first_rank(run: JudgedRun, cutoff: int | None, rel: int) -> Values:
    """Rank of the first relevant hit, 1-based; not computed where there is none.

    Never a stand-in number for a miss: read its mean together with Hit.
    """
    ranks = best_rank(run, relevant(run, rel) & within(run, cutoff))
    return np.where(np.isinf(ranks), np.nan, ranks)
