"""Quality against cost: the frontier, who is dominated for sure, and ceilings."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.matrix_runs import matrix_report

from ragstone.errors import UsageError
from ragstone.experiments.choice.costs import costs_of
from ragstone.experiments.choice.pareto import frontier, pareto
from ragstone.metrics import parse

RR = parse("RR")
points = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=1, max_size=20)


def flat(value, n=100):
    """Return n latencies around a value."""
    return [value + 0.01 * i for i in range(n)]


def report_of(**changes):
    """Three runs: good and slow, fair and fast, and one that is worse and slower than both."""
    ranks = {"good": [1] * 100, "fair": [2] * 100, "poor": [5] * 100}
    ms = {"good": flat(50), "fair": flat(10), "poor": flat(90)}
    return matrix_report(ranks, ms=ms, **changes)


def by_name(found):
    return {one.run.run.spec.name: one for one in found.points}


def test_three_runs_worked_by_hand():
    """Good at 51 ms and fair at 11 ms are the frontier; poor is dominated by both, for sure."""
    report = report_of()
    found = by_name(pareto(report.runs, RR, "latency_p95"))
    assert list(found) == ["good", "fair", "poor"]
    assert {name for name, one in found.items() if one.on_frontier} == {"good", "fair"}
    assert found["poor"].dominated_by == (report.runs[0].run.id, report.runs[1].run.id)
    assert found["good"].dominated_by == found["fair"].dominated_by == ()
    assert found["good"].cost == pytest.approx(50.9405, abs=0.01)
    assert found["good"].cost_interval.low < found["good"].cost < found["good"].cost_interval.high


def test_worse_by_no_more_than_noise_is_not_dominated():
    """A run that is a little worse and much slower is off the frontier, but not dominated at 95%."""
    rng = np.random.default_rng(0)
    ranks = {"good": rng.integers(1, 5, 100).tolist(), "same": rng.integers(1, 5, 100).tolist()}
    worse = min(ranks, key=lambda name: np.mean([1 / rank for rank in ranks[name]]))
    ms = {name: flat(90 if name == worse else 10) for name in ranks}
    found = by_name(pareto(matrix_report(ranks, ms=ms).runs, RR, "latency_p95"))
    assert not found[worse].on_frontier
    assert found[worse].dominated_by == ()
    assert len(found[worse].tied) == 1


def test_slower_by_no_more_than_noise_is_not_dominated():
    """A run that is much worse and as slow as the other within noise is not dominated at 95%."""
    rng = np.random.default_rng(1)
    ms = {"good": rng.gamma(2, 20, 100).tolist(), "bad": rng.gamma(2, 20, 100).tolist()}
    found = by_name(pareto(matrix_report({"good": [1] * 100, "bad": [4] * 100}, ms=ms).runs, RR, "latency_p95"))
    assert found["bad"].dominated_by == ()


def test_few_measurements_decide_no_percentile():
    """With 50 questions p95 has no upper limit, so no run can be ruled out, however slow."""
    report = matrix_report({"good": [1] * 50, "poor": [5] * 50}, ms={"good": flat(10, 50), "poor": flat(900, 50)})
    found = pareto(report.runs, RR, "latency_p95")
    assert not found.cost_decides
    assert by_name(found)["poor"].dominated_by == ()


def test_usage_is_a_cost_too():
    """Tokens that the responses report are compared by their mean."""
    report = matrix_report(
        {"good": [1] * 50, "dear": [3] * 50, "mute": [1] * 50}, tokens={"good": 100.0, "dear": 300.0}
    )
    found = pareto(report.runs, RR, "tokens")
    assert (found.cost, found.cost_metric) == ("tokens", None)
    assert by_name(found)["dear"].cost == 300.0
    assert by_name(found)["dear"].dominated_by == (report.runs[0].run.id,)
    assert [(one.run.run.spec.name, one.reason) for one in found.unplaced] == [("mute", "no_cost")]


def test_few_questions_do_not_tell_means_without_bounds_apart():
    """Below 50 one rare question could turn them, so no run is called dominated."""
    report = matrix_report({"good": [1] * 49, "dear": [3] * 49}, tokens={"good": 100.0, "dear": 300.0})
    found = pareto(report.runs, RR, "tokens")
    assert not found.cost_decides
    assert by_name(found)["dear"].dominated_by == ()


def test_an_unknown_cost_lists_the_known_ones():
    """The message names what can be plotted; a quality is no cost."""
    report = report_of()
    with pytest.raises(UsageError, match=r"latency\(p=95\)"):
        pareto(report.runs, RR, "dollars")
    with pytest.raises(UsageError, match="lower is not better"):
        pareto(report.runs, RR, "Hit@5")


@pytest.mark.parametrize(
    ("limit", "best", "admitted"), [(1000, "good", 3), (51, "good", 2), (50, "fair", 1), (5, None, 0)]
)
def test_a_ceiling_names_the_best_admissible_run(limit, best, admitted):
    """The best among those within the ceiling, none where all are dearer."""
    found = pareto(report_of().runs, RR, "latency_p95", ceiling=limit).ceiling
    assert (found.best and found.best.run.run.spec.name, found.admitted) == (best, admitted)


def test_a_ceiling_inside_the_interval_is_not_sure():
    """A p95 below the ceiling with an upper limit above it is admitted, with a doubt."""
    costs, _, _ = costs_of(report_of().runs, "latency_p95")
    good = costs.summaries[0]
    between = (good.value + good.interval.high) / 2
    assert not pareto(report_of().runs, RR, "latency_p95", ceiling=between).ceiling.sure
    assert pareto(report_of().runs, RR, "latency_p95", ceiling=good.interval.high).ceiling.sure


def test_of_equal_quality_the_cheapest_is_the_best_within_a_ceiling():
    """Two runs of one quality: the cheaper is named, whatever their order."""
    report = matrix_report({"dear": [1] * 80, "cheap": [1] * 80}, ms={"dear": flat(50, 80), "cheap": flat(5, 80)})
    assert pareto(report.runs, RR, "latency_p95", ceiling=100).ceiling.best.run.run.spec.name == "cheap"


def test_the_same_seed_gives_the_same_plot():
    """Resampling is seeded."""
    report = report_of()
    assert pareto(report.runs, RR, "latency_p95") == pareto(report.runs, RR, "latency_p95")


@given(points)
def test_the_frontier_holds_no_dominated_point(pairs):
    """No point of the frontier has another one that is at least as good in both and better in one."""
    quality, cost = np.array(pairs, dtype=float).T
    best = frontier(quality, cost)
    assert best.any()
    for i in range(len(pairs)):
        beaten = any(
            quality[j] >= quality[i] and cost[j] <= cost[i] and (quality[j], cost[j]) != (quality[i], cost[i])
            for j in range(len(pairs))
        )
        assert best[i] == (not beaten)


@given(points, st.data())
def test_a_dominated_point_changes_nothing(pairs, data):
    """Adding a point that is worse than some other one leaves the frontier as it was."""
    quality, cost = np.array(pairs, dtype=float).T
    at = data.draw(st.integers(0, len(pairs) - 1))
    more = frontier(np.append(quality, quality[at] - 1), np.append(cost, cost[at] + 1))
    assert more.tolist() == [*frontier(quality, cost).tolist(), False]


@given(points, st.randoms())
def test_the_order_of_points_does_not_matter(pairs, random):
    """Permuting the points permutes the frontier."""
    quality, cost = np.array(pairs, dtype=float).T
    order = list(range(len(pairs)))
    random.shuffle(order)
    assert frontier(quality[order], cost[order]).tolist() == frontier(quality, cost)[order].tolist()
