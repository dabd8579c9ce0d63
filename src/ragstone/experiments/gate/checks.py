"""The single checks of a gate: from two runs and a rule to pass, fail or not enough evidence."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ragstone.errors import UsageError
from ragstone.experiments.gate.limits import thresholds
from ragstone.experiments.gate.margins import GateCheck, drop, margin
from ragstone.experiments.gate.policy import GatePolicy
from ragstone.experiments.pairs import pair
from ragstone.experiments.results import QueryResult, RunResult
from ragstone.metrics import Metric, parse
from ragstone.stats.gate import Outcome


def all_checks(candidate: RunResult, baseline: RunResult | None, policy: GatePolicy) -> Iterator[GateCheck]:
    """Yield the outcome of every rule of a policy, the trouble with the runs themselves first.

    Raises:
        UsageError: A rule does not fit the runs.
    """
    runs = [("candidate", candidate), ("baseline", baseline)]
    for who, result in runs:
        if result is not None:
            yield from _complete(who, result)
    yield from _questions(candidate, baseline, policy)
    yield from _failures(candidate, policy)
    for found in _metric_checks(candidate, baseline, policy):
        yield _all_measured(found, candidate, policy)
    yield from _must_pass(candidate, policy)


def _metric_checks(candidate: RunResult, baseline: RunResult | None, policy: GatePolicy) -> Iterator[GateCheck]:
    if baseline is not None:
        for name, loss in policy.margins.items():
            yield margin(pair(baseline, candidate, parse(name)), loss, policy)
        for name, loss in policy.drops.items():
            yield drop(pair(baseline, candidate, parse(name)), loss)
    yield from thresholds(candidate, policy)


def _all_measured(found: GateCheck, candidate: RunResult, policy: GatePolicy) -> GateCheck:
    """Leave a latency open whose failed searches were not measured, unless the policy says how many may fail."""
    if found.metric is None or parse(found.metric).traits.kind != "quantile" or "error_rate" in policy.limits():
        return found
    unmeasured = candidate.summaries[found.metric].missing.get("not_measured", 0) if candidate.failed else 0
    if not unmeasured or found.outcome == "fail":
        return found
    return replace(found, outcome="not_enough", unmeasured=unmeasured, to_settle=None)


def _complete(who: str, result: RunResult) -> Iterator[GateCheck]:
    """Say that questions were not asked: whatever the rest says, the evidence is not all in."""
    if result.not_asked:
        yield GateCheck(
            kind="complete",
            subject=who,
            outcome="not_enough",
            n=result.run.done,
            to_settle=result.not_asked,
            reason=result.run.error,
            run=result.run.id,
        )


def _questions(candidate: RunResult, baseline: RunResult | None, policy: GatePolicy) -> Iterator[GateCheck]:
    if policy.min_queries is None:
        return
    n = len(_asked(candidate) if baseline is None else _asked(candidate) & _asked(baseline))
    more = max(0, policy.min_queries - n)
    outcome: Outcome = "not_enough" if more else "pass"
    yield GateCheck(
        kind="questions", subject="min_queries", outcome=outcome, rule=f"{policy.min_queries}", n=n, to_settle=more
    )


def _asked(result: RunResult) -> set[str]:
    return {found.query.id for found in result.queries if found.response is not None}


def _failures(candidate: RunResult, policy: GatePolicy) -> Iterator[GateCheck]:
    """Where failed searches are left out of the means, a run that fails on hard questions looks good: say so."""
    left_out = candidate.benchmark.policy.on_error == "exclude"
    if left_out and candidate.failed and "error_rate" not in policy.limits():
        yield GateCheck(
            kind="failures",
            subject="candidate",
            outcome="not_enough",
            n=len(candidate.failed),
            run=candidate.run.id,
        )


def must_pass_metric(candidate: RunResult, policy: GatePolicy) -> Metric:
    """Return the metric by which a question passes: by default Hit, as deep as the primary metric looks."""
    if policy.must_pass_metric is not None:
        return parse(policy.must_pass_metric)
    benchmark = candidate.benchmark
    return Metric("Hit", benchmark.primary.cutoff or benchmark.configuration.top_k)


def _must_pass(candidate: RunResult, policy: GatePolicy) -> Iterator[GateCheck]:
    metric = must_pass_metric(candidate, policy)
    known = {found.query.id: found for found in candidate.queries}
    for name in policy.must_pass:
        yield _one_question(known[name], metric, policy.must_pass_minimum)


def _one_question(found: QueryResult, metric: Metric, minimum: float) -> GateCheck:
    score = found.scores[str(metric)]
    better_up = metric.traits.higher_is_better is not False
    reached = score.value is not None and (score.value >= minimum if better_up else score.value <= minimum)
    outcome: Outcome = "pass" if reached and not found.failures else "fail"
    reason = found.failures[0].kind if found.failures else score.reason
    if found.response is None:
        outcome = "not_enough"
    elif score.value is None and not found.failures:
        raise UsageError(
            f"must_pass: {metric} does not apply to {found.query.id!r} ({score.reason}); take it off the list, or "
            "name another must_pass_metric, such as rejection_accuracy(criterion='empty')"
        )
    return GateCheck(
        kind="must_pass",
        subject=found.query.id,
        metric=str(metric),
        outcome=outcome,
        rule=f"{'>=' if better_up else '<='} {minimum:g}",
        candidate=score.value,
        n=int(found.response is not None),
        reason=reason,
    )
