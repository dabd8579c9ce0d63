"""The worked ranking numbers of the designs and of the systems behind them."""

from __future__ import annotations

import math

import numpy as np
import pytest
from tests.judged import dataset_of, judged_of, one, response_of

from ragstone.errors import UsageError
from ragstone.matching import judge_run, match_response
from ragstone.metrics import Policy, parse, score, summary
from ragstone.types import Hit, Response, Scope


def value(run, name, **policy):
    return score(run, parse(name), Policy(**policy))["q"].value


ABC = {"a": 3, "b": 1, "c": 2}


@pytest.mark.parametrize(
    ("golds", "ranking", "name", "expected"),
    [
        ({"a": 1, "b": 1}, "ab", "P@10", 0.2),
        ({"a": 1, "b": 1}, "ab", "precision_returned@10", 1.0),
        ({"a": 1, "b": 1, "c": 1}, "axbyc", "P@5", 0.6),
        ({"a": 1, "c": 1, "f": 1}, "abcde", "R@5", 2 / 3),
        ({"c": 1}, "abc", "RR", 1 / 3),
        ({"a": 1, "b": 1}, "axby", "AP", 0.8333333333333333),
        ({"a": 1, "b": 1}, "axy", "AP", 0.5),
        (ABC, "abc", "nDCG@3", 0.972504),
        ({"a": 1, "b": 2, "c": 3}, "abc", "nDCG@3", 0.789998),
        ({"a": 3}, "xay", "nDCG@3", 0.630930),
        ({"a": 1, "b": 1}, "axb", "nDCG@3", 0.919721),
        ({"l": 1, "h": 3}, "lxy", "nDCG@3", 0.275412),
        ({"l": 1, "h": 3}, "lxy", "nDCG(ideal='retrieved')@3", 1.0),
        ({"l": 1, "h": 3}, "lxy", "nDCG(gain='exp')@3", 0.131046),
        ({"a": 3, "c": 2}, "ab", "nDCG", 0.703918),
        ({"a": 3, "c": 2}, "ab", "P@5", 0.2),
        ({"a": 3, "c": 2}, "ab", "R@5", 0.5),
        ({"a": 3, "c": 2}, "ab", "AP", 0.5),
        ({"a": 3, "b": 0, "c": 1, "d": 0}, "abcd", "P@4", 0.5),
        ({"a": 3, "b": 3, "c": 3}, "xa", "nDCG", 0.296082),
        ({"n": 1}, "anc", "Hit@1", 0.0),
        ({"n": 1}, "anc", "Hit@5", 1.0),
        ({"n": 1}, "anc", "RR", 0.5),
        ({"n": 1}, "anc", "first_rank", 2.0),
        ({"a": 1, "b": 1, "c": 1}, "axb", "context_precision", (1 + 2 / 3) / 2),
        ({"a": 1, "c": 1, "f": 1}, "abcde", "F1@5", 0.5),
        ({"a": 1, "b": 1}, "axb", "Rprec", 0.5),
        ({"a": 1, "b": 1}, "xaby", "IPrec(recall=0.1)", 2 / 3),
        ({"a": 1, "b": 1, "n": 0, "m": 0}, "naxb", "bpref", 0.5),
        ({"a": 1, "b": 1}, "axb", "infAP", (1 + 1 / 3 + 2 / 3 * 1 / 2 * 1.00001 / 1.00002) / 2),
        ({"a": 1, "b": 1}, "axb", "RBP(p=0.5)", 0.625),
        ({"a": 1, "b": 1}, "axb", "RBP_residual(p=0.5)", 0.375),
        ({"a": 3, "b": 1}, "ab", "ERR(max_grade=3)", 0.882813),
        ({"a": 3, "b": 1}, "ab", "ERR", 7 / 16 + 9 / 16 / 16 / 2),
        ({"a": 1, "b": 0}, "axb", "Judged@5", 2 / 3),
        ({"a": 3, "b": 1, "c": 0}, "xy", "NumRel", 2.0),
        ({"a": 1}, "abc", "NumRet@2", 2.0),
        ({"a": 1, "b": 1, "c": 1}, "axb", "NumRelRet", 2.0),
        # The retrieved-list ideal inflates, and falls when a better hit is added.
        ({"a": 3, "b": 3, "c": 2, "d": 1}, "d", "nDCG(ideal='retrieved')@5", 1.0),
        ({"a": 3, "b": 3, "c": 2, "d": 1}, "d", "nDCG@5", 0.158),
        ({"a": 3, "b": 3, "c": 2, "d": 1}, "da", "nDCG(ideal='retrieved')@5", 0.797),
        ({"a": 3, "b": 3, "c": 2, "d": 1}, "da", "nDCG@5", 0.457),
    ],
)
def test_worked_values(golds, ranking, name, expected):
    """Each worked number comes out to the digits that were written down."""
    digits = 3 if expected in (0.158, 0.797, 0.457) else 6
    assert value(one(golds, ranking), name) == pytest.approx(expected, abs=0.5 * 10**-digits)


