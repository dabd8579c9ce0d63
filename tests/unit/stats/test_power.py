"""How many questions: the worked numbers, and agreement with statsmodels."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.power import TTestPower

from ragstone.errors import UsageError
from ragstone.stats.power import detectable_difference, margin_of_error, queries_needed, sd_from_flips


@pytest.mark.parametrize(("n", "margin"), [(30, 0.1789), (50, 0.1386), (100, 0.0980), (200, 0.0693)])
def test_the_margin_table(n, margin):
    """Wald's margin of one rate at one half."""
    assert round(margin_of_error(n), 4) == margin


@pytest.mark.parametrize(
    ("share", "difference", "queries"),
    [(0.10, 0.05, 307), (0.15, 0.05, 464), (0.20, 0.05, 621), (0.15, 0.10, 110), (0.10, 0.02, 1955)],
)
def test_questions_needed_for_hit_rates(share, difference, queries):
    """By the share of questions that flip."""
    assert queries_needed(sd_from_flips(share, difference), difference) == queries


def test_reciprocal_rank():
    """With a spread of .33, 50 questions show 13 points and 200 show 6.5."""
    assert detectable_difference(0.33, 50) == pytest.approx(0.13, abs=0.002)
    assert detectable_difference(0.33, 200) == pytest.approx(0.065, abs=0.001)


@given(st.floats(0.05, 0.6), st.sampled_from([0.7, 0.8, 0.9]), st.sampled_from([0.01, 0.05, 0.1]))
def test_it_agrees_with_statsmodels(effect, power, alpha):
    """It uses the t distribution and asks for one to four questions more."""
    theirs = TTestPower().solve_power(effect_size=effect, power=power, alpha=alpha)
    assert 0 <= theirs - queries_needed(1.0, effect, power, alpha) + 1 <= 5


def test_statsmodels_worked_case():
    """284.5 questions by statsmodels against 283 here, at an effect of one sixth."""
    assert TTestPower().solve_power(effect_size=1 / 6, power=0.8, alpha=0.05) == pytest.approx(284.5, abs=0.1)
    assert queries_needed(1.0, 1 / 6) == 283


@given(st.floats(0.01, 2), st.floats(0.005, 0.5))
def test_the_two_formulas_are_inverse(sd, difference):
    """As many questions as a difference needs show that difference, and one question less does not."""
    n = queries_needed(sd, difference)
    assert detectable_difference(sd, n) <= difference * (1 + 1e-9)
    if n > 2:
        assert detectable_difference(sd, n - 1) > difference * (1 - 1e-9)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: queries_needed(0.3, 0.0), "difference is 0"),
        (lambda: sd_from_flips(0.05, 0.1), "at least that share"),
        (lambda: sd_from_flips(1.5, 0.1), "at most 1"),
        (lambda: margin_of_error(0), "n is 0"),
        (lambda: detectable_difference(-1, 10), "sd is -1"),
        (lambda: detectable_difference(1, 10, power=1), "between 0 and 1"),
    ],
)
def test_impossible_plans_are_refused(call, message):
    """Each with the value seen and the limit."""
    with pytest.raises(UsageError, match=message):
        call()
