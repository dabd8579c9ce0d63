"""What each factor is worth, what changes nothing, and grids of numbers."""

from __future__ import annotations

import pytest
from tests.matrix_runs import matrix_report

from ragstone.errors import UnknownNameError
from ragstone.experiments.choice.analysis import analyse
from ragstone.experiments.choice.factors import factors_of
from ragstone.experiments.choice.grids import factor_grid, metric_grid, slice_grid
from ragstone.metrics import parse

RR = parse("RR")


def analysed(report):
    """Return the analysis of a report's runs by RR."""
    return analyse(report.runs, [RR])[0]


SETTINGS = {
    "plain": {"search_mode": "dense", "use_reranker": False},
    "rerank": {"search_mode": "dense", "use_reranker": True},
    "hybrid": {"search_mode": "hybrid", "use_reranker": False},
    "both": {"search_mode": "hybrid", "use_reranker": True},
}


def test_main_effects_of_a_full_matrix():
    """In a 2 x 2 matrix an effect is the mean of two pairs: here ((1 - .5) + (.5 - .25)) / 2, both ways."""
    ranks = {"plain": [4] * 20, "rerank": [2] * 20, "hybrid": [2] * 20, "both": [1] * 20}
    effects = {one.factor: one for one in analysed(matrix_report(ranks, settings=SETTINGS)).effects}
    reranker = effects["use_reranker"]
    assert (reranker.baseline, reranker.level, reranker.pairs) == ("false", "true", 2)
    assert reranker.difference == pytest.approx(0.375)
    assert (reranker.least, reranker.most) == (pytest.approx(0.25), pytest.approx(0.5))
    assert reranker.interval.low <= reranker.difference <= reranker.interval.high + 0.1
    assert effects["search_mode"].difference == pytest.approx(0.375)
    assert reranker.p < 0.001


def test_main_effects_of_a_part_use_the_pairs_that_there_are():
    """Without one cell each effect rests on the one pair that differs in nothing else."""
    ranks = {"plain": [4] * 20, "rerank": [2] * 20, "hybrid": [1] * 20}
    effects = {one.factor: one for one in analysed(matrix_report(ranks, settings=SETTINGS)).effects}
    assert (effects["use_reranker"].pairs, effects["use_reranker"].difference) == (1, pytest.approx(0.25))
    assert (effects["search_mode"].pairs, effects["search_mode"].difference) == (1, pytest.approx(0.75))


def test_no_pair_no_effect():
    """Two factors that change in no pair alone have no effect rather than a wrong one."""
    settings = {
        "a": {"use_reranker": False, "rrf_k": 10},
        "b": {"use_reranker": True, "rrf_k": 20},
        "c": {"use_reranker": True, "rrf_k": 30},
    }
    report = matrix_report({"a": [1] * 9, "b": [2] * 9, "c": [3] * 9}, settings=settings)
    assert {(one.pairs, one.difference, one.p) for one in analysed(report).effects} == {(0, None, None)}


def test_settings_that_change_together_are_one_factor():
    """Two weights that always change together are one factor with joined levels."""
    settings = {
        "a": {"dense_weight": 0.8, "sparse_weight": 0.2},
        "b": {"dense_weight": 0.5, "sparse_weight": 0.5},
    }
    report = matrix_report({"a": [1] * 6, "b": [2] * 6}, settings=settings)
    (factor,) = factors_of(report.runs)
    assert (factor.name, factor.levels, factor.level) == (
        "dense_weight+sparse_weight",
        ("0.8/0.2", "0.5/0.5"),
        (0, 1),
    )


def test_no_op_combinations_are_named():
    """Dense search with another rrf_k has the same effective settings and the same results."""
    settings = {"a": {"search_mode": "dense"}, "b": {"search_mode": "dense", "rrf_k": 10}, "c": {}}
    report = matrix_report({"a": [1] * 6, "b": [1] * 6, "c": [1, 1, 1, 1, 1, 2]}, settings=settings)
    (same,) = analysed(report).alike
    assert (same.runs, same.settings, same.same_settings, same.same_results) == ((0, 1), ("rrf_k",), True, True)


def test_identical_results_of_different_settings_are_named():
    """A reranker that changes nothing is seen in the results, though the settings should differ."""
    settings = {"a": {"use_reranker": False}, "b": {"use_reranker": True}}
    report = matrix_report({"a": [1] * 6, "b": [1] * 6}, settings=settings)
    (same,) = analysed(report).alike
    assert (same.settings, same.same_settings, same.same_results) == (("use_reranker",), False, True)


def test_grids():
    """Factor by factor holds cell means, an empty cell is none; runs by slice and by metric hold the summaries."""
    ranks = {"plain": [4] * 8, "rerank": [2] * 8, "hybrid": [1] * 8}
    report = matrix_report(ranks, settings=SETTINGS)
    found = analysed(report)
    grid = factor_grid(found.table, found.factors, "search_mode", "use_reranker")
    assert (grid.rows, grid.columns) == (("dense", "hybrid"), ("false", "true"))
    assert grid.values == ((0.25, 0.5), (1.0, None))
    by_slice = slice_grid(report.runs, RR, "answerable")
    assert (by_slice.columns, by_slice.n) == (("yes",), (8,))
    assert metric_grid(report.runs, [RR]).values == ((0.25,), (0.5,), (1.0,))
    with pytest.raises(UnknownNameError, match="search_mode"):
        factor_grid(found.table, found.factors, "serch_mode", "use_reranker")
    with pytest.raises(UnknownNameError, match="slice dimension"):
        slice_grid(report.runs, RR, "categry")
