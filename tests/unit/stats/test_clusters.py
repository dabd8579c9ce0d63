"""Queries that belong together count for less."""

from __future__ import annotations

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given
from hypothesis import strategies as st

from ragstone.errors import UsageError
from ragstone.stats.clusters import (
    cluster_differences,
    cluster_effect,
    cluster_sums,
    clustered_standard_error,
    effective_n,
)
from ragstone.stats.guarded import guarded_t

labelled = st.lists(st.tuples(st.floats(-1, 1), st.integers(0, 6)), min_size=3, max_size=40)


@given(labelled.filter(lambda rows: len({label for _, label in rows}) > 1))
def test_the_clustered_error_agrees_with_statsmodels(rows):
    """Miller's formula is the cluster-robust error of an intercept, without the small-sample factor."""
    d, labels = np.array([value for value, _ in rows]), np.array([label for _, label in rows])
    fit = sm.OLS(d, np.ones(len(d))).fit(cov_type="cluster", cov_kwds={"groups": labels, "use_correction": False})
    assert clustered_standard_error(d, labels) == pytest.approx(fit.bse[0], abs=1e-12)


@given(labelled)
def test_cluster_values_keep_the_mean_and_carry_the_clustered_error(rows):
    """Their plain standard error is Miller's times sqrt(G / (G - 1))."""
    d, labels = [value for value, _ in rows], [label for _, label in rows]
    values = cluster_differences(d, labels)
    groups = len(values)
    assert values.mean() == pytest.approx(np.mean(d), abs=1e-12)
    if groups > 1:
        ours = values.std(ddof=1) / np.sqrt(groups)
        wanted = clustered_standard_error(d, labels) * np.sqrt(groups / (groups - 1))
        assert ours == pytest.approx(wanted, abs=1e-12)


def test_clusters_of_one_are_the_queries_themselves():
    """Nothing changes when every query stands for itself."""
    d = np.random.default_rng(1).normal(size=60)
    assert cluster_differences(d, range(60)) == pytest.approx(d)
    assert guarded_t(d, range_width=None, clusters=range(60)).low == pytest.approx(
        guarded_t(d, range_width=None).low
    )
    assert effective_n(d, range(60)) == 60


def test_twenty_documents_of_five_questions_count_as_about_56():
    """At an intra-cluster correlation of .2 the design effect is 1.8."""
    rng = np.random.default_rng(0)
    shared = np.repeat(rng.normal(size=4000), 5)
    d = np.sqrt(0.2) * shared + np.sqrt(0.8) * rng.normal(size=20_000)
    effect = cluster_effect(d, np.arange(20_000) // 5)
    assert effect.icc == pytest.approx(0.2, abs=0.015)
    assert effect.effective_n / 200 == pytest.approx(100 / 1.8, abs=1.5)


def test_copies_count_once():
    """Five identical copies of a question are one question; constant data have no correlation."""
    d, labels = np.repeat([0.1, 0.5, 0.9, 0.3], 5), np.repeat(np.arange(4), 5)
    assert cluster_effect(d, labels).icc == 1.0
    assert effective_n(d, labels) == pytest.approx(4)
    assert cluster_effect(np.ones(20), labels).icc == 0.0
    assert cluster_effect([], []).effective_n == 0


def test_the_clustered_interval_is_wider():
    """And has no limits with one cluster."""
    rng = np.random.default_rng(3)
    labels = np.arange(100) // 5
    d = np.repeat(rng.normal(size=20), 5) + 0.1 * rng.normal(size=100)
    plain, clustered = guarded_t(d, range_width=None), guarded_t(d, range_width=None, clusters=labels)
    assert clustered.high - clustered.low > 1.5 * (plain.high - plain.low)
    assert guarded_t(d, range_width=1, clusters=["x"] * 100).low is None
    assert clustered_standard_error(d, ["x"] * 100) is clustered_standard_error([], []) is None


def test_labels_must_fit():
    """One label for each query, of any kind that can be told apart."""
    assert cluster_sums([1, 2, 3], [("a", 1), None, ("a", 1)]).tolist() == [4, 2]
    with pytest.raises(UsageError, match="3 queries need as many labels, got 2"):
        cluster_sums([1, 2, 3], [1, 2])


def differences_of(rng, runs, clusters, shared):
    """Return differences of hits, 5% gained and 5% lost, of which a share follows the whole cluster of five."""
    kinds = np.array([1.0, -1.0, 0.0])
    whole = rng.choice(kinds, (runs, clusters), p=[0.05, 0.05, 0.9]).repeat(5, axis=1)
    own = rng.choice(kinds, whole.shape, p=[0.05, 0.05, 0.9])
    return np.where(rng.random(whole.shape) < np.sqrt(shared), whole, own)


@pytest.mark.parametrize("shared", [0.2, 0.5])
@pytest.mark.parametrize("clusters", [20, 40])
def test_the_guard_of_clusters_covers_without_swamping(clusters, shared):
    """At least 93%, and at most twice as wide as the plain clustered interval."""
    d = differences_of(np.random.default_rng(clusters), 400, clusters, shared)
    labels = np.arange(5 * clusters) // 5
    found = [guarded_t(one, range_width=1, clusters=labels) for one in d]
    assert np.mean([one.low <= 0 <= one.high for one in found]) >= 0.93
    widths = [one.high - one.low for one in found]
    plain = [2 * 2.1 * cluster_differences(one, labels).std(ddof=1) / np.sqrt(clusters) for one in d]
    assert np.mean(widths) < 2 * np.mean(plain)


def test_the_guard_is_the_range_with_few_clusters():
    """Two documents say little, however many questions they gave and however alike the answers are."""
    d, labels = np.array([0.0, 0.01] * 50), np.arange(100) % 2
    assert guarded_t(d, range_width=1, clusters=labels).high == 1.0
