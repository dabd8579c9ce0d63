"""Quantiles and tails agree with scipy."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from ragstone.stats.distributions import (
    beta_quantile,
    binomial_cdf,
    incomplete_beta,
    normal_cdf,
    normal_quantile,
    t_cdf,
    t_quantile,
)

probabilities = st.floats(1e-6, 1 - 1e-6)
freedoms = st.integers(1, 5000)


@given(probabilities)
def test_normal_quantiles_agree_with_scipy(p):
    """To 1e-10."""
    assert normal_quantile(p) == pytest.approx(stats.norm.ppf(p), abs=1e-10)


@given(st.floats(-30, 10))
def test_normal_tails_agree_with_scipy(z):
    """To twelve digits, far out too."""
    assert normal_cdf(z) == pytest.approx(stats.norm.cdf(z), rel=1e-12, abs=1e-300)


@given(probabilities, freedoms)
def test_t_quantiles_agree_with_scipy(p, df):
    """To 1e-10, relative for large values."""
    assert t_quantile(p, df) == pytest.approx(stats.t.ppf(p, df), rel=1e-9, abs=1e-10)


@given(st.floats(-50, 50), freedoms)
def test_t_tails_agree_with_scipy(t, df):
    """To 1e-10."""
    assert t_cdf(t, df) == pytest.approx(stats.t.cdf(t, df), abs=1e-10)


@given(probabilities, st.floats(1, 500), st.floats(1, 500))
def test_beta_quantiles_invert_the_distribution(p, a, b):
    """The quantile's tail is the probability, to 1e-10."""
    assert stats.beta.cdf(beta_quantile(p, a, b), a, b) == pytest.approx(p, abs=1e-10)


@given(st.integers(0, 400), st.integers(0, 400), st.floats(0.001, 0.999))
def test_binomial_tails_agree_with_scipy(k, n, p):
    """To 1e-10, also beyond both ends."""
    assert binomial_cdf(k, n, p) == pytest.approx(stats.binom.cdf(k, n, p), abs=1e-10)


def test_the_ends_of_the_incomplete_beta_function():
    """It is 0 at 0 and 1 at 1, and refuses what is not defined."""
    assert (incomplete_beta(2, 3, 0.0), incomplete_beta(2, 3, 1.0)) == (0.0, 1.0)
    with pytest.raises(ValueError, match="a=0"):
        incomplete_beta(0, 1, 0.5)
    assert (beta_quantile(0, 1, 1), beta_quantile(1, 1, 1), t_quantile(0.5, 3)) == (0.0, 1.0, 0.0)
    assert binomial_cdf(-1, 5, 0.5) == 0.0
