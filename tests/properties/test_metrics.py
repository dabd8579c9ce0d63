"""Properties that hold for every registered metric, whatever the collection."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.judged import judged_of, one
from tests.properties.catalogue import METRICS

from ragstone.metrics import Policy, parse, score, score_columns, summary
from ragstone.metrics.blocks import blocks

MONOTONE = [metric for metric in METRICS if metric.traits.monotone]
# The ideal of what was retrieved looks below the cutoff by definition.
CUT = [metric for metric in METRICS if metric.cutoff and dict(metric.params).get("ideal") != "retrieved"]
PERFECT = ["precision_returned@5", "R", "R@5", "Hit@5", "nDCG@5", "nDCG(gain='exp')@5", "RR", "RR@5", "AP", "AP@5",
           "F1", "Rprec", "context_precision", "infAP"]  # fmt: skip
documents = [f"d{i}" for i in range(12)]
# Read as numbers, or folded, cut or decoded carelessly, some of these would be the same or nothing.
ODD = ["7", "07", "7.0", "1e3", "nan", "None", "日本語", "e\u0301", "🎉", "a b", "Ω/ß", "-1"]
grades = st.dictionaries(st.sampled_from(documents), st.integers(0, 3), min_size=1)
with_gold = grades.filter(lambda graded: max(graded.values()) > 0)
rankings = st.lists(st.sampled_from(documents), unique=True)
collections = st.dictionaries(st.sampled_from("abcd"), st.tuples(grades, rankings, st.booleans()), min_size=1)


def value(golds, ranking, name):
    return score(one(golds, ranking), parse(name))["q"].value


def run_of(collection, rename=str):
    """Judge a collection of query -> (golds, ranking, answerable), each query with its first gold as group."""
    golds = {
        rename(query): {rename(d): g for d, g in graded.items()} for query, (graded, _, _) in collection.items()
    }
    return judged_of(
        golds,
        {rename(query): [rename(d) for d in ranking] for query, (_, ranking, _) in collection.items()},
        groups=dict.fromkeys(golds, ((0,),)),
        unanswerable=[rename(query) for query, (_, _, answerable) in collection.items() if not answerable],
    )


def all_scores(run, policy=None):
    """Return every metric's scores by metric and query."""
    return {str(metric): score(run, metric, policy) for metric in METRICS}


def test_the_catalogue_is_complete():
    """What is tested below are all families, in all their words."""
    from ragstone.metrics import FAMILIES

    assert {metric.family for metric in METRICS} == set(FAMILIES)
    assert parse("nDCG(gain='exp')@5") in METRICS


@given(collection=collections, no_gold=st.sampled_from(["exclude", "zero"]))
def test_values_lie_in_the_declared_range(collection, no_gold):
    """Each query has a finite value within the bounds, or a reason instead."""
    for name, scores in all_scores(run_of(collection), Policy(no_gold=no_gold)).items():
        low, high = parse(name).traits.bounds
        for found in scores.values():
            assert (name, found.value is None) == (name, found.reason is not None)
            if found.value is not None:
                assert math.isfinite(found.value), name
                assert low - 1e-12 <= found.value <= high + 1e-12, name


@pytest.mark.parametrize("name", PERFECT)
@given(golds=with_gold)
def test_the_ideal_ranking_scores_one(name, golds):
    """All relevant golds first, best grades first, nothing else."""
    ideal = sorted((d for d in golds if golds[d] > 0), key=lambda d: -golds[d])
    expected = min(1.0, 5 / len(ideal)) if name in ("R@5", "AP@5") else 1.0
    assert value(golds, ideal, name) == pytest.approx(expected, abs=1e-5 if name == "infAP" else 1e-12)


@given(golds=with_gold, data=st.data())
def test_no_ranking_of_the_golds_beats_the_ideal_one(golds, data):
    """All relevant golds by grade, best first, is the best answer to every metric that claims to reward order."""
    ranking = data.draw(st.lists(st.sampled_from(sorted(golds)), unique=True))
    for metric in MONOTONE:
        relevant = [d for d in golds if golds[d] >= metric.arguments().get("rel", 1)]
        ideal = sorted(relevant, key=lambda d: -golds[d])
        best, other = better_first(metric, golds, ideal), better_first(metric, golds, ranking)
        assert best >= other - 1e-9, metric


@given(golds=with_gold, ranking=rankings.filter(lambda ranking: len(ranking) > 1), data=st.data())
def test_promoting_a_better_hit_never_lowers_the_score(golds, ranking, data):
    """Swapping two neighbours so that the higher grade comes first helps or changes nothing."""
    at = data.draw(st.integers(0, len(ranking) - 2))
    pair = sorted(ranking[at : at + 2], key=lambda d: golds.get(d, 0))
    worse = [*ranking[:at], *pair, *ranking[at + 2 :]]
    better = [*ranking[:at], *reversed(pair), *ranking[at + 2 :]]
    for metric in MONOTONE:
        promoted, before = better_first(metric, golds, better), better_first(metric, golds, worse)
        assert promoted >= before - 1e-9, metric


