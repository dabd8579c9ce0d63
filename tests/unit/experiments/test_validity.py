"""Golds that the corpus lacks, from the benchmark file to the report."""

from __future__ import annotations

import json

import pytest
from tests.runs import execute, finished_run, planned

from ragstone.bootstrap import load_benchmark, store_plan
from ragstone.errors import ExitCode, InvalidInputError, UnreachableError
from ragstone.experiments.report import build
from ragstone.experiments.results import collect
from ragstone.reports.base import render
from ragstone.testing import FakeSystem, FrozenClock, InMemoryStore
from ragstone.types import Dataset, Gold, Hit, Query

CORPUS = [Hit(id=name, document=name) for name in ("d0", "d1", "x")]
GOLDS = {"q0": {"d0": 3, "lost": 2}, "q1": {"d1": 3}}


def dataset_of(golds=GOLDS) -> Dataset:
    return Dataset(
        name="test",
        queries=tuple(Query(id=name, text=name) for name in golds),
        golds={
            name: tuple(
                Gold(kind="document", document=document, grade=grade) for document, grade in graded.items()
            )
            for name, graded in golds.items()
        },
        support_groups={"q0": ((0, 1),)},
        digest="test",
    )


def run_with(corpus, **changes):
    store = InMemoryStore()
    runs = planned(store, dataset_of(), metrics=["R@5"], **changes)
    execute(store, runs, FakeSystem({"q0": ["d0"], "q1": ["x", "d1"]}, corpus))
    return store, store.run(runs[0].id)


@pytest.mark.parametrize(("policy", "recall"), [("count", 0.5), ("drop", 1.0)])
def test_golds_that_are_gone_count_or_are_dropped(policy, recall):
    """By default a gold that nothing can find lowers recall; dropped, it takes with it the groups that need it."""
    store, run = run_with(CORPUS, unresolved=policy)
    result = collect(store, run)
    assert run.validity is not None
    assert (run.validity.total, run.validity.resolved, dict(run.validity.gone)) == (3, 2, {"q0": (1,)})
    scores = {found.query.id: found.scores["R@5"].value for found in result.queries}
    assert scores == {"q0": recall, "q1": 1.0}
    all_of_it = result.summaries.get("recall_all@5")
    assert (all_of_it.value if all_of_it else None) == (None if policy == "drop" else 0.0)


def test_an_ambiguous_gold_is_never_retrieved():
    """Two documents answer to its name, so that neither is known to be right."""
    corpus = [*CORPUS, Hit(id="lost.md", document="lost.md"), Hit(id="lost.pdf", document="lost.pdf")]
    store = InMemoryStore()
    (run,) = planned(store, dataset_of(), metrics=["R@5"])
    execute(store, [run], FakeSystem({"q0": ["lost.md", "d0"], "q1": ["d1"]}, corpus))
    result = collect(store, store.run(run.id))
    assert result.run.validity is not None
    assert dict(result.run.validity.ambiguous) == {"q0": (1,)}
    assert {found.query.id: found.scores["R@5"].value for found in result.queries} == {"q0": 0.5, "q1": 1.0}


def test_the_report_names_what_is_gone():
    """A reader learns how many golds are missing, the first of them, and what was made of them."""
    store, run = run_with(CORPUS)
    report = build(store, [run])
    (notice,) = [notice.message for notice in report.notices if "not in the corpus" in notice.message]
    assert "1 of 3 golds" in notice
    assert "q0 wants lost" in notice
    data = json.loads(render(report, "json"))["runs"][0]
    assert data["matching"]["golds"] == {
        "source": "system", "total": 3, "resolved": 2, "gone": 1, "ambiguous": 0, "policy": "count",
        "samples": [{"query": "q0", "gold": "lost"}],
    }  # fmt: skip
    assert data["policy"]["unresolved"] == "count"
    assert "2 of 3 are in the corpus; 1 gone" in render(report, "html")


def test_a_corpus_without_any_gold_is_refused_before_anything_is_asked():
    """Every score would be 0: a mis-joined name must not look like a bad system."""
    store = InMemoryStore()
    (run,) = planned(store, dataset_of())
    system = FakeSystem({}, [Hit(id="z", document="z")])
    execute(store, [run], system)
    failed = store.run(run.id)
    assert failed.state == "failed"
    assert "none of the 3 gold references is in the corpus" in (failed.error or "")
    assert not system.asked


def test_a_system_that_says_nothing_of_its_corpus_is_not_checked():
    """Then the report says that the golds were not checked."""
    store, run = finished_run()
    assert run.validity is None
    assert "not checked" in render(build(store, [run]), "html")


def test_a_service_that_is_not_there_ends_as_unreachable():
    """The system could not even be opened: the exit code says so, not that the run is incomplete."""
    store = InMemoryStore()
    (run,) = planned(store, dataset_of())

    class Gone(FakeSystem):
        def describe(self):
            raise UnreachableError("nobody at http://localhost:1")

    execute(store, [run], Gone({}), FrozenClock())
    assert build(store, [store.run(run.id)]).verdict is ExitCode.UNREACHABLE


