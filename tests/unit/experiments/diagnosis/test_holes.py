from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.traces import result_of, results_of

from ragstone.errors import UsageError
from ragstone.experiments.diagnosis.holes import difference_bounds, judged_share, pool
from ragstone.metrics import parse
from ragstone.types import Dataset, Gold, Hit, Query, Response

GOLDS = {"q1": {"g": 2, "n": 0}, "q2": {"g": 2}}


def test_judged_share_counts_what_has_a_grade():
    """Judged irrelevant is judged: one of two hits, and two of two."""
    found = judged_share(result_of({"q1": ["g", "n"], "q2": ["x", "g"]}, GOLDS), 2)
    assert (found.value, found.n) == (0.75, 2)


def test_bounds_of_a_worked_difference():
    """Hit@2: A misses q2 through holes, B misses q1 through holes: each could turn a half."""
    first, second = results_of([{"q1": ["g", "n"], "q2": ["x", "y"]}, {"q1": ["x", "y"], "q2": ["x", "g"]}], GOLDS)
    found = difference_bounds(first, second, parse("Hit@2"))
    assert (found.value, found.low, found.high) == (0.0, -0.5, 0.5)
    assert found.judged == (0.5, 0.25)
    assert (found.n, found.holes) == (2, 4)
    assert not found.safe


@pytest.mark.parametrize("metric", ["Hit@2", "nDCG@2", "RR"])
def test_equal_lists_differ_by_nothing_whatever_is_judged(metric):
    """A passage that both returned has one grade, so there is nothing to judge for the comparison's sake."""
    arm = {"q1": ["x", "g", "y"], "q2": ["x", "y"]}
    found = difference_bounds(*results_of([arm, arm], GOLDS), parse(metric))
    assert (found.low, found.value, found.high, found.holes) == (0.0, 0.0, 0.0, 0)
    assert not found.turns


def test_only_questions_that_could_change_are_counted_as_work():
    """q1 is the same in both runs; of q2 three passages could decide."""
    arms = [{"q1": ["x", "y"], "q2": ["v", "g"]}, {"q1": ["x", "y"], "q2": ["w", "n"]}]
    found = difference_bounds(*results_of(arms, GOLDS), parse("P@2"))
    assert (found.low, found.value, found.high, found.holes) == (-0.5, -0.25, 0.25, 3)


def test_names_that_match_alike_are_one_passage():
    """Case and suffix do not tell documents apart, so neither do they here."""
    found = difference_bounds(*results_of([{"q1": ["X.pdf"]}, {"q1": ["x"]}], {"q1": {"g": 2}}), parse("P@2"))
    assert (found.low, found.high, found.holes) == (0.0, 0.0, 0)


def test_a_sign_that_no_judgement_can_turn_is_safe():
    """Everything judged: the bounds are the value."""
    first, second = results_of([{"q1": ["n"], "q2": ["g"]}, {"q1": ["g"], "q2": ["g"]}], GOLDS)
    found = difference_bounds(first, second, parse("Hit@2"))
    assert (found.low, found.value, found.high, found.holes) == (0.5, 0.5, 0.5, 0)
    assert found.safe


def test_a_recall_is_never_called_safe():
    """R@2 leads by 32.5 points whatever its first two hits are; three golds found below turn it to -8.75."""
    early, late = [f"q{i}" for i in range(33)], [f"q{i}" for i in range(33, 60)]
    low = ["a", "b", "c"]
    found_late = {query: ["n", "m", *low] for query in early} | {query: ["g", "n"] for query in late}
    found_early = {query: ["g", "n", *low] for query in early} | {query: ["n", "m"] for query in late}
    judged = {"g": 3, "n": 0, "m": 0}
    golds = {query: dict(judged) for query in early} | {query: {**judged, "k": 3} for query in late}
    before = difference_bounds(*results_of([found_late, found_early], golds), parse("R@2"))
    assert (before.low, before.high, before.turns) == (pytest.approx(0.325), pytest.approx(0.325), False)
    for query in early:
        golds[query] |= dict.fromkeys(low, 3)
    after = difference_bounds(*results_of([found_late, found_early], golds), parse("R@2"))
    assert after.value == pytest.approx(-0.0875)
    assert not before.safe


def test_runs_without_a_common_question_have_no_bounds():
    """Nothing to hold against each other is none, not zero."""
    first, second = results_of([{"q1": ["g"]}, {"q1": ["g"]}], GOLDS)
    only = replace(first, queries=first.queries[:1]), replace(second, queries=second.queries[1:])
    assert difference_bounds(*only, parse("Hit@2")) is None


def test_the_pool_is_the_union_without_what_is_judged():
    """Each unjudged passage once a question, whoever returned it; unanswerable questions are left out."""
    golds = {**GOLDS, "none": {"g": 1}}
    arms = [{"q1": ["g", "a"], "q2": ["b"], "none": ["z"]}, {"q1": ["n", "a", "c"], "q2": ["b"], "none": ["y"]}]
    found = pool(results_of(arms, golds, unanswerable=["none"]))
    assert sorted((item.query.id, item.hit.document) for item in found) == [
        ("q1", "a"),
        ("q1", "c"),
        ("q2", "b"),
    ]
    assert all(item.reference.kind == "document" for item in found)


