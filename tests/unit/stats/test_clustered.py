"""Intervals of one system's score allow for questions that belong together."""

from __future__ import annotations

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.proportion import proportion_confint

from ragstone.stats.clustered import clustered_plus_two_t, clustered_t, clustered_wilson
from ragstone.stats.clusters import effective_n
from ragstone.stats.distributions import normal_quantile, t_quantile
from ragstone.stats.intervals import plus_two_t, wilson
from ragstone.stats.summary import summarise_values

hits = st.lists(st.tuples(st.integers(0, 1), st.integers(0, 6)), min_size=2, max_size=60)


@given(rows=st.lists(st.tuples(st.floats(-50, 50), st.integers(0, 5)), min_size=3, max_size=40))
def test_the_t_interval_is_that_of_statsmodels(rows):
    """With the clustered covariance, its small-sample correction, and clusters - 1 degrees of freedom."""
    values = np.array([value for value, _ in rows])
    labels = [label for _, label in rows]
    found = clustered_t(values, labels)
    if len(set(labels)) < 2:
        assert found.low is found.high is None
        return
    groups = np.unique(labels, return_inverse=True)[1]
    fit = sm.OLS(values, np.ones(len(values))).fit(cov_type="cluster", cov_kwds={"groups": groups}, use_t=True)
    assert [found.low, found.high] == pytest.approx(fit.conf_int(0.05)[0].tolist(), rel=1e-9, abs=1e-9)


@given(rows=hits)
def test_the_rate_is_wilsons_for_the_effective_number(rows):
    """Of statsmodels, with the number that Dean and Pagano take; nothing varies in a column of equal values."""
    values = np.array([value for value, _ in rows], dtype=np.float64)
    labels = [label for _, label in rows]
    found = clustered_wilson(values, labels)
    groups = len(set(labels))
    if groups < 2:
        assert found.low is found.high is None
    elif 0 < values.sum() < len(values):
        ratio = normal_quantile(0.975) / t_quantile(0.975, groups - 1)
        n = min(len(values), effective_n(values, labels) * ratio**2)
        wanted = proportion_confint(values.mean() * n, n, method="wilson")
        assert (found.low, found.high) == pytest.approx(wanted, abs=1e-9)


@given(rows=hits)
def test_clusters_never_make_an_interval_of_a_rate_narrower(rows):
    """What belongs together tells less, never more."""
    values = np.array([value for value, _ in rows], dtype=np.float64)
    found = clustered_wilson(values, [label for _, label in rows])
    alone = wilson(float(values.sum()), len(values))
    if found.low is not None:
        assert found.high - found.low >= alone.high - alone.low - 1e-12


def test_asking_everything_five_times_makes_nothing_surer():
    """Paraphrases that all succeed or all fail count as one question."""
    rng = np.random.default_rng(4)
    once = (rng.random(30) < 0.8).astype(np.float64)
    scores = rng.beta(2, 2, 30)
    labels = np.repeat(np.arange(30), 5)
    often = clustered_wilson(np.repeat(once, 5), labels)
    alone = wilson(float(once.sum()), 30)
    assert often.high - often.low >= alone.high - alone.low
    mean = clustered_plus_two_t(np.repeat(scores, 5), 0.0, 1.0, labels)
    single = plus_two_t(scores, 0.0, 1.0)
    assert (mean.low, mean.high) == pytest.approx((single.low, single.high), abs=1e-3)


def test_equal_values_leave_room_for_doubt():
    """Ten documents without a failure do not prove that there are none."""
    labels = np.repeat(np.arange(10), 10)
    ones = np.ones(100)
    assert clustered_wilson(ones, labels).low < wilson(100, 100).low - 0.05
    assert clustered_plus_two_t(ones, 0.0, 1.0, labels).low < plus_two_t(ones, 0.0, 1.0).low - 0.05


def test_a_summary_chooses_by_kind_and_says_the_effective_number():
    """Quantiles keep theirs, and labels that are all different change nothing."""
    values = np.array([1.0, 1.0, 1.0, 0.0, 0.0, 0.0])
    labels = [1, 1, 1, 2, 2, 3]

    def method(kind, clusters):
        found = summarise_values("x", values, {}, kind=kind, clusters=clusters)
        return found.interval.method, found.effective_n is not None

    assert method("rate", labels) == ("Wilson, clusters", True)
    assert method("mean", labels) == ("plus-two t, clusters", True)
    assert method("open", labels) == ("t, clusters", True)
    assert method("quantile", labels) == ("order statistics", False)
    assert method("rate", range(6)) == ("Wilson", False)
    assert method("rate", None) == ("Wilson", False)
