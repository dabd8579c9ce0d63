"""The thresholds of a gate, on runs whose scores are known."""

from __future__ import annotations

import math

import pytest
from statsmodels.stats.proportion import proportion_confint
from tests.gates import dataset, from_documents, hits, only, policy_of, ran, timed
from tests.runs import planned

from ragstone.errors import ExitCode, UsageError
from ragstone.experiments.benchmark import Benchmark
from ragstone.experiments.gate.decide import benchmark_policy, decide
from ragstone.experiments.results import collect
from ragstone.testing import InMemoryStore
from ragstone.types import CutOff


def test_thresholds_are_those_of_a_benchmark():
    """Strict signs on the measured value; without a policy file the benchmark's own decide, without statistics."""
    store = InMemoryStore()
    run = ran(store, hits(10, lambda i: i < 8), 10, thresholds={"Hit@5": ">= 0.8", "latency_p95": "< 5 s"})
    report = decide(store, run, None, benchmark_policy(run))
    assert (report.outcome, report.statistical) == ("pass", False)
    rules = policy_of(thresholds={"hit_rate@5": "> 0.8"}, thresholds_by="value")
    assert decide(store, run, None, rules).outcome == "fail"
    with pytest.raises(UsageError, match=r"nothing to check.*--policy"):
        benchmark_policy(ran(store, {}, 10))


@pytest.mark.parametrize(
    ("n", "right", "limit", "outcome"),
    [
        (1, 1, "> 0.50", "not_enough"),
        (1, 0, "> 0.50", "not_enough"),
        (10, 10, "> 0.80", "not_enough"),
        (200, 180, "> 0.80", "pass"),
        (200, 165, "> 0.80", "not_enough"),
        (200, 140, "> 0.80", "fail"),
        (200, 20, "< 0.20", "pass"),
        (200, 60, "<= 0.20", "fail"),
    ],
)
def test_a_threshold_has_three_outcomes(n, right, limit, outcome):
    """The whole 90% Wilson interval on one side of the bound decides; around it the evidence is too thin."""
    store = InMemoryStore()
    run = ran(store, hits(n, lambda i: i < right), n)
    report = decide(store, run, None, policy_of(thresholds={"Hit@5": limit}))
    assert (report.outcome, report.statistical) == (outcome, True)
    check = only(report)
    low, high = proportion_confint(right, n, alpha=0.1, method="wilson")
    assert (check.low, check.high) == pytest.approx((low, high))
    assert bool(check.to_settle) == (outcome == "not_enough")


def test_the_number_that_settles_a_threshold_settles_it():
    """So many more questions of the same rate: the interval no longer holds the bound."""

    def asked(n):
        store = InMemoryStore()
        run = ran(store, hits(n, lambda i: i % 20 < 17), n)
        return only(decide(store, run, None, policy_of(thresholds={"Hit@5": "> 0.80"})))

    check = asked(100)
    assert check.outcome == "not_enough"
    assert asked(20 * math.ceil((100 + check.to_settle) / 20)).outcome == "pass"


def test_thresholds_of_latencies_need_both_limits():
    """Ten times cannot bound a p95; 60 can; of the largest time no interval is known, and its value decides."""
    store = InMemoryStore()
    few, many = (ran(store, hits(n, lambda i: True), n) for n in (10, 60))
    rules = policy_of(thresholds={"latency_p95": "< 50 s"})
    check = only(decide(store, few, None, rules))
    assert (check.outcome, check.high, check.to_settle) == ("not_enough", None, 49)
    assert decide(store, many, None, rules).outcome == "pass"
    largest = only(decide(store, few, None, policy_of(thresholds={"latency(p=100)": "< 50 s"})))
    assert (largest.outcome, largest.interval) == ("pass", False)


