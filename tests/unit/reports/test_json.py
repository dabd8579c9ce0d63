from __future__ import annotations

import json
import math

import pytest

from ragstone.reports import canonical_json, render
from ragstone.testing import FakeSystem, FrozenClock
from ragstone.types import Hit, Response


def refuse(name):
    raise AssertionError(f"{name} in JSON")


def parsed(report, text=None):
    return json.loads(text or render(report, "json"), parse_constant=refuse)


def test_every_report_is_strict_json(any_report):
    """NaN and infinity never appear, and the schema is named."""
    assert parsed(any_report)["schema"] == "ragstone.report/1"


def test_a_score_that_is_no_number_becomes_null(make, ask):
    """A system that returns NaN as a score does not break the report."""
    broken = Response(hits=(Hit(id="a", document="a", score=math.nan),))
    data = parsed(make(ask(1), {"nan": FakeSystem({"question 0": broken})}))
    assert data["runs"][0]["queries"][0]["hits"][0]["score"] is None


def test_a_run_tells_its_coverage_and_summaries(troubled):
    """Counts, missing by reason, the interval with its method, and the band are there."""
    run = parsed(troubled)["runs"][0]
    assert run["coverage"] == {"total": 14, "done": 14, "failed": 2, "not_asked": 0, "degraded": 1}
    hit = next(one for one in run["summaries"] if one["metric"] == "Hit@1")
    assert hit["missing"] == {"no_gold": 1, "unanswerable": 1}
    assert (hit["label"], hit["n"], hit["failed"], hit["band"]) == ("Hit@1", 12, 2, "poor")
    assert hit["interval"]["method"] == "Wilson"
    deep = next(one for one in run["summaries"] if one["metric"] == "P@20")
    assert (deep["value"], deep["interval"], deep["missing"]) == (None, None, {"beyond_depth": 14})


def test_the_verdict_is_the_exit_code(troubled, good):
    """Code and word agree with each other."""
    assert parsed(troubled)["verdict"]["exit_code"] == 1
    assert parsed(good)["verdict"] == {
        "exit_code": 0,
        "word": "complete",
        "sentence": "Every question was asked and answered.",
    }


def test_a_question_holds_both_lists(troubled):
    """Hits carry rank, gold and grade, collapsed ones no rank; golds the rank at which each was found."""
    question = parsed(troubled)["runs"][0]["queries"][3]
    assert [hit["document"] for hit in question["hits"]] == ["x0", "x1", "x2", "d3", "d3"]
    assert [hit["rank"] for hit in question["hits"]] == [1, 2, 3, 4, None]
    assert question["hits"][3]["gold"] == 0
    assert question["hits"][3]["grade"] == 3
    assert [(gold["document"], gold["rank"]) for gold in question["golds"]] == [("d3", 4), ("e3", None)]
    assert question["degraded"] == ["no reranker: fusion order"]
    assert question["scores"]["Hit@1"] == {"value": 0.0, "reason": None}


def test_a_failed_search_is_data(troubled):
    """Kind, message and type of the failure stand with the question."""
    question = parsed(troubled)["runs"][0]["queries"][1]
    assert question["failure"] == {"kind": "unreachable", "message": "refused <b>", "type": "ConnectionError"}
    assert question["hits"] == []
    assert question["latency_ms"] is None


def test_the_needle_benchmarks_fields(troubled):
    """Per question and in sum, under the first design's names; what was not computed is null."""
    results = parsed(troubled)["runs"][0]["results"]
    rows = {row["question_id"]: row for row in results["results"]}
    assert rows["q0"] | {"latency_ms": None} == {
        "question_id": "q0",
        "question": "question 0",
        "expected_answer": "answer 0",
        "target_doc_id": "d0",
        "needle_found": True,
        "rank": 1,
        "hit_at_1": True,
        "hit_at_5": True,
        "llm_grade": None,
        "llm_reasoning": None,
        "total_score": None,
        "latency_ms": None,
        "grading_latency_ms": None,
    }
    assert (rows["q6"]["rank"], rows["q6"]["needle_found"], rows["q6"]["hit_at_5"]) == (7, True, False)
    assert (rows["q1"]["rank"], rows["q1"]["needle_found"], rows["q1"]["hit_at_1"]) == (None, False, False)
    assert rows["none"]["needle_found"] is None
    assert rows["bare"]["target_doc_id"] is None
    found = [1, 4, 6, 7, 8, 9, 10]
    assert results["strategy"] == "hobbling"
    assert results["accuracy"] == pytest.approx(len(found) / 12)
    assert results["hit_at_1_rate"] == pytest.approx(1 / 12)
    assert results["hit_at_5_rate"] == pytest.approx(2 / 12)
    assert results["mrr"] == pytest.approx(sum(1 / rank for rank in found) / 12)
    nulls = ("avg_llm_grade", "avg_total_score", "pass_rate_8", "pass_rate_7", "pass_rate_6_5", "peak_memory_mb")
    assert all(results[name] is None for name in nulls)


def test_failed_searches_can_be_left_out(make, ask, script):
    """With on_error exclude, a failed search is not computed instead of a miss."""
    report = make(ask(2), {"a": FakeSystem(script(2))}, on_error="exclude")
    rows = parsed(report)["runs"][0]["results"]["results"]
    assert [row["needle_found"] for row in rows] == [True, None, None, None]


def test_canonical_is_the_same_for_two_stores(make, ask, script):
    """Other ids, dates and timings give the same bytes."""

    def once(step):
        clock = FrozenClock()
        clock.monotonic = lambda: setattr(clock, "seconds", clock.seconds + step) or clock.seconds
        systems = {"one": FakeSystem(script()), "two": FakeSystem({})}
        return make(ask(), systems, clock=clock, thresholds={"latency_p95": "< 5 s", "Hit@10": "> 0"})

    first, second = once(0.01), once(0.02)
    assert first.runs[0].run.id != second.runs[0].run.id
    assert render(first, "json") != render(second, "json")
    assert canonical_json(first) == canonical_json(second)


def test_the_spread_of_repeats_is_in_the_report(make, ask, script):
    """How far repeats lie apart stands beside the run; that of latencies is not among the canonical results."""
    report = make(ask(3), {"a": FakeSystem(script(3))}, repeats=2)
    spread = parsed(report)["runs"][0]["spread"]
    assert spread["nDCG@10"]["repeats"] == 2
    assert spread["nDCG@10"]["means"] == list(report.runs[0].spread["nDCG@10"].means)
    assert any(name.startswith("latency") for name in spread)
    kept = json.loads(canonical_json(report))["runs"][0]["spread"]
    assert kept.keys() == {name for name in spread if not name.startswith("latency")}
    assert parsed(make(ask(3), {"a": FakeSystem(script(3))}))["runs"][0]["spread"] == {}


def test_canonical_differs_where_results_do(make, ask, script):
    """A different hit shows."""
    other = {**script(), "question 0": [["x", "d0"]]}
    reports = [make(ask(), {"one": FakeSystem(answers)}) for answers in (script(), other)]
    assert canonical_json(reports[0]) != canonical_json(reports[1])


def test_canonical_holds_no_times_or_ids(troubled):
    """Neither ids nor dates nor anything measured in time is left, and keys are sorted."""
    text = canonical_json(troubled)
    assert "latency" not in text
    assert '_at"' not in text.replace('"pass_at', "")
    assert troubled.batch not in text
    assert all(result.run.id not in text for result in troubled.runs)
    data = parsed(troubled, text)
    assert list(data) == sorted(data)
    assert [run["name"] for run in data["runs"]] == ["hobbling", "dead"]
