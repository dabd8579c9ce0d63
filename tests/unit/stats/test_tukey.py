"""Many systems on the same queries: all pairs, and the winner's curse."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy import stats

from ragstone.errors import UsageError
from ragstone.stats.randomization import sign_flip_p
from ragstone.stats.selection import expected_advantage, holdout_winner, winner
from ragstone.stats.tukey import permuted_means, randomized_tukey, randomized_tukey_many


def noise(n, systems, seed=0):
    return np.random.default_rng(seed).normal(size=(n, systems))


def test_it_agrees_with_full_permutation_of_labels():
    """With four queries and three systems all 6^4 permutations can be counted."""
    scores = np.array([[0.1, 0.5, 0.9], [0.2, 0.3, 0.8], [0.4, 0.1, 0.6], [0.3, 0.35, 1.0]])
    orders = list(itertools.permutations(range(3)))
    sums = [
        sum(row[list(order)] for row, order in zip(scores, pattern, strict=True))
        for pattern in itertools.product(orders, repeat=4)
    ]
    ranges = np.ptp(np.array(sums), axis=1) / 4
    means = scores.mean(0)
    test = randomized_tukey(scores, permutations=20_000, seed=1)
    for a, b in itertools.combinations(range(3), 2):
        wanted = (ranges >= abs(means[a] - means[b]) - 1e-9).mean()
        assert test.p[a, b] == test.p[b, a] == pytest.approx(wanted, abs=0.015)
    assert test.p.diagonal().tolist() == [1, 1, 1]


def test_two_systems_give_the_sign_flip_test():
    """Permuting two labels is flipping a sign."""
    scores = noise(40, 2, 3) + np.array([0.0, 0.3])
    found = randomized_tukey(scores, permutations=20_000).p[0, 1]
    assert found == pytest.approx(sign_flip_p(scores[:, 0] - scores[:, 1]).p, abs=0.015)


def test_normal_scores_give_the_studentized_range():
    """For normal scores the critical difference is Tukey's, from scipy."""
    scores = noise(200, 6, 4)
    residual = scores - scores.mean(0) - scores.mean(1, keepdims=True) + scores.mean()
    freedom = 199 * 5
    error = np.sqrt((residual**2).sum() / freedom / 200)
    wanted = stats.studentized_range.ppf(0.95, 6, freedom) * error
    assert randomized_tukey(scores, permutations=10_000).critical == pytest.approx(wanted, rel=0.03)


def test_a_better_system_stands_out():
    """And the equal ones do not; p is at least 1 / (1 + permutations)."""
    test = randomized_tukey(noise(60, 4, 5) + np.array([0, 0, 0, 2.0]), permutations=999)
    assert (test.p[3, :3] == 1 / 1000).all()
    assert (test.p[:3, :3] > 0.05).all()
    assert test.critical < 2


def test_metrics_share_permutations():
    """Each metric's result is the one that it has alone, for the same seed."""
    scores = np.stack([noise(30, 5, 6), noise(30, 5, 7)], axis=1)
    many = randomized_tukey_many(scores, permutations=300, seed=9)
    for metric in range(2):
        alone = randomized_tukey(scores[:, metric], permutations=300, seed=9)
        assert (many[metric].p == alone.p).all()
        assert many[metric].critical == alone.critical


def test_equal_scores_differ_nowhere():
    """All p are 1, the critical difference is 0, and no advantage is expected."""
    test = randomized_tukey(np.ones((10, 3)))
    assert (test.p == 1).all()
    assert (test.critical, test.best_of_equal) == (0, 0)
    best = winner(np.ones((10, 3)))
    assert (best.system, best.shrunken, best.shrinkage) == (0, 1.0, 1.0)


def test_the_best_of_equal_runs_looks_better_by_the_mean_of_the_largest():
    """For normal noise that is the expected maximum of 16 standard errors, 1.766, less the shared part."""
    scores = noise(100, 16, 8)
    wanted = 1.766 * scores.std() / 10
    assert expected_advantage(scores, permutations=3000) == pytest.approx(wanted, rel=0.05)
    assert randomized_tukey(scores, permutations=3000).best_of_equal == expected_advantage(
        scores, permutations=3000
    )


@pytest.mark.parametrize("gap", [0.1, 0.5, 5.0])
def test_a_broken_run_adds_nothing_to_the_luck_of_equal_ones(gap):
    """The advantage is that of the same scores without the gap, by the test and by the winner."""
    scores = 0.05 * noise(60, 6, 2)
    broken = scores - np.array([0, 0, 0, 0, 0, gap])
    wanted = expected_advantage(scores)
    assert expected_advantage(broken) == pytest.approx(wanted, rel=0.1)
    assert winner(broken).best_of_equal == randomized_tukey(broken).best_of_equal == expected_advantage(broken)
    assert winner(broken, advantage=0.25).best_of_equal == 0.25


def test_shrinkage_takes_luck_out_of_the_winner():
    """Over many sets of equal runs the shrunken winner is nearly unbiased, the raw one is not."""
    raw, shrunken = [], []
    for seed in range(60):
        best = winner(noise(50, 16, seed), advantage=0.0)
        raw.append(best.mean)
        shrunken.append(best.shrunken)
    assert np.mean(raw) > 0.2
    assert np.mean(shrunken) < 0.07


def test_a_holdout_reports_on_queries_that_did_not_pick():
    """Over many splits of equal runs the picked half is optimistic and the other half is not."""
    found = [holdout_winner(noise(40, 16, seed), seed=seed) for seed in range(150)]
    assert np.mean([one.picked_mean for one in found]) > 0.25
    assert abs(np.mean([one.mean for one in found])) < 0.06
    assert sorted(found[0].picked_on + found[0].held_out) == list(range(40))
    assert found[0].mean == noise(40, 16, 0)[list(found[0].held_out), found[0].system].mean()
    assert found[0] == holdout_winner(noise(40, 16, 0), seed=0)


def test_replicates_are_ranges_of_means():
    """Ranges are at least the best's distance from the overall mean."""
    (found,) = permuted_means(noise(20, 4)[:, None], 700, 0)
    assert len(found.ranges) == len(found.best) == 700
    assert (found.ranges >= found.best).all()
    assert (found.best >= 0).all()


def test_incomplete_input_is_refused():
    """Missing values, one system, no query: each with what was seen."""
    with pytest.raises(UsageError, match="1 of 4 are not finite"):
        randomized_tukey([[1, 2], [3, float("nan")]])
    for shape in ((3, 1), (0, 3)):
        with pytest.raises(UsageError, match="at least two systems"):
            randomized_tukey(np.zeros(shape))
        with pytest.raises(UsageError, match="at least two systems"):
            winner(np.zeros(shape))
    with pytest.raises(UsageError, match=r"\(queries, systems\)"):
        randomized_tukey([1.0])
    with pytest.raises(UsageError, match="at least two queries"):
        holdout_winner([[1.0, 2.0]])
