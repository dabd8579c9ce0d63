from __future__ import annotations

import pytest
from tests.judged import dataset_of
from tests.runs import execute, planned

from ragstone.errors import UnknownNameError, UsageError
from ragstone.experiments.history import benchmark_names, changes, fallen, history
from ragstone.testing import FakeSystem, InMemoryStore
from ragstone.types import Dataset

N = 40
GOLDS = {f"q{i}": {"g": 2} for i in range(N)}


def answering(found: int) -> FakeSystem:
    """Return a system that finds the gold of the first so many questions."""
    return FakeSystem({f"q{i}": ["g"] if i < found else ["x"] for i in range(N)})


def tell(store, found: int, dataset=None, system=None, **settings):
    """Run the benchmark once more."""
    runs = planned(
        store, dataset or dataset_of(GOLDS), **{"metrics": ["Hit@1", "RR"], "primary": "Hit@1", **settings}
    )
    execute(store, runs, system or answering(found))
    return runs


def test_a_fall_by_more_than_noise_is_marked_with_what_changed():
    """Up by little, then down by much, together with a changed setting and a changed system."""
    store = InMemoryStore()
    tell(store, 30)
    tell(store, 31)
    tell(store, 10, retrieval_top_k=5)
    (track,) = history(store).tracks
    assert [moment.mark for moment in track.moments] == ["first", "unclear", "fell"]
    last = track.moments[-1]
    assert last.comparison.difference == pytest.approx(-21 / N)
    assert [(one.key, one.before, one.after) for one in last.changes] == [("retrieval_top_k", "100", "5")]
    assert fallen(history(store).tracks) == [(track.name, last)]


def test_a_rise_and_standing_still():
    """The other direction, and no difference at all."""
    store = InMemoryStore()
    for found in (10, 30, 30):
        tell(store, found)
    (track,) = history(store).tracks
    assert [moment.mark for moment in track.moments] == ["first", "rose", "same"]
    assert track.moments[2].changes == ()


def test_another_dataset_is_not_comparable():
    """Values of other questions are shown, but not held against each other."""
    store = InMemoryStore()
    tell(store, 30)
    other = dataset_of(GOLDS)
    tell(store, 10, Dataset(name="other", queries=other.queries, golds=other.golds, digest="other"))
    moment = history(store).tracks[0].moments[1]
    assert (moment.mark, moment.reason, moment.comparison) == ("not_comparable", "dataset changed", None)
    assert "dataset" in {one.key for one in moment.changes}
    assert moment.value.value == pytest.approx(10 / N)


def test_other_rules_of_scoring_are_not_comparable():
    """The same responses matched in another way have other scores."""
    store = InMemoryStore()
    tell(store, 30)
    tell(store, 30, matching={"page_tolerance": 0})
    moment = history(store).tracks[0].moments[1]
    assert (moment.mark, moment.reason) == ("not_comparable", "matching changed")


def test_what_the_system_says_of_itself_is_a_change():
    """A new corpus shows, though no setting did."""
    store = InMemoryStore()

    class Described(FakeSystem):
        def __init__(self, digest):
            super().__init__({})
            self.digest = digest

        def describe(self):
            return {"corpus_digest": self.digest, "embedder": {"name": "m"}}

    first, second = (tell(store, 0, system=Described(one))[0] for one in ("aaa", "bbb"))
    found = changes(store.run(first.id), store.run(second.id))
    assert [(one.key, one.before, one.after) for one in found] == [("reported.corpus_digest", "aaa", "bbb")]


def test_a_run_without_a_value_is_no_predecessor():
    """An interrupted run is listed; the next one is held against the last that has a value."""
    store = InMemoryStore()
    tell(store, 30)
    planned(store, dataset_of(GOLDS), metrics=["Hit@1", "RR"], primary="Hit@1")
    tell(store, 5)
    marks = [moment.mark for moment in history(store).tracks[0].moments]
    assert marks == ["first", "no_value", "fell"]


def test_runs_of_one_name_make_a_track():
    """Variants are followed apart, in the order of the latest batch; a name that is gone comes last."""
    store = InMemoryStore()
    tell(store, 5, variants=[{"name": "old", "rrf_k": 1}, {"name": "b", "rrf_k": 2}])
    tell(store, 5, variants=[{"name": "b", "rrf_k": 2}, {"name": "a", "rrf_k": 3}])
    found = history(store)
    assert [(track.name, len(track.moments)) for track in found.tracks] == [("b", 2), ("a", 1), ("old", 1)]


def test_any_metric_can_be_followed():
    """One that the benchmark does not name is computed from the stored responses."""
    store = InMemoryStore()
    tell(store, 30)
    tell(store, 10)
    moments = history(store, metric="P@1").tracks[0].moments
    assert [moment.value.value for moment in moments] == [pytest.approx(30 / N), pytest.approx(10 / N)]
    assert moments[1].mark == "fell"


def test_less_is_better_for_some_metrics():
    """A growing error rate is a fall."""
    store = InMemoryStore()
    tell(store, N)
    tell(store, N, system=FakeSystem({f"q{i}": ConnectionError("no") for i in range(N)}))
    assert history(store, metric="error_rate").tracks[0].moments[1].mark == "fell"


def test_nonsense_is_refused():
    """An empty store, a benchmark that nobody ran, a metric that there is not."""
    store = InMemoryStore()
    with pytest.raises(UsageError, match="no runs yet"):
        history(store)
    tell(store, 1)
    assert benchmark_names(store) == ("test",)
    with pytest.raises(UnknownNameError, match="unknown benchmark 'tset' \\(did you mean 'test'\\?\\)"):
        history(store, "tset")
    with pytest.raises(UnknownNameError, match="metric"):
        history(store, metric="nDGC@5")
