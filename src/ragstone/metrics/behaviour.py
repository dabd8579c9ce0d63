"""How the system behaves beside ranking: rejection, scope, time and failures."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ragstone.judged import JudgedRun
from ragstone.metrics.base import Mask, Param, Values, family
from ragstone.metrics.requirements import MEASURED, SCOPED, UNANSWERABLE

CRITERION = Param(
    None,
    "What counts as a rejection: nothing returned, no hit at or above the threshold, or the system's own word.",
    ("empty", "score", "abstained"),
)


@family(
    "rejection_accuracy",
    kind="rate",
    params={"criterion": CRITERION, "threshold": Param(0.5, "Score threshold of the criterion 'score'.")},
    requires=(UNANSWERABLE,),
    undefined="not_reported",
    presets={"rejection": {"criterion": "empty"}},
)
def rejection_accuracy(run: JudgedRun, criterion: str, threshold: float) -> Values:
    """Rejection accuracy: 1 if the system rightly turned an unanswerable question down, by a named criterion.

    ``empty``: nothing came back; 0 by design for a system that always returns something. ``score``: the best score
    is below `threshold`, or nothing came back. ``abstained``: the system said so. A failed search is never a right
    rejection. Not computed where the criterion cannot be seen (no scores, no word).

    Range: 0 to 1. Ties: no matter. Nothing returned: 1 by the criteria empty and score.

    Source: defined here.

    Example: a best score of 0.8 at a threshold of 0.9 is a rejection, 1; at 0.8 it is not, 0.
    """
    if criterion == "empty":
        right = (run.n_returned == 0).astype(np.float64)
    elif criterion == "score":
        right = _best_score_below(run, threshold)
    else:
        said = _float(run, run.abstained, -1)
        right = np.where(said < 0, np.nan, said)
    return right if run.failed is None else np.where(run.failed, 0.0, right)


def _best_score_below(run: JudgedRun, threshold: float) -> Values:
    if run.scores is None or run.score_start is None:
        return np.full(len(run.queries), np.nan)
    right = np.ones(len(run.queries))
    for query, (start, end) in enumerate(zip(run.score_start[:-1], run.score_start[1:], strict=True)):
        if start < end:
            best = run.scores[start:end].max()
            right[query] = np.nan if np.isnan(best) else float(best < threshold)
    return right


@family("scope_miss", kind="rate", higher_is_better=False, requires=(SCOPED,), aliases=("scope_miss_rate",))
def scope_miss(run: JudgedRun) -> Values:
    """Scope miss: 1 if the folders selected for a scoped search exclude every gold of the query.

    Not computed where the search was not scoped or its folders are unknown.

    Range: 0 to 1. Ties: no matter. Nothing returned: the same.

    Source: defined here.

    Example: folder work/a, the gold in work/b/n.md: 1.
    """
    return _float(run, run.scope_miss, 0)


def _timed_out(run: JudgedRun) -> Mask:
    kinds = run.failure_kind or ("",) * len(run.queries)
    return np.array([kind == "timeout" for kind in kinds], dtype=np.bool_)


@family(
    "latency",
    kind="quantile",
    bounds=(0.0, np.inf),
    higher_is_better=False,
    params={"p": Param(None, "Which percentile the summary shows.", low=0, high=100)},
    requires=(MEASURED,),
    cut_off=_timed_out,
    presets={f"latency_p{p}": {"p": p} for p in (50, 90, 95, 99)},
)
def latency(run: JudgedRun, p: int) -> Values:  # noqa: ARG001 - the summary takes the percentile
    """Latency in milliseconds, summarised as a percentile (linear interpolation; order-statistics interval).

    A timed-out query counts with the time limit, and as one that took at least so long: a percentile that rests on
    it is "at least", and has no upper limit. Other failures have no latency. Where questions are asked repeatedly,
    the percentile is that of all measurements, and its interval that of so many questions.

    Range: 0 or more. Ties: no matter. Nothing returned: the time it took.

    Source: Hyndman and Fan, American Statistician 50 (1996), type 7.

    Example: the 95th percentile of 1, 2, ... 20 ms is 19.05 ms.
    """
    return _float(run, run.latency_ms, np.nan)


@family("error_rate", kind="rate", higher_is_better=False)
def error_rate(run: JudgedRun) -> Values:
    """Share of queries that failed, timed out or, though answerable, got nothing back; over all attempted.

    Range: 0 to 1. Ties: no matter. Nothing returned: 1 if answerable.

    Source: defined here.

    Example: one failure and one empty answer among four: 0.5.
    """
    failed = np.zeros(len(run.queries), dtype=bool) if run.failed is None else run.failed
    return _float(run, failed | (empty_rate(run) == 1), 0)


@family("timeout_rate", kind="rate", higher_is_better=False)
def timeout_rate(run: JudgedRun) -> Values:
    """Share of queries that ran into the time limit; over all attempted.

    Range: 0 to 1. Ties: no matter. Nothing returned: 0 unless the time ran out.

    Source: defined here.

    Example: one search of four ran out of time: 0.25.
    """
    return _timed_out(run).astype(np.float64)


@family("empty_rate", kind="rate", higher_is_better=False, aliases=("empty_response_rate",))
def empty_rate(run: JudgedRun) -> Values:
    """Share of answerable queries that got nothing back without a failure; over all attempted.

    Range: 0 to 1. Ties: no matter. Nothing returned: 1 if answerable.

    Source: defined here.

    Example: one empty answer to four answerable questions: 0.25.
    """
    empty = run.n_returned == 0
    if run.failed is not None:
        empty &= ~run.failed
    if run.answerable is not None:
        empty &= run.answerable != 0
    return _float(run, empty, 0)


def _float(run: JudgedRun, column: NDArray[np.generic] | None, absent: float) -> Values:
    """Return a column as numbers, or `absent` for every query where the run does not have it."""
    return np.full(len(run.queries), absent) if column is None else np.asarray(column, dtype=np.float64)
