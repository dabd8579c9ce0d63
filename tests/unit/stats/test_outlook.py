"""What a set would probably have shown, against simulation of the verdicts themselves."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from ragstone.errors import UsageError
from ragstone.stats.guarded import Sample, guarded_limits, sample_of
from ragstone.stats.outlook import detectable, like, probable_low, queries_to_show
from ragstone.stats.paired import compare_paired
from ragstone.stats.randomization import sign_flip_p_many
from ragstone.stats.simulate import flips

RUNS = 1500


def found(d, family=1):
    """Return how often the default verdict is "better", in bulk."""
    low, _ = guarded_limits(d, range_width=1.0)
    return float(((low > 0) & (sign_flip_p_many(d.T) <= 0.05 / family)).mean())


def sample(n, variance, largest=1.0, typical=1.0):
    return Sample(queries=n, rows=n, mean=0.0, variance=variance, largest=largest, typical=typical, weight=1.0)


@pytest.mark.parametrize("family", [1, 12])
@pytest.mark.parametrize("n", [20, 30, 49, 50, 100])
def test_graded_scores_show_it_four_times_of_five(n, family):
    """Normal differences with a spread of .3, alone and among twelve comparisons."""
    difference = detectable(sample(n, 0.09, 0.75, 0.375), range_width=1, family=family)
    drawn = np.random.default_rng(n).normal(difference, 0.3, (RUNS, n)).clip(-1, 1)
    assert 0.74 <= found(drawn, family) <= 0.90


@pytest.mark.parametrize("n", [20, 30, 50, 100])
def test_hits_show_it_four_times_of_five(n):
    """Of which 40% flip, with the spread that goes with the difference."""
    difference = 0.0
    for _ in range(40):
        spread = sample(n, 0.4 - difference**2)
        difference = (difference + detectable(spread, range_width=1)) / 2
    drawn = flips(np.random.default_rng(n), RUNS, n, max(0.4, difference), difference)
    assert 0.74 <= found(drawn) <= 0.90


def test_few_questions_show_nothing():
    """Five can give no p of 5%; of ten clusters none of 5% / 12."""
    assert detectable(sample(5, 0.09), range_width=1) is None
    assert detectable(None, range_width=1) is None
    clustered = sample_of(np.random.default_rng(0).normal(0, 0.3, 40).clip(-1, 1), np.arange(40) // 5)
    assert detectable(clustered, range_width=1, family=12) is None
    assert detectable(sample_of([0.0] * 30), range_width=None) is None


def test_a_metric_without_bounds_has_no_largest_difference():
    """The answer grows with the unit; below 50 questions there is no verdict to show it."""
    d = np.random.default_rng(1).normal(0, 3.0, 60)
    one = detectable(sample_of(d), range_width=None)
    assert detectable(sample_of(1000 * d), range_width=None) == pytest.approx(1000 * one)
    assert one > 2.8 * d.std(ddof=1) / 60**0.5
    assert detectable(sample_of(d[:49]), range_width=None) is None


def test_a_difference_needs_differing_questions():
    """Where no hit flipped, six or more of 100 must: fewer cannot give a p of 5%."""
    seen = detectable(sample_of([0.0] * 100), range_width=1)
    drawn = np.random.default_rng(2).random((RUNS, 100)) < seen
    assert 0.74 <= found(drawn * 1.0) <= 0.90


@pytest.mark.parametrize("difference", [0.03, 0.1, 0.3])
@pytest.mark.parametrize("family", [1, 8])
def test_the_two_questions_are_inverse(difference, family):
    """As many questions as a difference takes show it, and one less does not; on either side of 50."""
    seen = sample_of(np.random.default_rng(3).normal(0.0, 0.3, 60).clip(-1, 1))
    n = queries_to_show(seen, difference, range_width=1, family=family)
    assert detectable(like(seen, n), range_width=1, family=family) <= difference
    fewer = detectable(like(seen, n - 1), range_width=1, family=family)
    assert fewer is None or fewer > difference
    assert queries_to_show(seen, -difference, range_width=1, family=family) == n


def test_a_comparison_says_what_its_sample_shows():
    """And where whole clusters change together, more is needed."""
    rng = np.random.default_rng(4)
    d = np.repeat(rng.normal(0, 0.2, 30), 4) + rng.normal(0, 0.05, 120)
    labels = np.arange(120) // 4
    alone, together = (compare_paired(d, 0 * d, range_width=1, clusters=c) for c in (None, labels))
    assert alone.detectable == detectable(sample_of(d), range_width=1)
    assert together.detectable == detectable(sample_of(d, labels), range_width=1)
    assert together.detectable > 1.5 * alone.detectable
    assert queries_to_show(sample_of(d, labels), 0.05, range_width=1) > queries_to_show(
        sample_of(d), 0.05, range_width=1
    )


def test_the_probable_limit_is_exceeded_four_times_of_five():
    """Of drawn samples with that mean and spread."""
    seen = replace(sample(40, 0.04, 0.55, 0.25), mean=0.1)
    drawn = np.random.default_rng(5).normal(0.1, 0.2, (RUNS, 40))
    low, _ = guarded_limits(drawn, range_width=1.0, level=0.9)
    assert (low > probable_low(seen, range_width=1, level=0.9)).mean() == pytest.approx(0.8, abs=0.04)


def test_no_difference_has_no_number():
    """Nor has a sample that is none."""
    with pytest.raises(UsageError, match="difference is 0"):
        queries_to_show(sample(20, 0.1), 0.0, range_width=1)
    assert queries_to_show(None, 0.1, range_width=1) is None
    assert queries_to_show(sample(20, 0.1), 1e-7, range_width=1) is None
