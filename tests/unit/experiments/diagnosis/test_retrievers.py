from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from statsmodels.stats.multitest import multipletests
from tests.judged import dataset_of
from tests.runs import execute, planned
from tests.traces import result_of, results_of, traced

from ragstone.experiments.diagnosis.ablation import ablations
from ragstone.experiments.diagnosis.retrievers import cascade, complementarity
from ragstone.experiments.results import collect
from ragstone.reports.diagnosis.tables import ablation_table
from ragstone.testing import FakeSystem, InMemoryStore

FILL = [f"f{i}" for i in range(12)]
OTHER = [f"o{i}" for i in range(12)]


def hybrid(lexical, dense, fused=(), totals=None):
    """Return a search of two retrievers."""
    fusion = list(fused) or list(dict.fromkeys([*lexical, *dense]))
    return traced(fusion[:4], {"lexical": lexical, "dense": dense, "fusion": fusion}, totals or {})


def searches():
    """Return five questions: both find g, one alone, the other alone twice, neither."""
    return {
        "both": hybrid(["g", *FILL], ["g", *FILL]),
        "lexical": hybrid(["g", *FILL], OTHER),
        "dense": hybrid(FILL, ["g", *OTHER]),
        "dense2": hybrid(FILL, [*OTHER, "g"]),
        "neither": hybrid(FILL, OTHER),
    }


GOLDS = {name: {"g": 2} for name in searches()}


def test_complementarity_of_worked_lists():
    """Overlap, unique finds, recall and fusion potential worked by hand; the correlation is numpy's."""
    (found,) = complementarity(result_of(searches(), GOLDS))
    assert (found.names, found.n) == (("lexical", "dense"), 5)
    assert found.overlap[10] == pytest.approx((1 + 0 + 0 + 0 + 0) / 5)
    assert (found.both, found.neither) == (1, 1)
    assert found.only == {"lexical": ("lexical",), "dense": ("dense", "dense2")}
    assert found.recall == {"lexical": pytest.approx(0.4), "dense": pytest.approx(0.6)}
    assert found.union_recall == pytest.approx(0.8)
    assert found.fusion_potential == pytest.approx(0.2)
    # Misses in the first two: dense2 finds g at rank 13 only.
    assert found.error_correlation == pytest.approx(np.corrcoef([0, 0, 1, 1, 1], [0, 1, 0, 1, 1])[0, 1])


def test_a_retriever_that_always_finds_has_no_correlation():
    """A constant does not correlate; that is none and not zero."""
    (found,) = complementarity(result_of({"both": searches()["both"]}, {"both": {"g": 2}}))
    assert found.error_correlation is None
    assert found.overlap == {10: 1.0, 50: 1.0} or found.overlap[50] is None


def test_lists_cut_in_recording_are_compared_only_so_deep():
    """What was not recorded is not held against a retriever."""
    trace = hybrid(["x", "g"], ["g", "x"], totals={"lexical": 50, "dense": 50})
    (found,) = complementarity(result_of({"q": trace}, {"q": {"g": 2}}))
    assert found.depth == 2
    assert found.overlap == {10: None, 50: None}


def test_one_retriever_has_nothing_to_be_compared_with():
    """A purely lexical search has no pair, and a search without stages no cascade."""
    alone = result_of({"q": traced(["g"], {"lexical": ["g"]})}, {"q": {"g": 2}})
    assert complementarity(alone) == ()
    assert cascade(result_of({"q": ["g"]}, {"q": {"g": 2}})) == ()


def test_the_cascade_reads_each_stage_from_its_own_list():
    """A gold at rank 13 of a retriever counts at depth 50 though it is not in the result."""
    rows = {row.stage: row for row in cascade(result_of(searches(), GOLDS))}
    assert list(rows) == ["lexical", "dense", "fusion"]
    assert rows["dense"].recall == {10: pytest.approx(0.4), 50: pytest.approx(0.6), 100: pytest.approx(0.6)}
    assert rows["lexical"].mrr == pytest.approx(0.4)
    assert rows["dense"].mrr == pytest.approx((1 + 1 + 1 / 13) / 5)
    assert rows["lexical"].change is None
    assert rows["fusion"].change == pytest.approx(rows["fusion"].mrr - rows["dense"].mrr)


