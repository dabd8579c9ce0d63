"""Comparisons against independent computations: brute force, scipy, and promised false-alarm rates."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy import stats

from ragstone.stats.bootstrap import percentile_many
from ragstone.stats.corrections import holm
from ragstone.stats.paired import compare_paired, paired_t
from ragstone.stats.randomization import sign_flip_p_many
from ragstone.stats.selection import expected_advantage
from ragstone.stats.simulate import SCENARIOS, equal_systems
from ragstone.stats.tukey import randomized_tukey

SYSTEMS, QUERIES, FLIPS = 6, 300, 20_000


@pytest.fixture(scope="module")
def differences():
    """All pairs of six systems under four metrics: hits, precision, reciprocal rank and a graded one."""
    rng = np.random.default_rng(21)
    ranks = rng.geometric(0.35 + 0.01 * np.arange(SYSTEMS), (QUERIES, SYSTEMS))
    metrics = [
        ranks <= 3,
        rng.integers(0, 6, (QUERIES, SYSTEMS)) / 5,
        1 / ranks,
        rng.beta(3, 2, (QUERIES, SYSTEMS)),
    ]
    pairs = list(itertools.combinations(range(SYSTEMS), 2))
    return np.column_stack([metric[:, a] * 1.0 - metric[:, b] for metric in metrics for a, b in pairs])


def test_exact_p_values_agree_with_random_sign_flips(differences):
    """All sixty, within four and a half standard errors of 20,000 flips each."""
    signs = np.random.default_rng(1).integers(0, 2, (FLIPS, QUERIES)) * 2.0 - 1
    sums, seen = np.abs(signs @ differences), np.abs(differences.sum(0))
    sampled = (sums >= seen - 1e-9).mean(0)
    exact = sign_flip_p_many(differences)
    error = np.sqrt(exact * (1 - exact) / FLIPS) + 1 / FLIPS
    assert (np.abs(sampled - exact) / error).max() < 4.5


def test_p_values_approach_the_t_test(differences):
    """With 300 questions and a graded metric the sign-flip test and Student's t say nearly the same."""
    graded = differences[:, -15:]
    assert sign_flip_p_many(graded) == pytest.approx(stats.ttest_1samp(graded, 0).pvalue, abs=0.005)


def test_bootstrap_limits_agree_with_scipy(differences):
    """Percentile limits of all sixty, within 5% of the width."""
    low, high = percentile_many(differences, resamples=10_000)
    theirs = stats.bootstrap(
        (differences,),
        np.mean,
        axis=0,
        n_resamples=3000,
        method="percentile",
        batch=50,
        rng=np.random.default_rng(5),
    ).confidence_interval
    width = theirs.high - theirs.low
    assert (np.abs(low - theirs.low) / width).max() < 0.06
    assert (np.abs(high - theirs.high) / width).max() < 0.06


def test_the_worked_case_of_the_design():
    """It has t 2.44949, p .0704840, mean .3; the comparison agrees, and is careful with five questions."""
    a, b = [1, 0.5, 1, 0.5, 1], [0.5, 0.5, 0.5, 0, 1]
    assert paired_t(a, b).t == pytest.approx(stats.ttest_rel(a, b).statistic) == pytest.approx(2.44949, abs=1e-5)
    found = compare_paired(a, b, range_width=1)
    assert found.difference == pytest.approx(0.3)
    assert (found.wins, found.ties, found.losses, found.p) == (3, 2, 0, 0.25)
    assert found.verdict == "not enough questions"


def test_sixteen_equal_configurations_have_no_winner():
    """Uncorrected, a "winner" over the baseline turns up often; with Holm and with Tukey hardly ever."""
    drawn = equal_systems(np.random.default_rng(9), 200, 50, 16)
    naive, corrected, tukey = [], [], []
    for run, scores in enumerate(drawn):
        p = sign_flip_p_many(scores[:, 1:] - scores[:, :1])
        naive.append(p.min() <= 0.05)
        corrected.append(holm(p).min() <= 0.05)
        tukey.append(randomized_tukey(scores, permutations=400, seed=run).p.min() <= 0.05)
    assert np.mean(naive) > 0.2
    assert np.mean(corrected) <= 0.065
    assert np.mean(tukey) <= 0.08


def test_the_advantage_of_the_best_of_equal_runs_is_what_it_says():
    """Over 200 experiments the best of 16 leads by as much, on average, as the replicates expect."""
    drawn = equal_systems(np.random.default_rng(10), 200, 50, 16)
    seen = np.mean([(scores.mean(0) - scores.mean()).max() for scores in drawn])
    expected = np.mean([expected_advantage(scores, permutations=200) for scores in drawn[:50]])
    assert expected == pytest.approx(seen, rel=0.06)


def test_default_verdicts_rarely_see_what_is_not_there():
    """One by one, as reports call them, on every scenario of two equal systems at 30 questions."""
    for number, scenario in enumerate(SCENARIOS):
        if scenario.difference:
            continue
        first, second = scenario.draw(np.random.default_rng(number), 300, 30)
        labels = np.arange(30) // 5 if scenario.clustered else None
        found = [
            compare_paired(a, b, range_width=scenario.range_width, clusters=labels).verdict
            for a, b in zip(first, second, strict=True)
        ]
        assert np.mean([verdict in ("better", "worse") for verdict in found]) <= 0.065, scenario.name
