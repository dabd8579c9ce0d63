"""Which configuration, in words, tables, Markdown, JSON and on the page."""

from __future__ import annotations

import csv
import io
import json
import re

import numpy as np
import pytest
from tests.matrix_runs import clustered, matrix_report

from ragstone.experiments.choice.analysis import analyse
from ragstone.experiments.choice.grids import metric_grid
from ragstone.experiments.choice.names import run_names
from ragstone.experiments.choice.pareto import pareto
from ragstone.metrics import parse
from ragstone.reports import render
from ragstone.reports.choice.csv import grid_csv, ranking_csv
from ragstone.reports.choice.data import grid_data, matrix_data
from ragstone.reports.choice.page import matrix_page
from ragstone.reports.choice.render import columns, grid_text, matrix_markdown, matrix_text
from ragstone.reports.choice.tables import effects_table, ranking_table
from ragstone.reports.choice.words import sentences

RR = parse("RR")
THREE = {"first": [1] * 40, "second": [2] * 40, "third": [4] * 40}


def analysed(report, **options):
    return analyse(report.runs, [RR], **options)[0]


def said(report, **options):
    return " ".join(sentences(analysed(report, **options)))


def sixteen(n=30):
    """A matrix of sixteen runs with long names."""
    rng = np.random.default_rng(2)
    settings = {
        f"search_mode={mode} use_reranker={word} rrf_k={k} top_k={depth}": {
            "search_mode": mode, "use_reranker": rerank, "rrf_k": k, "top_k": depth,
        }
        for mode in ("dense", "hybrid")
        for rerank, word in ((False, "false"), (True, "true"))
        for k in (10, 60)
        for depth in (10, 20)
    }  # fmt: skip
    return matrix_report({name: rng.integers(1, 9, n).tolist() for name in settings}, settings=settings)


def test_a_clear_winner_is_said_plainly():
    """The answer comes first, with n, then what the best of equal runs would look like."""
    first, second, *_ = sentences(analysed(matrix_report(THREE)))
    assert first.startswith("first comes first of 3 runs: MRR 1.000 over 40 questions, better than every other")
    assert second.startswith("The best of 3 equal runs would look ")
    assert "leads the average run by 41.7 points" in second
    assert second.endswith("first has about 1.000 rather than 1.000.")


def test_ties_are_named():
    """Who cannot be told apart from the best is named, or everybody is."""
    tied = matrix_report({"one": [1, 2] * 20, "other": [2, 1] * 20, "bad": [None] * 40})
    assert "so 1 other cannot be told apart from it: other." in said(tied)
    assert "no run can be told apart from it" in said(matrix_report({"a": [1, 2] * 5, "b": [2, 1] * 5}))


def test_long_names_become_numbers():
    """Sentences call runs by their number in the table, whose names are the values alone."""
    found = analysed(sixteen())
    first = sentences(found)[0]
    assert first.startswith("#1 (")
    assert "#2 to #16" in first or "no run can be told apart" in first
    names = run_names(found.table.runs)
    assert names.note == "Runs are named by search_mode, use_reranker, rrf_k, top_k."
    assert set(names.shown.values()) >= {"dense · no reranker · 10 · 10", "hybrid · reranker · 60 · 20"}


def test_runs_of_one_name_are_called_by_their_ids():
    """A/A runs of two batches have one name; their ids tell them apart."""
    runs = [matrix_report({"same": [1] * 5}).runs[0] for _ in range(2)]
    assert set(run_names(runs).shown.values()) == {run.run.id for run in runs}


def test_holdout_noise_and_clusters_are_said():
    """The holdout's two values, the A/A floor and the origins each have their sentence."""
    rng = np.random.default_rng(0)
    ranks = {name: rng.integers(1, 6, 24).tolist() for name in ("a", "b", "c")}
    text = said(matrix_report(ranks, dataset=clustered(24, 3)), holdout=True)
    assert "Holdout: picked on 4 groups of questions" in text
    assert "Noise floor: " in text
    assert "The 24 questions come from 8 origins" in text


def test_what_is_left_out_is_said():
    """Runs that are not ranked and questions that are left out are named with the reason."""
    report = matrix_report(
        {"a": [1, 2, 3], "b": [2, 1, 3], "c": [1, 1, 1]},
        skip={"b": [1]},
        own_metrics={"c": ["Hit@1"]},
    )
    text = said(report)
    assert "Not ranked: c, because it has other metrics only" in text
    assert (
        "1 question left out, for want of a score in some run (the first: q1, with a failed search in b)" in text
    )


