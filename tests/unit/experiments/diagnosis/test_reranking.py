from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.traces import result_of, traced

from ragstone.experiments.diagnosis.reranking import oracle_order, rerank_headroom
from ragstone.matching import MatchOptions
from ragstone.types import Gold, Hit


def reranked(before, after, total=None):
    """Return a search whose reranker turned one order into another."""
    return traced(after[:4], {"lexical": before, "rerank": after}, {"rerank": total or len(after)})


def test_lift_headroom_and_capture_of_worked_questions():
    """Hit@2: one rescued, one broken, one rescued of which another order could not do better, one out of reach."""
    result = result_of(
        {
            "rescued": reranked(["x", "y", "g"], ["g", "x", "y"]),
            "broken": reranked(["g", "x", "y"], ["x", "y", "g"]),
            "missed": reranked(["x", "y", "g"], ["y", "x", "g"]),
            "none": reranked(["x", "y"], ["y", "x"]),
        },
        {name: {"g": 2} for name in ("rescued", "broken", "missed", "none")},
        metrics=["nDCG@2", "Hit@2"],
        primary="Hit@2",
    )
    found = rerank_headroom(result)
    assert (found.first, found.actual, found.oracle) == (0.25, 0.25, 0.75)
    assert (found.lift, found.headroom, found.captured) == (0.0, 0.5, 0.0)
    assert found.moves.rescued == ("rescued",)
    assert found.moves.broken == ("broken",)
    assert (found.moves.entered, found.moves.left) == (1, 1)
    assert found.n == 4


def test_ratio_of_means_with_one_ideal_on_all_sides():
    """nDCG@2 worked by hand: before 0 and 1, after 1 and 0.63, at best 1 and 1."""
    result = result_of(
        {
            "a": reranked(["x", "y", "g"], ["g", "x", "y"]),
            "b": reranked(["g", "x", "y"], ["x", "g", "y"]),
        },
        {"a": {"g": 2}, "b": {"g": 2}},
        metrics=["nDCG@2"],
        primary="nDCG@2",
    )
    found = rerank_headroom(result)
    second = 1 / np.log2(3)
    assert found.first == pytest.approx(0.5)
    assert found.actual == pytest.approx((1 + second) / 2)
    assert found.oracle == 1.0
    assert found.captured == pytest.approx((second / 2) / 0.5)
    assert found.interval.low <= found.captured <= found.interval.high
    assert found == rerank_headroom(result)


def test_without_a_reranker_the_candidates_show_what_one_could_gain():
    """There is no lift and no capture, but the oracle of the deepest ranking."""
    result = result_of({"q": traced(["x", "y"], {"lexical": ["x", "y", "g"]})}, {"q": {"g": 2}})
    found = rerank_headroom(result)
    assert (found.first, found.lift, found.captured, found.moves) == (None, None, None, None)
    assert (found.actual, found.oracle, found.headroom) == (0.0, 1.0, 1.0)


def test_without_stages_or_gold_there_is_nothing_to_say():
    """Nothing recorded, nothing computed."""
    assert rerank_headroom(result_of({"q": ["g"]}, {"q": {"g": 2}})) is None
    assert rerank_headroom(result_of({"q": traced(["x"], {"lexical": ["x"]})}, {"q": {"g": 0}})) is None


def test_a_metric_that_order_cannot_improve_gives_way_to_ndcg():
    """The share of judged hits is no goal of reranking."""
    result = result_of(
        {"q": reranked(["x", "g"], ["g", "x"])}, {"q": {"g": 2}}, metrics=["Judged@2"], primary="Judged@2"
    )
    assert str(rerank_headroom(result).metric) == "nDCG@2"


def test_nothing_to_gain_is_no_ratio():
    """Where every question is perfect before reranking, the captured share is not computed."""
    result = result_of({"q": reranked(["g", "x"], ["g", "x"])}, {"q": {"g": 2}})
    assert rerank_headroom(result).captured is None


def test_candidates_that_were_not_recorded_are_said():
    """The ceiling of a list that was cut may be higher."""
    result = result_of({"q": reranked(["x", "g"], ["g", "x"], total=50)}, {"q": {"g": 2}})
    assert rerank_headroom(result).partial == 1


def test_a_failed_search_does_not_count():
    """There is no ranking to reorder."""
    golds = {"q": {"g": 2}, "f": {"g": 2}}
    result = result_of({"q": reranked(["x", "g"], ["g", "x"]), "f": ConnectionError("no")}, golds)
    assert rerank_headroom(result).n == 1


def test_the_oracle_puts_a_second_match_behind_first_ones():
    """A gold counts once; its second passage is still better than nothing."""
    golds = [Gold(kind="chunk", chunk="a", grade=1), Gold(kind="document", document="d", grade=3)]
    hits = [Hit(id="x"), Hit(id="1", document="d"), Hit(id="2", document="d"), Hit(id="a")]
    assert [hit.id for hit in oracle_order(hits, golds, MatchOptions(unit="chunk"))] == ["1", "a", "2", "x"]


@given(st.lists(st.tuples(st.permutations(["g", "h", "i", "x", "y"]), st.integers(1, 5)), min_size=1, max_size=3))
def test_no_order_is_better_than_the_oracle(searches):
    """Neither the first stage nor the reranker beats the sorted candidates."""
    responses = {}
    for number, (order, depth) in enumerate(searches):
        before = sorted(order)
        after = [name for name in order if name in before[:depth]]
        responses[f"q{number}"] = reranked(before, after)
    golds = {query: {"g": 3, "h": 1, "i": 2, "x": 0} for query in responses}
    found = rerank_headroom(result_of(responses, golds, metrics=["nDCG@3", "Hit@2"], primary="nDCG@3"))
    assert found.oracle + 1e-12 >= max(found.first, found.actual)
    assert found.headroom >= -1e-12
