"""Bounds of a metric over the hits that nobody judged."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.judged import judged_of, judged_trec, one

from ragstone.metrics import bounds, difference, holes, holes_of, parse, score_columns
from ragstone.types import Gold, Hit, Response

documents = list("abcdefg")
qrels = st.dictionaries(st.sampled_from(documents), st.integers(0, 3), min_size=1)
rankings = st.lists(st.sampled_from(documents), unique=True, max_size=6)
EXACT = ["P@3", "R@3", "R", "Hit@2", "RR", "DCG", "DCG(gain='exp')@4", "RBP", "ERR(max_grade=3)", "P(rel=2)@3"]


def ends(run, name):
    found = bounds(run, parse(name))
    return found.wrong.values.tolist(), found.right.values.tolist()


@pytest.mark.parametrize(
    ("golds", "ranking", "name", "wrong", "right"),
    [
        ({"a": 1, "b": 1}, "axy", "P@5", 0.2, 0.6),
        ({"a": 1, "b": 1}, "axy", "R@5", 1 / 2, 3 / 4),
        ({"a": 1, "b": 0}, "xa", "RR", 1 / 2, 1.0),
        ({"a": 3, "b": 1}, "bx", "DCG", 1.0, 1.0 + 3 / math.log2(3)),
        # The assumed gold is as good as the best one, and stands in the ideal ranking too.
        ({"a": 3}, "xa", "nDCG", 1 / math.log2(3), 1.0),
        ({"a": 1}, "ax", "AP", 1.0, 1.0),
        ({"a": 1}, "ayx", "P(rel=2)@3", None, 2 / 3),
        ({"a": 1}, "abc", "NumRet", 3.0, 3.0),
        ({"a": 1, "b": 0}, "ba", "P@2", 1 / 2, 1 / 2),
        ({"a": 1}, "", "P@2", 0.0, 0.0),
        ({"a": 1, "n": 0}, "xa", "bpref", 0.0, 1.0),
        ({"a": 1}, "xa", "Judged@2", 1.0, 1.0),
    ],
)
def test_worked_bounds(golds, ranking, name, wrong, right):
    """Holes as wrong are judged with 0; as right they are golds as good as the best."""
    low, high = ends(one(golds, ranking), name)
    assert [low[0], high[0]] == pytest.approx([math.nan if wrong is None else wrong, right], nan_ok=True)


@given(golds=qrels.filter(lambda graded: max(graded.values()) > 0), ranking=rankings, name=st.sampled_from(EXACT))
def test_no_labelling_of_the_holes_leaves_the_bounds(golds, ranking, name):
    """Whatever grades the holes of the first k are given, up to the best gold's, the value is between the ends."""
    metric = parse(name)
    found = bounds(one(golds, ranking), metric)
    unjudged = [document for document in ranking[: metric.cutoff] if document not in golds]
    top = max(*golds.values(), metric.arguments().get("rel", 1))
    for grades in itertools.product(sorted({0, 1, top}), repeat=len(unjudged)):
        labelled = one({**golds, **dict(zip(unjudged, grades, strict=True))}, ranking)
        [value] = score_columns(labelled, metric).values
        if not (np.isnan(value) or np.isnan(found.low[0])):
            assert found.low[0] - 1e-12 <= value <= found.high[0] + 1e-12


@given(golds=qrels, ranking=rankings)
@pytest.mark.parametrize("name", ["P@3", "R@3", "nDCG@3", "AP", "RR", "Hit@2", "F1@3", "RBP"])
def test_wrong_holes_are_what_most_metrics_assume(name, golds, ranking):
    """A metric that does not look at judged negatives counts a hole as wrong already."""
    run = one(golds, ranking)
    [plain] = score_columns(run, parse(name)).values
    assert bounds(run, parse(name)).wrong.values[0] == pytest.approx(plain, nan_ok=True)


