"""What each factor is worth, what changes nothing, and grids of numbers."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.matrix_runs import matrix_report

from ragstone.errors import UnknownNameError
from ragstone.experiments.choice.analysis import analyse
from ragstone.experiments.choice.factors import factors_of
from ragstone.experiments.choice.grids import factor_grid, metric_grid, slice_grid
from ragstone.experiments.comparison.compare import compare
from ragstone.metrics import parse
from ragstone.reports.choice.tables import effects_table

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


def with_arguments(report, arguments):
    """Return a report's runs as runs of a function with these arguments."""
    return [
        replace(run, run=replace(run.run, spec=replace(run.run.spec, system={"type": "f", "arguments": given})))
        for run, given in zip(report.runs, arguments, strict=True)
    ]


def test_each_argument_of_a_function_is_a_factor():
    """With the same keys in every run each entry has its own effect, like with like."""
    report = matrix_report({"a": [4] * 20, "b": [2] * 20, "c": [2] * 20, "d": [1] * 20})
    arguments = [{"depth": depth, "mode": mode} for depth in (1, 2) for mode in "xy"]
    (found,) = analyse(with_arguments(report, arguments), [RR])
    effects = {one.factor: one for one in found.effects}
    assert set(effects) == {"system.arguments.depth", "system.arguments.mode"}
    assert (effects["system.arguments.depth"].pairs, effects["system.arguments.depth"].level) == (2, "2")
    assert effects["system.arguments.mode"].difference == pytest.approx(0.375)


def test_arguments_of_other_names_stay_whole():
    """Where runs have other keys, the mapping is one factor, whose levels are told without quotes."""
    runs = with_arguments(matrix_report({"a": [1] * 9, "b": [2] * 9}), [{"depth": 1, "x": "y"}, {"broken": True}])
    (factor,) = factors_of(runs)
    assert (factor.name, factor.levels) == ("system.arguments", ("depth=1 x=y", "broken=true"))


@pytest.mark.parametrize(
    ("second", "verdict"),
    [([1] * 20, "better"), ([None] * 20, "worse"), ([2] * 20, "no difference seen"),
     ([1] * 6 + [2] * 14, "borderline"), ([1] * 5 + [2] * 15, "not enough questions")],
)  # fmt: skip
def test_an_effect_has_the_verdict_of_a_comparison(second, verdict):
    """Better, worse or open as `compare` says it of the two runs; borderline where interval and p disagree."""
    settings = {"a": {"use_reranker": False}, "b": {"use_reranker": True}}
    report = matrix_report({"a": [2] * 20, "b": second}, settings=settings)
    (effect,) = analysed(report).effects
    assert effect.verdict == verdict == compare(report, holes=False).candidates[0].primary.verdict
    assert effects_table(analysed(report)).rows[0][-1] == verdict


def test_many_effects_undo_a_verdict():
    """Six questions gained show in one comparison and not among five: Holm makes the row borderline."""
    settings = {"a": {"rrf_k": 1}, **{f"b{k}": {"rrf_k": k} for k in range(2, 7)}}
    ranks = {"a": [2] * 60, "b2": [1] * 7 + [2] * 53, **{f"b{k}": [2] * 60 for k in range(3, 7)}}
    found = analysed(matrix_report(ranks, settings=settings)).effects
    assert found[0].p == pytest.approx(5 / 64)
    assert [one.verdict for one in found] == ["borderline", *["no difference seen"] * 4]


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
