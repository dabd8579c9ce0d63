"""Metrics of graded relevance: cumulative gain."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ragstone.metrics.base import Param, Values, family
from ragstone.metrics.kernel import discounts, first_match, gold_query, ratio, total, within
from ragstone.metrics.requirements import RETRIEVAL
from ragstone.types import JudgedRun

GAIN = Param("linear", "Gain of a grade: the grade itself, or 2**grade - 1.", ("linear", "exp"))
IDEAL = Param("judged", "Ideal ranking: all golds, or only what was retrieved.", ("judged", "retrieved"))


@family("DCG", kind="open", bounds=(0.0, np.inf), cutoff="optional", params={"gain": GAIN}, requires=RETRIEVAL)
def dcg(run: JudgedRun, cutoff: int | None, gain: str) -> Values:
    """Discounted cumulative gain: the sum of gain / log2(rank + 1) over the first k hits; each gold counts once.

    Source: Järvelin and Kekäläinen, TOIS 20 (2002).
    """
    found = first_match(run) & within(run, cutoff) & (run.grade > 0)
    return total(run, found, _gain(run.grade, gain) / discounts(run.rank))


@family(
    "nDCG",
    cutoff="optional",
    params={"gain": GAIN, "ideal": IDEAL},
    requires=RETRIEVAL,
    presets={"ndcg_seed003": {"ideal": "retrieved"}},
)
def ndcg(run: JudgedRun, cutoff: int | None, gain: str, ideal: str) -> Values:
    """Normalised discounted cumulative gain: DCG divided by that of the ideal ranking, both cut at k.

    The ideal ranks all golds of the query by grade, best first. With ``ideal='retrieved'`` it ranks only what came
    back, which rewards a system for missing the best gold; it exists for comparison with reports that used it.
    Linear gain is trec_eval's default; ``gain='exp'`` is that of the web search literature.

    Source: trec_eval ``ndcg``, ``ndcg_cut``.

    Example: gold grades 3 and 1, only the 1 found, at rank 1, k = 3 give 0.275412.
    """
    actual = dcg(run, cutoff, gain)
    if ideal == "retrieved":
        found = first_match(run) & (run.grade > 0)
        return ratio(actual, _ideal(run, run.query[found].astype(np.int64), run.grade[found], cutoff, gain))
    return ratio(actual, _ideal(run, gold_query(run), run.gold_grade, cutoff, gain))


def _ideal(
    run: JudgedRun, owners: NDArray[np.int64], grades: NDArray[np.int32], cutoff: int | None, gain: str
) -> Values:
    order = np.lexsort((-grades, owners))
    owners, grades = owners[order], grades[order]
    starts = np.searchsorted(owners, np.arange(len(run.queries)))
    ranks = np.arange(len(owners)) - starts[owners] + 1
    kept = grades > 0 if cutoff is None else (grades > 0) & (ranks <= cutoff)
    gains = _gain(grades[kept], gain) / discounts(ranks[kept])
    return np.bincount(owners[kept], weights=gains, minlength=len(run.queries)).astype(np.float64)


def _gain(grades: NDArray[np.int32], gain: str) -> Values:
    return np.exp2(grades) - 1.0 if gain == "exp" else grades.astype(np.float64)
