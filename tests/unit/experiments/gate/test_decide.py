"""The gate's decisions, on runs whose scores are known."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.weightstats import ttost_paired
from tests.gates import dataset, from_documents, gate, hits, only, policy_of, ran, timed
from tests.runs import planned

from ragstone.errors import ExitCode, UsageError
from ragstone.experiments.comparison.identity import _FACTS
from ragstone.experiments.gate.decide import decide, find_baseline
from ragstone.experiments.gate.facts import Fact
from ragstone.experiments.gate.margins import margin
from ragstone.experiments.gate.policy import GatePolicy
from ragstone.experiments.pairs import Pairs
from ragstone.metrics import parse
from ragstone.testing import InMemoryStore
from ragstone.types import Query, Response


def below(limit: int):
    return lambda i: i % 50 < limit


def pairs_of(baseline, candidate, name="latency_p95"):
    return Pairs(
        metric=parse(name),
        queries=tuple(map(str, range(len(baseline)))),
        baseline=np.array(baseline, dtype=np.float64),
        candidate=np.array(candidate, dtype=np.float64),
        clusters=None,
        unpaired=(),
        neither={},
    )


@pytest.mark.parametrize(
    ("after", "outcome", "code"), [(37, "fail", ExitCode.GATE_FAILED), (38, "pass", ExitCode.OK)]
)
def test_recall_from_80_to_74_fails_at_5_points_and_to_76_passes(after, outcome, code):
    """The worked case: a plain rule on the measured means, whatever the number of questions."""
    report = gate(50, below(40), below(after), drops={"R@5": 0.05})
    assert (report.outcome, report.verdict) == (outcome, code)
    check = only(report)
    assert check.baseline == pytest.approx(0.80)
    assert check.candidate == pytest.approx(after / 50)


def test_a_drop_of_just_what_is_allowed_passes():
    """.80 - .75 is .05 for people, though not for floating-point numbers."""
    assert gate(100, lambda i: i < 80, lambda i: i < 75, drops={"R@5": 0.05}).outcome == "pass"
    assert gate(100, lambda i: i < 80, lambda i: i < 79, drops={"R@5": 0}).outcome == "fail"


@pytest.mark.parametrize(
    ("n", "after", "outcome"),
    [(200, 40, "pass"), (50, 38, "not_enough"), (2000, 38, "pass"), (2000, 36, "fail"), (10, 10, "not_enough")],
)
def test_a_margin_has_three_outcomes(n, after, outcome):
    """The same losses of 0, 4 and 8 points, judged by what so many questions can show."""
    report = gate(n, below(40), below(after), margins={"Hit@5": 0.05})
    assert report.outcome == outcome
    assert (report.to_settle == 0) == (outcome != "not_enough")


def test_ten_questions_say_not_enough_and_how_many_would_do():
    """Ten equal pairs prove little; with the number that is named, it passes."""
    report = gate(10, lambda i: True, lambda i: True, margins={"Hit@5": 0.05})
    assert report.verdict == ExitCode.NOT_ENOUGH_EVIDENCE
    more = report.to_settle
    assert more is not None
    assert gate(10 + more, lambda i: True, lambda i: True, margins={"Hit@5": 0.05}).outcome == "pass"


def test_limits_are_those_of_two_one_sided_tests():
    """The limit at two-sided 90% is where statsmodels' one-sided p is 5%, the guard's two values added."""
    rng = np.random.default_rng(5)
    before, after = rng.random(120), rng.random(120)
    check = margin(pairs_of(before, after, "nDCG@5"), 0.1, GatePolicy(margins={"nDCG@5": 0.1}))
    guard = np.abs(after - before).max()
    padded = np.concatenate([after - before, [guard, -guard]])
    _, (_, p, _), _ = ttost_paired(padded, np.zeros(122), check.gain_low, 1)
    assert p == pytest.approx(0.05, abs=0.0005)


def test_strict_fails_a_proven_loss_within_the_margin():
    """A loss of 4 points is within the margin of 10, and no chance."""
    rules = {"margins": {"Hit@5": 0.10}}
    assert gate(2000, below(40), below(38), **rules).outcome == "pass"
    assert gate(2000, below(40), below(38), **rules, strict=True).outcome == "fail"


def test_lower_is_better_is_turned():
    """A rise of the error rate is a loss, its fall a gain."""
    rules = {"margins": {"empty_rate": 0.05}, "drops": {"error_rate": 0.1}}
    store = InMemoryStore()
    full, half = (
        ran(store, {f"q{i}": ["d0"] if i % share == 0 else [] for i in range(200)}, 200) for share in (1, 2)
    )
    worse = decide(store, half, full, policy_of(**rules))
    assert [(check.outcome, check.gain) for check in worse.checks] == [("fail", -0.5), ("fail", -0.5)]
    assert decide(store, full, half, policy_of(**rules)).outcome == "pass"


def test_any_failure_outweighs_missing_evidence():
    """Fail, then not enough, then pass; on_not_enough changes the code of the second alone."""
    open_ = {"margins": {"Hit@5": 0.05}}
    failed = gate(10, lambda i: True, lambda i: i > 8, **open_, drops={"Hit@5": 0.05}, on_not_enough="warn")
    assert {check.outcome for check in failed.checks} == {"fail"}
    both = gate(10, lambda i: True, lambda i: i != 8, **open_, must_pass=["q8"], on_not_enough="warn")
    assert (both.outcome, both.verdict) == ("fail", ExitCode.GATE_FAILED)
    warned = gate(10, lambda i: True, lambda i: True, **open_, must_pass=["q8"], on_not_enough="warn")
    assert (warned.outcome, warned.verdict, warned.blocks) == ("not_enough", ExitCode.OK, False)


@pytest.mark.parametrize(("slower", "outcome"), [(0, "pass"), (30, "not_enough"), (120, "fail")])
def test_latency_margins_take_times(slower, outcome):
    """p95 of 200 questions, against 40 ms."""
    rng = np.random.default_rng(1)
    before = rng.normal(500, 50, 200)
    check = margin(pairs_of(before, before + rng.normal(slower, 20, 200)), "40 ms", policy_of(drops={"RR": 0}))
    assert check.outcome == outcome
    assert check.allowed == 40


def test_latency_margins_take_shares_of_the_baseline():
    """10% of a p95 of 950 ms; a system 5% slower throughout passes, one 20% slower fails."""
    before = np.arange(1.0, 1001.0)
    policy = policy_of(drops={"RR": 0})
    near, far = (margin(pairs_of(before, before * factor), "10%", policy) for factor in (1.05, 1.2))
    assert (near.outcome, far.outcome) == ("pass", "fail")
    assert near.allowed == pytest.approx(95.005)
    assert near.gain == pytest.approx(-0.05 * 950.05)


def test_few_measurements_have_no_p95():
    """59 give the 90% interval both limits; with 50 it says that 9 are missing."""
    policy = policy_of(drops={"RR": 0})
    few = margin(pairs_of(np.arange(50.0), np.arange(50.0)), "1 s", policy)
    assert (few.outcome, few.to_settle) == ("not_enough", 9)
    assert margin(pairs_of(np.arange(59.0), np.arange(59.0)), "1 s", policy).outcome == "pass"


def test_a_latency_at_its_margin_names_no_number():
    """If what was measured is the margin, no number of questions is likely to settle it."""
    before = np.arange(1.0, 201.0)
    after = before + np.where(before % 2, 5.0, 15.0)
    p95 = [np.quantile(values, 0.95) for values in (before, after)]
    rule = f"{p95[1] - p95[0]:g} ms"
    check = margin(pairs_of(before, after), rule, policy_of(drops={"RR": 0}))
    assert (check.outcome, check.to_settle) == ("not_enough", None)


def test_a_latency_within_reach_of_its_margin_names_a_number():
    """With so many questions, drawn anew from the same two systems, it is mostly settled (80% is meant)."""
    rng = np.random.default_rng(3)
    policy = policy_of(drops={"RR": 0})

    def asked(n):
        before = rng.normal(500, 50, n)
        return margin(pairs_of(before, before + rng.normal(20, 30, n)), "50 ms", policy)

    check = asked(100)
    assert check.outcome == "not_enough"
    outcomes = [asked(100 + check.to_settle).outcome for _ in range(30)]
    assert outcomes.count("pass") >= 20


def test_a_metric_that_no_question_has_is_missing_evidence():
    """Without support groups nobody has a recall_all; that is no pass."""
    report = gate(20, below(40), below(40), margins={"recall_all@5": 0.1}, drops={"recall_all@5": 0.1})
    assert [(check.outcome, check.n) for check in report.checks] == [("not_enough", 0)] * 2
    assert report.to_settle is None


@pytest.mark.parametrize(
    ("loss", "code"), [("50 s", ExitCode.GATE_FAILED), ("100 s", ExitCode.NOT_ENOUGH_EVIDENCE)]
)
def test_time_outs_never_pass_a_margin(loss, code):
    """The candidate is at least 59 s slower: that breaks one margin, and nobody knows of the other."""
    store = InMemoryStore()
    baseline, candidate = timed(store, [1.0] * 100), timed(store, [61.0] * 20 + [1.0] * 80)
    report = decide(store, candidate, baseline, policy_of(margins={"latency_p95": loss}))
    assert report.verdict == code
    assert (only(report).gain_low, only(report).gain_high) == (None, pytest.approx(-59_000))
    back = decide(store, baseline, candidate, policy_of(margins={"latency_p95": loss}))
    assert (back.verdict, only(back).gain_high) == (ExitCode.OK, None)


def test_a_metric_without_bounds_needs_fifty_questions():
    """Nothing guards its interval below, so the gate neither passes nor fails; the number says when it does."""
    found = [margin(pairs_of([3.0] * n, [3.0] * n, "first_rank"), 1, GatePolicy()) for n in (49, 50)]
    assert [check.outcome for check in found] == ["not_enough", "not_enough"]  # no difference, no interval
    worse = [
        margin(pairs_of([3.0] * n, [9.0 + i % 2 for i in range(n)], "first_rank"), 1, GatePolicy())
        for n in (49, 50)
    ]
    assert [check.outcome for check in worse] == ["not_enough", "fail"]
    assert worse[0].to_settle == 1


def test_failed_searches_without_a_time_leave_a_latency_open():
    """They may have been the slow ones; a limit on failures that is kept says that so many are no matter."""
    store = InMemoryStore()
    script = {**hits(200, lambda i: True), **{f"q{i}": RuntimeError("no") for i in range(60)}}
    base, run = (ran(store, one, 200, retry={"attempts": 1}) for one in (hits(200, lambda i: True), script))
    rules = {
        "thresholds": {"latency_p95": "< 50 s"},
        "margins": {"latency_p95": "50 s"},
        "drops": {"latency_p50": "50 s"},
    }
    report = decide(store, run, base, policy_of(**rules))
    assert [(check.outcome, check.unmeasured) for check in report.checks] == [("not_enough", 60)] * 3
    assert report.verdict is ExitCode.NOT_ENOUGH_EVIDENCE
    assert decide(store, run, base, policy_of(**rules, max_error_rate=0.5)).outcome == "pass"
    assert decide(store, run, base, policy_of(**rules, max_error_rate=0.1)).outcome == "fail"
    assert decide(store, base, run, policy_of(**rules)).outcome == "pass"


def test_metrics_that_the_benchmark_does_not_list_are_scored():
    """The stored answers suffice; but not beyond the depth of the search."""
    store = InMemoryStore()
    run = ran(store, hits(10, lambda i: i < 8), 10)
    assert only(decide(store, run, None, policy_of(thresholds={"R@3": ">= 0.8"}))).candidate == 0.8
    with pytest.raises(UsageError, match=r"R@6 looks deeper than run-\w+ searched \(top_k 5\)"):
        decide(store, run, None, policy_of(thresholds={"R@6": ">= 0.8"}))


def test_scoring_another_metric_leaves_the_default_primary_alone():
    """nDCG@10 would lead if it were listed; the gate must not change what the run is about."""
    store = InMemoryStore()
    run = ran(store, hits(10, lambda i: True), 10, top_k=20, metrics=["Hit@3"])
    report = decide(store, run, None, policy_of(thresholds={"nDCG@10": "> 0.5"}, must_pass=["q1"]))
    assert [check.metric for check in report.checks] == ["nDCG@10", "Hit@3"]


def test_must_pass_questions_are_checked_one_by_one():
    """A miss fails, whatever the rest does; so does a failed search, even where it is left out of the means."""
    store = InMemoryStore()
    script = {**hits(10, lambda i: i != 3), "q4": RuntimeError("no")}
    run = ran(store, script, 10, on_error="exclude", retry={"attempts": 1})
    report = decide(store, run, None, policy_of(must_pass=["q2", "q3", "q4"], max_error_rate=1))
    checks = {check.subject: check for check in report.checks if check.kind == "must_pass"}
    assert {name: check.outcome for name, check in checks.items()} == {"q2": "pass", "q3": "fail", "q4": "fail"}
    assert checks["q4"].reason == "error"


def test_must_pass_takes_another_metric_and_minimum():
    """The gold at rank 2 is a reciprocal rank of .5."""
    store = InMemoryStore()
    run = ran(store, {"q0": ["x", "d0"]}, 1)
    for minimum, outcome in ((0.5, "pass"), (0.6, "fail")):
        rules = {"must_pass": ["q0"], "must_pass_metric": "RR", "must_pass_minimum": minimum}
        assert decide(store, run, None, policy_of(**rules)).outcome == outcome


def test_must_pass_refuses_what_is_not_there():
    """An unknown id, and a question that the metric says nothing of."""
    store = InMemoryStore()
    questions = dataset(3)
    extra = Query(id="none", text="none", answerable=False)
    questions = replace(questions, queries=(*questions.queries, extra))
    run = ran(store, hits(3, lambda i: True), 3, questions=questions)
    with pytest.raises(UsageError, match=r"no question 'q9', 'nome' \(did you mean 'none'\?\)"):
        decide(store, run, None, policy_of(must_pass=["q9", "nome"]))
    with pytest.raises(UsageError, match=r"Hit@5 does not apply to 'none' \(unanswerable\)"):
        decide(store, run, None, policy_of(must_pass=["none"]))
    rules = {"must_pass": ["none"], "must_pass_metric": "rejection"}
    assert decide(store, run, None, policy_of(**rules)).outcome == "pass"


def test_questions_not_asked_are_missing_evidence():
    """An unfinished run is no failure and no pass; how many are missing is said."""
    store = InMemoryStore()
    (run,) = planned(store, dataset(10), metrics=["Hit@5"])
    lease = store.claim(run.id, "me")
    store.record(lease, store.missing(lease)[0], Response())
    rules = policy_of(thresholds={"R@5": ">= 0"}, must_pass=["q5"])
    report = decide(store, store.run(run.id), None, rules)
    assert [(check.kind, check.outcome) for check in report.checks] == [
        ("complete", "not_enough"),
        ("threshold", "pass"),
        ("must_pass", "not_enough"),
    ]
    assert report.to_settle is None
    assert report.checks[0].to_settle == 9


def test_failed_searches_are_misses_or_are_told():
    """As misses they pull the means down; where they are left out, they must be limited by the policy."""
    store = InMemoryStore()
    good = hits(200, lambda i: True)
    bad = {**good, **{f"q{i}": RuntimeError("no") for i in range(40)}}
    for mode, outcomes in (("miss", ["fail"]), ("exclude", ["not_enough", "pass"])):
        settings = {"on_error": mode, "retry": {"attempts": 1}}
        before, after = (ran(store, script, 200, **settings) for script in (good, bad))
        report = decide(store, after, before, policy_of(margins={"Hit@5": 0.02}))
        assert [check.outcome for check in report.checks] == outcomes
    assert report.checks[0].kind == "failures"
    assert report.checks[1].left_out == {"failed": 40}
    limited = decide(store, after, before, policy_of(drops={"Hit@5": 0.02}, max_error_rate=0.1))
    assert [check.outcome for check in limited.checks] == ["pass", "fail"]


def test_min_queries():
    """Fewer questions than wanted is too little evidence."""
    report = gate(20, below(40), below(40), drops={"Hit@5": 0.1}, min_queries=30)
    assert [check.outcome for check in report.checks] == ["not_enough", "pass"]
    assert report.to_settle == 10


def test_runs_that_differ_in_more_than_the_system_are_refused():
    """Another dataset, other rules of matching or scoring; the policy may allow it, and then it is told."""
    store = InMemoryStore()
    base = ran(store, hits(10, lambda i: True), 10)
    others = {
        "dataset": ran(store, hits(10, lambda i: True), 10, questions=dataset(10, "other")),
        "matching": ran(store, hits(10, lambda i: True), 10, matching={"page_tolerance": 0}),
        "scoring policy": ran(store, hits(10, lambda i: True), 10, no_gold="zero"),
    }
    for fact, run in others.items():
        with pytest.raises(UsageError, match=rf"{fact} differs.*allow_identity: \[{fact}\]"):
            decide(store, run, base, policy_of(drops={"Hit@5": 0.1}))
        allowed = decide(store, run, base, policy_of(drops={"Hit@5": 0.1}, allow_identity=[fact]))
        assert [one.what for one in allowed.tolerated] == [fact]


def test_another_corpus_is_refused():
    """A gate has no reader who could weigh it."""
    store = InMemoryStore()
    one, two = (ran(store, hits(10, lambda i: True), 10) for _ in range(2))
    for run, digest in ((one, "aaa"), (two, "bbb")):
        store.describe(run.id, {"type": "fake", "corpus_digest": digest})
    runs = store.run(two.id), store.run(one.id)
    with pytest.raises(UsageError, match="corpus differs"):
        decide(store, *runs, policy_of(drops={"Hit@5": 0.1}))
    assert decide(store, *runs, policy_of(drops={"Hit@5": 0.1}, allow_identity=["corpus"])).outcome == "pass"


def test_every_refusal_can_be_allowed():
    """The names that a policy may allow are those of the facts that are refused."""
    refused = {fact.what for fact in _FACTS if fact.level == "refuse"}
    assert set(Fact.__args__) == refused | {"corpus"}


def test_a_baseline_is_needed_and_is_another_run():
    """Messages name the way out."""
    store = InMemoryStore()
    run = ran(store, {}, 3)
    with pytest.raises(UsageError, match="need a baseline run: name it with --against"):
        decide(store, run, None, policy_of(margins={"Hit@5": 0.1}))
    with pytest.raises(UsageError, match="both run and baseline"):
        decide(store, run, run, policy_of(margins={"Hit@5": 0.1}))
    with pytest.raises(UsageError, match=r"the baseline: unknown run 'main'.*`ragstone runs list`"):
        find_baseline(store, "main")
    assert find_baseline(store, run.id) == run


def test_related_questions_count_as_groups():
    """Losses that come in clusters of ten are weaker evidence than single ones."""
    store = InMemoryStore()
    outcomes = []
    for asked in (dataset(200), from_documents(200, 10)):
        runs = [
            ran(store, hits(200, right), 200, questions=asked) for right in (lambda i: True, lambda i: i >= 10)
        ]
        outcomes.append(only(decide(store, runs[1], runs[0], policy_of(margins={"Hit@5": 0.1}))))
    assert [check.outcome for check in outcomes] == ["pass", "not_enough"]
    assert [check.groups for check in outcomes] == [None, 20]


@given(
    st.lists(st.booleans(), min_size=2, max_size=80),
    st.floats(0.01, 0.5),
    st.booleans(),
)
def test_more_tolerance_never_turns_a_pass_into_a_failure(lost, allowed, strict):
    """A wider margin is at least as good; and pass and fail need the whole interval on one side."""
    values = np.array(lost, dtype=np.float64)
    policy = GatePolicy(margins={"Hit@5": allowed}, strict=strict)
    check = margin(pairs_of(np.ones(len(values)), 1 - values, "Hit@5"), allowed, policy)
    wider = margin(pairs_of(np.ones(len(values)), 1 - values, "Hit@5"), allowed * 1.5, policy)
    order = ("fail", "not_enough", "pass")
    assert order.index(wider.outcome) >= order.index(check.outcome)
    assert (check.outcome == "pass") == (check.gain_low > -allowed and not (strict and check.gain_high < 0))
