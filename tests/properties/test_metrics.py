"""Properties that hold for every registered ranking metric, whatever the collection."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.judged import judged_of, one

from ragstone.metrics import FAMILIES, Policy, parse, score, summary

RANKING = ["P@5", "precision_returned@5", "R@5", "Hit@5", "nDCG@5", "nDCG(gain='exp')@5", "RR", "RR@5", "AP",
           "AP@5", "context_precision", "DCG@5"]  # fmt: skip
PERFECT = [name for name in RANKING if not name.startswith(("DCG", "P@"))]
CUT = ["P", "R", "Hit", "nDCG", "RR", "AP", "DCG"]
documents = [f"d{i}" for i in range(12)]
grades = st.dictionaries(st.sampled_from(documents), st.integers(0, 3), min_size=1)
rankings = st.lists(st.sampled_from(documents), unique=True)


def value(golds, ranking, name):
    return score(one(golds, ranking), parse(name))["q"].value


@pytest.mark.parametrize("name", RANKING)
@given(golds=grades, ranking=rankings)
def test_values_lie_in_the_declared_range(name, golds, ranking):
    """A value is within its bounds, or there is a reason instead."""
    found = score(one(golds, ranking), parse(name))["q"]
    low, high = parse(name).traits.bounds
    assert (found.value is None) == (found.reason is not None)
    if found.value is not None:
        assert low <= found.value <= high + 1e-12


@pytest.mark.parametrize("name", PERFECT)
@given(golds=grades.filter(lambda graded: max(graded.values()) > 0))
def test_the_ideal_ranking_scores_one(name, golds):
    """All relevant golds first, best grades first, nothing else."""
    ideal = sorted((d for d in golds if golds[d] > 0), key=lambda d: -golds[d])
    expected = min(1.0, 5 / len(ideal)) if name in ("R@5", "AP@5") else 1.0
    assert value(golds, ideal, name) == pytest.approx(expected)


@pytest.mark.parametrize("name", ["nDCG@5", "nDCG(gain='exp')@5", "DCG@5", "AP", "RR", "P@5", "R@5", "Hit@5"])
@given(golds=grades.filter(lambda graded: max(graded.values()) > 0), ranking=rankings, data=st.data())
def test_promoting_a_better_hit_never_lowers_the_score(name, golds, ranking, data):
    """Swapping two neighbours so that the higher grade comes first helps or changes nothing."""
    if len(ranking) < 2:
        return
    at = data.draw(st.integers(0, len(ranking) - 2))
    first, second = ranking[at], ranking[at + 1]
    if golds.get(first, 0) > golds.get(second, 0):
        first, second = second, first
    better = [*ranking[:at], second, first, *ranking[at + 2 :]]
    worse = [*ranking[:at], first, second, *ranking[at + 2 :]]
    assert value(golds, better, name) >= value(golds, worse, name) - 1e-12


@pytest.mark.parametrize("family", ["R", "Hit", "RR", "AP", "DCG"])
@given(golds=grades.filter(lambda graded: max(graded.values()) > 0), ranking=rankings)
def test_looking_deeper_never_lowers(family, golds, ranking):
    """These metrics grow with the cutoff."""
    values = [value(golds, ranking, f"{family}@{k}") for k in (1, 2, 5, 20)]
    assert values == sorted(values)


@pytest.mark.parametrize("name", RANKING)
@given(golds=grades, ranking=rankings)
def test_what_stands_below_the_cutoff_does_not_matter(name, golds, ranking):
    """A metric at k sees the first k hits alone."""
    metric = parse(name)
    if metric.cutoff is not None:
        assert value(golds, ranking, name) == value(golds, ranking[: metric.cutoff], name)


@pytest.mark.parametrize("name", RANKING)
@given(collection=st.dictionaries(st.sampled_from("abcd"), st.tuples(grades, rankings), min_size=1))
def test_one_query_is_a_batch_of_one(name, collection):
    """A query's score does not depend on the queries beside it."""
    golds = {query: graded for query, (graded, _) in collection.items()}
    together = score(judged_of(golds, {query: ranking for query, (_, ranking) in collection.items()}), parse(name))
    for query, (graded, ranking) in collection.items():
        assert together[query] == score(one(graded, ranking), parse(name))["q"]


@pytest.mark.parametrize("name", FAMILIES)
def test_a_run_without_queries_is_no_error(name):
    """Every metric accepts a run of no queries and summarises it as nothing."""
    family = FAMILIES[name]
    params = {"latency": "(p=95)", "rejection_accuracy": "(criterion='empty')"}.get(name, "")
    metric = parse(f"{name}{params}" + ("@5" if family.cutoff == "required" else ""))
    scores = score(judged_of({}, {}), metric, Policy())
    assert scores == {}
    assert summary(metric, scores).value is None


@pytest.mark.parametrize("name", FAMILIES)
@given(golds=grades, ranking=rankings)
def test_no_score_is_nan(name, golds, ranking):
    """NaN never leaves the kernel."""
    family = FAMILIES[name]
    params = {"latency": "(p=95)", "rejection_accuracy": "(criterion='score')"}.get(name, "")
    metric = parse(f"{name}{params}" + ("@5" if family.cutoff == "required" else ""))
    found = score(one(golds, ranking), metric)["q"]
    assert found.value is None or math.isfinite(found.value)
