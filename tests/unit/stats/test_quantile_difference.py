"""The difference of a percentile is given only where the queries allow it."""

from __future__ import annotations

import numpy as np
import pytest

from ragstone.errors import UsageError
from ragstone.stats.intervals import order_statistics
from ragstone.stats.quantile_difference import quantile_difference


def latencies(n, seed=0):
    rng = np.random.default_rng(seed)
    shared = rng.normal(size=n)
    return 200 * np.exp(0.4 * shared + 0.3 * rng.normal(size=(2, n)))


@pytest.mark.parametrize(("n", "enough"), [(50, False), (71, False), (72, True), (100, True)])
def test_p95_needs_72_queries(n, enough):
    """Below that no system's p95 has an upper limit, and neither has the difference."""
    found = quantile_difference(*latencies(n))
    assert found.enough == enough
    assert (found.interval.low is not None) == (found.interval.high is not None) == enough
    assert found.interval_a == order_statistics(latencies(n)[0], 0.95)
    assert found.difference == found.value_a - found.value_b


def test_a_constant_slowdown_is_found_exactly():
    """Resampled as pairs, a shift of 20 ms has no width."""
    _, b = latencies(120)
    found = quantile_difference(b + 20, b)
    assert (found.interval.low, found.interval.high) == (pytest.approx(20), pytest.approx(20))


def test_pairs_are_resampled_together():
    """Slow queries are slow in both, so the difference varies less than from independent samples."""
    a, b = latencies(400)
    paired = quantile_difference(a, b, p=0.5).interval
    apart = quantile_difference(a, np.random.default_rng(1).permutation(b), p=0.5).interval
    assert paired.high - paired.low < 0.8 * (apart.high - apart.low)


def test_it_covers_the_truth():
    """Equal systems: 0 lies inside in at least 92 of 100 cases at 150 queries."""
    found = [quantile_difference(*latencies(150, seed), resamples=400).interval for seed in range(200)]
    assert np.mean([one.low <= 0 <= one.high for one in found]) >= 0.92


def test_seeds_sizes_and_nothing():
    """Same seed, same limits; no queries, no values; sizes must match."""
    a, b = latencies(100)
    assert quantile_difference(a, b, seed=3) == quantile_difference(a, b, seed=3)
    none = quantile_difference([], [])
    assert (none.value_a, none.difference, none.enough, none.n) == (None, None, False, 0)
    with pytest.raises(UsageError, match="both sides"):
        quantile_difference([1.0, 2.0], [1.0])
