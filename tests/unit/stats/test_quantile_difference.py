"""The difference of a percentile is given only where the queries allow it."""

from __future__ import annotations

import numpy as np
import pytest

from ragstone.errors import UsageError
from ragstone.stats.intervals import order_statistics
from ragstone.stats.measurements import Measurements
from ragstone.stats.quantile_difference import quantile_difference
from ragstone.types import Score


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


def measured(values, cut_off):
    return Measurements.of(
        [[Score(float(v), "timeout" if c else None)] for v, c in zip(values, cut_off, strict=True)]
    )


def test_a_side_that_was_cut_off_has_no_limit():
    """How much longer a takes is not known; nor how much shorter than b, where b was cut off too."""
    b = latencies(200)[1]
    slow = measured(np.full(200, 5000.0), np.ones(200, dtype=bool))
    found = quantile_difference(slow, b)
    assert found.interval.high is None
    assert found.interval.low > 4000
    assert (found.at_least, found.enough) == ((True, False), True)
    back = quantile_difference(b, slow)
    assert back.interval.low is None
    assert back.interval.high == pytest.approx(-found.interval.low)
    both = quantile_difference(slow, slow).interval
    assert (both.low, both.high) == (None, None)


def test_what_was_cut_off_beyond_the_quantile_changes_nothing():
    """The median of 200 does not rest on the ten slowest."""
    a, b = latencies(200)
    late = a >= np.sort(a)[-10]
    assert quantile_difference(measured(a, late), b, p=0.5).interval == quantile_difference(a, b, p=0.5).interval


def test_repeats_are_no_further_questions():
    """Seventy questions asked three times are seventy; eighty asked three times have the interval of eighty."""
    a, b = latencies(80)
    three = [Measurements.of([[Score(v)] * 3 for v in values.tolist()]) for values in (a, b)]
    found, once = quantile_difference(*three), quantile_difference(a, b)
    assert (found.n, found.enough) == (80, True)
    assert found.interval_a == once.interval_a
    assert found.interval.low == pytest.approx(once.interval.low, abs=60)
    assert not quantile_difference(
        *(Measurements.of([[Score(v)] * 3 for v in x[:70].tolist()]) for x in (a, b))
    ).enough


def test_seeds_sizes_and_nothing():
    """Same seed, same limits; no queries, no values; sizes must match."""
    a, b = latencies(100)
    assert quantile_difference(a, b, seed=3) == quantile_difference(a, b, seed=3)
    none = quantile_difference([], [])
    assert (none.value_a, none.difference, none.enough, none.n) == (None, None, False, 0)
    with pytest.raises(UsageError, match="both sides"):
        quantile_difference([1.0, 2.0], [1.0])
