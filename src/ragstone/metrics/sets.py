"""Metrics of what came back as a set, and the counts that they rest on."""

from __future__ import annotations

import numpy as np

from ragstone.judged import JudgedRun
from ragstone.metrics.base import REL, Values, family
from ragstone.metrics.kernel import count, first_match, ratio, relevant, total_relevant, within
from ragstone.metrics.requirements import ANSWERABLE, NOT_FAILED, RETRIEVAL


@family(
    "F1",
    cutoff="optional",
    params=REL,
    requires=RETRIEVAL,
    aliases=("f1_score", "set_f"),
    monotone=True,
)
def f1(run: JudgedRun, cutoff: int | None, rel: int) -> Values:
    """F1: the harmonic mean of precision and recall, 2PR / (P + R); 0 where both are 0.

    At k it is that of P@k, which divides by k, and R@k. Without a cutoff precision divides by the number of hits
    that came back. The order of the hits does not matter.

    Range: 0 to 1. Ties: as ranked. Nothing returned: 0.

    Source: van Rijsbergen, Information Retrieval (1979); trec_eval ``set_F``.

    Example: hits [a, b, c, d, e], relevant {a, c, f}, k = 5: P 2/5 and R 2/3 give 0.5.
    """
    depth = run.n_returned if cutoff is None else np.full(len(run.queries), cutoff)
    found = relevant(run, rel) & within(run, cutoff)
    precision = ratio(count(run, found), depth.astype(np.float64))
    recall = ratio(count(run, found & first_match(run)), total_relevant(run, rel))
    return ratio(2.0 * precision * recall, precision + recall)


@family(
    "NumRel",
    kind="open",
    bounds=(0.0, np.inf),
    higher_is_better=None,
    params=REL,
    requires=(ANSWERABLE,),
    aliases=("num_rel",),
)
def num_rel(run: JudgedRun, rel: int) -> Values:
    """Number of relevant golds that the query has, found or not; 0 where it has none.

    A property of the questions, not of the system. The summary is the mean; trec_eval prints the sum.

    Range: 0 or more. Ties: no matter. Nothing returned: the same.

    Source: trec_eval ``num_rel``. Example: gold grades 3, 1 and 0 give 2.
    """
    return total_relevant(run, rel)


@family(
    "NumRet",
    kind="open",
    bounds=(0.0, np.inf),
    cutoff="optional",
    higher_is_better=None,
    requires=(NOT_FAILED,),
    aliases=("num_ret",),
)
def num_ret(run: JudgedRun, cutoff: int | None) -> Values:
    """Number of hits that came back, at most k where a cutoff is given; 0 for an empty answer.

    Not computed for a failed search. The summary is the mean; trec_eval prints the sum.

    Range: 0 or more. Ties: no matter. Nothing returned: 0.

    Source: trec_eval ``num_ret``. Example: hits [a, b, c] give 3, and 2 at k = 2.
    """
    depth = run.n_returned if cutoff is None else np.minimum(run.n_returned, cutoff)
    return depth.astype(np.float64)


@family(
    "NumRelRet",
    kind="open",
    bounds=(0.0, np.inf),
    cutoff="optional",
    params=REL,
    requires=(ANSWERABLE,),
    aliases=("num_rel_ret",),
    monotone=True,
)
def num_rel_ret(run: JudgedRun, cutoff: int | None, rel: int) -> Values:
    """Number of relevant hits that came back, in the first k where a cutoff is given.

    Every relevant hit counts, also a second one that matches the same gold. The summary is the mean; trec_eval
    prints the sum.

    Range: 0 or more. Ties: as ranked. Nothing returned: 0.

    Source: trec_eval ``num_rel_ret``. Example: hits [a, x, b], relevant {a, b, c} give 2.
    """
    return count(run, relevant(run, rel) & within(run, cutoff))
