"""The sign-flip test is exact, however it is computed."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from ragstone.errors import UsageError
from ragstone.stats import exact
from ragstone.stats.randomization import randomization_p_many, sign_flip_p, sign_flip_p_many

scores = st.sampled_from([-1.0, -0.5, -0.2, 0.0, 0.0, 0.1, 0.25, 1 / 3, 0.5, 1.0])
few = arrays(np.float64, st.integers(1, 11), elements=scores)


def enumerated(d):
    """Return p by going through every pattern of signs, the plainest way."""
    patterns = np.array(list(itertools.product([1, -1], repeat=len(d))))
    return float((np.abs(patterns @ d) >= abs(d.sum()) - 1e-9).mean())


def by_inversion(d):
    return float(exact.by_inversion(d[None], np.abs(d.sum(keepdims=True)))[0])


def by_lattice(d):
    multiples = exact.lattice_multiples(np.abs(d))
    return exact.on_lattice(multiples).at_least(abs(int((np.sign(d) * multiples).sum())))


@given(few)
def test_p_is_the_share_of_all_sign_patterns(d):
    """Ties with the observed mean count, and queries that do not differ change nothing."""
    assert sign_flip_p(d).p == pytest.approx(enumerated(d), abs=1e-12)


@given(few.filter(lambda d: bool((d != 0).any())))
def test_the_lattice_agrees_with_enumeration(d):
    """For differences that are multiples of a step, among them thirds."""
    d = d[d != 0]
    assert by_lattice(d) == pytest.approx(enumerated(d), abs=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_inversion_agrees_with_enumeration(seed):
    """For graded differences, to 1e-4 with 28 queries, where it is at its worst."""
    d = np.random.default_rng(seed).normal(0.3, 1, 28)
    assert sign_flip_p(d).method == "enumeration"
    assert by_inversion(d) == pytest.approx(sign_flip_p(d).p, abs=1e-4)


@pytest.mark.parametrize("seed", range(5))
def test_reciprocal_ranks_are_exact_on_their_lattice(seed):
    """Differences of reciprocal ranks down to 10 are multiples of 1/2520."""
    ranks = np.random.default_rng(seed).integers(1, 11, (2, 30))
    d = (1 / ranks[0] - 1 / ranks[1])[:28]
    d = d[d != 0]
    assert by_lattice(d) == pytest.approx(sign_flip_p(d).p, abs=1e-12)


def test_a_fine_lattice_with_many_queries_is_inverted():
    """Reciprocal ranks of 300 queries take too long on their lattice, and no longer need it."""
    ranks = np.random.default_rng(1).integers(1, 11, (2, 300))
    d = 1 / ranks[0] - 1 / ranks[1]
    signs = np.random.default_rng(2).integers(0, 2, (40_000, 300)) * 2.0 - 1
    sampled = (np.abs(signs @ d) >= abs(d.sum()) - 1e-9).mean()
    test = sign_flip_p(d)
    assert test.method == "inversion"
    assert test.p == pytest.approx(sampled, abs=4 * np.sqrt(sampled / 40_000))


@pytest.mark.parametrize(("wins", "losses"), [(5, 1), (30, 12), (300, 250), (2000, 1900)])
def test_hits_give_mcnemars_exact_test(wins, losses):
    """For 0/1 scores p is the binomial test of wins against losses, at every size."""
    d = np.array([1.0] * wins + [-1.0] * losses + [0.0] * 50)
    assert sign_flip_p(d).p == pytest.approx(stats.binomtest(wins, wins + losses).pvalue, rel=1e-9)


def test_many_queries_agree_with_scipys_permutation_test():
    """Within the sampling error of scipy's 100,000 permutations."""
    d = np.random.default_rng(1).beta(2, 2, 80) - 0.46
    theirs = stats.permutation_test(
        (d, np.zeros_like(d)),
        lambda a, b, axis: np.mean(a - b, axis=axis),
        permutation_type="samples",
        vectorized=True,
        n_resamples=100_000,
        batch=2000,
        rng=np.random.default_rng(2),
    ).pvalue
    ours = sign_flip_p(d)
    assert ours.method == "inversion"
    assert ours.p == pytest.approx(theirs, abs=4 * np.sqrt(theirs / 100_000))


