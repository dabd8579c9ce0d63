from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.judged import dataset_of
from tests.traces import hits_of, result_of, traced

from ragstone.experiments.diagnosis.fates import LEAVES, STAGES, AnswerVerdict, Fate, fates
from ragstone.experiments.diagnosis.funnel import build_funnel, funnel
from ragstone.types import Dataset, Gold, Hit, Scope

X = ["x1", "x2", "x3", "x4"]
RERANKED = {"lexical": [*X, "x5"], "dense": ["x1"], "fusion": [*X, "x5"], "rerank": X}


def with_gold(stages, **places):
    """Return stages with the gold g put into some of them at a 0-based place."""
    return {
        name: [*ids[: places[name]], "g", *ids[places[name] :]] if name in places else list(ids)
        for name, ids in stages.items()
    }


# One search for each leaf; the gold of every question is the document g.
CASES: dict[str, object] = {
    "not_in_corpus": traced(X, RERANKED),
    "not_indexed": traced(X, RERANKED),
    "failed_search": ConnectionError("gone"),
    "out_of_scope": traced(X, RERANKED, scope=Scope(mode="on", folders=("elsewhere",))),
    "not_in_candidates": traced(X, RERANKED),
    "below_rerank_depth": traced(X, with_gold(RERANKED, lexical=5, fusion=5)),
    "reranked_out": traced(X, with_gold(RERANKED, lexical=0, fusion=0, rerank=2)),
    "threshold": traced(
        ["x1"], {**with_gold(RERANKED, lexical=0, fusion=0, rerank=1), "threshold": ["x1"], "returned": ["x1"]}
    ),
    "unknown": traced(X),
    "cut": traced([*X[:2], "g"], with_gold({"lexical": X}, lexical=2)),
    "refused": traced(["g"], abstained=True),
    "not_cited": traced(["g"], answer="a", citations=(Hit(id="x1", document="x1"),)),
    "unsupported": traced(["g"], answer="a", citations=hits_of(["g"])),
    "wrong": traced(["g"], answer="a", citations=hits_of(["g"])),
    "reached": traced(["x1", "g"], with_gold({"lexical": X}, lexical=1)),
    "right": traced(["g"], answer="a", citations=hits_of(["g"])),
}
VERDICTS = {
    "unsupported": AnswerVerdict(supported=False, correct=False),
    "wrong": AnswerVerdict(supported=True, correct=False),
    "right": AnswerVerdict(supported=True, correct=True),
}


def all_cases():
    """Return the run of all cases: each question wants g, but for the two whose gold the corpus lacks."""
    golds = {leaf: {"g": 2} for leaf in CASES} | {"not_in_corpus": {"nowhere": 2}}
    found = dataset_of(golds)
    lacking = Gold(kind="anchor", document="x1", heading=("nowhere",), grade=2)
    dataset = Dataset(
        name="t", queries=found.queries, golds={**found.golds, "not_indexed": (lacking,)}, digest="traces"
    )
    return result_of(CASES, dataset, corpus=hits_of([*X, "x5", "g"]))


def test_each_leaf_occurs_where_its_stage_lost_the_gold():
    """A hand-made search for every leaf is told apart from all others."""
    found = fates(all_cases(), VERDICTS)
    assert {name: fate.leaf for name, fate in found.items()} == {leaf: leaf for leaf in LEAVES}


def test_leaves_exclude_one_another_and_hold_every_question():
    """The stages and the ends of the worked run add up to all of it."""
    found = funnel(all_cases(), VERDICTS)
    assert [stage.lost for stage in found.stages] == [1] * len(STAGES)
    assert found.lost + found.kept + found.unjudged == found.n == len(LEAVES)
    assert found.end == "right"
    assert [stage.queries for stage in found.stages] == [(name,) for name in STAGES]


def test_what_reached_a_stage_is_what_no_earlier_one_lost():
    """Losses are held against those that came there; what was lost at an unknown place is left out in between."""
    by_name = {stage.name: stage for stage in funnel(all_cases(), VERDICTS).stages}
    assert by_name["not_in_corpus"].reached == 16
    assert by_name["not_in_candidates"].reached == 16 - 4 - 1
    assert by_name["unknown"].reached == 16 - 8
    assert by_name["cut"].reached == 16 - 9
    assert by_name["wrong"].reached == 3


def test_the_bound_is_what_a_perfect_stage_would_bring_if_later_rates_stayed():
    """Worked by hand: of 10, 4 are not found and of the 6 found 2 are cut; 10 x 4/6 and 4 + 2 is the most."""
    units = [(str(i), leaf) for i, leaf in enumerate(["not_in_candidates"] * 4 + ["cut"] * 2 + ["reached"] * 4)]
    by_name = {stage.name: stage for stage in build_funnel(units, cutoff=2, missing={}).stages}
    assert by_name["not_in_candidates"].bound == pytest.approx(4 / 6)
    assert by_name["cut"].bound == pytest.approx(0.6)
    assert by_name["threshold"].bound is None


def test_without_stages_only_what_the_result_shows_is_known():
    """A search over HTTP that records nothing: found, below the cut, or lost at an unknown place."""
    golds = {"a": {"g": 1}, "b": {"g": 1}, "c": {"g": 1}}
    found = fates(result_of({"a": ["g"], "b": ["x", "y", "g"], "c": ["x"]}, golds))
    assert [fate.leaf for fate in found.values()] == ["reached", "cut", "unknown"]


