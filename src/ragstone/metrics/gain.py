"""Metrics of graded relevance: cumulative gain."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ragstone.judged import JudgedRun
from ragstone.metrics.base import Param, Values, family
from ragstone.metrics.kernel import discounts, first_match, gold_query, ratio, within
from ragstone.metrics.requirements import RETRIEVAL

GAIN = Param("linear", "Gain of a grade: the grade itself, or 2**grade - 1.", ("linear", "exp"))
IDEAL = Param("judged", "Ideal ranking: all golds, or only what was retrieved.", ("judged", "retrieved"))

Ints = NDArray[np.int32] | NDArray[np.int64]
_GRADE_BITS = 31
_MAX_GRADE = 2**_GRADE_BITS - 1


@family(
    "DCG",
    kind="open",
    bounds=(0.0, np.inf),
    cutoff="optional",
    params={"gain": GAIN},
    requires=RETRIEVAL,
    monotone=True,
)
def dcg(run: JudgedRun, cutoff: int | None, gain: str) -> Values:
    """Discounted cumulative gain: the sum of gain / log2(rank + 1) over the first k hits; each gold counts once.

    Range: 0 or more. Ties: as ranked. Nothing returned: 0.

    Source: Järvelin and Kekäläinen, TOIS 20 (2002).

    Example: grades 3 and 1 at ranks 1 and 2 give 3 + 1 / log2(3) = 3.630930.
    """
    found = np.flatnonzero(first_match(run) & within(run, cutoff) & (run.grade > 0))
    return _sum(run, run.query[found], run.grade[found], run.rank[found], gain)


@family(
    "nDCG",
    cutoff="optional",
    params={"gain": GAIN, "ideal": IDEAL},
    requires=RETRIEVAL,
    presets={"ndcg_seed003": {"ideal": "retrieved"}},
    monotone=True,
)
def ndcg(run: JudgedRun, cutoff: int | None, gain: str, ideal: str) -> Values:
    """Normalised discounted cumulative gain: DCG divided by that of the ideal ranking, both cut at k.

    The ideal ranks all golds of the query by grade, best first. With ``ideal='retrieved'`` it ranks only what came
    back, which rewards a system for missing the best gold; it exists for comparison with reports that used it.
    Linear gain is trec_eval's default; ``gain='exp'`` is that of the web search literature.

    Range: 0 to 1. Ties: as ranked. Nothing returned: 0.

    Source: trec_eval ``ndcg``, ``ndcg_cut``.

    Example: gold grades 3 and 1, only the 1 found, at rank 1, k = 3 give 0.275412.
    """
    actual = dcg(run, cutoff, gain)
    if ideal == "retrieved":
        found = first_match(run) & (run.grade > 0)
        return ratio(actual, _ideal(run, run.query[found], run.grade[found], cutoff, gain))
    found = run.gold_grade > 0
    return ratio(actual, _ideal(run, gold_query(run)[found], run.gold_grade[found], cutoff, gain))


def _ideal(run: JudgedRun, owners: Ints, grades: Ints, cutoff: int | None, gain: str) -> Values:
    """Return the DCG of the positive grades of each owner, best first."""
    # Owner and grade in one number sort several times faster than by two keys.
    joined = np.sort((owners.astype(np.int64) << _GRADE_BITS) + (_MAX_GRADE - grades))
    owners, grades = joined >> _GRADE_BITS, _MAX_GRADE - (joined & _MAX_GRADE)
    sizes = np.bincount(owners, minlength=len(run.queries))
    ranks = np.arange(1, len(owners) + 1) - (np.cumsum(sizes) - sizes)[owners]
    if cutoff is not None:
        kept = ranks <= cutoff
        owners, grades, ranks = owners[kept], grades[kept], ranks[kept]
    return _sum(run, owners, grades, ranks, gain)


def _sum(run: JudgedRun, queries: Ints, grades: Ints, ranks: Ints, gain: str) -> Values:
    gains = _gain(grades, gain) / discounts(ranks)
    return np.bincount(queries, weights=gains, minlength=len(run.queries)).astype(np.float64)


def _gain(grades: Ints, gain: str) -> Values:
    return np.exp2(grades) - 1.0 if gain == "exp" else grades.astype(np.float64)
