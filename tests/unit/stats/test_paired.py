"""Two systems on the same queries: tests, intervals and the verdict."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from ragstone.errors import UsageError
from ragstone.stats.guarded import guarded_limits, guarded_t
from ragstone.stats.paired import compare_paired, paired_t, wilcoxon, wins_ties_losses
from ragstone.stats.power import detectable_difference
from ragstone.stats.samples import differences

FIRST, SECOND = [1, 0.5, 1, 0.5, 1], [0.5, 0.5, 0.5, 0, 1]
unit = st.floats(0, 1).map(lambda x: round(x, 3))
pairs = st.integers(2, 70).flatmap(lambda n: st.tuples(*[arrays(np.float64, n, elements=unit)] * 2))
rough = st.sampled_from([0.0, 0.5, 1.0])
ties = st.integers(0, 12).flatmap(lambda n: st.tuples(*[arrays(np.float64, n, elements=rough)] * 2))


def test_the_worked_numbers_of_the_paired_t_test():
    """t, p, the mean, and the standard deviation of the sample and of the population."""
    test = paired_t(FIRST, SECOND)
    assert (round(test.t, 5), round(test.p, 7)) == (2.44949, 0.0704840)
    assert (round(test.mean_difference, 10), round(test.sd, 4)) == (0.3, 0.2739)
    assert round(paired_t(FIRST, SECOND, ddof=0).sd, 4) == 0.2449


@given(pairs)
def test_paired_t_agrees_with_scipy(scores):
    """Wherever the differences vary."""
    ours = paired_t(*scores)
    d = scores[0] - scores[1]
    if ours.degenerate:
        assert np.ptp(d) < 1e-9
        assert ours.p == (0.0 if abs(d[0]) > 1e-9 else 1.0)
        return
    theirs = stats.ttest_rel(*scores)
    assert ours.t == pytest.approx(theirs.statistic, rel=1e-9, abs=1e-12)
    assert ours.p == pytest.approx(theirs.pvalue, rel=1e-8, abs=1e-12)


@pytest.mark.parametrize("n", [0, 1, 2, 30])
def test_identical_scores_have_p_1_and_no_nan(n):
    """Zero variance is flagged, at every size."""
    scores = np.full(n, 0.25)
    test = paired_t(scores, scores)
    assert (test.p, test.t, test.degenerate) == (1.0, None, True)
    assert test.sd in (None, 0.0)
    assert wilcoxon(scores, scores).p == 1.0


@given(st.integers(0, 3).flatmap(lambda n: st.tuples(*[arrays(np.float64, n, elements=rough)] * 2)), ties)
def test_no_comparison_has_a_nan(tiny, small):
    """Few queries, or all alike, give None or a number."""
    for a, b in (tiny, small):
        found = compare_paired(a, b, range_width=1)
        numbers = [found.p, found.floor, found.effective_n, found.difference, found.d_z, found.detectable]
        numbers += [found.interval.low, found.interval.high, found.mean_a, found.mean_b]
        assert not any(number is not None and math.isnan(number) for number in numbers)
        assert found.wins + found.ties + found.losses == found.n == len(a)


@pytest.mark.parametrize("n", [6, 15, 40])
def test_wilcoxon_agrees_with_scipy(n):
    """With its exact distribution, without ties; and it says what it tests."""
    rng = np.random.default_rng(n)
    a, b = rng.normal(0.4, 1, n), rng.normal(size=n)
    theirs = stats.wilcoxon(a, b, method="exact")
    ours = wilcoxon(a, b)
    assert (ours.statistic, ours.p) == (theirs.statistic, pytest.approx(theirs.pvalue, rel=1e-6, abs=1e-9))
    assert "not of the mean" in ours.tests


def test_wilcoxon_shares_ranks_and_drops_zeros():
    """As scipy does, in its approximation for many ties."""
    rng = np.random.default_rng(4)
    a, b = rng.integers(0, 4, (2, 120)).astype(float)
    theirs = stats.wilcoxon(a, b, zero_method="wilcox", correction=False, method="asymptotic")
    ours = wilcoxon(a, b)
    assert ours.statistic == theirs.statistic
    assert ours.p == pytest.approx(theirs.pvalue, abs=0.01)


@given(pairs, st.sampled_from([0.9, 0.95, 0.99]))
def test_the_guarded_interval_is_t_with_two_pseudo_differences(scores, level):
    """Written out with scipy: n + 2 values, the t quantile of n - 1 degrees of freedom, within the range."""
    d = differences(*scores)
    n, largest = len(d), float(np.abs(d).max())
    w = 1.0 if n < 50 or not largest else largest
    padded = np.array([*d, w, -w])
    half = stats.t.ppf((1 + level) / 2, n - 1) * stats.sem(padded)
    ours = guarded_t(d, range_width=1, level=level)
    assert ours.low == pytest.approx(max(-1, padded.mean() - half), abs=1e-9)
    assert ours.high == pytest.approx(min(1, padded.mean() + half), abs=1e-9)
    assert ours.low <= d.mean() + 1e-12
    assert d.mean() - 1e-12 <= ours.high


def test_an_unbounded_metric_is_guarded_by_its_largest_difference():
    """Without a range there is no interval where nothing differs."""
    assert guarded_t([0.0] * 20, range_width=None).low is None
    d = np.array([3.0, -1.0, 0.5, 0.0] * 5)
    assert guarded_t(d, range_width=None) == guarded_t(d, range_width=3.0)
    assert guarded_t([0.0] * 20, range_width=1.0).low < 0 < guarded_t([0.0] * 20, range_width=1.0).high


def test_rows_give_what_each_gives_alone():
    """The form for many samples is the form for one."""
    rows = np.random.default_rng(0).integers(-1, 2, (6, 60)) / 2
    low, high = guarded_limits(rows, range_width=1.0)
    each = [guarded_t(row, range_width=1.0) for row in rows]
    assert low == pytest.approx([one.low for one in each])
    assert high == pytest.approx([one.high for one in each])


@given(pairs)
def test_swapping_the_systems_mirrors_the_comparison(scores):
    """Comparing b against a is a against b with the signs turned."""
    a, b = scores
    one, two = compare_paired(a, b, range_width=1), compare_paired(b, a, range_width=1)
    mirrored = {"better": "worse", "worse": "better"}
    assert two.verdict == mirrored.get(one.verdict, one.verdict)
    assert (two.wins, two.ties, two.losses) == (one.losses, one.ties, one.wins)
    assert two.p == pytest.approx(one.p, abs=1e-9)
    assert two.interval.low == pytest.approx(-one.interval.high)


def test_a_clear_gain_is_better():
    """15 of 50 questions gained and none lost; where lower is better, the same is worse."""
    a, b = [1.0] * 40 + [0.0] * 10, [1.0] * 25 + [0.0] * 25
    found = compare_paired(a, b, range_width=1)
    assert (found.verdict, found.wins, found.ties, found.losses) == ("better", 15, 35, 0)
    assert found.interval.low > 0
    assert found.p == pytest.approx(2**-14)
    errors = compare_paired(a, b, range_width=1, higher_is_better=False)
    assert (errors.verdict, errors.wins, errors.losses, errors.difference) == ("worse", 0, 15, 0.3)


def test_fewer_than_six_differing_queries_are_not_enough():
    """No result could reach 5%: that is said, unless nothing differs at all."""
    base = [0.0] * 40
    assert compare_paired([1.0] * 3 + base[3:], base, range_width=1).verdict == "not enough questions"
    assert compare_paired(base, base, range_width=1).verdict == "no difference seen"
    assert compare_paired([], [], range_width=1).verdict == "not enough questions"


def test_the_reports_of_the_seed_cannot_be_significant():
    """.88 against .82 at 50 questions is three questions: p is .25 at least, never .023."""
    found = compare_paired([1.0] * 44 + [0.0] * 6, [1.0] * 41 + [0.0] * 9, range_width=1)
    assert found.p == 0.25
    assert found.verdict == "not enough questions"
    assert paired_t([1.0] * 44 + [0.0] * 6, [1.0] * 41 + [0.0] * 9).p == pytest.approx(0.083, abs=5e-4)


def test_a_disagreement_is_borderline():
    """Six small gains and no loss: p is .031, but the guarded interval at 20 questions holds 0."""
    near = compare_paired([0.3] * 6 + [0.0] * 14, [0.0] * 20, range_width=1)
    assert near.p < 0.05 < near.interval.high
    assert near.interval.low < 0
    assert near.verdict == "borderline"


def test_few_clusters_are_borderline_where_p_and_the_interval_disagree():
    """With six clusters that all gain, p is .031, but the guarded interval holds 0: never the nicer of the two."""
    a, labels = np.repeat([0.2, 0.1, 0.3, 0.2, 0.1, 0.2], 5), np.repeat(np.arange(6), 5)
    found = compare_paired(a, np.zeros(30), range_width=1, clusters=labels)
    assert found.interval.low < 0
    assert (found.p, found.verdict, found.clusters.clusters) == (0.03125, "borderline", 6)


def test_what_the_set_could_have_seen():
    """More than by the planning formula, which knows no guard; and something where nothing varies."""
    rng = np.random.default_rng(2)
    a, b = rng.random((2, 50))
    found = compare_paired(a, b, range_width=1)
    planned = detectable_difference((a - b).std(ddof=1), 50)
    assert planned < found.detectable < 1.15 * planned
    assert found.d_z == pytest.approx((a - b).mean() / (a - b).std(ddof=1))
    same = compare_paired(a, a, range_width=1)
    assert same.d_z is None
    assert 0.05 < same.detectable < 0.3
    assert compare_paired(a[:5], b[:5], range_width=1).detectable is None


@pytest.mark.parametrize("size", [1e-200, 1e-300, 1e200, 1e308])
def test_sizes_near_the_ends_of_a_number_do_not_matter(size):
    """p, t and the verdict are those of ordinary sizes; what is too large for a number is None, never NaN."""
    d = np.array([1.0, 0.25, 0.5, -0.25, 0.75, 0.5, 1.0, 0.5])
    usual, found = (compare_paired(one, 0 * d, range_width=None) for one in (d, d * size))
    assert (found.verdict, found.p, found.d_z) == (usual.verdict, pytest.approx(usual.p), pytest.approx(usual.d_z))
    assert found.difference == pytest.approx(usual.difference * size)
    assert found.interval.high == pytest.approx(usual.interval.high * size)
    assert paired_t(d * size, 0 * d).t == pytest.approx(paired_t(d, 0 * d).t)
    assert paired_t(d * size, 0 * d).p == pytest.approx(paired_t(d, 0 * d).p)
    lonely = compare_paired([size, -size, size], [0.0] * 3, range_width=None)
    numbers = [lonely.interval.low, lonely.interval.high, lonely.detectable, lonely.difference]
    assert all(number is None or math.isfinite(number) for number in numbers)


def test_rounding_is_no_difference():
    """.1 + .2 equals .3 here; sizes that do not match are refused."""
    assert differences([0.1 + 0.2], [0.3]).tolist() == [0.0]
    assert wins_ties_losses([0.5, 0.0, -0.5, 1.0]) == (2, 1, 1)
    with pytest.raises(UsageError, match=r"\(2,\) and \(1,\)"):
        differences([1, 2], [1])
