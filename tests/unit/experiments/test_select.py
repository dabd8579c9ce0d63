"""Runs are found by what people type."""

from __future__ import annotations

import pytest
from tests.judged import dataset_of
from tests.runs import GOLDS, answers, execute, finished_run, planned

from ragstone.errors import UnknownNameError, UsageError
from ragstone.experiments.diagnosis.explain import find_query, trace_golds
from ragstone.experiments.results import collect
from ragstone.experiments.select import find_run, find_runs
from ragstone.testing import FakeSystem, InMemoryStore
from ragstone.types import Hit, Response, Scope, Stage


@pytest.fixture
def store():
    store = InMemoryStore()
    planned(store, variants=[{"name": "a"}, {"name": "b"}])
    planned(store, variants=[{"name": "b"}, {"name": "c"}])
    return store


def test_ids_batches_names_and_beginnings(store):
    """An id, a batch, a name in the latest batch, the beginning of an id, or nothing for the latest batch."""
    first, second, third, fourth = store.runs()
    assert find_runs(store) == (third, fourth)
    assert find_runs(store, first.batch) == (first, second)
    assert find_run(store, second.id) == second
    assert find_run(store, "b") == third
    assert find_run(store, first.id[:-1]) == first


def test_what_means_several_or_nothing_is_refused(store):
    """The message says what there is."""
    with pytest.raises(UsageError, match="fits several"):
        find_runs(store, "run-")
    with pytest.raises(UsageError, match="is a batch of 2 runs"):
        find_run(store, store.runs()[0].batch)
    with pytest.raises(UnknownNameError, match="unknown run 'zzz'"):
        find_runs(store, "zzz")
    with pytest.raises(UsageError, match="holds no runs yet"):
        find_runs(InMemoryStore())


def test_an_unknown_question_is_told():
    """With the nearest id."""
    store, run = finished_run()
    result = collect(store, run)
    assert find_query(result, "q3").query.id == "q3"
    with pytest.raises(UnknownNameError, match="unknown question 'q33'"):
        find_query(result, "q33")


def stage(name, *ids):
    return Stage(name=name, ids=ids, scores=tuple(1.0 for _ in ids), ms=0.0)


def trace(hits, *stages):
    """Return the trace of golds d0 (grade 3) and x (grade 1) for what one query got back."""
    names = {name for one in stages for name in one.ids} - set(hits)
    response = Response(
        hits=tuple(Hit(id=name, document=name) for name in hits),
        stages=stages,
        candidates=tuple(Hit(id=name, document=name) for name in sorted(names)),
    )
    store, run = finished_run(FakeSystem({**answers(), "q0": response}))
    result = collect(store, run)
    return trace_golds(result.queries[0], result.benchmark.matching)


def test_a_lost_gold_is_traced_to_its_stage():
    """Found, lost in fusion, cut at the end, or never found by a retriever."""
    one, other = trace(["d0"], stage("lexical", "d0", "x"), stage("dense", "d0"), stage("fusion", "d0"))
    assert (one.rank, one.lost_at, dict(one.stages)) == (1, None, {"lexical": 1, "dense": 1, "fusion": 1})
    assert (other.rank, other.lost_at, other.stages["lexical"]) == (None, "fusion", 2)
    one, other = trace(["y"], stage("lexical", "y", "d0"), stage("returned", "y"))
    assert (one.lost_at, one.stages) == ("returned", {"lexical": 2, "returned": None})
    assert other.lost_at == "lexical"
    one, _ = trace(["y"], stage("lexical", "y"), stage("dense", "y"))
    assert one.lost_at == "lexical + dense"


def test_without_stages_it_is_unknown_where_a_gold_was_lost():
    """Nothing recorded, nothing claimed."""
    one, _ = trace(["y"])
    assert (one.rank, one.lost_at, one.stages) == (None, None, {})


def test_metrics_that_the_data_call_for_are_added():
    """Groups bring recall_all, rejection queries their accuracy, a scoped search its misses."""
    store = InMemoryStore()
    runs = planned(store, dataset_of(GOLDS | {"no": {}}, groups={"q1": ((0, 1),)}, unanswerable=["no"]))
    script = {**answers(), "no": Response(abstained=True), "q2": Response(scope=Scope(mode="on", folders=("f",)))}
    execute(store, runs, FakeSystem(script))
    summaries = collect(store, store.runs()[0]).summaries
    assert summaries["recall_all@5"].n == 1
    assert summaries["rejection_accuracy(criterion='abstained')"].value == 1.0
    assert summaries["scope_miss"].value == 1.0
