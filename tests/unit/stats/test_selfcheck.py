"""The self-check measures what it says, with the functions that reports use."""

from __future__ import annotations

import numpy as np
import pytest

from ragstone.stats import selfcheck as checks
from ragstone.stats.paired import compare_paired
from ragstone.stats.simulate import (
    CAPTURED,
    MIDDLING,
    OPEN_SCENARIOS,
    SCENARIOS,
    VERY_GOOD,
    equal_systems,
    mean_reciprocal_rank,
    reranked,
)


@pytest.fixture(scope="module")
def cells():
    return list(checks.selfcheck(runs=400, sizes=(20,)))


def test_every_promise_holds_at_twenty_queries(cells):
    """Coverage and false alarms of all default intervals and verdicts."""
    assert [cell for cell in cells if not cell.holds] == []
    assert sum(cell.promised for cell in cells) >= 25


def test_it_shows_what_is_kept_for_continuity(cells):
    """The percentile bootstrap misses its level, and Wilcoxon alarms on lopsided differences."""
    found = {(cell.kind, cell.method, cell.data): cell.value for cell in cells}
    assert found["coverage", "percentile bootstrap", "hits, 5% gained, 3% lost"] < 0.75
    assert found["false alarms", "Wilcoxon (not of the mean)", "equal means, lopsided"] > 0.4
    assert found["coverage", "paired t", "clusters of 5, half shared"] < 0.8
    assert found["coverage", "difference of p95", "latency"] is None


def test_scales_without_bounds_have_rows_of_their_own(cells):
    """Their interval holds the truth too seldom at 20, so there is no promise and no verdict; from 50 on, both."""
    low = [cell for cell in cells if cell.method == "guarded t, no bounds"]
    assert {cell.data for cell in low} == {"lopsided, no bounds", "rank of the first hit"}
    assert min(cell.value for cell in low) < 0.93
    assert not any(cell.promised for cell in low)
    verdicts = [
        cell for cell in cells if cell.method == "verdict (default)" and cell.data == "lopsided, no bounds"
    ]
    assert [(cell.value, cell.promised) for cell in verdicts] == [(0.0, True)]
    scenario = OPEN_SCENARIOS[0]
    from_50 = list(checks._without_bounds(scenario, np.random.default_rng(0), 2000, 50))
    assert [(cell.promised, cell.holds) for cell in from_50] == [(True, True), (True, True)]


@pytest.mark.parametrize("n", [30, 50])
def test_verdicts_without_bounds_are_those_of_comparisons(n):
    """What compare_paired says one by one, the table counts in bulk."""
    first, second = OPEN_SCENARIOS[0].draw(np.random.default_rng(5), 60, n)
    said = [
        compare_paired(a, b, range_width=None).verdict in ("better", "worse")
        for a, b in zip(first, second, strict=True)
    ]
    _, alarms = checks._without_bounds(OPEN_SCENARIOS[0], np.random.default_rng(5), 60, n)
    assert alarms.value == pytest.approx(np.mean(said))


def test_the_captured_share_is_in_the_table(cells):
    """A reranker that puts two of five first captures 40%; the interval of that ratio has no promise."""
    (found,) = [cell for cell in cells if cell.method == "captured share"]
    assert 0.8 < found.value <= 1.0
    above, below = reranked(np.random.default_rng(0), 400, 500)
    assert above.mean() / below.mean() == pytest.approx(CAPTURED, abs=0.01)


def test_a_broken_promise_is_told():
    """Too little coverage, too many alarms; without a promise everything holds."""
    cell = {"method": "m", "data": "d", "n": 20, "runs": 1}
    assert not checks.Cell(kind="coverage", value=0.92, promised=True, **cell).holds
    assert not checks.Cell(kind="false alarms", value=0.07, promised=True, **cell).holds
    assert not checks.Cell(kind="power", value=0.69, promised=True, **cell).holds
    assert checks.Cell(kind="power", value=0.71, promised=True, **cell).holds
    assert checks.Cell(kind="coverage", value=0.92, promised=False, **cell).holds
    assert checks.Cell(kind="coverage", value=None, promised=True, **cell).holds


def test_the_same_seed_gives_the_same_table(cells):
    """And another seed another one."""
    again = list(checks.selfcheck(runs=400, sizes=(20,)))
    assert again == cells
    assert list(checks.selfcheck(runs=16, sizes=(20,), seed=1)) != list(checks.selfcheck(runs=16, sizes=(20,)))


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.name)
def test_scenarios_have_the_difference_that_they_name(scenario):
    """The mean over 400,000 simulated queries, and the range."""
    first, second = scenario.draw(np.random.default_rng(0), 2000, 200)
    assert first.shape == second.shape == (2000, 200)
    assert (first - second).mean() == pytest.approx(scenario.difference, abs=0.006 * scenario.range_width)
    assert max(np.ptp(first), np.ptp(second)) <= scenario.range_width


@pytest.mark.parametrize("skill", [MIDDLING, VERY_GOOD])
def test_the_true_mean_of_equal_systems(skill):
    """By quadrature, against simulation."""
    drawn = equal_systems(np.random.default_rng(0), 200, 500, 4, skill)
    assert drawn.mean() == pytest.approx(mean_reciprocal_rank(skill), abs=0.004)


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.name)
def test_simulated_verdicts_are_those_of_comparisons(scenario):
    """The table's verdicts, taken in bulk, are what compare_paired says one by one."""
    first, second = scenario.draw(np.random.default_rng(4), 40, 50)
    labels = np.arange(50) // 5 if scenario.clustered else None
    said = [
        compare_paired(a, b, range_width=scenario.range_width, clusters=labels).verdict in ("better", "worse")
        for a, b in zip(first, second, strict=True)
    ]
    bulk = [
        cell.value
        for cell in checks._paired(scenario, np.random.default_rng(4), 40, 50)
        if (cell.kind, cell.method) == ("false alarms", "verdict (default)")
    ]
    assert bulk in ([], [np.mean(said)])


def test_order_statistics_coverage_is_exact():
    """The chance that the number of values below the median lies between the ranks."""
    drawn = np.sort(np.random.default_rng(1).random((20_000, 10)), axis=1)
    simulated = ((drawn[:, 1] <= 0.5) & (drawn[:, 8] >= 0.5)).mean()
    assert checks._order_coverage(10, 0.5) == pytest.approx(simulated, abs=0.005)
