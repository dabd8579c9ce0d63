from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from dataclasses import replace

import pytest
from tests.traces import result_of, traced

from ragstone.experiments.diagnosis.diagnose import diagnose
from ragstone.experiments.diagnosis.explain import find_query
from ragstone.experiments.diagnosis.fates import LEAVES
from ragstone.experiments.diagnosis.funnel import build_funnel
from ragstone.experiments.diagnosis.retrievers import CascadeRow
from ragstone.reports import explanation_data, render, render_explanation
from ragstone.reports.diagnosis.advice import advice
from ragstone.reports.diagnosis.chart import funnel_chart
from ragstone.reports.diagnosis.data import funnel_data, run_diagnosis_data
from ragstone.reports.diagnosis.tables import cascade_table, funnel_table, reranking_sentences, retrievers_table
from ragstone.reports.diagnosis.text import render_diagnosis
from ragstone.reports.diagnosis.words import because, funnel_sentence, title


def units(**counts):
    return [(f"{leaf}{i}", leaf) for leaf, n in counts.items() for i in range(n)]


def reranked_run():
    """A hybrid run with a reranker: one question rescued, one broken, one never found."""
    stages = {"lexical": ["x", "y", "g"], "dense": ["x", "g"], "fusion": ["x", "y", "g"]}
    return result_of(
        {
            "up": traced(["g", "x"], {**stages, "rerank": ["g", "x", "y"]}),
            "down": traced(["x", "y"], {**stages, "fusion": ["g", "x", "y"], "rerank": ["x", "y", "g"]}),
            "never": traced(["x"], {"lexical": ["x"], "dense": ["y"], "fusion": ["x"], "rerank": ["x"]}),
        },
        {name: {"g": 2} for name in ("up", "down", "never")},
        name="<b>nasty|name</b>",
    )


def test_the_sentence_says_where_most_was_lost_and_what_mending_it_could_bring():
    """The wording of the report line, with the largest loss first."""
    found = build_funnel(units(not_in_candidates=19, reranked_out=9, cut=12, reached=60), cutoff=10, missing={})
    assert funnel_sentence(found) == (
        "Of 40 questions without their evidence in the first 10, 19 were lost because no retriever found it, "
        "12 because it ranked below 10, 9 because reranking left it below rank 10; mending retrieval could raise "
        "Hit@10 from 60% to at most 74%."
    )


def test_multi_hop_questions_are_not_called_a_hit_rate():
    """Hit@k needs one gold, these need all of a group."""
    found = build_funnel(units(cut=1, reached=1), cutoff=5, missing={}, multi_hop=1)
    assert "raise the share with all evidence in the first 5 from 50%" in funnel_sentence(found)


def test_supports_are_counted_as_pieces_of_evidence():
    """Where each required support counts for itself, none of them is called a question."""
    found = build_funnel(units(cut=3, reached=1), cutoff=5, missing={}, multi_hop=2, unit="support")
    assert funnel_data(found)["sentence"] == (
        "Of 3 pieces of evidence without a place in the first 5, 3 were lost because it ranked below 5; mending "
        "ranking could raise the share of the evidence in the first 5 from 25% to at most 100%."
    )
    whole = build_funnel(units(reached=1), cutoff=5, missing={}, unit="support")
    assert funnel_sentence(whole).endswith("for all of 1 piece of evidence.")


@pytest.mark.parametrize(
    ("counts", "said"),
    [
        ({}, "No question has evidence that could be followed."),
        ({"reached": 2}, "No evidence was lost: Hit@10 for all of 2 questions."),
        (
            {"unknown": 1},
            "Of 1 question without their evidence in the first 10, 1 was lost at an unknown place.",
        ),
        ({"cut": 4, "threshold": 3, "refused": 2, "wrong": 1, "not_cited": 1}, "2 elsewhere; mending ranking"),
    ],
)
def test_sentences_of_the_borders(counts, said):
    """Nothing to follow, nothing lost, one question, an unknown place, and many places."""
    assert said in funnel_sentence(build_funnel(units(**counts), cutoff=10, missing={}))


