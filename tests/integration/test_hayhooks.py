"""A search server written by others, measured as its users would: Hayhooks with a Haystack pipeline, over HTTP.

Set RAGSTONE_OUTSIDE=1 to install it into build/hayhooks-venv and run it, or RAGSTONE_HAYHOOKS to a Python that has
hayhooks already.
"""

from __future__ import annotations

import json
import math
import os
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

httpx2 = pytest.importorskip("httpx2")

ROOT = Path(__file__).parents[2]
VENV = ROOT / "build/hayhooks-venv"
PACKAGES = ["hayhooks~=2.1", "haystack-ai~=3.4"]
START_SECONDS = 120
QUIET = {"HAYHOOKS_TELEMETRY_ENABLED": "false", "HAYSTACK_TELEMETRY_ENABLED": "false"}

WRAPPER = '''
import json
from pathlib import Path

from hayhooks import BasePipelineWrapper
from haystack import Document, Pipeline
from haystack.components.retrievers.in_memory import InMemoryBM25Retriever
from haystack.document_stores.in_memory import InMemoryDocumentStore


class PipelineWrapper(BasePipelineWrapper):
    def setup(self) -> None:
        store = InMemoryDocumentStore()
        texts = json.loads(Path("texts.json").read_text(encoding="utf-8"))
        store.write_documents([Document(content=text, meta={"file": name}) for name, text in texts.items()])
        self.pipeline = Pipeline()
        self.pipeline.add_component("bm25", InMemoryBM25Retriever(store))

    def run_api(self, query: str, top_k: int) -> list[dict]:
        """Search the documents."""
        found = self.pipeline.run({"bm25": {"query": query, "top_k": top_k}})
        return [document.to_dict(flatten=False) for document in found["bm25"]["documents"]]
'''
TARGET = """\
system:
  type: http
  endpoint: {endpoint}
  path: /docs/run
  results: result
  fields:
    document: meta.file
    text: content
  health: /status
"""
BENCHMARK = """\
name: hayhooks
dataset: questions.jsonl
top_k: 10
metrics: [Hit@1, Hit@5, P@5, RR@10, nDCG@10]
concurrency: 4
"""
TOPICS = {
    "bread": "flour yeast dough oven crust baker knead rise",
    "coffee": "beans roast grinder espresso crema water barista filter",
    "cycling": "wheel chain pedal gear brake saddle tyre helmet",
    "garden": "soil seed compost prune tomato water harvest weed",
    "sailing": "mast keel rudder harbour wind tack anchor rope",
    "chess": "opening pawn rook bishop castle endgame clock check",
}
QUESTIONS = {
    "How do I knead dough for bread?": "bread",
    "Which grinder for espresso beans?": "coffee",
    "The chain slips when I change gear": "cycling",
    "When to prune a tomato and add compost?": "garden",
    "How to tack against the wind in a harbour": "sailing",
    "When may the rook castle in an opening?": "chess",
    "water": "garden",
    "Größe des Ruders?": "sailing",
}


def documents() -> dict[str, str]:
    """Return thirty short documents, five a topic, each with its own choice of the topic's words."""
    texts = {}
    for topic, words in TOPICS.items():
        for number in range(5):
            chosen = words.split()[number : number + 4]
            texts[f"{topic}-{number}.md"] = f"{topic} notes {number}: {' '.join(chosen)}."
    return texts


@pytest.fixture(scope="session")
def hayhooks() -> str:
    """A Python that has Hayhooks."""
    if given := os.environ.get("RAGSTONE_HAYHOOKS"):
        return given
    if not os.environ.get("RAGSTONE_OUTSIDE"):
        pytest.skip("outside server: set RAGSTONE_OUTSIDE=1")
    python = VENV / "bin/python"
    if not (VENV / "bin/hayhooks").exists():
        uv = [sys.executable, "-m", "uv"]
        subprocess.run([*uv, "venv", "--clear", "-p", sys.executable, str(VENV)], check=True)
        subprocess.run([*uv, "pip", "install", "-q", "--python", str(python), *PACKAGES], check=True)
    return str(python)


