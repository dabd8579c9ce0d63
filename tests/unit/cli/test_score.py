"""`ragstone score`: tables, trec_eval's lines, JSON, CSV and Parquet."""

from __future__ import annotations

import csv
import io
import json
import os
import subprocess
import sys

import polars as pl
import pytest
from typer.testing import CliRunner

from ragstone.cli.main import app
from ragstone.errors import UsageError

QRELS = "q1 0 a 1\nq1 0 b 1\nq2 0 c 1\nq3 0 d 1\n"
GOOD = "q1 Q0 a 1 9 good\nq1 Q0 b 2 8 good\nq2 Q0 c 1 9 good\n"
WEAK = "q1 Q0 x 1 9 weak\nq1 Q0 b 2 8 weak\nq2 Q0 x 1 9 weak\n=q9 Q0 x 1 1 weak\n"


@pytest.fixture
def files(tmp_path):
    for name, text in (("qrels", QRELS), ("good", GOOD), ("weak", WEAK)):
        (tmp_path / name).write_text(text)
    return [str(tmp_path / name) for name in ("qrels", "good", "weak")]


def call(*words, code=0):
    result = CliRunner().invoke(app, ["score", *words])
    assert result.exit_code == code, (result.output, result.exception)
    return result


def test_a_table_with_intervals_and_what_is_missing(files):
    """Warnings go to the other stream."""
    result = call(*files[:2], "-m", "AP,P@5")
    assert "AP      1.0000" in result.stdout
    assert "1 missing_query" in result.stdout
    assert "1 judged queries are not in the run, such as 'q3'" in result.stderr
    assert "AP" in call(*files[:2]).stdout


def test_complete_counts_missing_queries_as_zero(files):
    """As trec_eval -c does."""
    data = json.loads(call(*files[:2], "-m", "AP", "-c", "--json").stdout)
    assert data["runs"][0]["metrics"]["AP"]["value"] == pytest.approx(2 / 3)
    assert data["runs"][0]["policy"]["missing_query"] == "zero"


def test_several_runs_are_compared(files):
    """Each with the first, on the first metric."""
    result = call(*files, "-m", "AP", "-q")
    assert "-0.8750" in result.stdout
    assert "0 won, 0 tied, 2 lost" in result.stdout
    assert "q3     -" in result.stdout


def test_the_lines_of_trec_eval(files):
    """With its spelling of metrics and cutoffs."""
    found = call(*files[:2], "--trec", "-q", "-m", "P.5,10", "-m", "map,num_q").stdout.splitlines()
    assert found[:3] == [
        "map                   \tq1\t1.0000",
        "P_5                   \tq1\t0.4000",
        "P_10                  \tq1\t0.2000",
    ]
    assert found[6] == "num_q                 \tall\t2"
    official = call(*files[:2], "--trec").stdout.splitlines()
    assert official[0] == "runid                 \tall\tgood"
    assert len(official) == 30


def test_sets_of_trec_eval(files):
    """What is computed is printed, under trec_eval's names; the rest is named once, on the other stream."""
    result = call(*files[:2], "--trec", "-m", "set")
    assert [line.split()[0] for line in result.stdout.splitlines()] == [
        *("runid", "num_q", "num_ret", "num_rel", "num_rel_ret", "set_P", "set_recall", "set_F")
    ]
    assert "not computed, and therefore not printed: utility, set_relative_P, set_map" in result.stderr
    unknown = call(*files[:2], "--trec", "-m", "relstring", code=1).exception
    assert "cannot be printed for 'relstring'; there are runid" in str(unknown)


def test_csv(files):
    """Means, or each query's values; a text is never a formula."""
    rows = list(csv.DictReader(io.StringIO(call(*files, "-m", "AP", "--csv").stdout)))
    assert [(row["metric"], row["n"], row["missing"]) for row in rows] == [("AP", "2", "1")] * 2
    rows = list(csv.DictReader(io.StringIO(call(*files, "-m", "AP", "--csv", "-q").stdout)))
    assert [row["AP"] for row in rows] == ["1.0", "1.0", "", "0.25", "0.0", ""]


def test_parquet(files, tmp_path):
    """One row for each run and query."""
    out = tmp_path / "made" / "scores.parquet"
    call(*files, "-m", "AP", "--parquet", str(out))
    frame = pl.read_parquet(out)
    assert frame.columns == ["query_id", "run", "AP"]
    assert frame["AP"].to_list() == [1.0, 1.0, None, 0.25, 0.0, None]
    (tmp_path / "file").write_text("")
    result = call(*files, "--parquet", str(tmp_path / "file" / "x"), code=1)
    assert isinstance(result.exception, UsageError)


def test_two_forms_at_once_are_refused(files):
    """One thing on standard output."""
    assert "choose one of" in str(call(*files, "--trec", "--json", code=1).exception)


def test_a_bad_file_is_one_message(files, tmp_path):
    """With its place, and the exit code of usage."""
    (tmp_path / "weak").write_text("q1 Q0 a 1 x t\nq1 Q0 a 1\n")
    done = subprocess.run(
        [sys.executable, "-m", "ragstone", "score", files[0], files[2]],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "NO_COLOR": "1"},
    )
    assert done.returncode == 2
    assert f"{files[2]}:1: column 5: the score must be a finite decimal number, got 'x'" in done.stderr
    assert f"{files[2]}:2: 4 columns" in done.stderr