@given(golds=qrels, ranking=rankings, name=st.sampled_from(["P@3", "nDCG", "AP", "bpref", "infAP"]))
def test_a_pooled_hit_without_a_judgement_is_a_hole(golds, ranking, name):
    """A row of negative grade and no row at all have the same bounds."""
    pooled = {**golds, **{document: -1 for document in ranking if document not in golds}}
    with_rows, without = judged_trec({"q": pooled}, {"q": ranking}), judged_trec({"q": golds}, {"q": ranking})
    np.testing.assert_array_equal(ends(with_rows, name), ends(without, name))


@given(collection=st.lists(st.tuples(qrels, rankings), min_size=2, max_size=5))
def test_a_query_is_bounded_alone(collection):
    """Neither the other queries nor the size of the blocks move a query's bounds."""
    golds = {f"q{i}": graded for i, (graded, _) in enumerate(collection)}
    run = judged_of(golds, {f"q{i}": ranking for i, (_, ranking) in enumerate(collection)})
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(holes, "BLOCK", 2)
        together = bounds(run, parse("nDCG@3"))
    alone = [bounds(one(graded, ranking), parse("nDCG@3")) for graded, ranking in collection]
    np.testing.assert_array_equal(together.low, [found.low[0] for found in alone])
    np.testing.assert_array_equal(together.high, [found.high[0] for found in alone])


def test_reasons_survive_the_joining_of_blocks(monkeypatch):
    """Each query keeps its own reason where there is no value."""
    monkeypatch.setattr(holes, "BLOCK", 1)
    found = bounds(judged_of({"a": {"x": 1}, "b": {"x": 0}, "c": {}}, {"a": "x", "b": "x", "c": ""}), parse("P@1"))
    assert [found.wrong.names[code] for code in found.wrong.reason] == ["", "no_gold", "no_gold"]


def test_golds_that_overlap_stay_golds_of_their_query():
    """Adding holes behind a query's golds leaves the hits of the next query on their own golds."""
    from tests.judged import dataset_of

    from ragstone.matching import judge_run

    pages = (Gold(kind="page", document="d", page=1, grade=1), Gold(kind="page", document="d", page=2, grade=1))
    dataset = dataset_of({"p": {"a": 1}, "q": {}})
    dataset = type(dataset)(name="two", queries=dataset.queries, golds={**dataset.golds, "q": pages})
    answers = {
        "p": Response(hits=(Hit(id="1", document="x"), Hit(id="2", document="a"))),
        "q": Response(hits=(Hit(id="3", document="d", page=1),)),
    }
    run = judge_run(dataset, answers)
    assert ends(run, "R(match='any')@5") == ([1.0, 1.0], [1.0, 1.0])
    assert ends(run, "R@5") == ([1.0, 0.5], [1.0, 0.5])


def test_a_run_without_queries_has_no_bounds():
    """Nothing in, nothing out."""
    assert bounds(judged_of({}, {}), parse("P@5")).low.tolist() == []


def ends_of(golds, first, second, name):
    """Return the smallest and the largest difference of two lists on one query."""
    holes = holes_of(
        *([[(rank, one) for rank, one in enumerate(found, 1) if one not in golds]] for found in (first, second))
    )
    low, high = difference(one(golds, first), one(golds, second), parse(name), holes)
    return low.item(), high.item()


@pytest.mark.parametrize(
    ("first", "second", "name", "low", "high"),
    [
        # What one run alone returned is right or wrong for it alone.
        ("gx", "yz", "P@2", -1.0, 0.5),
        # What both returned cannot tell them apart by P, and only by its place by RR.
        ("xg", "xy", "P@2", -0.5, 0.0),
        ("xy", "yx", "RR", -0.5, 0.5),
        # x stands higher in B: right, it is found by both and stands in both ideals.
        ("gx", "xg", "nDCG", 1 / math.log2(3) - 1, 0.0),
        # A new gold that A did not find lowers its recall.
        ("g", "gx", "R", 0.0, 0.5),
        # Below the cutoff of both nothing matters.
        ("gabx", "gabc", "RR@1", 0.0, 0.0),
        # Of the first rank less is better; the ends are still smallest and largest.
        ("xg", "xyg", "first_rank", 0.0, 1.0),
    ],
)
def test_worked_differences(first, second, name, low, high):
    """A hit that both returned has one grade."""
    assert ends_of({"g": 1}, first, second, name) == pytest.approx((low, high))