def test_an_unknown_place_is_no_cause_and_has_no_bound():
    """Nothing is promised of mending a place that nobody knows, neither in words nor in numbers."""
    found = build_funnel(units(unknown=5, cut=2, reached=3), cutoff=10, missing={})
    assert funnel_sentence(found).endswith("5 were lost at an unknown place, 2 because it ranked below 10.")
    rows = {row[0]: row for row in funnel_table(found).rows}
    assert (rows["Unknown where"][5], rows["Found, but cut off"][5]) == ("\N{EN DASH}", "50%")
    bounds = {stage["name"]: stage["bound"] for stage in funnel_data(found)["stages"]}
    assert bounds["unknown"] is None
    assert bounds["cut"] == pytest.approx(0.5)


def test_no_recall_is_shown_deeper_than_the_list():
    """A list of two has no recall at 10: what it holds in all stands in a column of its own."""
    row = CascadeRow(
        stage="lexical", n=3, candidates=2.0, longest=2, recall={1: 0.2, 5: 0.4, 10: 0.4}, mrr=0.3, change=None
    )
    deeper = replace(row, stage="dense", candidates=6.5, longest=7, recall={1: 0.3, 5: 0.6, 10: 0.8})
    found = cascade_table([row, deeper])
    assert list(found.header) == ["stage", "candidates", "R@1", "R@5", "R of all", "MRR", "change"]
    assert [list(cells[2:5]) for cells in found.rows] == [["20%", "\N{EN DASH}", "40%"], ["30%", "60%", "80%"]]


def test_every_leaf_has_words():
    """No leaf is left without a title, none that loses without a reason."""
    assert all(title(leaf, 10) for leaf in LEAVES)
    assert all(because(leaf, 10) for leaf in LEAVES[:-2])


def test_answers_that_were_judged_are_told_as_right_answers():
    """Where a judge spoke, the end of the funnel is the right answer."""
    found = build_funnel(units(wrong=1, right=2, reached=1), cutoff=10, missing={}, judged=True)
    assert funnel_sentence(found).startswith("Of 1 question without a right answer, 1 was lost because the answer")
    assert [row[0] for row in funnel_table(found).rows] == ["Answer wrong", "Answer not judged", "Answer right"]


def test_the_table_adds_up():
    """The questions of all rows are all questions."""
    found = build_funnel(units(not_in_candidates=3, cut=2, unknown=1, reached=4), cutoff=10, missing={})
    assert sum(int(row[1]) for row in funnel_table(found).rows) == 10


def test_the_chart_is_an_svg_whose_bars_add_up():
    """The widths of what was lost and of what was kept fill one bar; nothing leaves the drawing."""
    found = build_funnel(units(not_in_candidates=3, cut=2, reached=5), cutoff=10, missing={})
    for width in (700.0, 340.0):
        drawing = ET.fromstring(funnel_chart(found, "<run>", width=width))  # noqa: S314 - our own drawing
        bars = [one for one in drawing.iter() if one.tag.endswith("rect")]
        lost = sum(float(one.get("width")) for one in bars if "--bad" in one.get("style"))
        kept = next(float(one.get("width")) for one in bars if "--accent" in one.get("style"))
        assert lost == pytest.approx(kept, abs=0.5)
        assert all(float(one.get("x")) + float(one.get("width")) <= width for one in bars)
    assert "<run>" not in funnel_chart(found, "<run>")
    assert "Nothing to show." in funnel_chart(build_funnel([], cutoff=1, missing={}), "empty")