def test_no_op_settings_are_said():
    """A setting without effect and a setting that changed nothing are told apart."""
    settings = {
        "a": {"search_mode": "dense"},
        "b": {"search_mode": "dense", "rrf_k": 10},
        "c": {"search_mode": "dense", "use_reranker": True},
    }
    text = said(matrix_report({"a": [1] * 6, "b": [1] * 6, "c": [1] * 6}, settings=settings))
    assert "2 runs differ only in settings without effect there (rrf_k) and gave identical results: a, b." in text
    assert "3 runs gave identical results although rrf_k and use_reranker differ, so they count as one try" in text


def test_tables_hold_what_the_analysis_holds():
    """Ranking with letters and cost; effects with pairs."""
    settings = {"a": {"use_reranker": False}, "b": {"use_reranker": True}, "c": {"top_k": 20}}
    report = matrix_report({"a": [4] * 40, "b": [1] * 40, "c": [2] * 40}, settings=settings)
    found = analysed(report)
    table = ranking_table(found, pareto(report.runs, RR, "latency_p95"))
    assert [row[:4] for row in table.rows] == [
        ["1", "b", "a", "1.000"],
        ["2", "c", "b", "0.500"],
        ["3", "a", "c", "0.250"],
    ]
    assert [row[-1] for row in table.rows] == ["on the frontier", "within noise", "within noise"]
    effects = effects_table(found)
    assert list(effects.rows[0])[:4] == ["use_reranker", "true", "false", "+75.0"]


def test_text_fits_the_terminal():
    """No line is longer than the terminal is wide, and every run stands in the table."""
    report = sixteen()
    found = analysed(report)
    text = matrix_text(found, pareto(report.runs, RR, "latency_p95"), width=100)
    assert max(map(len, text.splitlines())) <= 100
    assert "Main effects" in text
    assert sum("within noise" in line or "on the frontier" in line for line in text.splitlines()) == 16
    assert grid_text(metric_grid(report.runs, [RR]), width=80).splitlines()[0] == "Main metrics by run"


def test_p_is_printed_or_not_spoken_of():
    """The column and its explanation come together: both where there is room, neither where there is none."""
    report = matrix_report({"a run with a long name": [1] * 30, "another one": [2] * 30, "c": [3] * 30})
    found = analysed(report)
    costs = pareto(report.runs, RR, "latency_p95")
    for width, there in ((140, True), (70, False)):
        text = matrix_text(found, costs, width=width)
        head = next(line for line in text.splitlines() if line.startswith("#"))
        assert ("  p  " in head) == there
        assert ("p: against the best run" in text) == there
        assert "told apart, allowing for all pairs" in " ".join(text.split())


def test_with_few_questions_nothing_is_said_of_luck():
    """Nine questions do not tell which share of the differences is luck; ten are enough to try."""
    few, enough = ({name: (ranks * 10)[:n] for name, ranks in THREE.items()} for n in (9, 10))
    assert "is luck" not in said(matrix_report(few))
    assert "is luck" in said(matrix_report(enough))


BROKEN = {"good": [1, 2, 1] * 12, "fair": [2, 2, 1] * 12, "broken": [None] * 36}


def test_a_broken_run_is_named_as_what_hides_the_others():
    """It is named with the ways out, and no share of luck gainsays the groups."""
    report = matrix_report(BROKEN)
    found = analysed(report)
    assert (found.best.tied, [one.run.run.spec.name for one in found.far_behind]) == (1, ["broken"])
    text = said(report)
    good, fair = (run.run.id for run in report.runs[:2])
    assert "so 1 other cannot be told apart from it: fair." in text
    assert (
        "broken stands far behind all others, which widens what may be luck between any two of them. Leave it out "
        f"(`ragstone matrix show {good} {fair}`), or compare two runs (`ragstone compare {fair} {good}`)."
    ) in text
    assert "is luck" not in text
    assert "leads the average run" not in text
    assert [one["name"] for one in matrix_data(found)["far_behind"]] == ["broken"]
    assert f"(`ragstone compare {fair} {good}`)" in render(report, "markdown")
    assert f"<code>ragstone compare {fair} {good}</code>" in render(report, "html")


