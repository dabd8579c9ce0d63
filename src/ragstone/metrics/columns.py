"""The border of the kernel: one metric of all queries as numbers, and reasons where there is none."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ragstone.judged import JudgedRun
from ragstone.metrics.base import Mask, Metric, Values


class Policy(NamedTuple):
    """How scoring treats what a definition leaves open; recorded with every result.

    Attributes:
        no_gold: Queries without relevant gold: ``exclude`` leaves them out, ``zero`` scores 0 as trec_eval does.
        on_error: Failed searches: ``miss`` scores them as having found nothing, ``exclude`` leaves them out.
        missing_query: Queries that the run does not have: ``zero`` scores them as having found nothing,
            ``exclude`` leaves them out. Applied where the run is put together.
        unresolved: Golds that could not be found in the corpus: ``count`` keeps them in the denominators as
            never found, ``drop`` leaves them out. Applied where golds are resolved.
    """

    no_gold: Literal["exclude", "zero"] = "exclude"
    on_error: Literal["miss", "exclude"] = "miss"
    missing_query: Literal["zero", "exclude"] = "zero"
    unresolved: Literal["count", "drop"] = "count"


class Column(NamedTuple):
    """One metric of all queries of a run, as arrays in the run's order.

    Attributes:
        values: One number per query, NaN where there is none.
        reason: Per query the index in `names` of the reason why there is no value; 0 where there is one.
        names: Reason codes; the first is the empty string.
        cut_off: Per query, whether its value is known only to be at least so much; None where no query's is.
    """

    values: Values
    reason: NDArray[np.int8]
    names: tuple[str, ...]
    cut_off: Mask | None = None


def score_columns(run: JudgedRun, metric: Metric, policy: Policy | None = None) -> Column:
    """Return the metric's values of every query with reason codes where there is none.

    A query to which the metric does not apply has no value but a reason: ``unanswerable``, ``no_gold``,
    ``no_groups``, ``failed``, ``beyond_depth`` and the like. Where several apply, the first in the order of the
    family's requirements is named. A cutoff beyond the depth to which the system can search makes every query
    ``beyond_depth``.

    Example:
        >>> from ragstone.metrics import judge_list, parse
        >>> column = score_columns(judge_list(["a"], {"b": 0}), parse("P@5"))
        >>> column.values.tolist(), column.names[column.reason[0]]
        ([nan], 'no_gold')
    """
    policy = policy or Policy()
    traits = metric.traits
    values = metric.values(run)
    names = ["", traits.undefined]
    reason = np.isnan(values).astype(np.int8)

    def give(name: str, mask: Mask) -> None:
        if mask.any():
            names.append(name)
            reason[mask] = len(names) - 1

    for need in reversed(traits.requires):
        if not (need.waivable and policy.no_gold == "zero"):
            give(need.reason, ~need.holds(run, metric.arguments()))
    if metric.cutoff is not None and run.depth is not None and metric.cutoff > run.depth:
        give("beyond_depth", np.ones(len(values), dtype=bool))
    # A timed-out search has a latency, the limit, whatever becomes of its ranking.
    about_time = traits.kind == "quantile"
    if policy.on_error == "exclude" and run.failed is not None and traits.requires and not about_time:
        give("failed", run.failed & (reason <= 1))
    cut_off = None if traits.cut_off is None else traits.cut_off(run) & (reason == 0)
    return Column(np.where(reason == 0, values, np.nan), reason, tuple(names), cut_off)


def joined(columns: Sequence[Column]) -> Column:
    """Return the columns of successive blocks of queries as one.

    Example:
        >>> one = Column(np.array([np.nan]), np.array([1], dtype=np.int8), ("", "no_gold"))
        >>> two = Column(np.array([0.5]), np.array([0], dtype=np.int8), ("", "not_found"))
        >>> both = joined([one, two])
        >>> both.values.tolist(), both.reason.tolist(), both.names
        ([nan, 0.5], [1, 0], ('', 'no_gold', 'not_found'))
    """
    names = tuple(dict.fromkeys(name for column in columns for name in column.names))
    reasons = [np.array([names.index(name) for name in c.names], dtype=np.int8)[c.reason] for c in columns]
    cuts = [np.zeros(len(c.values), dtype=bool) if c.cut_off is None else c.cut_off for c in columns]
    cut_off = np.concatenate(cuts) if any(column.cut_off is not None for column in columns) else None
    return Column(np.concatenate([c.values for c in columns]), np.concatenate(reasons), names, cut_off)