@pytest.fixture
def endpoint(hayhooks, tmp_path):
    """The address of a running server, in a folder of its own."""
    pipeline = tmp_path / "pipelines/docs/pipeline_wrapper.py"
    pipeline.parent.mkdir(parents=True)
    pipeline.write_text(WRAPPER, encoding="utf-8")
    (tmp_path / "texts.json").write_text(json.dumps(documents()), encoding="utf-8")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [str(Path(hayhooks).parent / "hayhooks"), "run", "--host", "127.0.0.1", "--port", str(port)]
    with (tmp_path / "server.log").open("wb") as log:
        server = subprocess.Popen(
            [*command, "--pipelines-dir", "pipelines"],
            cwd=tmp_path,
            env={**os.environ, **QUIET},
            stdout=log,
            stderr=log,
        )
    try:
        wait_for(f"http://127.0.0.1:{port}/status", server, tmp_path / "server.log")
        yield f"http://127.0.0.1:{port}"
    finally:
        server.terminate()
        server.wait(30)


def wait_for(url: str, server: subprocess.Popen, log: Path) -> object:
    """Wait until the server answers."""
    for _ in range(START_SECONDS * 5):
        assert server.poll() is None, log.read_text(encoding="utf-8")
        try:
            return httpx2.get(url, timeout=5)
        except httpx2.TransportError:
            time.sleep(0.2)
    raise AssertionError(log.read_text(encoding="utf-8"))


def ask(endpoint: str, query: str, k: int) -> list[str]:
    """Ask the server without Ragstone; return the documents it finds."""
    reply = httpx2.post(f"{endpoint}/docs/run", json={"query": query, "top_k": k}, timeout=30)
    return [one["meta"]["file"] for one in reply.json()["result"]]


def by_hand(endpoint: str) -> dict[str, float]:
    """Compute the metrics from the server's answers, from their definitions."""
    totals = dict.fromkeys(["Hit@1", "Hit@5", "P@5", "RR@10", "nDCG@10"], 0.0)
    ideal = sum(1 / math.log2(rank + 1) for rank in range(1, 6))
    for query, topic in QUESTIONS.items():
        ranks = [rank for rank, name in enumerate(ask(endpoint, query, 10), 1) if name.startswith(topic)]
        totals["Hit@1"] += 1 in ranks
        totals["Hit@5"] += any(rank <= 5 for rank in ranks)
        totals["P@5"] += sum(rank <= 5 for rank in ranks) / 5
        totals["RR@10"] += 1 / ranks[0] if ranks else 0.0
        totals["nDCG@10"] += sum(1 / math.log2(rank + 1) for rank in ranks) / ideal
    return {name: total / len(QUESTIONS) for name, total in totals.items()}


def write_benchmark(folder: Path, endpoint: str) -> None:
    """Write the benchmark file, its system section of ten lines at most, and its questions."""
    target = TARGET.format(endpoint=endpoint)
    assert len(target.splitlines()) <= 10
    (folder / "bench.yaml").write_text(BENCHMARK + target, encoding="utf-8")
    rows = [
        {"query_id": f"q{n}", "query": query,
         "gold_references": [{"document": f"{topic}-{i}.md", "relevance": 3} for i in range(5)]}
        for n, (query, topic) in enumerate(QUESTIONS.items())
    ]  # fmt: skip
    (folder / "questions.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")


def test_an_outside_server_is_measured_right(endpoint, tmp_path):
    """The values of `ragstone run` are those computed by hand from the server's own answers."""
    write_benchmark(tmp_path, endpoint)
    command = [sys.executable, "-m", "ragstone", "run", "bench.yaml", "--json", "-q"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    (run,) = json.loads(done.stdout)["runs"]
    values = {one["metric"]: one["value"] for one in run["summaries"]}
    expected = by_hand(endpoint)
    assert {name: values[name] for name in expected} == pytest.approx(expected, abs=1e-12)
    assert 0.3 < expected["nDCG@10"] < 1
    assert run["coverage"]["failed"] == 0
    assert run["system"]["fields"] == {"document": "meta.file", "text": "content"}
