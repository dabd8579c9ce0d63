"""What a change costs, in time: one definition wherever a percentile is shown."""

from __future__ import annotations

import pytest
from tests.gates import policy_of
from tests.judged import dataset_of
from tests.matrix_runs import TimedSystem, matrix_report
from tests.runs import execute, planned

from ragstone.experiments.choice.pareto import pareto
from ragstone.experiments.comparison.compare import compare
from ragstone.experiments.diagnosis.holes import difference_bounds
from ragstone.experiments.gate.decide import decide
from ragstone.experiments.history import history
from ragstone.experiments.results import collect
from ragstone.metrics import parse
from ragstone.reports.choice.pareto_words import pareto_sentences
from ragstone.reports.comparison.advice import recommendation
from ragstone.reports.comparison.render import render_comparison
from ragstone.testing import FrozenClock, InMemoryStore

P95 = "latency(p=95)"


class Jittery(TimedSystem):
    """Every third time a question is asked, the search takes ten times as long."""

    searches = 0

    async def search(self, query, k):
        self.searches += 1
        self.ms = {query: self.slow if self.searches % 3 == 0 else self.slow / 10}
        return await super().search(query, k)


def repeated(store, slow, n=80):
    """Return a run of n questions, each asked three times."""
    clock = FrozenClock()
    golds = {f"q{i}": {f"d{i}": 1} for i in range(n)}
    system = Jittery({query: [f"d{query[1:]}"] for query in golds}, clock, {})
    system.slow = slow
    (run,) = planned(store, dataset_of(golds), repeats=3, concurrency=1)
    execute(store, [run], system, clock)
    return store.run(run.id)


def test_a_percentile_is_one_number_everywhere():
    """Over all measurements: in the run, the gate, the comparison, the trade-off and the history."""
    store = InMemoryStore()
    runs = [repeated(store, slow) for slow in (100.0, 200.0)]
    before, after = (collect(store, run) for run in runs)
    values = [one.summaries[P95].value for one in (before, after)]
    assert values == [pytest.approx(100.0), pytest.approx(200.0)]  # of each question's mean: 40 and 80
    found = compare([before, after]).candidates[0].p95.found
    assert [found.value_b, found.value_a] == values
    assert found.n == 80
    gate = decide(store, runs[1], runs[0], policy_of(margins={P95: "1 s"}, thresholds={P95: "< 1 s"}))
    assert [check.candidate for check in gate.checks] == [values[1]] * 2
    assert [one.cost for one in pareto([before, after], before.benchmark.primary, P95).points] == values
    assert [one.value.value for one in history(store, metric=P95).tracks[0].moments] == values


def test_the_number_of_questions_is_said_with_that_of_searches():
    """240 searches of 80 questions are no 240 questions."""
    store = InMemoryStore()
    summary = collect(store, repeated(store, 100.0)).summaries[P95]
    assert (summary.n, summary.effective_n) == (240, pytest.approx(80))
    few = collect(store, repeated(store, 100.0, 60)).summaries[P95]
    assert few.interval.high is None


def test_what_was_cut_off_is_never_called_faster():
    """Both ran into the limit of 60 s, one a little less often: nobody knows which is faster."""
    slow, slower = [61_000.0] * 10 + [1.0] * 90, [61_000.0] * 20 + [1.0] * 80
    report = matrix_report({"a": [1] * 100, "b": [1] * 100}, ms={"a": slower, "b": slow})
    found = compare(report.runs)
    assert found.candidates[0].p95.found.interval.low is None
    assert found.candidates[0].p95.found.interval.high is None
    assert "Faster" not in recommendation(found)
    text = render_comparison(found, "markdown")
    assert "≥ 60.0 s" in text
    assert "cut off at the time limit" in text


def test_faster_than_what_was_cut_off_is_at_least_so_much():
    """The other side took the limit or longer."""
    report = matrix_report({"a": [1] * 100, "b": [1] * 100}, ms={"a": [61_000.0] * 50 + [1.0] * 50})
    found = compare(report.runs)
    assert "at least 60.0 s faster at p95 (1.0 ms against ≥ 60.0 s)" in recommendation(found)
    trade = pareto(report.runs, parse("RR"), P95, ceiling=60_000)
    assert {one.run.run.spec.name: one.cost_at_least for one in trade.points} == {"a": True, "b": False}
    assert trade.ceiling.best.run.run.spec.name == "b"
    assert trade.ceiling.admitted == 1
    assert "50 searches ran into the time limit of 60.0 s" in " ".join(pareto_sentences(trade))


def test_bounds_are_of_the_difference_that_is_printed():
    """Means over repeats in both, and the bounds enclose them."""
    ranks = {"a": [[1, 2], [3, 1], [2, 2]], "b": [[1, 1], [1, None], [2, 1]]}
    report = matrix_report(ranks, repeats=3)
    found = compare(report.runs).candidates[0].primary
    bounds = difference_bounds(*report.runs, found.metric)
    assert bounds.value == pytest.approx(found.paired.difference)
    assert bounds.low <= bounds.value <= bounds.high
