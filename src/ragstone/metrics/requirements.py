"""What queries must have for metrics to apply to them; each names the reason code of those that lack it."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ragstone.judged import JudgedRun
from ragstone.metrics.base import Mask, ParamValue, Requirement
from ragstone.metrics.kernel import count, count_golds, relevant, total_relevant


def _not_unanswerable(run: JudgedRun, _: Mapping[str, ParamValue]) -> Mask:
    return np.ones(len(run.queries), dtype=bool) if run.answerable is None else run.answerable != 0


def _unanswerable(run: JudgedRun, _: Mapping[str, ParamValue]) -> Mask:
    return np.zeros(len(run.queries), dtype=bool) if run.answerable is None else run.answerable == 0


def _relevant_gold(run: JudgedRun, params: Mapping[str, ParamValue]) -> Mask:
    return total_relevant(run, int(params.get("rel", 1))) > 0


def _groups(run: JudgedRun, _: Mapping[str, ParamValue]) -> Mask:
    return np.array([bool(groups) for groups in run.groups], dtype=bool) if run.groups else _none(run)


def _found(run: JudgedRun, _: Mapping[str, ParamValue]) -> Mask:
    return ~run.failed if run.failed is not None else ~_none(run)


def _scope(run: JudgedRun, _: Mapping[str, ParamValue]) -> Mask:
    return run.scope_miss >= 0 if run.scope_miss is not None else _none(run)


def _scored(run: JudgedRun, _: Mapping[str, ParamValue]) -> Mask:
    if run.scores is None or run.score_start is None:
        return _none(run)
    unknown = np.concatenate([[0], np.cumsum(np.isnan(run.scores))])
    complete = unknown[run.score_start[1:]] == unknown[run.score_start[:-1]]
    return np.asarray(complete & (np.diff(run.score_start) > 0))


def _measured(run: JudgedRun, _: Mapping[str, ParamValue]) -> Mask:
    return ~np.isnan(run.latency_ms) if run.latency_ms is not None else _none(run)


def _negatives(run: JudgedRun, params: Mapping[str, ParamValue]) -> Mask:
    return count_golds(run, (run.gold_grade >= 0) & (run.gold_grade < int(params["rel"]))) > 0


def _two_classes(run: JudgedRun, params: Mapping[str, ParamValue]) -> Mask:
    found = count(run, relevant(run, int(params["rel"])))
    return (found > 0) & (found < run.n_returned)


def _none(run: JudgedRun) -> Mask:
    return np.zeros(len(run.queries), dtype=bool)


ANSWERABLE = Requirement("unanswerable", _not_unanswerable)
UNANSWERABLE = Requirement("answerable", _unanswerable)
RELEVANT_GOLD = Requirement("no_gold", _relevant_gold, waivable=True)
GOLD_NEEDED = Requirement("no_gold", _relevant_gold)
NEGATIVES = Requirement("no_judged_negative", _negatives, waivable=True)
TWO_CLASSES = Requirement("one_class", _two_classes)
GROUPS = Requirement("no_groups", _groups)
NOT_FAILED = Requirement("failed", _found)
SCOPED = Requirement("not_scoped", _scope)
SCORED = Requirement("no_scores", _scored)
MEASURED = Requirement("not_measured", _measured)

RETRIEVAL = (ANSWERABLE, RELEVANT_GOLD)