def test_a_run_is_explained_in_text_and_as_data():
    """Funnel, moves, retrievers, cascade; the JSON is strict and has the same numbers."""
    result = reranked_run()
    text = render_diagnosis(result)
    for part in (
        "Of 2 questions without their evidence in the first 2",
        "Reranking rescued 1 question and broke 1",
        "Oracle context: not computed, the system gave no answers.",
        "What lexical and dense find",
        "Stage by stage",
    ):
        assert part in text
    data = json.loads(json.dumps(run_diagnosis_data(result), allow_nan=False))
    assert data["funnel"]["kept"] + sum(stage["lost"] for stage in data["funnel"]["stages"]) == data["funnel"]["n"]
    assert data["reranking"]["moves"]["rescued"] == ["up"]
    assert data["oracle_context"] == {"value": None, "reason": "no_answers"}


def test_a_system_without_stages_is_told_what_it_misses():
    """The text says what to do about it, and shows no empty tables."""
    text = render_diagnosis(result_of({"q": ["x"]}, {"q": {"g": 2}}))
    assert "records no stages" in text
    assert "Stage by stage" not in text
    assert cascade_table(()) is retrievers_table(()) is None
    assert reranking_sentences(None) == []


def test_one_question_is_explained_with_its_leaf():
    """The text ends with what became of the evidence, the data hold leaf and golds."""
    result = reranked_run()
    found = find_query(result, "down")
    assert "Evidence  Reranked out: reranking left it below rank 2" in render_explanation(result, found)
    assert explanation_data(result, found)["fate"] == {
        "leaf": "reranked_out",
        "reason": None,
        "golds": {"0": "reranked_out"},
        "required": [],
    }


def test_a_multi_hop_question_lists_what_it_needs():
    """Each required gold with its own fate."""
    trace = traced(["a", "x"], {"lexical": ["a", "x"]})
    result = result_of({"q": trace}, {"q": {"a": 2, "b": 2}}, groups={"q": ((0, 1),)})
    text = render_explanation(result, find_query(result, "q"))
    assert "2 golds are needed together" in text
    assert text.rstrip().endswith("not in the candidates")


def test_unanswerable_questions_have_no_fate():
    """There is no evidence that could be lost."""
    result = result_of({"q": ["a"]}, {"q": {}}, unanswerable=["q"])
    found = find_query(result, "q")
    assert "Evidence" not in render_explanation(result, found)
    assert explanation_data(result, found)["fate"]["reason"] == "unanswerable"


def test_advice_follows_from_limits_and_says_the_number():
    """Beyond each limit there is one line, within them none."""
    stages = {"lexical": ["x", "y"], "dense": ["x", "y", "g"], "fusion": ["x", "y"], "rerank": ["x", "y"]}
    found = diagnose(result_of({"q": traced(["x"], stages)}, {"q": {"g": 2}}))
    said = "\n".join(advice(found))
    assert "hold 0 points more recall than dense alone" in said
    assert "Reranking changes MRR by +0.000" in said
    assert "Lexical search finds 0% of the golds" in said
    (pair,) = found.retrievers
    alike = replace(pair, overlap={10: 0.9, 50: None}, error_correlation=0.8)
    said = "\n".join(advice(replace(found, retrievers=(alike,))))
    assert "correlation 0.80" in said
    assert "share 90%" in said
    good = replace(pair, union_recall=1.0, recall={"lexical": 0.5, "dense": 0.5})
    assert advice(replace(found, retrievers=(good,), cascade=())) == []


@pytest.mark.parametrize("form", ["markdown", "html", "json"])
def test_every_report_holds_the_diagnosis(any_report, form):
    """Whatever went wrong in its runs, a report shows where evidence was lost."""
    text = render(any_report, form)
    if form == "json":
        runs = json.loads(text)["runs"]
        assert all({"funnel", "reranking", "cascade"} <= run["diagnosis"].keys() for run in runs)
        assert all(run["judged"] for run in runs)
    elif form == "html":
        assert "Where the evidence was lost" in text
    assert "<script" not in text or form == "json"


def test_the_canonical_json_does_not_depend_on_the_store(good):
    """The diagnosis holds no ids of runs and no times."""
    from ragstone.reports import canonical_json

    assert good.runs[0].run.id not in canonical_json(good)