def test_collapse_keeps_the_first_hit_of_a_document():
    """Chunks of documents a, b, a, c become the documents a, b, c."""
    run = one({"c": 1}, "abac")
    assert (run.n_returned.tolist(), run.rank.tolist()) == ([3], [3])


def test_grade_one_counts_like_grade_three_outside_gain():
    """Binary metrics do not distinguish relevant grades; nDCG does."""
    high, low = one({"a": 3, "b": 1}, "ab"), one({"a": 1, "b": 3}, "ab")
    for name in ("P@2", "R@2", "RR", "AP", "Hit@1"):
        assert value(high, name) == value(low, name)
    assert value(high, "nDCG@2") > value(low, "nDCG@2")


@pytest.mark.parametrize("golds", [{}, {"a": 0}])
def test_no_relevant_gold_is_not_computed_or_zero_on_request(golds):
    """A query without relevant gold has no value but a reason; the policy zero gives trec_eval's 0."""
    run = one(golds, "ab")
    for name in ("P@5", "R@5", "nDCG@5", "RR", "AP", "Hit@5"):
        found = score(run, parse(name))["q"]
        assert (found.value, found.reason) == (None, "no_gold")
        assert value(run, name, no_gold="zero") == 0.0


def test_zero_on_request_is_for_metrics_of_which_zero_is_the_worst():
    """An unlabelled question gets no rank of 0, which would be the best."""
    run = one({}, "ab")
    for name in ("first_rank", "score_auc", "rank_correlation"):
        assert score(run, parse(name), Policy(no_gold="zero"))["q"].value is None


def test_zero_on_request_does_not_hide_another_reason():
    """A question without groups has no recall_all, asked for zeros or not."""
    found = score(one({}, "ab"), parse("recall_all@5"), Policy(no_gold="zero"))["q"]
    assert found.value is None


def test_nothing_returned_scores_zero():
    """An empty result for a query with gold is a miss, not an undefined value."""
    for name in ("P@5", "precision_returned", "R@5", "nDCG@5", "RR", "AP", "Hit@5", "context_precision"):
        assert value(one({"a": 1}, ""), name) == 0.0


@pytest.mark.parametrize("name", ["P@0", "nDCG@-1", "Hit@0"])
def test_a_cutoff_below_one_is_an_error(name):
    """K < 1 is refused, not scored."""
    with pytest.raises(UsageError, match="1 or more"):
        parse(name)


@pytest.mark.parametrize(("found", "expected"), [("a", 0.0), ("ab", 1.0), ("c", 1.0), ("xac", 1.0)])
def test_recall_all_wants_one_complete_group(found, expected):
    """Groups [[0, 1], [2]]: golds {0} fail, {0, 1} and {2} pass."""
    run = one({"a": 1, "b": 1, "c": 1}, found, groups={"q": ((0, 1), (2,))})
    assert value(run, "recall_all@5") == expected


def test_recall_all_is_not_computed_without_groups():
    """A question without support groups has no recall_all."""
    assert score(one({"a": 1}, "a"), parse("recall_all@5"))["q"].reason == "no_groups"


def test_a_multi_hop_gold_found_twice_counts_twice_for_precision_alone():
    """Two matching chunks of five give P .4; recall and nDCG count their gold once."""
    hits = [Hit(id=str(i), document=d) for i, d in enumerate("xayax")]
    run = judge_run(dataset_of({"q": {"a": 1}}), {"q": Response(hits=tuple(hits))}, _chunks())
    assert (value(run, "P@5"), value(run, "R@5"), value(run, "nDCG@5")) == (
        0.4,
        1.0,
        pytest.approx(0.630930, abs=1e-6),
    )


def _chunks():
    from ragstone.matching import MatchOptions

    return MatchOptions(unit="chunk")


def test_ranks_one_and_two_give_mrr_three_quarters():
    """Needles at ranks 1 and 2: Hit@1 .5, Hit@5 1, MRR .75."""
    run = judged_of({"p": {"n": 1}, "q": {"n": 1}}, {"p": "nab", "q": "anb"})
    means = {name: summary(parse(name), score(run, parse(name))).value for name in ("Hit@1", "Hit@5", "RR")}
    assert means == {"Hit@1": 0.5, "Hit@5": 1.0, "RR": 0.75}


