"""Slices: an interaction test, shrinkage, and order by evidence."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from ragstone.errors import UsageError
from ragstone.stats.corrections import benjamini_hochberg
from ragstone.stats.guarded import guarded_t
from ragstone.stats.randomization import sign_flip_p
from ragstone.stats.slices import interaction_p, partial_pooling, slice_differences


def test_interaction_agrees_with_all_permutations():
    """With seven queries in three slices, all 5,040 orders can be counted."""
    d, labels = np.array([0.1, 0.9, 0.3, -0.2, 0.0, 0.5, -0.6]), np.array([0, 0, 0, 1, 1, 2, 2])

    def spread(values):
        return sum(values[labels == one].sum() ** 2 / (labels == one).sum() for one in range(3))

    every = [spread(np.array(order)) for order in itertools.permutations(d)]
    wanted = np.mean([one >= spread(d) - 1e-9 for one in every])
    assert interaction_p(d, labels, permutations=20_000, seed=1) == pytest.approx(wanted, abs=0.015)


def test_interaction_sees_opposite_effects_and_no_equal_ones():
    """Helps one and hurts another is seen; the same gain everywhere is none."""
    labels = ["x"] * 15 + ["y"] * 15
    rng = np.random.default_rng(0)
    noise = rng.normal(0, 0.2, 30)
    opposite = noise + np.repeat([0.3, -0.3], 15)
    assert interaction_p(opposite, labels, permutations=2000) < 0.01
    assert interaction_p(noise + 0.5, labels, permutations=2000) > 0.05
    assert interaction_p(opposite, ["x"] * 30) == interaction_p([], []) == interaction_p([0.0] * 30, labels) == 1.0


def test_pooling_draws_small_slices_further():
    """Towards the overall mean, and all the way where slices do not vary more than noise."""
    rng = np.random.default_rng(1)
    d = np.concatenate([rng.normal(0.5, 0.3, 60), rng.normal(-0.5, 0.3, 60), rng.normal(0.5, 0.3, 3)])
    labels = ["large"] * 60 + ["other"] * 60 + ["small"] * 3
    pooled = partial_pooling(d, labels)
    overall = d.mean()
    kept = {
        label: (pooled[label] - overall) / (d[np.array(labels) == label].mean() - overall)
        for label in ("large", "small")
    }
    assert 0.5 < kept["small"] < kept["large"] < 1
    flat = partial_pooling([0.1, -0.1, 0.1, -0.1], ["x", "x", "y", "y"])
    assert flat == {"x": 0.0, "y": 0.0}


def test_pooling_is_closer_to_the_truth_than_raw_means():
    """Over slices of six queries with a small true spread."""
    rng = np.random.default_rng(2)
    labels = np.arange(48) // 6
    raw_error = pooled_error = 0.0
    for _ in range(200):
        truth = rng.normal(0, 0.05, 8)
        d = truth[labels] + rng.normal(0, 0.3, 48)
        pooled = partial_pooling(d, labels)
        pooled_error += sum((pooled[one] - truth[one]) ** 2 for one in range(8))
        raw_error += sum((d[labels == one].mean() - truth[one]) ** 2 for one in range(8))
    assert pooled_error < 0.5 * raw_error


def test_slices_come_by_evidence():
    """Not by size of the difference; each with its interval, p and adjusted p."""
    d = np.array([0.3] * 20 + [1.0] * 2 + [0.0] * 8)
    labels = ["often"] * 20 + ["rare"] * 2 + ["never"] * 8
    found = slice_differences(d, labels, range_width=1)
    assert [one.label for one in found] == ["often", "rare", "never"]
    assert [one.few for one in found] == [False, True, True]
    p = [sign_flip_p([0.3] * 20).p, 0.5, 1.0]
    assert [one.p for one in found] == p
    assert [one.adjusted_p for one in found] == benjamini_hochberg(p).tolist()
    assert found[1].interval == guarded_t([1.0, 1.0], range_width=1)
    assert [one.n for one in found] == [20, 2, 8]
    assert slice_differences([], [], range_width=1) == []


def test_slices_of_clustered_questions():
    """Twelve questions from three documents are three: p cannot be below .25, and the interval is wider."""
    d, labels, clusters = np.array([0.5] * 12 + [0.0] * 6), ["x"] * 12 + ["y"] * 6, np.arange(18) // 4
    (plain, _), (found, other) = (
        slice_differences(d, labels, range_width=1, clusters=c) for c in (None, clusters)
    )
    assert (found.label, found.n, found.p, plain.p) == ("x", 12, 0.25, 2**-11)
    assert found.interval == guarded_t(d[:12], range_width=1, clusters=clusters[:12])
    assert found.interval.high - found.interval.low > plain.interval.high - plain.interval.low
    assert other.p == 1.0


def test_interaction_of_clustered_questions():
    """Documents that lie in one slice each raise few false alarms as wholes, and many as single questions."""
    rng = np.random.default_rng(5)
    clusters = np.arange(100) // 5
    labels, spread = clusters % 4, np.arange(100) % 4
    drawn = [np.repeat(rng.normal(size=20), 5) + rng.normal(size=100) for _ in range(150)]

    def alarms(slices, **options):
        return np.mean([interaction_p(d, slices, permutations=300, **options) <= 0.05 for d in drawn])

    assert alarms(labels) > 0.2
    assert alarms(labels, clusters=clusters) <= 0.09
    assert alarms(spread, clusters=clusters) <= 0.065
    assert interaction_p(drawn[0] + 3 * labels, labels, clusters=clusters, permutations=300) < 0.01


def test_labels_must_fit():
    """One for each query."""
    with pytest.raises(UsageError, match="as many labels"):
        interaction_p([0.1, 0.2], ["x"])
