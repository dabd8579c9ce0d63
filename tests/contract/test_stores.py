"""What every store promises, held against each implementation."""

from __future__ import annotations

import pytest
from tests.judged import dataset_of
from tests.runs import GOLDS, planned

from ragstone.errors import StaleLeaseError, UnknownNameError
from ragstone.store.open import open_store
from ragstone.testing import InMemoryStore
from ragstone.types import Failure, Hit, Response, Scope, Score, Stage, Task


@pytest.fixture(params=["memory", "sqlite"])
def store(request, tmp_path):
    if request.param == "memory":
        yield InMemoryStore()
        return
    with open_store(tmp_path / "test.db", write=True) as opened:
        yield opened


FULL = Response(
    hits=(Hit(id="a#1", document="a", score=0.25, text="é <b>", page=3, heading=("A", "B")),),
    latency_ms=1.5,
    answer="42",
    citations=(Hit(id="a#1", document="a"),),
    abstained=False,
    scope=Scope(mode="on", folders=("x",)),
    stages=(Stage(name="lexical", ids=("a#1", "b#2"), scores=(2.0, 1.0), ms=0.1, total=7),),
    candidates=(Hit(id="b#2", document="b", text="lost"),),
    usage={"tokens": 12.0},
    attempts=2,
    degraded=("no reranker",),
)


def test_a_plan_is_stored_before_anything_runs(store):
    """Planned runs are pending, in order, with all their tasks to do."""
    runs = planned(store, variants=[{"name": "a"}, {"name": "b", "top_k": 7}])
    assert [run.spec.name for run in store.runs()] == ["a", "b"]
    assert {run.state for run in store.runs()} == {"pending"}
    assert [(run.total, run.done, run.failed) for run in store.runs()] == [(12, 0, 0)] * 2
    assert len({run.batch for run in runs}) == 1
    assert store.run(runs[1].id).spec == runs[1].spec


def test_a_dataset_comes_back_as_it_was(store):
    """Queries, golds and groups survive."""
    dataset = dataset_of(GOLDS, groups={"q1": ((0, 1),)}, unanswerable=["q2"])
    planned(store, dataset)
    assert store.dataset(dataset.digest) == dataset


def test_unknown_names_are_told(store):
    """Asking for what is not there names what is."""
    planned(store)
    with pytest.raises(UnknownNameError, match="unknown run 'nope'"):
        store.run("nope")
    with pytest.raises(UnknownNameError, match="unknown dataset 'nope'"):
        store.dataset("nope")


def test_states_move_by_compare_and_set(store):
    """Only one of two starts wins."""
    run = planned(store)[0]
    assert store.move(run.id, ("pending",), "running", at="t1")
    assert not store.move(run.id, ("pending",), "running", at="t2")
    assert store.move(run.id, ("running",), "failed", at="t3", error="why")
    found = store.run(run.id)
    assert (found.state, found.started_at, found.finished_at, found.error) == ("failed", "t1", "t3", "why")


def test_a_response_comes_back_as_it_was(store):
    """Every field survives, candidates too."""
    run = planned(store)[0]
    lease = store.claim(run.id, "me")
    assert store.record(lease, store.missing(lease)[0], FULL)
    assert [response for _, response in store.responses(run.id)] == [FULL]


def test_a_task_gets_one_response(store):
    """The second one for the same task is not kept."""
    run = planned(store)[0]
    lease = store.claim(run.id, "me")
    task = store.missing(lease)[0]
    assert store.record(lease, task, Response(answer="first"))
    assert not store.record(lease, task, Response(answer="second"))
    assert [response.answer for _, response in store.responses(run.id)] == ["first"]
    assert store.run(run.id).done == 1


def test_what_has_no_response_is_missing(store):
    """The missing tasks are exactly those without one, in order."""
    run = planned(store)[0]
    done = []
    while lease := store.claim(run.id, "me"):
        task = store.missing(lease)[0]
        store.record(lease, task, Response())
        done.append(task.query)
    assert done == list(GOLDS)
    assert [task.query for task, _ in store.responses(run.id)] == list(GOLDS)


def test_a_stale_lease_is_refused(store):
    """After another claim of the shard, the first owner's results are not taken."""
    run = planned(store)[0]
    old = store.claim(run.id, "old")
    new = store.claim(run.id, "new")
    assert (old.shard, new.epoch) == (new.shard, old.epoch + 1)
    task = store.missing(new)[0]
    with pytest.raises(StaleLeaseError, match="old lost shard 0"):
        store.record(old, task, Response())
    assert store.record(new, task, Response())


def test_repeats_are_tasks_of_their_own(store):
    """Three repeats of twelve questions are 36 tasks."""
    run = planned(store, repeats=3)[0]
    lease = store.claim(run.id, "me")
    assert run.total == 36
    assert store.missing(lease)[:4] == (Task("q0", 0), Task("q0", 1), Task("q0", 2), Task("q1", 0))


def test_failures_count_and_can_be_forgotten(store):
    """A failure is a row; forgetting it makes its task missing again."""
    run = planned(store)[0]
    while lease := store.claim(run.id, "me"):
        task = store.missing(lease)[0]
        failure = Failure(kind="timeout", message="slow") if task.query in ("q3", "q11") else None
        store.record(lease, task, Response(failure=failure))
    assert (store.run(run.id).done, store.run(run.id).failed) == (12, 2)
    assert store.forget_failures(run.id) == 2
    lease = store.claim(run.id, "me")
    assert store.missing(lease)[0].query == "q3"
    assert (store.run(run.id).done, store.run(run.id).failed) == (10, 0)


def test_scores_are_replaced(store):
    """Saving again leaves only the new ones."""
    run = planned(store)[0]
    store.save_scores(run.id, {"P@5": {"q0": Score(0.2), "q1": Score(None, "failed")}})
    store.save_scores(run.id, {"R@5": {"q0": Score(1.0)}})
    assert store.scores(run.id) == {"R@5": {"q0": Score(1.0)}}


def test_the_system_is_described(store):
    """What the system says of itself is kept with the run."""
    run = planned(store)[0]
    store.describe(run.id, {"type": "fake", "corpus": {"digest": "abc"}})
    assert store.run(run.id).system == {"type": "fake", "corpus": {"digest": "abc"}}


def test_deleting_a_run_leaves_the_others(store):
    """The dataset stays as long as a run uses it, and goes with the last."""
    first, second = planned(store, variants=[{"name": "a"}, {"name": "b"}])
    lease = store.claim(first.id, "me")
    store.record(lease, store.missing(lease)[0], FULL)
    store.save_scores(first.id, {"R@5": {"q0": Score(1.0)}})
    store.delete(first.id)
    assert [run.id for run in store.runs()] == [second.id]
    assert store.dataset(second.dataset).name == "test"
    store.delete(second.id)
    with pytest.raises(UnknownNameError):
        store.dataset(second.dataset)
