"""Which of many configurations: ranking by like with like, groups, effects, what changes nothing."""

from __future__ import annotations

import time
from functools import cache

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st
from tests.matrix_runs import clustered, matrix_report

from ragstone.errors import UsageError
from ragstone.experiments.choice.analysis import analyse, groups_of, letters_of
from ragstone.experiments.choice.score_table import OTHER_METRICS, score_table
from ragstone.metrics import parse
from ragstone.stats.power import detectable_difference, queries_needed

RR = parse("RR")


def analysed(report, metric=RR, **options):
    """Return the analysis of a report's runs by one metric."""
    return analyse(report.runs, [metric], **options)[0]


def names(ranked):
    return [one.run.run.spec.name for one in ranked]


def test_three_runs_worked_by_hand():
    """Means 1, .5 and .25 on 40 questions: ranked in this order, each apart from the others."""
    found = analysed(matrix_report({"second": [2] * 40, "first": [1] * 40, "third": [4] * 40}))
    assert names(found.ranked) == ["first", "second", "third"]
    assert [one.mean for one in found.ranked] == [1.0, 0.5, 0.25]
    assert [one.letters for one in found.ranked] == ["a", "b", "c"]
    assert found.groups == ((0,), (1,), (2,))
    assert found.best.tied == 0
    assert found.best.lead == pytest.approx(1 - (1 + 0.5 + 0.25) / 3)
    assert found.best.luck == 0.0
    assert found.best.shrunken == 1.0
    assert found.test.p[0, 1] == pytest.approx(1 / 1001)


def test_runs_within_luck_share_a_letter():
    """Two runs that win on as many questions as they lose cannot be told apart; the third can."""
    one, other = [1, 2] * 20, [2, 1] * 20
    found = analysed(matrix_report({"one": one, "other": other, "bad": [None] * 40}))
    assert [one.letters for one in found.ranked] == ["a", "a", "b"]
    assert found.best.tied == 1
    assert found.ranked[1].p > 0.05


def test_tukey_agrees_with_the_normal_theory():
    """The randomised critical difference lies near Tukey's HSD from the studentized range for a two-way layout."""
    rng = np.random.default_rng(7)
    ranks = {f"run {i}": rng.integers(1, 8, 200).tolist() for i in range(4)}
    found = analysed(matrix_report(ranks))
    values = found.table.values
    residual = values - values.mean(0) - values.mean(1, keepdims=True) + values.mean()
    error = (residual**2).sum() / (199 * 3)
    hsd = scipy.stats.studentized_range.ppf(0.95, 4, 199 * 3) * np.sqrt(error / 200)
    assert found.test.critical == pytest.approx(hsd, rel=0.08)


def test_like_is_compared_with_like():
    """Run 1 has nDCG .2, run 2 only MRR .7: run 2 is named, and never ranked by another metric."""
    ranks = {"run 1": [5] * 12, "run 2": [1] * 12, "run 3": [4] * 12}
    report = matrix_report(ranks, metrics=["nDCG@5", "RR"], own_metrics={"run 2": ["RR"]})
    found = analysed(report, parse("nDCG@5"))
    assert names(found.ranked) == ["run 3", "run 1"]
    assert [(one.run.run.spec.name, one.reason) for one in found.table.unranked] == [("run 2", OTHER_METRICS)]
    assert names(analysed(report).ranked)[0] == "run 2"


def test_an_incomplete_run_is_named_and_not_ranked():
    """A run whose system could not be opened stands in `unranked`."""
    found = analysed(matrix_report({"a": [1] * 6, "b": [2] * 6, "dead": [1] * 6}, failing=["dead"]))
    assert names(found.ranked) == ["a", "b"]
    assert [one.reason for one in found.table.unranked] == ["incomplete"]


