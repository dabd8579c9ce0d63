"""Bootstrap intervals agree with scipy, sampled and with infinitely many resamples."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from ragstone.errors import UsageError
from ragstone.stats.bootstrap import (
    bca_bootstrap,
    bca_many,
    percentile_bootstrap,
    percentile_many,
    resampled_means,
)
from ragstone.stats.bootstrap_limit import MeanDistribution, smooth_enough


def skewed(n, columns=3, seed=0):
    return np.random.default_rng(seed).gamma(2.0, 0.1, (n, columns)) - 0.15


@pytest.mark.parametrize(("method", "ours"), [("percentile", percentile_bootstrap), ("BCa", bca_bootstrap)])
def test_single_intervals_agree_with_scipy(method, ours):
    """Within the sampling error of 20,000 resamples, some 2% of the width."""
    values = skewed(60)[:, 0]
    theirs = stats.bootstrap(
        (values,), np.mean, n_resamples=20_000, method=method, rng=np.random.default_rng(1), batch=2000
    ).confidence_interval
    found = ours(values, resamples=20_000, seed=2)
    width = theirs.high - theirs.low
    assert (found.low, found.high) == (
        pytest.approx(theirs.low, abs=0.03 * width),
        pytest.approx(theirs.high, abs=0.03 * width),
    )


@pytest.mark.parametrize(("many", "method"), [(percentile_many, "percentile"), (bca_many, "BCa")])
def test_the_limit_of_infinitely_many_resamples(many, method):
    """For large samples, against scipy's 30,000 resamples, within 2% of the width."""
    values = skewed(3000)
    assert smooth_enough(values.T).all()
    low, high = many(values)
    for column in range(2):
        theirs = stats.bootstrap(
            (values[:, column],),
            np.mean,
            n_resamples=30_000,
            method=method,
            rng=np.random.default_rng(3),
            batch=1000,
        ).confidence_interval
        width = theirs.high - theirs.low
        assert low[column] == pytest.approx(theirs.low, abs=0.02 * width)
        assert high[column] == pytest.approx(theirs.high, abs=0.02 * width)


def test_the_exact_distribution_is_that_of_a_binomial():
    """Resampling 400 ones among 1,000 draws a binomial count: its distribution function, with half of the atom."""
    values = np.zeros((1, 1000))
    values[0, :400] = 1.0
    error = np.sqrt(0.4 * 0.6 / 1000)
    means = MeanDistribution(values)
    for count in (370, 400, 425):
        at = np.array([(count / 1000 - 0.4) / error])
        wanted = stats.binom.cdf(count, 1000, 0.4) - stats.binom.pmf(count, 1000, 0.4) / 2
        assert means.cdf(at)[0] == pytest.approx(wanted, abs=1e-4)
        assert means.quantile(means.cdf(at))[0] == pytest.approx(count / 1000, abs=1e-6)


def test_samples_of_few_values_are_resampled():
    """Small samples, and those that one value dominates, share the draws of one seed."""
    values = skewed(20)
    low, high = percentile_many(values, resamples=500, seed=7)
    for column in range(3):
        one = percentile_bootstrap(values[:, column], resamples=500, seed=7)
        assert (one.low, one.high) == (pytest.approx(low[column]), pytest.approx(high[column]))
    spike = np.zeros((1, 400))
    spike[0, 0] = 1.0
    assert not smooth_enough(spike).any()


def test_equal_values_have_no_width_and_no_nan():
    """Where scipy's BCa is NaN; and nothing measured has no limits."""
    for interval in (percentile_bootstrap([0.5] * 9), bca_bootstrap([0.5] * 9)):
        assert (interval.low, interval.high) == (0.5, 0.5)
    for many in (percentile_many, bca_many):
        low, high = many(np.full((300, 2), 0.5))
        assert low == pytest.approx([0.5, 0.5])
        assert high == pytest.approx([0.5, 0.5])
    assert percentile_bootstrap([]).low is bca_bootstrap([]).high is None


def test_the_same_seed_gives_the_same_limits():
    """And another seed others."""
    values = skewed(30)[:, 0]
    assert percentile_bootstrap(values, seed=1) == percentile_bootstrap(values, seed=1)
    assert percentile_bootstrap(values, seed=1) != percentile_bootstrap(values, seed=2)
    assert resampled_means(values[None], 3, 0).shape == (1, 3)


def test_only_a_matrix_has_columns():
    """One sample alone is refused, with the way out."""
    with pytest.raises(UsageError, match=r"\(queries, samples\), got \(2,\)"):
        percentile_many([0.5, 1.0])