def test_the_pool_does_not_tell_run_or_rank():
    """Swapping the runs or turning the rankings round gives the same pool, in the same order."""
    arms = [{"q1": ["a", "b", "c", "d"], "q2": ["e", "f"]}, {"q1": ["h", "i"], "q2": ["f", "j"]}]
    turned = [{query: names[::-1] for query, names in arm.items()} for arm in arms]
    pools = [pool(results_of(one, GOLDS)) for one in (arms, arms[::-1], turned)]
    listed = [[(item.query.id, item.hit.document) for item in one] for one in pools]
    assert listed[0] == listed[1]
    # Which question matters most may change with the ranking, but never the order within it.
    assert [one for one in listed[0] if one[0] == "q1"] == [one for one in listed[2] if one[0] == "q1"]
    assert [one for one in listed[0] if one[0] == "q1"] != [("q1", name) for name in "abcdhi"]


def test_the_seed_decides_the_order():
    """The same seed gives the same list, another seed another one."""
    result = result_of({"q1": ["a", "b", "c", "d"]}, {"q1": {"g": 1}})
    orders = {tuple(item.hit.document for item in pool([result], seed=seed)) for seed in range(8)}
    assert len(orders) > 1
    assert pool([result], seed=3) == pool([result], seed=3)


def test_questions_whose_judgement_could_matter_most_come_first():
    """Hit@2 of q2 is sure in both runs, that of q1 is not: q1 is judged first; a limit cuts the rest."""
    arms = [{"q1": ["a"], "q2": ["g", "b"]}, {"q1": ["c"], "q2": ["g", "d"]}]
    found = pool(results_of(arms, GOLDS))
    assert [item.query.id for item in found] == ["q1", "q1", "q2", "q2"]
    assert len(pool(results_of(arms, GOLDS), limit=3)) == 3


def test_depth_counts_collapsed_hits():
    """Only so many hits of each run are looked at."""
    result = result_of({"q1": ["a", "b", "c", "d"]}, {"q1": {"g": 1}})
    assert {item.hit.document for item in pool([result], depth=2)} == {"a", "b"}


def test_references_follow_the_kind_of_the_golds():
    """A page is judged as a page, a section as its heading with its first words, a chunk by its id."""
    hit = Hit(id="c7", document="a/b.pdf", page=4, heading=("Top", "Part"), text="first  words of it")
    golds = {
        "page": Gold(kind="page", document="x.pdf", page=1),
        "anchor": Gold(kind="anchor", document="x.md", heading=("H",)),
        "chunk": Gold(kind="chunk", chunk="c1"),
        "path": Gold(kind="document", document="x.md", ref="path"),
    }
    dataset = Dataset(
        name="t",
        queries=tuple(Query(id=name, text=name) for name in golds),
        golds={name: (gold,) for name, gold in golds.items()},
        digest="kinds",
    )
    items = {item.query.id: item.reference for item in pool([result_of(_all(golds, hit), dataset)])}
    assert items["page"] == Gold(kind="page", document="a/b.pdf", page=4)
    assert items["anchor"] == Gold(
        kind="anchor", document="a/b.pdf", heading=("Top", "Part"), snippets=("first words of it",)
    )
    assert items["chunk"] == Gold(kind="chunk", document="a/b.pdf", chunk="c7")
    assert items["path"] == Gold(kind="document", document="a/b.pdf", ref="path")


def _all(golds, hit):
    return {name: Response(hits=(hit,)) for name in golds}


def test_a_judged_reference_matches_its_own_hit():
    """What the pool offers to judge is judged afterwards: it is not in the next pool."""
    hit = Hit(id="c7", document="a/b.md", heading=("Top", "Part"), text="first words of it")
    query = Query(id="q", text="q")
    golds = (Gold(kind="anchor", document="x.md", heading=("H",)),)
    before = Dataset(name="t", queries=(query,), golds={"q": golds}, digest="1")
    (item,) = pool([result_of({"q": Response(hits=(hit,))}, before)])
    after = replace(before, golds={"q": (*golds, replace(item.reference, grade=0))}, digest="2")
    assert pool([result_of({"q": Response(hits=(hit,))}, after)]) == ()


def test_nonsense_is_refused():
    """A depth or a limit below one, and runs of several datasets."""
    result = result_of({"q1": ["a"]}, {"q1": {"g": 1}})
    other = replace(result, run=replace(result.run, dataset="other"))
    with pytest.raises(UsageError, match="depth is 0"):
        pool([result], depth=0)
    with pytest.raises(UsageError, match="limit is -1"):
        pool([result], limit=-1)
    with pytest.raises(UsageError, match="several datasets"):
        pool([result, other])


names = st.lists(st.sampled_from(["g", "n", "a", "b", "c"]), unique=True, max_size=4)


@given(names, names, names, names, st.sampled_from(["Hit@2", "P@2", "RR", "R@2"]))
def test_the_difference_lies_within_its_bounds(first, second, third, fourth, metric):
    """Whatever came back, the difference as it is lies between the bounds."""
    arms = [{"q1": first, "q2": second}, {"q1": third, "q2": fourth}]
    found = difference_bounds(*results_of(arms, GOLDS), parse(metric))
    assert found.low - 1e-12 <= found.value <= found.high + 1e-12
