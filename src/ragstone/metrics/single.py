"""The metrics of one query from plain Python values, without a benchmark."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from ragstone.errors import UsageError
from ragstone.judged import JudgedRun
from ragstone.metrics.columns import Policy
from ragstone.metrics.names import parse
from ragstone.metrics.scoring import score

QUERY = "query"


def judge_list(retrieved: Sequence[str], grades: Mapping[str, Any]) -> JudgedRun:
    """Return a judged run of one query from ranked document ids and grades by document id.

    A document that stands twice in the list is kept at its first place. Negative grades are unjudged.
    """
    if broken := [name for name, grade in grades.items() if not isinstance(grade, int)]:
        raise UsageError(f"the grade of {broken[0]!r} is {grades[broken[0]]!r}; grades are whole numbers")
    ranked = list(dict.fromkeys(retrieved))
    golds = {name: number for number, name in enumerate(name for name in grades if grades[name] >= 0)}
    judged = [(rank, golds[name], grades[name]) for rank, name in enumerate(ranked, 1) if name in golds]
    ranks, rows, found = np.array(judged, dtype=np.int32).reshape(-1, 3).T
    return JudgedRun(
        queries=(QUERY,),
        query=np.zeros(len(judged), dtype=np.int32),
        rank=ranks,
        grade=found,
        gold=rows,
        n_returned=np.array([len(ranked)], dtype=np.int32),
        gold_grade=np.array([grades[name] for name in golds], dtype=np.int32),
        gold_start=np.array([0, len(golds)], dtype=np.int64),
    )


def compute_all_metrics(
    retrieved: Sequence[str], grades: Mapping[str, int], ks: Iterable[int] = (5, 10, 20), *, no_gold: str = "zero"
) -> dict[str, float | None]:
    """Compute P, R and nDCG at every k, RR and AP for one query.

    Args:
        retrieved: Document ids, best first; repetitions are dropped.
        grades: Grade by document id, 0 to 3; above 0 is relevant.
        ks: Cutoffs, each 1 or more.
        no_gold: ``zero`` scores a query without relevant documents 0; ``exclude`` gives None.

    Returns:
        Values by metric name, in that order.

    Raises:
        UsageError: A cutoff is below 1, a grade is no whole number, or `no_gold` is another word.

    Example:
        >>> values = compute_all_metrics(["a", "b"], {"a": 3, "c": 2}, ks=[5])
        >>> {name: round(value, 6) for name, value in values.items()}
        {'P@5': 0.2, 'R@5': 0.5, 'nDCG@5': 0.703918, 'RR': 1.0, 'AP': 0.5}
    """
    if no_gold not in ("zero", "exclude"):
        raise UsageError(f"no_gold is 'zero' or 'exclude', got {no_gold!r}")
    run, ks = judge_list(retrieved, grades), tuple(ks)
    names = [f"{family}@{k}" for family in ("P", "R", "nDCG") for k in ks]
    policy = Policy(no_gold="zero" if no_gold == "zero" else "exclude")
    return {name: score(run, parse(name), policy)[QUERY].value for name in (*names, "RR", "AP")}
