"""Bounds of a metric over the hits that nobody judged."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.judged import judged_of, judged_trec, one

from ragstone.metrics import bounds, difference, holes, parse, score_columns
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


def test_the_difference_takes_each_side_at_its_worst():
    """Holes of A right and of B wrong is the smallest difference, the reverse the largest."""
    golds = {"g": 1}
    a, b = (bounds(one(golds, ranking), parse("P@2")) for ranking in ("gx", "yz"))
    low, high = difference(a, b)
    assert (low.tolist(), high.tolist()) == ([-1.0], [0.5])


def test_the_difference_is_in_order_where_less_is_better():
    """A relevant hole lowers the first rank, and the ends are still smallest and largest."""
    a, b = (bounds(one({"g": 1}, ranking), parse("first_rank")) for ranking in ("xg", "xyg"))
    low, high = difference(a, b)
    assert (low.tolist(), high.tolist()) == ([-1.0], [2.0])
