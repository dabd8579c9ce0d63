"""From arrays to scores: values, reasons and the policies."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.judged import dataset_of, judged_of, one, response_of

from ragstone.matching import judge_run
from ragstone.metrics import Policy, judge_list, parse, score, score_columns
from ragstone.types import Failure, Response


def reasons(column):
    return [column.names[code] for code in column.reason]


def test_a_column_has_a_number_or_a_reason_for_each_query():
    """Values are NaN exactly where the reason is not empty."""
    run = judged_of({"a": {"x": 1}, "b": {"x": 0}, "c": {"x": 1}}, {"a": "x", "b": "x", "c": "y"})
    column = score_columns(run, parse("first_rank"))
    assert reasons(column) == ["", "no_gold", "not_found"]
    assert column.names[0] == ""
    np.testing.assert_array_equal(column.values, [1.0, np.nan, np.nan])


def test_scores_are_the_column_by_query():
    """The dictionary says what the arrays say."""
    run = judged_of({"a": {"x": 1}, "b": {"x": 0}}, {"a": "x", "b": "x"})
    found = score(run, parse("P@1"))
    assert {query: (one.value, one.reason) for query, one in found.items()} == {
        "a": (1.0, None),
        "b": (None, "no_gold"),
    }


def test_the_first_requirement_names_the_reason():
    """An unanswerable query without gold is unanswerable."""
    run = judge_run(dataset_of({"q": {}}, unanswerable=["q"]), {"q": response_of("a")})
    assert reasons(score_columns(run, parse("P@5"))) == ["unanswerable"]
    assert reasons(score_columns(run, parse("P@5"), Policy(no_gold="zero"))) == ["unanswerable"]


def test_beyond_the_depth_nothing_is_said():
    """A cutoff deeper than the search outranks every other reason."""
    run = judge_run(dataset_of({"q": {}}), {"q": response_of("a")}, depth=3)
    assert reasons(score_columns(run, parse("P@5"))) == ["beyond_depth"]
    assert reasons(score_columns(run, parse("P@3"))) == ["no_gold"]


FAILED = {"p": Response(failure=Failure(kind="error", message="no")), "q": response_of("a")}


def test_a_failed_search_is_a_miss_or_left_out():
    """By default it scores what an empty answer scores; on request it has no value."""
    run = judge_run(dataset_of({"p": {"a": 1}, "q": {"a": 1}}), FAILED)
    assert score_columns(run, parse("P@1")).values.tolist() == [0.0, 1.0]
    assert reasons(score_columns(run, parse("P@1"), Policy(on_error="exclude"))) == ["failed", ""]


def test_leaving_failures_out_keeps_other_reasons():
    """A failed query without gold lacks gold first."""
    run = judge_run(dataset_of({"p": {}, "q": {"a": 1}}), FAILED)
    assert reasons(score_columns(run, parse("P@1"), Policy(on_error="exclude"))) == ["no_gold", ""]
    assert reasons(score_columns(run, parse("first_rank"), Policy(on_error="exclude"))) == ["no_gold", ""]
    both = Policy(on_error="exclude", no_gold="zero")
    assert reasons(score_columns(run, parse("P@1"), both)) == ["failed", ""]


def test_a_failure_comes_before_what_it_left_undefined():
    """A failed query has no first rank because it failed, not because nothing was found."""
    run = judge_run(dataset_of({"p": {"a": 1}, "q": {"a": 1}}), FAILED)
    assert reasons(score_columns(run, parse("first_rank"))) == ["not_found", ""]
    assert reasons(score_columns(run, parse("first_rank"), Policy(on_error="exclude"))) == ["failed", ""]


def test_bpref_needs_judged_negatives():
    """With positives alone it has no value; trec_eval's policy gives trec_eval's number."""
    run = judge_list(["x", "a"], {"a": 1, "b": 1})
    assert reasons(score_columns(run, parse("bpref"))) == ["no_judged_negative"]
    assert score_columns(run, parse("bpref"), Policy(no_gold="zero")).values.tolist() == [0.5]
    assert score_columns(judge_list(["n", "a"], {"a": 1, "n": 0}), parse("bpref")).values.tolist() == [0.0]


def test_what_counts_as_a_judged_negative_follows_the_threshold():
    """At rel 2 a gold of grade 1 is a judged negative; a negative grade never is."""
    run = judge_list(["b", "a"], {"a": 2, "b": 1})
    assert score_columns(run, parse("bpref(rel=2)")).values.tolist() == [0.0]
    assert reasons(score_columns(run, parse("bpref"))) == ["no_judged_negative"]
    assert reasons(score_columns(judge_list(["a"], {"a": 1, "n": -1}), parse("bpref"))) == ["no_judged_negative"]


@pytest.mark.parametrize(
    ("scores", "grades", "reason"),
    [
        ([2.0, 1.0], [1, 1], "one_class"),
        ([2.0, 1.0], [0, 1], "no_spread"),
        ([2.0, 2.0, 1.0, 1.0], [1, 1, 0, 0], "no_spread"),
        ([2.0, 1.0, 0.0], [1, 0, 0], ""),
    ],
)
def test_a_margin_needs_two_groups_and_a_spread(scores, grades, reason):
    """Without others there is no margin, without a spread there is no unit."""
    golds = {f"d{i}": grade for i, grade in enumerate(grades)}
    run = judge_run(dataset_of({"q": {"gold": 1, **golds}}), {"q": response_of(list(golds), scores)})
    assert reasons(score_columns(run, parse("score_margin"))) == [reason]


def test_the_margin_of_the_worked_example():
    """Scores 5 and 3 of relevant hits against 4 and 2: one point over a pooled deviation of the root of two."""
    run = judge_run(dataset_of({"q": {"a": 1, "c": 1}}), {"q": response_of("abcd", [5, 4, 3, 2])})
    assert score_columns(run, parse("score_margin")).values[0] == pytest.approx(0.5**0.5)


def test_policies_are_words_in_the_result():
    """What a result records are the four policies and nothing else."""
    assert Policy() == Policy(no_gold="exclude", on_error="miss", missing_query="zero", unresolved="count")


def test_columns_without_known_golds_agree_with_those_that_know():
    """Which gold a hit matched does not matter where each is matched once."""
    run = one({"a": 3, "b": 1, "c": 0}, "xbac")
    anonymous = replace(run, gold=np.full(len(run.gold), -1, dtype=np.int32))
    for name in ("P@2", "R@2", "nDCG@3", "AP", "RR", "bpref", "infAP", "ERR", "RBP", "Rprec", "F1"):
        assert (
            score_columns(anonymous, parse(name)).values.tolist()
            == score_columns(run, parse(name)).values.tolist()
        )