def test_a_list_that_was_not_recorded_whole_proves_nothing():
    """A gold that is not among the recorded candidates may stand further down."""
    golds = {"open": {"g": 1}, "rerank": {"g": 1}, "deep": {"g": 1}}
    fused = {"lexical": ["x", "y", "g"], "rerank": ["y"]}
    found = fates(
        result_of(
            {
                "open": traced(["x"], {"lexical": ["x"]}, {"lexical": 9}),
                "rerank": traced(["y"], fused, {"rerank": 3}),
                "deep": traced(["y"], fused, {"rerank": 2}),
            },
            golds,
        )
    )
    assert [fate.leaf for fate in found.values()] == ["unknown", "reranked_out", "below_rerank_depth"]


def test_a_multi_hop_question_is_lost_with_the_first_support_of_its_best_group():
    """All supports of a group are needed; of several groups the one that came furthest counts."""
    golds = {"q": {"a": 2, "b": 2, "c": 2}}
    trace = traced(["a", "x"], {"lexical": ["a", "x", "b"]})
    result = result_of({"q": trace}, golds, groups={"q": ((0, 2), (0, 1))})
    fate = fates(result)["q"]
    assert isinstance(fate, Fate)
    assert (fate.leaf, fate.required) == ("cut", (0, 1))
    assert dict(fate.golds) == {0: "reached", 1: "cut", 2: "not_in_candidates"}
    by_support = funnel(result, unit="support")
    assert (by_support.n, by_support.kept, by_support.lost) == (2, 1, 1)
    assert funnel(result).multi_hop == 1


def test_questions_without_evidence_to_follow_are_counted_apart():
    """Unanswerable, unlabelled and unasked questions are no losses."""
    result = result_of({"a": ["g"]}, {"a": {"g": 1}, "none": {"g": 1}, "bare": {"g": 0}}, unanswerable=["none"])
    found = funnel(result)
    assert (found.n, dict(found.missing)) == (1, {"unanswerable": 1, "no_gold": 1})
    empty = build_funnel([], cutoff=2, missing={})
    assert (empty.share, empty.n, empty.lost) == (None, 0, 0)


def test_a_dropped_gold_is_no_loss_of_the_corpus():
    """Where unresolved golds are dropped, indices of the dataset do not shift onto other golds."""
    golds = {"q": {"nowhere": 2, "g": 2}}
    result = result_of({"q": ["x", "y", "g"]}, golds, corpus=hits_of(["g", "x"]), unresolved="drop")
    assert fates(result)["q"].leaf == "cut"


def test_a_refusal_without_evidence_is_a_loss_of_retrieval():
    """Only a system that had the evidence and still abstained refused wrongly."""
    result = result_of({"q": traced(["x"], {"lexical": ["x"]}, abstained=True)}, {"q": {"g": 1}})
    assert fates(result)["q"].leaf == "not_in_candidates"


def test_the_first_repeat_counts():
    """A question is one unit, however often it was asked."""
    result = result_of({"q": [traced(["g"]), traced(["x"])]}, {"q": {"g": 1}}, repeats=2)
    assert (funnel(result).n, funnel(result).kept) == (1, 1)


names = st.sampled_from(["g", "h", *X])
lists = st.lists(names, unique=True, max_size=6)
stage_sets = st.fixed_dictionaries(
    {}, optional=dict.fromkeys(("lexical", "dense", "fusion", "rerank", "threshold", "returned"), lists)
)


@given(
    st.lists(
        st.tuples(lists, stage_sets, st.sampled_from([None, True, False]), st.integers(0, 3)),
        min_size=1,
        max_size=4,
    )
)
def test_every_trace_has_one_leaf(searches):
    """Whatever was recorded, however contradictory, leaves are a partition and shares of it."""
    responses: dict[str, object] = {}
    for number, (returned, stages, abstained, extra) in enumerate(searches):
        totals = {name: len(ids) + extra for name, ids in stages.items()}
        responses[f"q{number}"] = traced(returned[:4], stages, totals, abstained=abstained)
    golds = {query: {"g": 2, "h": 1} for query in responses}
    result = result_of(responses, golds, groups={"q0": ((0, 1),)})
    found = funnel(result)
    assert found.lost + found.kept == found.n == len(searches)
    for stage in found.stages:
        assert 0 <= stage.lost <= stage.reached <= found.n
        assert stage.bound is None or found.share <= stage.bound <= 1 + 1e-12
    hits = sum(one.scores["Hit@2"].value or 0 for one in result.queries[1:])
    assert hits >= sum(fate.leaf == "reached" for name, fate in fates(result).items() if name != "q0")


def test_hit_at_k_is_what_the_funnel_keeps():
    """Where no question is multi-hop and none abstains, the share that is kept is Hit@k."""
    result = result_of({"a": ["g"], "b": ["x", "g"], "c": ["x", "y", "g"]}, {q: {"g": 1} for q in "abc"})
    assert funnel(result).share == pytest.approx(result.summaries["Hit@2"].value)
