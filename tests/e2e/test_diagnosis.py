"""Diagnosis, history and judgements as a person uses them: real processes, real files."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from ragstone.cli.main import app
from ragstone.errors import UsageError

BENCHMARK = """\
name: words
dataset: questions.jsonl
system: {type: callable, function: "my_search:search"}
top_k: 4
metrics: [Hit@2, nDCG@2]
primary: Hit@2
variants: [{name: first}, {name: second, retrieval_top_k: 30}]
"""
SEARCH = """\
import os
from ragstone.types import Hit, Response, Stage

BROKEN = os.environ.get("BROKEN") == "1"

def search(query, k):
    number = int(query.split()[-1])
    found = [f"other{number}", f"doc{number}", "far"]
    if number % 3 == 0:
        found = found[::-1]
    if BROKEN and number > 2:
        found = [f"other{number}", "far"]
    hits = tuple(Hit(id=name, document=name, text=f"{name} text", score=1.0) for name in found)
    stage = Stage(name="lexical", ids=tuple(found), scores=(1.0,) * len(found), ms=0.1, total=len(found))
    return Response(hits=hits[:2], stages=(stage,), candidates=hits[2:])
"""


@pytest.fixture
def folder(tmp_path):
    rows = [
        {"query_id": f"q{i}", "query": f"find {i}", "gold_references": [{"document": f"doc{i}", "relevance": 3}]}
        for i in range(20)
    ]
    (tmp_path / "questions.jsonl").write_text("\n".join(map(json.dumps, rows)))
    (tmp_path / "my_search.py").write_text(SEARCH)
    (tmp_path / "bench.yaml").write_text(BENCHMARK)
    return tmp_path


def ragstone(folder, *arguments, code=0, **environment):
    """Run the command and return its standard output and error."""
    done = subprocess.run(
        [sys.executable, "-m", "ragstone", *arguments],
        cwd=folder, capture_output=True, text=True, env={**os.environ, **environment}, timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == code, done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    return done.stdout, done.stderr


def test_a_broken_search_is_found_in_the_history_and_explained_by_the_funnel(folder):
    """Two days of the same benchmark, the second with a search that lost its documents."""
    ragstone(folder, "run", "bench.yaml", "-q")
    ragstone(folder, "run", "bench.yaml", "-q", BROKEN="1")
    out, _ = ragstone(folder, "history", "show")
    assert "changes for the worse" in out
    data = json.loads(ragstone(folder, "history", "show", "words", "--metric", "Hit@2", "--json")[0])
    assert [moment["mark"] for moment in data["tracks"][0]["moments"]] == ["first", "fell"]
    _, talk = ragstone(folder, "history", "show", "--out", "trend.html")
    assert talk == "wrote trend.html\n"
    assert (folder / "trend.html").read_text().startswith("<!doctype html>")
    out, _ = ragstone(folder, "explain", "first")
    assert "because no retriever found it" in out
    funnel = json.loads(ragstone(folder, "explain", "first", "--json")[0])["funnel"]
    assert {stage["name"]: stage["lost"] for stage in funnel["stages"] if stage["lost"]} == {
        "not_in_candidates": 17
    }
    out, _ = ragstone(folder, "explain", "first", "q7")
    assert "Evidence  Not in the candidates" in out


def test_judging_what_is_missing_changes_the_score(folder):
    """Pool, fill in, merge, run again: the new grades count, and the pool is empty."""
    ragstone(folder, "run", "bench.yaml", "-q")
    out, talk = ragstone(folder, "judgments", "pool", "first", "second", "--out", "pool.jsonl")
    assert out == ""
    assert "pooled over 2 runs" in talk
    rows = [json.loads(line) for line in (folder / "pool.jsonl").read_text().splitlines()]
    assert {row["grade"] for row in rows} == {None}
    assert not any(word in json.dumps(rows) for word in ("first", "second", "rank", "score"))
    filled = "".join(json.dumps({**row, "grade": 2}) + "\n" for row in rows)
    (folder / "filled.jsonl").write_text(filled)
    ragstone(folder, "judgments", "apply", "questions.jsonl", "filled.jsonl", "--out", "judged.jsonl")
    (folder / "bench.yaml").write_text(BENCHMARK.replace("questions.jsonl", "judged.jsonl"))
    ragstone(folder, "run", "bench.yaml", "-q")
    data = json.loads(ragstone(folder, "report", "--json")[0])
    assert data["runs"][0]["judged"]["2"]["value"] == 1.0
    assert json.loads(ragstone(folder, "judgments", "pool", "first", "--json")[0])["passages"] == 0
    data = json.loads(ragstone(folder, "history", "show", "--json")[0])
    assert data["tracks"][0]["moments"][1]["reason"] == "dataset changed"


def test_what_cannot_be_done_is_refused_and_changes_nothing(folder, monkeypatch):
    """Names that nobody has, files that hold something else, a data set that would be changed in place."""
    monkeypatch.chdir(folder)
    monkeypatch.delenv("RAGSTONE_STORE", raising=False)
    assert "there is no store" in ragstone(folder, "history", "show", code=5)[1]
    ragstone(folder, "run", "bench.yaml", "-q")
    questions = (folder / "questions.jsonl").read_bytes()
    for arguments, said in (
        (["explain", "nobody"], "unknown run 'nobody'"),
        (["explain", "first", "nothing"], "unknown question 'nothing'"),
        (["history", "show", "nobody"], "unknown benchmark 'nobody'"),
        (["history", "show", "--metric", "nothing"], "unknown metric 'nothing'"),
        (["history", "show", "--out", "a.pdf"], "names no format"),
        (["judgments", "pool", "nobody"], "unknown run 'nobody'"),
        (["judgments", "apply", "questions.jsonl", "my_search.py", "--out", "x.jsonl"], "my_search.py:1: not"),
        (["judgments", "apply", "questions.jsonl", "nowhere.jsonl", "--out", "x.jsonl"], "cannot be read"),
        (["judgments", "apply", "questions.jsonl", "p.jsonl", "--out", "questions.jsonl"], "not changed in place"),
    ):
        error = CliRunner().invoke(app, arguments).exception
        assert isinstance(error, UsageError), arguments
        assert said in str(error)
    assert (folder / "questions.jsonl").read_bytes() == questions
    assert not (folder / "x.jsonl").exists()
