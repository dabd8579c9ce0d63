"""The system's own noise: repeats and A/A runs."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.matrix_runs import matrix_report

from ragstone.errors import UsageError
from ragstone.experiments.choice.noise import spread


def test_variance_components_worked_by_hand():
    """Questions (1, 0), (1, 1), (0, 0), (0, 0): within .5 / 4, between var(.5, 1, 0, 0) - within / 2."""
    found = spread([[1, 0], [1, 1], [0, 0], [0, 0]])
    assert found.within == pytest.approx(0.125)
    assert found.between == pytest.approx(np.var([0.5, 1, 0, 0], ddof=1) - 0.0625)
    assert found.means == (0.5, 0.25)
    assert found.changed == 1
    assert found.error**2 == pytest.approx((found.between + 0.125 / 2) / 4)
    assert found.error_if_quiet < found.error


def test_no_noise():
    """Where every repeat gives the same, the floor is 0 and nothing is noise."""
    found = spread([[1.0, 1.0], [0.5, 0.5]])
    assert (found.within, found.changed, found.floor(), found.noise_share) == (0.0, 0, 0.0, 0.0)
    assert spread([[1.0, 1.0]]).noise_share is None


def test_the_components_are_found_again():
    """With true variances .04 within and .09 between, 2,000 questions with 3 repeats give them back."""
    rng = np.random.default_rng(0)
    truth = rng.normal(0, 0.3, (2000, 1))
    found = spread(truth + rng.normal(0, 0.2, (2000, 3)))
    assert found.within == pytest.approx(0.04, rel=0.05)
    assert found.between == pytest.approx(0.09, rel=0.1)
    assert found.noise_share == pytest.approx(0.04 / 0.13, rel=0.1)


def test_the_floor_holds_in_95_of_100_pairs_of_runs():
    """The difference of two runs of one configuration stays below the floor 95% of the time."""
    rng = np.random.default_rng(4)
    truth = rng.random((40, 1))
    inside = 0
    for _ in range(1000):
        known = spread(truth + rng.normal(0, 0.1, (40, 2)))
        two = (truth + rng.normal(0, 0.1, (40, 2))).mean(0)
        inside += abs(two[0] - two[1]) <= known.floor()
    assert 0.925 < inside / 1000 < 0.975


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1), st.floats(0, 1)), min_size=2, max_size=30))
def test_repeats_narrow_the_floor_and_components_are_never_negative(rows):
    """More repeats never widen the floor, and no variance is below 0."""
    found = spread(rows)
    assert found.within >= 0
    assert found.between >= 0
    assert found.floor(4) <= found.floor() + 1e-12
    assert found.error_if_quiet <= found.error + 1e-12


@pytest.mark.parametrize("wrong", [[[1.0], [2.0]], [1.0, 2.0], [], [[1.0, float("nan")]]])
def test_one_measurement_has_no_spread(wrong):
    """A spread needs two measurements of each question, all of them numbers."""
    with pytest.raises(UsageError):
        spread(wrong)


def test_a_run_with_repeats_carries_its_spread():
    """Three repeats with the gold of q0 at ranks 1, 2, 4: its variance over four questions, by every metric."""
    (run,) = matrix_report({"a": [[1, 1, 2, 1], [2, 1, 2, 1], [4, 1, 2, 1]]}, repeats=3).runs
    found = run.spread["RR"]
    assert (found.n, found.repeats, found.changed) == (4, 3, 1)
    assert found.within == pytest.approx(np.var([1, 0.5, 0.25], ddof=1) / 4)
    assert run.summaries["RR"].value == pytest.approx(np.mean(found.means))
    assert run.spread["Hit@5"].changed == 0


def test_a_run_without_repeats_has_none():
    """Each question asked once says nothing about noise."""
    (run,) = matrix_report({"a": [1, 2, 3]}).runs
    assert run.spread == {}
