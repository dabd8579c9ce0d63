"""Latencies of searches that were cut off: every format says that they are at least so long."""

from __future__ import annotations

import csv
import io
import json

import pytest
from tests.matrix_runs import matrix_report

from ragstone.experiments.choice.pareto import pareto
from ragstone.metrics import parse
from ragstone.reports import FORMATS
from ragstone.reports.choice.csv import pareto_csv
from ragstone.reports.choice.data import pareto_data
from ragstone.reports.choice.pareto_chart import pareto_chart
from ragstone.reports.choice.pareto_words import pareto_sentences
from ragstone.reports.words import sentence

P95 = "latency(p=95)"


@pytest.fixture(scope="module")
def report():
    """Ten of 100 searches of the run "late" run into the limit of 60 s; none of "good"."""
    ranks = {"good": [1] * 100, "late": [1] * 100}
    return matrix_report(ranks, ms={"late": [61_000.0] * 10 + [1.0] * 90}, metrics=("RR", "latency_p95"))


@pytest.mark.parametrize("name", ["markdown", "html"])
def test_people_read_at_least(report, name):
    """The value with its sign, and how many searches were cut off where."""
    text = FORMATS[name].render(report)
    assert "≥ 60.0 s" in text
    assert "of 100 searches 10 were cut off at the time limit of 60.0 s" in text


def test_programs_read_how_many_were_cut_off(report):
    """JSON and CSV carry the number; a value that is a bound is marked as one."""
    runs = json.loads(FORMATS["json"].render(report))["runs"]
    found = [next(one for one in run["summaries"] if one["metric"] == P95) for run in runs]
    assert [(one["at_least"], one["cut_off"]) for one in found] == [
        (False, None),
        (True, {"n": 10, "limit": 60_000.0, "reached": True}),
    ]
    rows = [row for row in csv.DictReader(io.StringIO(FORMATS["csv"].render(report))) if row["metric"] == P95]
    assert [(row["value"], row["high"] != "", row["at_least"], row["cut_off"]) for row in rows] == [
        ("1.0", True, "0", "0"),
        ("60000.0", False, "1", "10"),
    ]


def test_a_sentence_gives_no_upper_limit(report):
    """Nor does it blame the number of questions."""
    said = sentence(report.runs[1].summaries[P95])
    assert said == (
        "Latency p95 is at least 60.0 s over 100 questions, of which 10 were cut off at the time limit of 60.0 s; "
        "the true value is at least 1.0 ms, and how much longer is not known."
    )


def test_a_plot_leaves_the_whisker_open(report):
    """And the values beside it, the sentences, the JSON and the CSV say at least."""
    found = pareto(report.runs, parse("RR"), P95)
    assert "≥ 60.0 s" in pareto_chart(found)
    assert "late, 10 searches ran into the time limit of 60.0 s." in " ".join(pareto_sentences(found))
    points = {one["name"]: one for one in pareto_data(found)["points"]}
    assert points["good"]["cost_cut_off"] is None
    assert points["late"]["cost_cut_off"]["reached"]
    assert points["late"]["cost_interval"]["high"] is None
    rows = {row["run"]: row for row in csv.DictReader(io.StringIO(pareto_csv(found)))}
    assert (rows["late"]["cost_at_least"], rows["good"]["cost_at_least"]) == ("1", "0")