def better_first(metric, golds, ranking):
    """Return a value of which more is better; what is not computed is the worst."""
    [found] = score_columns(one(golds, ranking), metric).values
    if math.isnan(found):
        return -math.inf
    return -found if metric.traits.higher_is_better is False else found


@pytest.mark.parametrize("family", ["R", "Hit", "RR", "AP", "DCG", "RBP", "ERR", "NumRelRet"])
@given(golds=with_gold, ranking=rankings)
def test_looking_deeper_never_lowers(family, golds, ranking):
    """These metrics grow with the cutoff."""
    values = [value(golds, ranking, f"{family}@{k}") for k in (1, 2, 5, 20)]
    assert values == sorted(values)


@given(golds=grades, ranking=rankings)
def test_what_stands_below_the_cutoff_does_not_matter(golds, ranking):
    """A metric at k sees the first k hits alone."""
    scores = [1.0 / rank for rank in range(1, len(ranking) + 1)]
    for metric in CUT:
        k = metric.cutoff
        whole, top = scored(golds, ranking, scores), scored(golds, ranking[:k], scores[:k])
        assert (metric, score(whole, metric)) == (metric, score(top, metric))


def scored(golds, ranking, scores):
    from tests.judged import dataset_of, response_of

    from ragstone.matching import judge_run

    return judge_run(dataset_of({"q": golds}), {"q": response_of(ranking, scores)})


@given(collection=collections)
def test_one_query_is_a_batch_of_one(collection):
    """A query's scores do not depend on the queries beside it."""
    together = all_scores(run_of(collection))
    for query in collection:
        alone = all_scores(run_of({query: collection[query]}))
        for name, scores in alone.items():
            assert (name, scores[query]) == (name, together[name][query])


@given(collection=collections, size=st.integers(1, 5), zero=st.booleans())
def test_the_size_of_blocks_changes_nothing(collection, size, zero):
    """A run scored block by block has the scores of the run scored at once."""
    policy = Policy(no_gold="zero" if zero else "exclude")
    whole = all_scores(run_of(collection), policy)
    merged: dict[str, dict] = {}
    for part in blocks(run_of(collection), size):
        for name, scores in all_scores(part, policy).items():
            merged.setdefault(name, {}).update(scores)
    assert merged == whole


@given(collection=collections, data=st.data())
def test_the_order_of_queries_changes_nothing(collection, data):
    """Queries may stand in any order."""
    shuffled = data.draw(st.permutations(sorted(collection)))
    assert all_scores(run_of({query: collection[query] for query in shuffled})) == all_scores(run_of(collection))


@given(collection=collections, data=st.data())
def test_the_names_of_unjudged_hits_change_nothing(collection, data):
    """A hit that nobody judged counts by its place alone."""
    renamed = {
        query: (golds, [name if name in golds else f"{name}-x" for name in ranking], answerable)
        for query, (golds, ranking, answerable) in collection.items()
    }
    assert all_scores(run_of(renamed)) == all_scores(run_of(collection))


@given(collection=collections, odd=st.permutations(ODD))
def test_odd_ids_work(collection, odd):
    """Ids that look like numbers, contain spaces or lie outside ASCII are ids like any other."""
    names = {**dict(zip(documents, odd, strict=True)), **dict(zip("abcd", odd, strict=False))}
    plain, strange = all_scores(run_of(collection)), all_scores(run_of(collection, names.__getitem__))
    for name, scores in plain.items():
        assert (name, strange[name]) == (name, {names[query]: found for query, found in scores.items()})


@given(collection=collections, data=st.data())
def test_pooled_hits_without_a_judgement_count_only_for_infap(collection, data):
    """A row of negative grade changes no other metric: it is neither relevant nor irrelevant."""
    run = run_of(collection)
    kept = data.draw(st.lists(st.booleans(), min_size=len(run.rank), max_size=len(run.rank)))
    grade = run.grade.copy()
    grade[[not keep for keep in kept]] = -1
    pooled = replace(run, grade=grade)
    unknown = replace(run, **{key: getattr(run, key)[kept] for key in ("query", "rank", "grade", "gold")})
    for metric in METRICS:
        if metric.family != "infAP":
            assert (metric, score(pooled, metric)) == (metric, score(unknown, metric))


def test_a_run_without_queries_is_no_error():
    """Every metric accepts a run of no queries and summarises it as nothing."""
    for metric in METRICS:
        scores = score(judged_of({}, {}), metric, Policy())
        assert scores == {}
        assert summary(metric, scores).value is None