def test_a_question_without_a_score_in_some_run_counts_for_none():
    """A failed search that is excluded takes its question out of all runs, and is listed with run and reason."""
    report = matrix_report({"a": [1, 1, 4, 1], "b": [2, 2, 2, 2]}, skip={"b": [2]})
    found = analysed(report)
    assert found.table.queries == ("q0", "q1", "q3")
    assert found.ranked[0].mean == 1.0
    (left_out,) = found.table.left_out
    assert left_out.query == "q2"
    assert dict(left_out.reasons) == {report.runs[1].run.id: "failed"}


def test_lower_is_better_where_it_is():
    """By error rate the run without errors comes first, and its shrunken value stays a rate."""
    report = matrix_report({"good": [1] * 30, "bad": [1] * 30, "worse": [1] * 30}, metrics=["RR"])
    failing = matrix_report(
        {"bad": [1] * 30, "good": [1] * 30}, metrics=["RR", "error_rate"], skip={"bad": range(20)}
    )
    found = analysed(failing, parse("error_rate"))
    assert names(found.ranked) == ["good", "bad"]
    assert 0 <= found.best.shrunken < 2 / 3
    assert found.best.lead > 0
    assert analysed(report).best.tied == 2


def test_a_percentile_is_refused():
    """Latency p95 has no mean to rank by; the message names the plot."""
    report = matrix_report({"a": [1] * 4, "b": [2] * 4})
    with pytest.raises(UsageError, match="matrix pareto"):
        score_table(report.runs, parse("latency_p95"))


def test_nothing_to_compare():
    """One run, or no scored question, gives no ranking and no error."""
    assert analysed(matrix_report({"a": [1] * 4})).ranked == ()
    nothing = analysed(matrix_report({"a": [1] * 4, "b": [1] * 4}, skip={"a": range(4), "b": range(4)}))
    assert nothing.best is None


def test_equal_runs_have_no_winner_but_luck():
    """Runs with the same results are one try: nothing is told apart and nothing is claimed."""
    found = analysed(matrix_report({"a": [1, 2] * 5, "b": [1, 2] * 5, "c": [1, 2] * 5}))
    assert found.test.distinct == (0,)
    assert [one.letters for one in found.ranked] == ["a", "a", "a"]
    assert (found.best.lead, found.best.tied, found.sight) == (0.0, 2, None)


def test_the_luck_of_the_best_of_sixteen():
    """Sixteen runs that differ by chance: the best looks better, none is told apart, most of the lead is luck."""
    rng = np.random.default_rng(3)
    ranks = {f"run {i}": rng.integers(1, 9, 50).tolist() for i in range(16)}
    found = analysed(matrix_report(ranks), holdout=True)
    assert found.best.tied == 15
    assert found.best.luck > 0.5
    assert 0.03 < found.best.best_of_equal < 0.12
    assert found.best.shrunken < found.best.run.mean
    assert found.holdout.n_picked == found.holdout.n == 25
    assert found.holdout.mean < found.holdout.picked_mean


def test_the_holdout_is_seeded():
    """The same seed gives the same split, another seed another one."""
    rng = np.random.default_rng(3)
    report = matrix_report({f"run {i}": rng.integers(1, 9, 30).tolist() for i in range(6)})
    first, again, other = (analysed(report, holdout=True, seed=seed).holdout for seed in (1, 1, 2))
    assert first == again
    assert first.picked_mean != other.picked_mean


def test_runs_of_one_configuration_give_the_noise_floor():
    """A/A: q0 found at ranks 1 and 2, the rest equal: within = .125 / 10, one question changed."""
    found = analysed(matrix_report({"a": [1] + [1] * 9, "a again": [2] + [1] * 9}))
    (rerun,) = found.reruns
    assert rerun.spread.changed == 1
    assert rerun.spread.within == pytest.approx(0.125 / 10)
    assert rerun.spread.means == (pytest.approx(1.0), pytest.approx(0.95))


