"""Many configurations from the command line: a real benchmark, real files."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

BENCHMARK = """\
name: many
dataset: questions.jsonl
system: {type: callable, function: "my_search:search", arguments: {shift: 0, ms: 0}}
top_k: 10
metrics: [RR, Hit@1, Hit@5]
matrix:
  factors:
    system.arguments:
      - {shift: 0, ms: 4}
      - {shift: 1, ms: 0}
      - {shift: 3, ms: 4}
"""
SEARCH = """\
import time

def search(query, k, shift=0, ms=0):
    time.sleep(ms / 1000)
    number = int(query.split()[-1])
    return [f"other{n}" for n in range(shift + number % 2)] + [f"doc{number}"]
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("many")
    rows = [
        {"query_id": f"q{i}", "query": f"find {i}", "category": "even" if i % 2 == 0 else "odd",
         "gold_references": [{"document": f"doc{i}", "relevance": 3}]}
        for i in range(80)
    ]  # fmt: skip
    (path / "questions.jsonl").write_text("\n".join(map(json.dumps, rows)))
    (path / "my_search.py").write_text(SEARCH)
    (path / "bench.yaml").write_text(BENCHMARK)
    ragstone(path, "run", "bench.yaml", "-q")
    return path


def ragstone(folder, *arguments, code=0):
    """Run the command and return its standard output and error."""
    done = subprocess.run(
        [sys.executable, "-m", "ragstone", *arguments],
        cwd=folder, capture_output=True, text=True, env={**os.environ, "COLUMNS": "100"}, timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == code, done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    return done.stdout, done.stderr


def test_show_names_the_best(folder):
    """The best run comes first, with the holdout's second opinion, and the same seed says the same."""
    out, _ = ragstone(folder, "matrix", "show", "--holdout")
    assert "comes first of 3 runs: MRR 0.750 over 80 questions" in out
    assert "Holdout: picked on 40 questions" in out
    assert ragstone(folder, "matrix", "show", "--holdout")[0] == out
    data = json.loads(ragstone(folder, "matrix", "show", "--metric", "RR", "--metric", "Hit@1", "--json")[0])
    assert [one["metric"] for one in data["metrics"]] == ["RR", "Hit@1"]
    assert [one["letters"] for one in data["metrics"][0]["ranking"]] == ["a", "b", "c"]


def test_show_as_a_page(folder):
    """The ranking as one page that stands alone."""
    ragstone(folder, "matrix", "show", "--out", "matrix.html")
    text = (folder / "matrix.html").read_text()
    assert "which configuration?</h1>" in text
    assert "<script" not in text


def test_pareto_in_every_form(folder):
    """A plot as SVG and PNG, the numbers as CSV, Markdown and JSON; a ceiling names the best within it."""
    for suffix in ("svg", "png", "csv", "md"):
        _, talk = ragstone(folder, "matrix", "pareto", "--out", f"out/pareto.{suffix}")
        assert f"wrote out/pareto.{suffix}" in talk
    assert (folder / "out/pareto.png").read_bytes().startswith(b"\x89PNG")
    assert (folder / "out/pareto.svg").read_text().startswith("<svg")
    assert len((folder / "out/pareto.csv").read_text().splitlines()) == 4
    out, _ = ragstone(folder, "matrix", "pareto", "--ceiling", "3 s")
    assert "Within 3.00 s (3 runs) the best is" in out
    data = json.loads(ragstone(folder, "matrix", "pareto", "--ceiling", "< 0.001 ms", "--json")[0])
    assert data["ceiling"]["best"] is None
    # How sure the slower run is slower depends on how busy the machine is.
    assert [one["standing"] for one in data["points"]][-1] in ("dominated", "within noise")


def test_heat_maps(folder):
    """By slice, by metric, and the usage error for a third side."""
    assert "even" in ragstone(folder, "matrix", "heatmap", "--by", "category")[0]
    ragstone(folder, "matrix", "heatmap", "--by", "metrics", "--out", "out/heat.svg")
    assert "0.750" in (folder / "out/heat.svg").read_text()
    ragstone(folder, "matrix", "heatmap", "--by", "a", "--by", "b", "--by", "c", code=2)


def test_mistakes_are_told(folder):
    """An unknown cost, a percentile to rank by and an unknown suffix are usage errors with a way out."""
    assert "latency(p=95)" in ragstone(folder, "matrix", "pareto", "--cost", "dollars", code=2)[1]
    assert "matrix pareto" in ragstone(folder, "matrix", "show", "--metric", "latency_p95", code=2)[1]
    assert ".svg" in ragstone(folder, "matrix", "pareto", "--out", "x.gif", code=2)[1]


def test_the_reports_say_which_configuration(folder):
    """Page and Markdown have the section."""
    ragstone(folder, "report", "--out", "out/report.html")
    assert "Which configuration?" in (folder / "out/report.html").read_text()
    assert "## Which configuration?" in ragstone(folder, "report", "--format", "markdown")[0]