@pytest.fixture
def folder(tmp_path):
    rows = [
        {"query_id": "q0", "query": "x", "gold_references": [{"document": "file:///a.md", "ref": "uri"}]},
        {"query_id": "q1", "query": "y", "gold_references": [{"document": "guide.md", "ref": "file_name"}]},
        {"query_id": "q2", "query": "z", "gold_references": [{"document": "none.md", "ref": "path"}]},
    ]
    (tmp_path / "q.jsonl").write_text("\n".join(map(json.dumps, rows)))
    documents = [
        {"id": "1", "uri": "file:///a.md", "file_name": "a.md"},
        {"id": "2", "file_name": "guide.md"},
        {"id": "3", "file_name": "guide.md"},
    ]
    (tmp_path / "catalogue.jsonl").write_text("\n".join(map(json.dumps, documents)))
    (tmp_path / "b.yaml").write_text(
        "name: b\ndataset: q.jsonl\ncatalogue: catalogue.jsonl\ntop_k: 5\nmetrics: [R@5]\n"
        "rag_endpoint: http://localhost:1\nconnection_mode: http\n"
    )
    return tmp_path


def test_a_catalogue_puts_its_ids_in_place_of_references(folder):
    """What means one document becomes its id; the rest is kept, known to be gone or ambiguous."""
    plan = load_benchmark(folder / "b.yaml")
    assert [plan.dataset.golds[name][0].document for name in ("q0", "q1", "q2")] == ["1", "guide.md", "none.md"]
    (run,) = store_plan(InMemoryStore(), plan)
    assert run.validity is not None
    assert (run.validity.source, run.validity.total, run.validity.resolved) == ("catalogue", 3, 1)
    assert (dict(run.validity.gone), dict(run.validity.ambiguous)) == ({"q2": (0,)}, {"q1": (0,)})


def test_the_catalogue_stands_even_where_the_system_knows_its_corpus(folder):
    """What was looked up by reference is not looked up again by name."""
    store = InMemoryStore()
    (run,) = store_plan(store, load_benchmark(folder / "b.yaml"))
    execute(store, [run], FakeSystem({}, [Hit(id="z", document="z")]))
    done = store.run(run.id)
    assert done.state == "completed"
    assert done.validity == run.validity


def test_a_catalogue_of_another_corpus_is_refused(folder):
    """Line, first reference and way out are named."""
    (folder / "catalogue.jsonl").write_text('{"id": "9"}')
    with pytest.raises(
        InvalidInputError, match=r"b.yaml:3: catalogue: none of the 3 .*q0 wants uri 'file:///a.md'"
    ):
        load_benchmark(folder / "b.yaml")


def test_the_flat_spelling_of_a_system(folder):
    """rag_endpoint and connection_mode are the system's endpoint and type."""
    plan = load_benchmark(folder / "b.yaml")
    assert plan.content["system"] == {"type": "http", "endpoint": "http://localhost:1"}
    with (folder / "b.yaml").open("a") as file:
        file.write("system: {type: http, endpoint: 'http://localhost:2'}\n")
    with pytest.raises(InvalidInputError, match=r"connection_mode and system\.type say the same thing; keep one"):
        load_benchmark(folder / "b.yaml")


def test_files_that_extend_each_other_meet_under_one_name(folder):
    """What the parent calls by an alias, or by a flat key, the child may replace by another name for it."""
    (folder / "p.yaml").write_text(
        "name: p\nground_truth_path: none.jsonl\nmetrics_to_compute: [nDCG@5]\ntop_k: 5\npage_tolerance: 15\n"
        "rag_endpoint: http://localhost:1\n"
    )
    (folder / "c.yaml").write_text(
        "extends: p.yaml\ndataset: q.jsonl\nmetrics: [R@5]\nsystem: {endpoint: 'http://localhost:2'}\n"
        "matching: {snippet_mode: all}\n"
    )
    plan = load_benchmark(folder / "c.yaml")
    assert plan.content["dataset"] == "q.jsonl"
    assert plan.content["metrics"] == ["R@5"]
    assert plan.content["system"] == {"type": "http", "endpoint": "http://localhost:2"}
    assert plan.content["matching"] == {"page_tolerance": 15, "snippet_mode": "all"}


def test_a_thing_under_two_names_is_refused(folder):
    """The line of the second is told."""
    with (folder / "b.yaml").open("a") as file:
        file.write("ground_truth_path: q.jsonl\n")
    with pytest.raises(InvalidInputError, match=r"b.yaml:8: .*ground_truth_path and dataset say the same thing"):
        load_benchmark(folder / "b.yaml")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("connection_mode: telepathy", r"b.yaml:7: system: unknown type 'telepathy'"),
        ("rag_endpoint: nowhere", r"b.yaml:6: system.endpoint: "),
    ],
)
def test_a_wrong_flat_key_is_told_on_its_line(folder, line, message):
    """The problem stands where the user wrote it."""
    key = line.partition(":")[0]
    lines = (folder / "b.yaml").read_text().splitlines()
    (folder / "b.yaml").write_text("\n".join(line if old.startswith(key) else old for old in lines))
    with pytest.raises(InvalidInputError, match=message):
        load_benchmark(folder / "b.yaml")