def test_latencies_of_repeats_rest_on_every_measurement():
    """The percentile is of all times; but its interval knows that the questions are half as many."""
    store = InMemoryStore()
    policy = policy_of(thresholds={"latency_p95": "< 50 s"})
    few, enough = (
        only(decide(store, ran(store, hits(n, lambda i: True), n, repeats=2), None, policy)) for n in (40, 80)
    )
    assert (few.outcome, few.n, few.asked, few.to_settle) == ("not_enough", 80, 40, 19)
    assert (enough.outcome, enough.n, enough.asked) == ("pass", 160, 80)


def test_a_run_that_timed_out_never_passes_a_latency():
    """All 100 searches were cut off at 60 s: they took at least that, and nobody knows how long."""
    store = InMemoryStore()
    run = timed(store, [61.0] * 100)
    said = {}
    for bound in ("< 100 s", "< 50 s"):
        for by in ("interval", "value"):
            report = decide(store, run, None, policy_of(thresholds={"latency_p95": bound}, thresholds_by=by))
            said[bound, by] = report.verdict
            check = only(report)
            assert (check.candidate, check.cut_off) == (60_000.0, CutOff(n=100, limit=60_000.0, reached=True))
            assert check.high is None
    assert said == {
        ("< 100 s", "interval"): ExitCode.NOT_ENOUGH_EVIDENCE,
        ("< 100 s", "value"): ExitCode.GATE_FAILED,
        ("< 50 s", "interval"): ExitCode.GATE_FAILED,
        ("< 50 s", "value"): ExitCode.GATE_FAILED,
    }
    assert collect(store, run).summaries["latency(p=95)"].at_least


@pytest.mark.parametrize(
    ("late", "code", "to_settle"),
    [(0, ExitCode.OK, 0), (2, ExitCode.NOT_ENOUGH_EVIDENCE, None), (10, ExitCode.NOT_ENOUGH_EVIDENCE, None)],
)
def test_a_few_time_outs_leave_a_latency_open(late, code, to_settle):
    """Two of 100 lie above p95 and still within its limits; more questions would not tell how long they take."""
    store = InMemoryStore()
    run = timed(store, [61.0] * late + [1.0] * (100 - late))
    report = decide(store, run, None, policy_of(thresholds={"latency_p95": "< 100 s"}))
    assert (report.verdict, only(report).to_settle) == (code, to_settle)


def test_the_limit_on_failures_is_a_count():
    """No failure in ten searches keeps a limit of none; no interval could."""
    store = InMemoryStore()
    run = ran(store, hits(10, lambda i: True), 10)
    check = only(decide(store, run, None, policy_of(max_error_rate=0)))
    assert (check.outcome, check.interval) == ("pass", False)


def test_a_threshold_of_an_unasked_run_is_open():
    """No value because nothing was asked is not a missed bound."""
    store = InMemoryStore()
    (run,) = planned(store, dataset(10), metrics=["Hit@5"])
    report = decide(store, run, None, policy_of(thresholds={"Hit@5": "> 0.5"}))
    assert {check.outcome for check in report.checks} == {"not_enough"}


def test_a_threshold_counts_related_questions_as_groups():
    """Twenty documents tell less of a rate than two hundred questions; the interval and the outcome say so."""
    store = InMemoryStore()
    checks = []
    for asked in (dataset(200), from_documents(200, 10)):
        run = ran(store, hits(200, lambda i: i >= 20), 200, questions=asked)
        checks.append(only(decide(store, run, None, policy_of(thresholds={"Hit@5": "> 0.84"}))))
    assert [check.outcome for check in checks] == ["pass", "not_enough"]
    assert checks[1].low < checks[0].low


def test_thresholds_hold_no_metric_twice():
    """A benchmark's thresholds are valid in a policy as they stand."""
    thresholds = {"Hit@5": "> 0.80", "latency_p95": "< 5 s"}
    content = {"name": "b", "dataset": "d", "system": {}, "thresholds": thresholds}
    stored = Benchmark.model_validate(content).thresholds
    assert policy_of(thresholds=stored).limits() == stored
