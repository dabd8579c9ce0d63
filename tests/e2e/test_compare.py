"""`ragstone compare` as a person uses it: real processes, a real store."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from xml.etree import ElementTree as ET

import pytest

SEARCH = """\
def search(query, k):
    number = int(query.split()[-1])
    return [f"doc{number}", "other"] if number % 4 or k > 5 else ["other", "x", f"doc{number}"]
"""
BENCHMARK = """\
name: words
dataset: {dataset}
system: {{type: callable, function: "my_search:search"}}
top_k: 5
metrics: [nDCG@5, Hit@1]
variants: [{{name: old}}, {{name: new, top_k: 6}}, {{name: same}}]
"""


def ragstone(folder, *arguments, code=0):
    """Run the command and return its standard output and error."""
    done = subprocess.run(
        [sys.executable, "-m", "ragstone", *arguments],
        cwd=folder, capture_output=True, text=True, env=os.environ, timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == code, done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    return done.stdout, done.stderr


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A store with two batches of three runs: 10 questions, and the same with 30 more."""
    path = tmp_path_factory.mktemp("compare")
    (path / "my_search.py").write_text(SEARCH)
    for name, n in (("few", 10), ("questions", 40)):
        rows = [
            {
                "query_id": f"q{i}",
                "query": f"find {i}",
                "category": ("even", "odd")[i % 2],
                "gold_references": [{"document": f"doc{i}", "relevance": 3}],
            }
            for i in range(n)
        ]
        (path / f"{name}.jsonl").write_text("\n".join(map(json.dumps, rows)))
        (path / f"{name}.yaml").write_text(BENCHMARK.format(dataset=f"{name}.jsonl"))
        ragstone(path, "run", f"{name}.yaml", "--quiet", "--store", "questions.db")
    return path


def test_two_runs_by_name(folder):
    """The verdict in words on standard output, nothing on standard error, exit code 0."""
    out, talk = ragstone(folder, "compare", "old", "new", "--store", "questions.db")
    said = " ".join(out.split())
    assert "winner: new" in said
    assert "new is better than old by 12.5 points of nDCG@5 (95% interval " in said
    assert "it won on 10 questions, lost on 0, tied on 30" in said
    assert "top_k differs (5 against 6)" in said
    assert talk == ""


def test_every_format_from_one_comparison(folder):
    """--format, --json and the suffix of --out; the winner is the same in each."""
    store = ("--store", "questions.db")
    data = json.loads(ragstone(folder, "compare", "old", "new", "--json", *store)[0])
    assert data["verdict"]["winner"] == "new"
    assert "**Winner**: new" in ragstone(folder, "compare", "old", "new", "-f", "markdown", *store)[0]
    xml = ragstone(folder, "compare", "new", "old", "-f", "junit", *store)[0]
    assert ET.fromstring(xml.encode())[0].get("failures") == "2"  # noqa: S314
    _, talk = ragstone(folder, "compare", "old", "new", "--out", "sub/ab.html", *store)
    assert "wrote sub/ab.html" in talk
    assert "winner: new" in (folder / "sub/ab.html").read_text()


def test_a_batch_stands_for_its_runs(folder):
    """All runs of a batch against its first, or against the one that is named before it."""
    batch = json.loads(ragstone(folder, "runs", "list", "--json", "--store", "questions.db")[0])["runs"][-1][
        "batch"
    ]
    out, _ = ragstone(folder, "compare", batch, "--json", "--store", "questions.db")
    assert [run["name"] for run in json.loads(out)["runs"]] == ["old", "new", "same"]
    out, _ = ragstone(folder, "compare", "same", batch, "-m", "hit_rate@1", "--json", "--store", "questions.db")
    data = json.loads(out)
    assert [run["name"] for run in data["runs"]] == ["same", "old", "new"]
    assert (data["primary"], data["family"]) == ("Hit@1", 2)


def test_what_cannot_be_compared_ends_with_2(folder):
    """Unknown runs, the same run twice, other datasets, unknown metrics: one message, no traceback."""
    store = ("--store", "questions.db")
    runs = json.loads(ragstone(folder, "runs", "list", "--json", *store)[0])["runs"]
    few, many = runs[0]["id"], runs[-1]["id"]
    for arguments, words in (
        (("old", "nothing"), "unknown run 'nothing'"),
        (("old", "old"), "mean the one run"),
        (("old", "new", "-m", "Hit@3"), "not scored by Hit@3 (did you mean 'Hit@1'?)"),
        (("old", "new", "-o", "a.foo"), "the suffix of 'a.foo' names no format"),
    ):
        assert words in ragstone(folder, "compare", *arguments, *store, code=2)[1]
    error = json.loads(ragstone(folder, "compare", few, many, "--json", *store, code=2)[0])["error"]
    assert error["kind"] == "usage"
    assert "dataset differs" in error["message"]
    assert "--ignore-identity" in error["message"]


def test_other_datasets_all_the_same(folder):
    """On request the shared questions are compared, and what differs stands first."""
    store = ("--store", "questions.db")
    runs = json.loads(ragstone(folder, "runs", "list", "--json", *store)[0])["runs"]
    out, _ = ragstone(folder, "compare", runs[0]["id"], runs[-2]["id"], "--ignore-identity", "--json", *store)
    data = json.loads(out)
    assert data["candidates"][0]["metrics"][0]["n"] == 10
    assert data["notes"][0]["level"] == "error"
    assert "dataset differs" in data["notes"][0]["message"]


@pytest.mark.browser
@pytest.mark.parametrize("width", [375, 1280])
def test_the_page_fits_its_window_and_asks_for_nothing(folder, width):
    """With every part open nothing is wider than the window, nothing is requested, the console stays empty."""
    from playwright.sync_api import sync_playwright

    batch = json.loads(ragstone(folder, "runs", "list", "--json", "--store", "questions.db")[0])["runs"][-1][
        "batch"
    ]
    ragstone(folder, "compare", batch, "--out", "page.html", "--store", "questions.db")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": width, "height": 900})
        requests, complaints = [], []
        page.on("request", lambda request: requests.append(request.url))
        page.on("console", lambda message: complaints.append(message.text))
        page.goto((folder / "page.html").as_uri())
        page.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true })")
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert page.locator("#changed .lists .mark.g").first.is_visible()
        browser.close()
    assert requests == [(folder / "page.html").as_uri()]
    assert complaints == []
