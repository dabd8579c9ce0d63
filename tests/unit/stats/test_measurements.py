"""Percentiles of measurements some of which were cut off, and several of which are of one question."""

from __future__ import annotations

from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragstone.stats.intervals import order_statistics
from ragstone.stats.measurements import Measurements, percentiles, quantile_of
from ragstone.stats.summary import summarise
from ragstone.types import CutOff, Score

TIMES = st.lists(st.tuples(st.floats(0, 100), st.booleans(), st.booleans()), min_size=1, max_size=120)


def scores(values, cut_off):
    return [[Score(float(v), "timeout" if c else None)] for v, c in zip(values, cut_off, strict=True)]


@pytest.mark.parametrize(
    ("late", "value", "high"), [(100, 50.0, None), (10, 50.0, None), (3, 6.0, None), (0, 6.0, 6.0)]
)
def test_a_limit_that_rests_on_a_cut_off_search_is_unknown(late, value, high):
    """Of 100 searches, p95 is at least 50 ms where ten or all were cut off; with three its upper limit is one."""
    found = quantile_of(
        Measurements.of(scores([50.0] * late + [6.0] * (100 - late), [True] * late + [False] * (100 - late))), 0.95
    )
    assert (found.value, found.interval.high) == (value, high)
    assert found.cut_off == (CutOff(n=late, limit=50.0, reached=late >= 10) if late else None)


@given(TIMES, st.sampled_from([0.05, 0.5, 0.9, 0.95]))
def test_cutting_off_more_never_narrows_what_is_known(rows, p):
    """An upper limit stays or is lost; a value that was at least so much stays so."""
    values = [value for value, _, _ in rows]
    some, more = [one for _, one, _ in rows], [one or other for _, one, other in rows]
    few, many = (quantile_of(Measurements.of(scores(values, cut)), p) for cut in (some, more))
    assert many.value == few.value
    assert many.interval.low == few.interval.low
    assert many.interval.high is None or (
        few.interval.high is not None and many.interval.high >= few.interval.high
    )
    assert bool(many.cut_off and many.cut_off.reached) >= bool(few.cut_off and few.cut_off.reached)


@given(TIMES, st.sampled_from([0.05, 0.5, 0.95]), st.floats(0, 1000))
def test_the_truth_lies_within(rows, p, longer):
    """However long the cut off searches would have taken, the percentile of that is not below the one given."""
    values, cut = np.array([value for value, _, _ in rows]), np.array([one for _, one, _ in rows])
    found = quantile_of(Measurements.of(scores(values, cut)), p)
    true = float(np.quantile(np.where(cut, values + longer, values), p))
    assert true >= found.value - 1e-9
    if not (found.cut_off and found.cut_off.reached):
        # It rests on none of them, unless one that was stopped early would have overtaken others.
        assert true <= float(percentiles(np.where(cut, 1e6, values), p)) + 1e-9


@given(st.lists(st.floats(-50, 50) | st.just(float("nan")), min_size=1, max_size=30), st.floats(0, 1))
def test_percentiles_are_those_of_numpy(values, p):
    """Without what is not there."""
    row = np.array(values)
    if not np.isnan(row).all():
        assert percentiles(row, p) == pytest.approx(np.nanquantile(row, p))


def test_repeats_do_not_stand_for_questions():
    """Each of 100 questions measured three times alike: the interval of 100. Of 60, p95 has no upper limit."""
    values = np.random.default_rng(0).lognormal(size=100)
    thrice = quantile_of(Measurements.of([[Score(v)] * 3 for v in values.tolist()]), 0.95)
    assert thrice.interval == order_statistics(values, 0.95)
    assert (thrice.n, thrice.independent) == (300, pytest.approx(100))
    sixty = quantile_of(Measurements.of([[Score(v)] * 3 for v in values[:60].tolist()]), 0.95)
    assert (sixty.interval.high, sixty.enough) == (None, False)


@pytest.mark.parametrize("shared", [0.0, 0.5, 1.0])
def test_the_interval_of_repeats_covers_the_truth(shared):
    """Whatever questions have in common, p95 of all measurements lies within at least 95 times in 100."""
    rng, truth = np.random.default_rng(3), NormalDist().inv_cdf(0.95)
    covered = 0
    for _ in range(400):
        found = shared**0.5 * rng.normal(size=(90, 1)) + (1 - shared) ** 0.5 * rng.normal(size=(90, 3))
        interval = quantile_of(Measurements(found, found), 0.95).interval
        covered += interval.low <= truth <= interval.high
    assert covered >= 0.94 * 400


def test_a_summary_says_what_was_cut_off_and_what_the_repeats_count():
    """Scores of one question share a label; the limit and the number are carried along."""
    rows = [Score(10.0), Score(50.0, "timeout")] * 40
    found = summarise("latency_p95", rows, kind="quantile", quantile=0.95, clusters=[n // 2 for n in range(80)])
    assert (found.value, found.at_least, found.n, found.effective_n) == (50.0, True, 80, 40.0)
    assert found.cut_off == CutOff(n=40, limit=50.0, reached=True)
