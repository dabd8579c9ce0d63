"""The gate has three outcomes, and equivalence agrees with statsmodels."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from statsmodels.stats.weightstats import ttost_paired

from ragstone.errors import UsageError
from ragstone.stats.gate import non_inferiority, tost
from ragstone.stats.guarded import guarded_t


def gate(d, **options):
    return non_inferiority(d, **{"margin": 0.05, "range_width": 1.0, **options})


def test_an_unchanged_system_passes():
    """With 100 questions and five points of margin."""
    found = gate([0.0] * 100)
    assert (found.outcome, found.queries_to_settle) == ("pass", 0)
    assert found.low > -0.05


def test_a_broken_system_fails():
    """40 of 100 questions lost."""
    found = gate([-1.0] * 40 + [0.0] * 60)
    assert (found.outcome, found.difference) == ("fail", -0.4)
    assert found.high < -0.05


@pytest.mark.parametrize("d", [[0.0] * 10, [0.0] * 9 + [-1.0], [0.1], []])
def test_ten_questions_are_not_enough(d):
    """Whether one of them was lost or none, and with one question or none at all."""
    assert gate(d).outcome == "not_enough"


def test_the_number_of_questions_that_would_settle_it():
    """With that many more of the same kind, it is settled."""
    d = np.array([0.0] * 26 + [-1.0, 1.0, 1.0, -1.0])
    found = gate(d)
    assert found.outcome == "not_enough"
    more = (len(d) + found.queries_to_settle) / len(d)
    assert gate(np.tile(d, int(np.ceil(more)))).outcome == "pass"
    assert gate([]).queries_to_settle is None
    assert gate([-0.05, -0.05]).queries_to_settle is None


@pytest.mark.parametrize("n", [10, 20, 49, 50, 98])
@pytest.mark.parametrize("margin", [0.01, 0.03, 0.05])
def test_an_unchanged_system_is_settled_by_as_many_questions_as_are_named(n, margin):
    """Where nothing differs, that many in all pass and one less does not, on either side of 50."""
    found = gate([0.0] * n, margin=margin)
    if found.outcome == "not_enough":
        total = n + found.queries_to_settle
        assert gate([0.0] * total, margin=margin).outcome == "pass"
        assert gate([0.0] * (total - 1), margin=margin).outcome == "not_enough"


@pytest.mark.parametrize(("n", "sd", "mean"), [(20, 0.2, 0.0), (30, 0.3, 0.02), (60, 0.3, -0.1)])
def test_it_is_settled_about_four_times_of_five(n, sd, mean):
    """Over drawn sets of as many questions as are named, with the mean and spread that were seen."""
    rng = np.random.default_rng(n)
    d = rng.normal(size=n)
    d = (mean + sd * (d - d.mean()) / d.std(ddof=1)).clip(-1, 1)
    found = gate(d)
    assert found.outcome == "not_enough"
    drawn = rng.normal(d.mean(), d.std(ddof=1), (600, n + found.queries_to_settle)).clip(-1, 1)
    assert 0.72 <= np.mean([gate(one).outcome != "not_enough" for one in drawn]) <= 0.92


def test_strict_fails_a_proven_loss_within_the_margin():
    """A small loss on every question is within five points, and certain."""
    d = [-0.02, -0.03] * 100
    assert gate(d).outcome == "pass"
    assert gate(d, strict=True).outcome == "fail"
    assert gate([0.0] * 100, strict=True).outcome == "pass"


@given(arrays(np.float64, st.integers(2, 80), elements=st.sampled_from([-1.0, -0.5, 0.0, 0.0, 0.5, 1.0])))
def test_the_outcome_is_read_off_the_guarded_interval(d):
    """Two-sided 90%, and never both."""
    found, interval = gate(d), guarded_t(d, range_width=1.0, level=0.9)
    assert (found.low, found.high) == (interval.low, interval.high)
    assert (found.outcome == "pass") == (found.low > -0.05)
    assert (found.outcome == "fail") == (found.high < -0.05)


def test_clusters_make_it_harder():
    """Fifty copies of two questions say no more than two."""
    d = [0.0, 0.01] * 50
    assert gate(d).outcome == "pass"
    clustered = gate(d, clusters=[0, 1] * 50)
    assert clustered.outcome == "not_enough"
    assert clustered.queries_to_settle > 0


def test_a_margin_is_above_zero():
    """No number of questions proves a loss of nothing."""
    with pytest.raises(UsageError, match="above 0, got 0"):
        gate([0.0, 1.0], margin=0)


@given(
    arrays(np.float64, st.integers(3, 40), elements=st.floats(-1, 1).map(lambda x: round(x, 3))).filter(
        lambda d: d.std() > 1e-3
    ),
    st.floats(0.01, 0.4),
)
def test_equivalence_agrees_with_statsmodels(d, margin):
    """Both one-sided p-values and the larger."""
    p, low, high = ttost_paired(d, np.zeros_like(d), -margin, margin)
    ours = tost(d, low=-margin, high=margin)
    assert ours.p == pytest.approx(p, rel=1e-8, abs=1e-12)
    assert (ours.p_low, ours.p_high) == (
        pytest.approx(low[1], rel=1e-8, abs=1e-12),
        pytest.approx(high[1], rel=1e-8, abs=1e-12),
    )


def test_equivalence_without_variance():
    """Is certain, inside or outside, and never NaN."""
    assert tost([0.0] * 5, low=-0.1, high=0.1).p == 0
    assert tost([0.2] * 5, low=-0.1, high=0.1).p == 1
    with pytest.raises(UsageError, match="two differences"):
        tost([0.1], low=-1, high=1)