def test_clusters_are_moved_together():
    """Four questions of one document that stand and fall together count as one: what looked apart is not."""
    rng = np.random.default_rng(1)
    ranks = {name: np.repeat(rng.integers(1, 4, 8), 4).tolist() for name in "abc"}
    ranks["a"] = np.repeat([1, 1, 1, 2, 1, 1, 2, 1], 4).tolist()
    alone, together = analysed(matrix_report(ranks)), analysed(matrix_report(ranks, dataset=clustered(32, 4)))
    assert together.table.clusters is not None
    assert together.sight.rows == 8
    assert together.test.critical > 1.5 * alone.test.critical
    assert [one.mean for one in together.ranked] == [one.mean for one in alone.ranked]


def test_what_the_set_could_have_seen():
    """A little more than by the planning formula, and the questions for 5 points would show just these."""
    rng = np.random.default_rng(5)
    report = matrix_report({f"run {i}": rng.integers(1, 9, 60).tolist() for i in range(3)})
    sight = analysed(report).sight
    values = score_table(report.runs, RR).values
    pairs = [np.var(values[:, i] - values[:, j], ddof=1) for i, j in ((0, 1), (0, 2), (1, 2))]
    assert sight.sd == pytest.approx(np.sqrt(np.mean(pairs)))
    assert 1 < sight.detectable / detectable_difference(sight.sd, 60) < 1.15
    assert 1 < sight.needed / queries_needed(sight.sd, 0.05) < 1.05


@cache
def five_runs():
    """Return runs that differ a little more each."""
    rng = np.random.default_rng(11)
    return matrix_report({f"run {i}": rng.integers(1, 4 + 2 * i, 25).tolist() for i in range(5)})


@given(st.permutations(range(5)))
def test_the_order_of_the_runs_does_not_matter(order):
    """Permuting the runs permutes the result: names, means and letters stay with their runs."""
    usual = five_runs()
    mixed = [usual.runs[index] for index in order]
    one, other = analysed(usual), analyse(mixed, [RR])[0]
    assert names(one.ranked) == names(other.ranked)
    assert [row.mean for row in one.ranked] == [row.mean for row in other.ranked]
    assert other.best.luck == pytest.approx(one.best.luck)


@given(st.lists(st.floats(0, 1), min_size=2, max_size=12), st.floats(0.01, 0.5))
def test_letters_say_exactly_who_is_apart(means, critical):
    """Two runs share a letter if and only if their means lie no further apart than the critical difference."""
    ordered = np.sort(means)[::-1]
    apart = np.abs(np.subtract.outer(ordered, ordered)) > critical
    groups = groups_of(np.where(apart, 0.01, 0.5), 0.05)
    letters = letters_of(groups, len(ordered))
    for i in range(len(ordered)):
        for j in range(len(ordered)):
            shared = any(i in group and j in group for group in groups)
            assert shared == (not apart[i, j])
    assert all(letters)


def test_many_groups_have_different_letters():
    """Beyond z the letters get numbers."""
    letters = letters_of([(run,) for run in range(60)], 60)
    assert len(set(letters)) == 60


def test_sixteen_runs_by_ten_metrics_are_quick():
    """The whole analysis of 250 questions takes less than two seconds; of 1,000 it takes about one."""
    rng = np.random.default_rng(0)
    metrics = ["RR", "AP", "Hit@1", "Hit@2", "Hit@3", "Hit@5", "nDCG@2", "nDCG@3", "nDCG@5", "P@5"]
    settings = {
        f"run {i}": {
            "use_reranker": bool(i & 1),
            "rrf_k": 10 + (i & 2),
            "top_k": 10 + (i & 4),
            "retrieval_top_k": 50 + i // 8,
        }
        for i in range(16)
    }
    ranks = {name: rng.integers(1, 9, 250).tolist() for name in settings}
    report = matrix_report(ranks, settings=settings, metrics=metrics)
    start = time.process_time()
    found = analyse(report.runs, [parse(name) for name in metrics], holdout=True)
    seconds = time.process_time() - start
    assert len(found) == 10
    assert {one.factor for one in found[0].effects} == {"use_reranker", "rrf_k", "top_k", "retrieval_top_k"}
    assert seconds < 2, f"{seconds:.1f} s"
