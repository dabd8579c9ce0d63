from __future__ import annotations

from dataclasses import replace

import pytest
from tests.compared import arm

from ragstone.experiments.comparison.identity import mismatches
from ragstone.matching import MatchOptions
from ragstone.metrics import Policy, parse
from ragstone.types import Validity


def with_run(result, **changes):
    return replace(result, run=replace(result.run, **changes))


def with_benchmark(result, **changes):
    return replace(result, benchmark=replace(result.benchmark, **changes))


def judged_by(**settings):
    return with_run(arm([0.5]), benchmark={**arm([0.5]).run.benchmark, **settings})


def found(first, second):
    return [(one.what, one.level) for one in mismatches(first, second)]


def test_runs_alike_differ_in_nothing():
    """Scores and configuration are not identity: they are what is compared."""
    assert mismatches(arm([0.1]), arm([0.9], "other")) == ()


@pytest.mark.parametrize(
    ("changed", "what"),
    [
        (with_run(arm([0.5]), dataset="another"), "dataset"),
        (with_benchmark(arm([0.5]), matching=MatchOptions(page_tolerance=15)), "matching"),
        (with_benchmark(arm([0.5]), policy=Policy(on_error="exclude")), "scoring policy"),
    ],
)
def test_what_makes_scores_another_thing_is_refused(changed, what):
    """Other questions, other matching or other rules give other scores for the same system."""
    assert found(arm([0.5]), changed) == [(what, "refuse")]


@pytest.mark.parametrize(
    ("first", "second", "refused"),
    [
        ({"judge": {"temperature": 0.0}}, {"judge": {"temperature": 0.5}}, True),
        ({"judge": {"temperature": 0.0}}, {"judge": {"temperature": 0.0005}}, False),
        ({"judge_prompt_version": "v1.0"}, {"judge_prompt_version": "v1.1"}, True),
        ({"prompt_version": "v1.0"}, {"prompt_version": "v1.1"}, True),
        ({"judge_model": "a"}, {"judge_model": "b"}, True),
        ({"judge_model": "a"}, {}, False),
    ],
)
def test_another_judge_or_prompt_is_refused(first, second, refused):
    """Temperatures within a thousandth are the same; a run that knows no judge has no judged scores to compare."""
    assert found(judged_by(**first), judged_by(**second)) == ([("judge", "refuse")] if refused else [])


@pytest.mark.parametrize(
    ("first", "second", "what"),
    [
        (
            with_run(arm([0.5]), system={"corpus_digest": "a" * 64}),
            with_run(arm([0.5]), system={"corpus_digest": "b" * 64}),
            "corpus",
        ),
        (
            with_run(arm([0.5]), system={"prompt_hash": "x"}),
            with_run(arm([0.5]), system={"prompt_hash": "y"}),
            "prompt",
        ),
        (arm([0.5]), with_benchmark(arm([0.5]), timeout_seconds=1.0), "time limit in seconds"),
        (arm([0.5]), with_benchmark(arm([0.5]), concurrency=8), "number of questions asked at once"),
        (arm([0.5]), with_benchmark(arm([0.5]), primary=parse("Hit@5")), "primary metric"),
        (
            arm([0.5]),
            with_run(arm([0.5]), spec=replace(arm([0.5]).run.spec, repeats=3)),
            "number of repeats",
        ),
    ],
)
def test_what_may_explain_a_difference_is_a_warning(first, second, what):
    """The corpus may be what was changed; it is named, not refused."""
    assert found(first, second) == [(what, "warn")]


def test_another_depth_is_a_warning_with_its_consequence():
    """A reader learns which metrics it touches."""
    deep = arm([0.5])
    deep = with_benchmark(deep, configuration=deep.benchmark.configuration.model_copy(update={"top_k": 20}))
    (one,) = mismatches(arm([0.5]), deep)
    assert str(one) == "top_k differs (5 against 20): metrics without a cutoff favour the longer list"


def test_what_a_run_does_not_tell_is_not_held_against_it():
    """One corpus unknown: nothing can be said."""
    assert found(arm([0.5]), with_run(arm([0.5]), system={"corpus_digest": "b"})) == []


def test_other_golds_left_out_are_refused():
    """Under the policy that drops golds which the corpus lacks, both runs must have dropped the same."""
    policy = Policy(unresolved="drop")
    arms = [
        with_benchmark(
            with_run(arm([0.5]), validity=Validity(source="system", total=2, gone={"q0": gone})), policy=policy
        )
        for gone in ((0,), (1,))
    ]
    assert found(*arms) == [("golds left out", "refuse")]
    assert found(arms[0], arms[0]) == []


def test_refusals_come_first_and_name_both_values_and_nothing_that_agrees():
    """Only the settings that differ are named."""
    other = with_benchmark(arm([0.5]), matching=MatchOptions(page_tolerance=15), concurrency=2)
    first, second = mismatches(arm([0.5]), other, "B")
    assert (first.what, second.what) == ("matching", "number of questions asked at once")
    assert (first.run, first.baseline, first.candidate) == ("B", "page_tolerance 1", "page_tolerance 15")


def asked(*changes):
    """Return a run of another dataset whose questions, one after another, are changed; None leaves one out."""
    result = arm([0.5] * 6)
    pairs = zip(result.queries, [*changes, *[{}] * (6 - len(changes))], strict=True)
    return with_run(
        replace(result, queries=tuple(replace(one, **c) for one, c in pairs if c is not None)), dataset="x"
    )


def test_another_dataset_says_what_of_it_differs():
    """How many questions are in one run alone, have other words, other golds or grades, or another category."""
    first = arm([0.5] * 6).queries
    graded = replace(first[0].golds[0], grade=1)
    changed = asked(
        None,
        {"query": replace(first[1].query, text="other words")},
        {"golds": (graded,)},
        {"golds": ()},
        {"query": replace(first[4].query, category="new")},
        {"query": replace(first[5].query, id="q99")},
    )
    (found_,) = mismatches(arm([0.5] * 6), changed)
    assert found_.consequence == (
        "2 questions only in the baseline, 1 only in the other, 1 asked in other words, "
        "2 with other golds or grades, 1 with another category, tag or the like"
    )
    (graded_alone,) = mismatches(arm([0.5] * 6), asked({"golds": (graded,)}))
    assert str(graded_alone).endswith(": 1 question with other golds or grades")
    (unknown,) = mismatches(arm([0.5] * 6), asked())
    assert unknown.consequence == "the runs answered other questions, or other golds"
