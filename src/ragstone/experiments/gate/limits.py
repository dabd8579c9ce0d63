"""The thresholds of a gate: what a run must reach, by the interval of its value or by the value alone."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ragstone.experiments.clusters import clusters_of
from ragstone.experiments.gate.margins import GateCheck, for_limits, more
from ragstone.experiments.gate.policy import GatePolicy
from ragstone.experiments.results import RunResult
from ragstone.experiments.thresholds import Limit, parse_limit
from ragstone.metrics import Metric, parse, summary
from ragstone.stats.gate import Outcome
from ragstone.stats.measurements import Measurements, quantile_of
from ragstone.types import Interval, Summary

# How many searches of the very run failed is a count, not a sample.
_COUNTED = "error_rate"


def thresholds(candidate: RunResult, policy: GatePolicy) -> Iterator[GateCheck]:
    """Yield the outcome of each threshold of a policy.

    By interval, a threshold passes where the whole interval of the value meets the bound, fails where all of it
    misses, and is else open. By value, the measured one decides. Without a question asked it is open either way.
    """
    for name, text in policy.limits().items():
        found = by_value(candidate.summaries[name], text)
        counted = name == _COUNTED and policy.max_error_rate is not None
        if policy.thresholds_by == "interval" and found.candidate is not None and not counted:
            found = by_interval(found, candidate, policy.level)
        yield found


def by_value(summary: Summary, text: str) -> GateCheck:
    """Hold the measured value against a bound, as a benchmark does."""
    met = parse_limit(text).met_by_summary(summary)
    is_time = parse(summary.metric).traits.kind == "quantile"
    unasked = summary.value is None and set(summary.missing) == {"not_asked"}
    return GateCheck(
        kind="threshold",
        subject=summary.metric,
        metric=summary.metric,
        outcome="pass" if met else "not_enough" if unasked else "fail",
        rule=text,
        candidate=summary.value,
        n=summary.n,
        asked=None if summary.effective_n is None or not is_time else round(summary.effective_n),
        cut_off=summary.cut_off,
        reason=None if summary.missing == {} else max(summary.missing, key=lambda one: summary.missing[one]),
    )


def by_interval(found: GateCheck, candidate: RunResult, level: float) -> GateCheck:
    """Hold the interval of the value against a bound; a metric without one keeps what its value says."""
    interval = _interval(found, candidate, level)
    if interval is None:
        return found
    limit = parse_limit(found.rule)
    outcome = _outcome(interval, limit)
    return replace(
        found,
        outcome=outcome,
        interval=True,
        low=interval.low,
        high=interval.high,
        to_settle=_to_settle(found, interval, limit) if outcome == "not_enough" else 0,
    )


def _interval(found: GateCheck, candidate: RunResult, level: float) -> Interval | None:
    name = found.subject
    metric = parse(name)
    if metric.traits.kind == "quantile" and not 0 < _share(metric) < 1:
        return None  # of an extreme no interval is known
    if metric.traits.kind == "quantile":
        return _of_all_measurements(metric, candidate, level)
    clusters = clusters_of([one.query for one in candidate.queries])
    return summary(
        metric, [one.scores[name] for one in candidate.queries], level=level, clusters=clusters
    ).interval


def _of_all_measurements(metric: Metric, candidate: RunResult, level: float) -> Interval:
    measured = Measurements.of([one.measured(str(metric)) for one in candidate.queries])
    return quantile_of(measured, _share(metric), level).interval


def _outcome(interval: Interval, limit: Limit) -> Outcome:
    above = limit.sign.startswith(">")
    worst, best = (interval.low, interval.high) if above else (interval.high, interval.low)
    if best is not None and not limit.met_by(best):
        return "fail"
    return "pass" if worst is not None and limit.met_by(worst) else "not_enough"


def _to_settle(found: GateCheck, interval: Interval, limit: Limit) -> int | None:
    """Return about how many more questions would settle it, if the value stays as it is."""
    metric = parse(found.subject)
    if interval.low is None or interval.high is None:
        least = for_limits(_share(metric), interval.level) if metric.traits.kind == "quantile" else 2
        missing = least - (found.n if found.asked is None else found.asked)
        # More questions do not tell how long a search takes that is cut off.
        return None if found.cut_off and missing <= 0 else max(1, missing)
    gap = (found.candidate or 0.0) - limit.bound
    return more(found.n if found.asked is None else found.asked, interval.high - interval.low, gap, interval.level)


def _share(metric: Metric) -> float:
    return float(metric.arguments()["p"]) / 100