found_golds = qrels.filter(lambda graded: max(graded.values()) > 0)
SHARED = ["P@3", "R@3", "R", "Hit@2", "RR", "RR@2", "DCG", "DCG(gain='exp')@4", "RBP", "P(rel=2)@3"]


@given(golds=found_golds, first=rankings, second=rankings, name=st.sampled_from(SHARED))
def test_no_shared_labelling_leaves_the_ends_of_the_difference(golds, first, second, name):
    """Whatever is right and wrong, for both runs alike, the difference is between the ends; both are reached."""
    metric = parse(name)
    low, high = ends_of(golds, first, second, name)
    cut = slice(metric.cutoff)
    unjudged = sorted({*first[cut], *second[cut]} - set(golds))
    best = max(*golds.values(), metric.arguments().get("rel", 1))
    seen = []
    for grades in itertools.product((0, best), repeat=len(unjudged)):
        labelled = {**golds, **dict(zip(unjudged, grades, strict=True))}
        a, b = (score_columns(one(labelled, found), metric).values.item() for found in (first, second))
        seen.append(b - a)
    if not np.isnan(low):
        assert (low, high) == pytest.approx((min(seen), max(seen)))


RATIOS = ["nDCG@3", "nDCG", "AP", "Rprec", "F1@3", "ERR"]


@given(golds=found_golds, first=rankings, second=rankings, name=st.sampled_from([*SHARED, *RATIOS]))
def test_the_ends_of_a_difference_hold_what_is_seen_and_turn_with_the_runs(golds, first, second, name):
    """The difference with all holes wrong is within; B - A is A - B turned; equal lists differ by nothing."""
    low, high = ends_of(golds, first, second, name)
    a, b = (score_columns(one(golds, found), parse(name)).values.item() for found in (first, second))
    if not np.isnan(low):
        assert low - 1e-12 <= b - a <= high + 1e-12
        assert ends_of(golds, second, first, name) == (-high, -low)
        assert ends_of(golds, first, first, name) == (0.0, 0.0)


def test_the_difference_of_a_query_does_not_depend_on_its_block(monkeypatch):
    """Holes go with their queries."""
    golds = {f"q{i}": {"g": 1} for i in range(5)}
    lists = [{f"q{i}": text for i, text in enumerate(texts)} for texts in (["gx", "x", "yg", "", "g"], ["xg"] * 5)]
    holes = holes_of(
        *([[(r, d) for r, d in enumerate(text, 1) if d != "g"] for text in one.values()] for one in lists)
    )
    runs = [judged_of(golds, one) for one in lists]
    together = difference(*runs, parse("nDCG"), holes)
    monkeypatch.setattr("ragstone.metrics.holes.BLOCK", 2)
    np.testing.assert_array_equal(together, difference(*runs, parse("nDCG"), holes))
    assert [
        part.size for part in difference(judged_of({}, {}), judged_of({}, {}), parse("P@1"), holes_of([], []))
    ] == [0, 0]


def test_a_unit_returned_twice_is_two_holes():
    """First place with first place, second with second; what is left stands alone."""
    found = holes_of([[(1, "x"), (4, "x")], []], [[(2, "x")], [(3, "y")]])
    assert (found.query.tolist(), found.a.tolist(), found.b.tolist()) == ([0, 0, 1], [1, 4, 0], [2, 0, 3])