def test_a_winner_apart_from_all_has_its_share_of_luck():
    """Nothing is hidden where all differ, and then the share of luck tells the same story as the groups."""
    text = said(matrix_report(THREE))
    assert "far behind" not in text
    assert "About 0% of the differences between these runs is luck" in text


def test_the_matrix_as_a_page_of_its_own():
    """A section for each metric with ranking, plot, effects and heat maps; no script, no request."""
    report = sixteen()
    metrics = [RR, parse("Hit@1")]
    pairs = [(one, pareto(report.runs, one.table.metric, "latency_p95")) for one in analyse(report.runs, metrics)]
    text = matrix_page(report, pairs)
    assert [text.count(f">By {name}<") for name in ("MRR", "Hit@1")] == [1, 1]
    assert text.count(">Quality against latency<") == 2
    assert text.count("<h3>Main metrics by run</h3>") == 1
    assert text.count(">What each factor is worth<") == 2
    assert "allowing for all pairs" in text
    assert "<script" not in text
    assert not re.search(r'(?:src|href)="(?!#|data:)', text)
    hostile = matrix_report({"<script>x</script>": [1] * 5, "b": [2] * 5, "c": [3] * 5})
    assert "<script" not in matrix_page(hostile, [(analysed(hostile), pareto(hostile.runs, RR, "latency_p95"))])


def test_the_widest_column_is_cut():
    """Columns keep to the width by cutting the widest one."""
    table = ranking_table(analysed(matrix_report({"a" * 200: [1] * 5, "b": [2] * 5})))
    assert max(map(len, columns(table, 90))) <= 90


def test_markdown_is_escaped():
    """A name cannot open a table cell, a tag or a link."""
    report = matrix_report({"<b>|x": [1] * 12, "[l](http://e)": [2] * 12, "c": [3] * 12})
    text = render(report, "markdown")
    section = text[text.index("## Which configuration?") :]
    assert "<b>" not in section
    assert "&lt;b&gt;\\|x" in section
    assert "://" not in section.replace("&#58;//", "")
    assert "[l](" not in section


def test_data_is_json_and_speaks_of_everything():
    """The JSON holds ranking, test, effects and sentences; nothing in it is NaN."""
    report = sixteen()
    data = json.loads(json.dumps(matrix_data(analysed(report, holdout=True)), allow_nan=False))
    assert data["schema"] == "ragstone.matrix/1"
    assert len(data["ranking"]) == 16
    assert len(data["tukey"]["p"]) == 16
    assert data["holdout"]["run_id"] in {run.run.id for run in report.runs}
    assert {one["factor"] for one in data["effects"]} == {"search_mode", "use_reranker", "rrf_k", "top_k"}
    assert data["sentences"]
    json.dumps(grid_data(metric_grid(report.runs, [RR])), allow_nan=False)


def test_csv_holds_numbers():
    """CSV rows hold full numbers, one row a run."""
    report = matrix_report(THREE)
    rows = list(csv.DictReader(io.StringIO(ranking_csv([analysed(report)]))))
    assert [float(row["mean"]) for row in rows] == [1.0, 0.5, 0.25]
    grid = list(csv.reader(io.StringIO(grid_csv(metric_grid(report.runs, [RR])))))
    assert grid[1] == ["first", "1.0"]


def test_the_report_has_the_section_from_three_runs_on():
    """Three completed runs bring the section into Markdown and page; two do not."""
    three, two = matrix_report(THREE), matrix_report({"a": [1] * 5, "b": [2] * 5})
    for form, mark in (("markdown", "## Which configuration?"), ("html", 'id="which"')):
        assert mark in render(three, form)
        assert mark not in render(two, form)


def test_repeats_are_reported():
    """A run with repeats says its noise in Markdown and on the page."""
    report = matrix_report({"a": [[1, 1, 2, 1], [2, 1, 2, 1]]}, repeats=2)
    for form in ("markdown", "html"):
        text = render(report, form)
        assert "How noisy?" in text
        assert "asked 2 times; MRR varied on 1 of them" in text


@pytest.mark.parametrize("own", [{"c": ["Hit@1"]}, {}])
def test_the_same_runs_give_the_same_bytes(own):
    """Two renderings of one report are equal."""
    report = matrix_report(THREE, metrics=["RR", "Hit@1"])
    table = lambda header, rows, numbers: str((header, rows, sorted(numbers)))  # noqa: E731
    one, two = (matrix_markdown(analysed(report), pareto(report.runs, RR, "latency_p95"), table) for _ in range(2))
    assert one == two
