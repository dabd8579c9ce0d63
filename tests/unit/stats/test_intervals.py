"""Intervals agree with scipy, and cover what they promise."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from ragstone.stats.correlation import kendall_tau_b, spearman
from ragstone.stats.intervals import order_statistics, plus_two_t, student_t, wilson
from ragstone.stats.summary import mean_over_repeats, percentile, summarise
from ragstone.types import Score


@given(st.integers(1, 500).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_wilson_agrees_with_scipy(counts):
    """Every rate's interval is scipy's."""
    k, n = counts
    theirs = stats.binomtest(k, n).proportion_ci(method="wilson")
    ours = wilson(k, n)
    assert (ours.low, ours.high) == (pytest.approx(theirs.low, abs=1e-12), pytest.approx(theirs.high, abs=1e-12))


def test_forty_five_of_fifty_lie_between_79_and_96_percent():
    """The report's example sentence is right."""
    interval = wilson(45, 50)
    assert (round(interval.low, 2), round(interval.high, 2)) == (0.79, 0.96)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=80))
def test_plus_two_t_is_the_t_interval_of_the_padded_values(values):
    """One observation at each end of the scale, then t, clipped to the scale."""
    padded = np.array([*values, 0.0, 1.0])
    low, high = stats.t.interval(0.95, len(padded) - 1, padded.mean(), stats.sem(padded))
    ours = plus_two_t(np.array(values), 0.0, 1.0)
    assert ours.low == pytest.approx(max(0, low), abs=1e-9)
    assert ours.high == pytest.approx(min(1, high), abs=1e-9)


def test_plus_two_t_covers_a_very_good_system():
    """For scores that are 1.0 nine times of ten, at n = 10, it covers the mean in at least 95 of 100 cases."""
    rng = np.random.default_rng(7)
    samples = (rng.random((4000, 10)) < 0.9).astype(float)
    covered = [(low := plus_two_t(row, 0, 1)).low <= 0.9 <= low.high for row in samples]
    assert np.mean(covered) >= 0.95


def test_student_t_agrees_with_scipy_and_needs_two_values():
    """Unbounded values get the plain t interval; one value gets none."""
    values = np.array([1.0, 2.0, 4.0, 9.0])
    low, high = stats.t.interval(0.95, 3, values.mean(), stats.sem(values))
    ours = student_t(values)
    assert (ours.low, ours.high) == (pytest.approx(low), pytest.approx(high))
    assert student_t(values[:1]).low is None


@pytest.mark.parametrize(
    ("n", "p", "low", "high"),
    [(100, 0.95, 90, 100), (50, 0.95, 44, None), (71, 0.95, 63, None), (72, 0.95, 64, 72)],
)
def test_order_statistics(n, p, low, high):
    """With 71 values or fewer p95 has no upper limit; with 100 it runs from the 90th to the largest."""
    interval = order_statistics(np.arange(1.0, n + 1), p)
    assert (interval.low, interval.high) == (low, high)


def test_order_statistics_cover_the_quantile():
    """The median's interval covers it in at least 95 of 100 samples."""
    rng = np.random.default_rng(3)
    samples = rng.exponential(size=(2000, 40))
    covered = []
    for row in samples:
        interval = order_statistics(row, 0.5)
        covered.append(interval.low <= np.log(2) <= interval.high)
    assert np.mean(covered) >= 0.95


@pytest.mark.parametrize(
    "interval", [wilson(0, 0), plus_two_t(np.empty(0), 0, 1), order_statistics(np.empty(0), 0.5)]
)
def test_no_values_have_no_interval(interval):
    """Nothing measured gives no limits, not 0 and 1."""
    assert (interval.low, interval.high) == (None, None)


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 3)), min_size=2, max_size=30))
def test_rank_correlations_agree_with_scipy(pairs):
    """Spearman and Kendall's tau-b with ties; constant sides are undefined."""
    x, y = (np.array(side, dtype=float) for side in zip(*pairs, strict=True))
    if len(set(x)) == 1 or len(set(y)) == 1:
        assert np.isnan(spearman(x, y))
        assert np.isnan(kendall_tau_b(x, y))
        return
    assert spearman(x, y) == pytest.approx(stats.spearmanr(x, y).statistic, abs=1e-12)
    assert kendall_tau_b(x, y) == pytest.approx(stats.kendalltau(x, y).statistic, abs=1e-12)


def test_correlation_of_nothing_is_undefined():
    """Below two pairs there is no order."""
    assert np.isnan(spearman(np.empty(0), np.empty(0)))
    assert np.isnan(kendall_tau_b(np.array([1.0]), np.array([1.0])))


def test_a_summary_counts_what_is_missing_by_reason():
    """Scores without a value are left out of the mean and counted beside it."""
    scores = [Score(1.0), Score(None, "no_gold"), Score(0.0), Score(None, "failed"), Score(None, "no_gold")]
    found = summarise("Hit@5", scores, kind="rate")
    assert (found.value, found.n, dict(found.missing)) == (0.5, 2, {"failed": 1, "no_gold": 2})
    assert found.interval.method == "Wilson"


def test_a_summary_of_nothing_has_no_value():
    """No value is None, not 0, and there is no interval."""
    found = summarise("Hit@5", [Score(None, "no_gold")], kind="rate")
    assert (found.value, found.n, found.interval) == (None, 0, None)


def test_averaged_rates_get_the_interval_of_a_mean():
    """A rate averaged over repeats is no longer 0 or 1, so Wilson does not apply."""
    assert summarise("Hit@5", [Score(0.5), Score(1.0)], kind="rate").interval.method == "plus-two t"


def test_repeats_are_averaged_and_gaps_left_out():
    """A query's value is the mean over the repeats that have one."""
    merged = mean_over_repeats(
        [{"a": Score(1.0), "b": Score(None, "failed")}, {"a": Score(0.0), "b": Score(None, "failed")}]
    )
    assert merged == {"a": Score(0.5), "b": Score(None, "failed")}
    assert mean_over_repeats([]) == {}


def test_percentiles_interpolate_linearly():
    """1 to 20: p50 is 10.5 and p95 19.05."""
    values = np.arange(1.0, 21.0)
    assert (percentile(values, 0.5), percentile(values, 0.95)) == (pytest.approx(10.5), pytest.approx(19.05))
