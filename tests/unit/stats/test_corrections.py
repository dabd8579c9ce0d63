"""Corrections for many tests agree with statsmodels."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests

from ragstone.errors import UsageError
from ragstone.stats.corrections import benjamini_hochberg, holm

p_values = st.lists(st.floats(0, 1).map(lambda p: round(p, 4)), min_size=1, max_size=60)


@given(p_values)
def test_holm_agrees_with_statsmodels(p):
    """To the last digits, ties included."""
    assert holm(p) == pytest.approx(multipletests(p, method="holm")[1], abs=1e-14)


@given(p_values)
def test_benjamini_hochberg_agrees_with_statsmodels(p):
    """To the last digits, ties included."""
    assert benjamini_hochberg(p) == pytest.approx(multipletests(p, method="fdr_bh")[1], abs=1e-14)


@given(p_values, st.randoms(use_true_random=False))
def test_adjusted_values_follow_their_test(p, random):
    """They do not depend on the order, are not below p, and not above 1."""
    order = list(range(len(p)))
    random.shuffle(order)
    for adjust in (holm, benjamini_hochberg):
        assert adjust([p[i] for i in order]) == pytest.approx(adjust(p)[order])
        assert (adjust(p) >= np.array(p) - 1e-15).all()
        assert (adjust(p) <= 1).all()


def test_no_tests_need_no_correction():
    """An empty family stays empty; a p that is missing is refused."""
    assert len(holm([])) == len(benjamini_hochberg([])) == 0
    with pytest.raises(UsageError, match="p-values"):
        holm([0.1, float("nan")])