def test_recall_beyond_what_was_recorded_is_not_computed():
    """Of a list cut at two, recall at ten is unknown."""
    result = result_of({"q": traced(["x"], {"lexical": ["x", "g"]}, {"lexical": 30})}, {"q": {"g": 2}})
    (row,) = cascade(result, depths=(2, 10))
    assert row.recall == {2: 1.0, 10: None}


def variant(name, **settings):
    return {"name": name, **settings}


def test_an_ablation_takes_away_one_part_and_changes_nothing_else():
    """Of four runs the full one is held against those with one part less; the one with another depth is not."""
    store = InMemoryStore()
    runs = planned(
        store,
        dataset_of({f"q{i}": {"g": 2} for i in range(30)}),
        metrics=["RR"],
        variants=[
            variant("full", search_mode="hybrid", use_reranker=True),
            variant("no rerank", search_mode="hybrid"),
            variant("no dense", search_mode="lexical", use_reranker=True, rrf_k=10),
            variant("deeper", search_mode="hybrid", retrieval_top_k=50),
            variant("bare", search_mode="lexical"),
        ],
    )
    for run in runs:
        answer = ["g"] if run.spec.name == "full" else ["x", "g"]
        execute(store, [run], FakeSystem({f"q{i}": answer for i in range(30)}))
    found = ablations([collect(store, store.run(run.id)) for run in runs])
    assert [(one.full, one.without, one.run) for one in found] == [
        ("full", "rerank", "no rerank"),
        ("full", "dense", "no dense"),
    ]
    assert found[0].comparison.difference == pytest.approx(-0.5)
    assert found[0].comparison.verdict == "worse"


def test_ablations_allow_for_all_their_rows():
    """P-values are statsmodels' Holm over the table, and what that undoes is borderline as in a comparison."""
    store = InMemoryStore()
    runs = planned(
        store,
        dataset_of({f"q{i}": {"g": 2} for i in range(50)}),
        metrics=["RR"],
        variants=[
            variant("full", search_mode="hybrid", use_reranker=True),
            variant("no rerank", search_mode="hybrid"),
            variant("no dense", search_mode="lexical", use_reranker=True),
            variant("no lexical", search_mode="dense", use_reranker=True),
        ],
    )
    worse = {"full": 0, "no rerank": 7, "no dense": 1, "no lexical": 2}
    for run in runs:
        misses = worse[run.spec.name]
        execute(store, [run], FakeSystem({f"q{i}": ["x"] if i < misses else ["g"] for i in range(50)}))
    found = ablations([collect(store, store.run(run.id)) for run in runs])
    wanted = multipletests([one.comparison.p for one in found], method="holm")[1]
    assert [one.adjusted_p for one in found] == pytest.approx(wanted.tolist())
    assert {one.family for one in found} == {3}
    rows = {one.without: one for one in found}
    assert (rows["rerank"].comparison.verdict, rows["rerank"].verdict) == ("worse", "worse")
    undone = replace(rows["rerank"], adjusted_p=0.06)
    assert undone.verdict == "borderline"
    table = ablation_table([undone])
    assert table.rows[0][-2:] == ["0.060", "borderline"]
    assert "allow for all 3 such comparisons of the batch (Holm)" in table.note
    assert table.note.endswith("may stand where the two runs alone are compared.")


def test_runs_of_other_questions_are_no_ablation():
    """Systems that differ in nothing take nothing away."""
    assert ablations(results_of([{"q": ["g"]}, {"q": ["x"]}], {"q": {"g": 1}})) == ()