def test_unanswerable_questions_have_no_retrieval_score():
    """A rejection query is not computed for retrieval, and counts for rejection accuracy."""
    dataset = dataset_of({"q": {}}, unanswerable=["q"])
    run = judge_run(dataset, {"q": Response(abstained=True)})
    assert score(run, parse("Hit@5"))["q"].reason == "unanswerable"
    assert value(run, "rejection_accuracy(criterion='abstained')") == 1.0
    assert value(run, "rejection_accuracy(criterion='empty')") == 1.0


@pytest.mark.parametrize(("threshold", "expected"), [(0.9, 1.0), (0.8, 0.0), (0.5, 0.0)])
def test_rejection_by_score_is_strict(threshold, expected):
    """By criterion score, the best score must lie below the threshold."""
    run = judge_run(dataset_of({"q": {}}, unanswerable=["q"]), {"q": response_of("ab", [0.8, 0.1])})
    assert value(run, f"rejection_accuracy(criterion='score', threshold={threshold})") == expected


@pytest.mark.parametrize(
    ("scope", "expected"),
    [
        (Scope(mode="on", folders=("work/a",)), 1.0),
        (Scope(mode="on_with_fallback", folders=("work",)), 0.0),
        (Scope(mode="on", folders=("work/b", "home")), 0.0),
        (Scope(mode="off", folders=("work/a",)), None),
        (Scope(mode="on"), None),
        (None, None),
    ],
)
def test_scope_miss_is_strict_exclusion(scope, expected):
    """Folder work/a with the gold in work/b/n.md is a miss; without a known scope it is not computed."""
    run = judge_run(dataset_of({"q": {"work/b/n.md": 1}}), {"q": Response(scope=scope)})
    assert value(run, "scope_miss") == expected


@pytest.mark.parametrize(("scores", "expected"), [([2, 2, 2], 0.0), ([1, -1], None), ([], None), ([3, 1], 0.5)])
def test_score_discrimination(scores, expected):
    """Equal scores give 0, a mean of 0 is not computed."""
    run = judge_run(dataset_of({"q": {"a": 1}}), {"q": response_of("abc"[: len(scores)], scores)})
    assert value(run, "score_cv") == expected


def test_score_auc_counts_ties_half():
    """The relevant hit beats one of two others and ties with none: AUC .5; a tie gives another half."""
    dataset = dataset_of({"q": {"b": 1}})
    assert value(judge_run(dataset, {"q": response_of("abc", [3, 2, 1])}), "score_auc") == 0.5
    assert value(judge_run(dataset, {"q": response_of("abc", [2, 2, 1])}), "score_auc") == 0.75


def test_rank_correlation_is_one_when_better_grades_come_first():
    """Perfect order 1, reversed -1, one judged hit not computed."""
    assert value(one({"a": 3, "b": 2, "c": 1}, "abc"), "spearman") == pytest.approx(1.0)
    assert value(one({"a": 1, "b": 2, "c": 3}, "abc"), "kendall_tau") == pytest.approx(-1.0)
    assert value(one({"a": 1}, "abc"), "spearman") is None


def test_percentiles_interpolate():
    """Latencies 1 to 20: p50 10.5, p95 19.05."""
    golds = {f"q{i}": {"a": 1} for i in range(1, 21)}
    responses = {f"q{i}": Response(latency_ms=float(i)) for i in range(1, 21)}
    run = judge_run(dataset_of(golds), responses)
    p50, p95 = (summary(parse(n), score(run, parse(n))).value for n in ("latency_p50", "latency_p95"))
    assert (p50, p95) == (pytest.approx(10.5), pytest.approx(19.05))


def test_a_cutoff_beyond_the_depth_is_not_computed():
    """Where only five hits could be asked for, nDCG@10 has no value."""
    run = judge_run(dataset_of({"q": {"a": 1}}), {"q": response_of("a")}, depth=5)
    assert score(run, parse("nDCG@10"))["q"].reason == "beyond_depth"
    assert value(run, "nDCG@5") == 1.0


def test_two_chunks_on_the_gold_page_count_one_gold():
    """At tolerance 1, page 44 matches gold page 45 and page 43 does not."""
    from ragstone.types import Gold

    gold = Gold(kind="page", document="doc", page=45, grade=3)
    hits = [
        Hit(id="1", document="Doc.PDF", page=43),
        Hit(id="2", document="Doc.PDF", page=44),
        Hit(id="3", document=" doc ", page=45),
    ]
    matches = match_response(hits, [gold])
    assert [(m.gold, m.repeated) for m in matches] == [(None, False), (0, False), (0, True)]


def test_exponential_gain_is_two_to_the_grade_minus_one():
    """DCG of one grade-3 hit at rank 1 is 7 with exponential gain."""
    assert value(one({"a": 3}, "a"), "DCG(gain='exp')@5") == 7.0
    assert value(one({"a": 3}, "xa"), "DCG@5") == 3 / math.log2(3)
    assert np.isfinite(value(one({"a": 3}, "a"), "DCG"))