@given(arrays(np.float64, st.integers(1, 60), elements=st.floats(-1, 1)), st.randoms(use_true_random=False))
def test_p_ignores_sides_and_order(d, random):
    """It lies within [floor, 1], and is the same for -d and for any order of the queries."""
    d = np.round(d, 3)
    shuffled = d.copy()
    random.shuffle(shuffled)
    test = sign_flip_p(d)
    assert max(test.floor, 1e-13) <= test.p <= 1
    assert sign_flip_p(-d).p == pytest.approx(test.p, abs=1e-9)
    assert sign_flip_p(shuffled).p == pytest.approx(test.p, abs=1e-9)
    assert test.differing == np.count_nonzero(d)


def test_nothing_that_differs_gives_one():
    """Equal scores, and no queries at all, have p 1 and floor 1."""
    for d in ([], [0.0] * 30):
        test = sign_flip_p(d)
        assert (test.p, test.method, test.floor, test.differing) == (1.0, "none", 1.0, 0)


def test_five_differing_queries_cannot_reach_five_percent():
    """The floor says so: 2^(1 - 5) is .0625, and six make .03125."""
    assert sign_flip_p([1.0] * 5).p == sign_flip_p([1.0] * 5).floor == 0.0625
    assert sign_flip_p([1.0] * 6).p == 0.03125


def test_whole_clusters_are_flipped():
    """The test is that of the clusters' sums; a cluster whose differences cancel out does not count."""
    d, labels = [0.5, 0.5, 0.25, -0.25, 1.0], ["x", "x", "y", "y", "z"]
    test = sign_flip_p(d, clusters=labels)
    assert (test.p, test.differing) == (sign_flip_p([1.0, 1.0]).p, 2)
    assert sign_flip_p_many(np.array([d]).T, clusters=labels).tolist() == [test.p]


@pytest.mark.parametrize("n", [5, 28, 40, 600])
def test_many_columns_give_what_each_gives_alone(n):
    """Whichever way each column takes."""
    rng = np.random.default_rng(n)
    matrix = np.column_stack(
        [
            rng.normal(0.1, 1, n),
            rng.integers(-1, 2, n),
            rng.integers(-5, 6, n) / 5,
            np.zeros(n),
            1 / rng.integers(1, 8, n),
        ]
    )
    assert sign_flip_p_many(matrix) == pytest.approx([sign_flip_p(column).p for column in matrix.T], abs=1e-12)


def test_one_dominating_difference_is_sampled_where_inversion_fails():
    """The sampled p is never 0, is the same for the same seed, and near the exact one."""
    d = np.concatenate([[1000.0], np.random.default_rng(0).normal(0, 1e-4, 40)])
    test = sign_flip_p(d, flips=500, seed=1)
    assert test.method == "sampling"
    assert test == sign_flip_p(d, flips=500, seed=1)
    assert 0.4 < test.p <= 1
    assert sign_flip_p_many(d[:, None], flips=500, seed=1).tolist() == [test.p]


def test_sampled_pairs_agree_with_the_exact_ones():
    """All pairs from one sign matrix, within the sampling error of 20,000 permutations."""
    scores = np.random.default_rng(5).random((300, 5)) + np.array([0, 0, 0.02, 0.04, 0.06])
    pairs = np.array(list(itertools.combinations(range(5), 2)))
    found = randomization_p_many(scores, pairs, permutations=20_000, seed=3)
    wanted = sign_flip_p_many(scores[:, pairs[:, 0]] - scores[:, pairs[:, 1]])
    assert np.abs(found - wanted).max() < 0.015


def test_sampled_ties_count():
    """Hits that are all equal in sum have p 1, in single precision too."""
    scores = np.array([[1.0, 0.0], [0.0, 1.0]] * 50)
    assert randomization_p_many(scores, [[0, 1]], permutations=200).tolist() == [1.0]


def test_missing_values_are_refused():
    """A query without a value is to be left out by the caller, who then says so."""
    with pytest.raises(UsageError, match="1 of 2 are not finite"):
        sign_flip_p([0.5, float("nan")])
    with pytest.raises(UsageError, match="as many labels"):
        sign_flip_p([0.5, 1.0], clusters=["x"])
    with pytest.raises(UsageError, match=r"queries, comparisons"):
        sign_flip_p_many([0.5])
