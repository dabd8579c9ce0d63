from __future__ import annotations

import csv
import io

from ragstone.reports import per_query_csv, render


def rows(text):
    return list(csv.DictReader(io.StringIO(text, newline="")))


def test_one_row_for_each_run_and_metric(troubled):
    """Every summary stands in a row with its interval; what was not computed is empty, with the reason."""
    table = {(row["run"], row["metric"]): row for row in rows(render(troubled, "csv"))}
    assert len(table) == sum(len(result.summaries) for result in troubled.runs)
    hit = table["hobbling", "Hit@1"]
    assert (float(hit["value"]), hit["n"], hit["missing"], hit["method"]) == (1 / 12, "12", "2", "Wilson")
    assert 0 < float(hit["low"]) < float(hit["value"]) < float(hit["high"])
    deep = table["hobbling", "P@20"]
    assert (deep["value"], deep["low"], deep["level"], deep["reasons"]) == ("", "", "", "14 beyond_depth")


def test_lines_end_as_the_standard_says(good):
    """RFC 4180: every line ends in CR LF."""
    text = render(good, "csv")
    assert text.count("\r\n") == text.count("\n") == 1 + len(good.runs[0].summaries)


def test_scores_in_long_form(troubled):
    """One row for each run, question and metric, with the value or the reason."""
    table = {(row["run"], row["query_id"], row["metric"]): row for row in rows(per_query_csv(troubled))}
    assert table["hobbling", "q0", "Hit@1"]["value"] == "1.0"
    assert table["hobbling", "none", "Hit@1"]["reason"] == "unanswerable"
    assert table["dead", "q0", "Hit@1"] | {} == {
        "run": "dead",
        "query_id": "q0",
        "metric": "Hit@1",
        "value": "",
        "reason": "not_asked",
    }


def test_text_that_a_spreadsheet_would_compute_is_disarmed(nasty, make, ask):
    """An apostrophe goes before =, +, -, @, tab and their full-width forms; numbers stay numbers."""
    assert {row["query_id"] for row in rows(per_query_csv(nasty))} == {f"'={i}<i>" for i in range(4)}
    for name in ("+1", "-1", "@x", "\tx", "\uff1dx"):
        table = rows(render(make(ask(1), {name: make.__globals__["FakeSystem"]({})}), "csv"))
        assert {row["run"] for row in table} == {f"'{name}"}
        assert all(not row["value"].startswith("'") for row in table)
