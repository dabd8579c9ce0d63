"""One benchmark each, from a file in each of the formats, to a report."""

from __future__ import annotations

import json

import pytest

from ragstone import bootstrap
from ragstone.experiments.report import build
from ragstone.experiments.runner import Unobserved
from ragstone.settings import Settings

DOCUMENTS = ["alpha.md", "beta.md", "gamma.md"]
SCHEMA = {
    "schema_version": "1.0",
    "metadata": {"name": "s"},
    "queries": [{"query_key": "q", "query_text": "x", "relevant_docs": [{"doc_ref": {"document_id": "beta.md"}}]}],
}
NEEDLE = {"needle_doc_id": "beta.md", "questions": [{"id": "q", "question": "x", "expected_answer": "y"}]}
CHUNKS = [{"id": "q", "query": "x", "relevant_chunk_ids": ["beta.md"]}]
EVALUATION = {
    "id": "q", "question": "x", "answerable": True, "expected_key_facts": [], "category": "factual",
    "gold_supports": [{"rel_path": "beta.md", "heading_path": "B"}], "required_support_groups": None,
    "recency_conflict_rule": None, "tags": [], "vaults": [], "folders": [], "difficulty": "easy",
}  # fmt: skip
GROUND_TRUTH = {"query_id": "q", "query": "x", "gold_references": [{"document": "beta", "relevance": 3}]}
REALISTIC = {
    "questions": [
        {"doc_id": "beta.md", "realistic_q1": "x", "realistic_q2": "z", "quality_pass": True},
        {"doc_id": "alpha.md", "realistic_q1": "x", "quality_pass": False},
    ]
}
INFORMED = {"questions": [{"question": "x", "expected_answer": "y", "doc_id": "beta.md"}]}
PRODUCTION = {"metadata": {}, "per_question": [{"id": "q", "question": "x", "target_doc_id": "bet"}]}
ADAPTIVE = {
    "queries": [
        {
            "id": "q", "query": "x", "query_type": "factoid", "expected_answer": "y",
            "optimal_granularity": "document",
            "relevant_chunk_ids": [], "relevant_heading_ids": [], "relevant_doc_ids": ["beta.md"],
            "expected_answer_keywords": [], "difficulty": "easy", "source": "s",
        }
    ]
}  # fmt: skip
FILES = {
    "realistic": {"q.json": json.dumps(REALISTIC)},
    "informed": {"q.json": json.dumps(INFORMED)},
    "production": {"q.json": json.dumps(PRODUCTION)},
    "adaptive": {"q.json": json.dumps(ADAPTIVE)},
    "ground truth": {"q.jsonl": json.dumps(GROUND_TRUTH)},
    "schema 1.0": {"q.json": json.dumps(SCHEMA)},
    "needle": {"q.json": json.dumps(NEEDLE)},
    "chunks": {"q.json": json.dumps(CHUNKS)},
    "evaluation set": {"q.jsonl": json.dumps(EVALUATION)},
    "trec": {"topics.tsv": "q\tx\n", "qrels.txt": "q 0 beta.md 2\nq 0 gamma.md 0\n"},
    "beir": {
        "b/queries.jsonl": '{"_id": "q", "text": "x"}',
        "b/qrels/test.tsv": "query-id\tcorpus-id\tscore\nq\tbeta.md\t1\n",
    },
}
HIT = "{'id': name, 'document': name, 'heading': ['B']}"
SEARCH = f"def search(query, k):\n    return [{HIT} for name in {DOCUMENTS!r}][:k]\n"


@pytest.mark.parametrize("name", FILES)
def test_a_file_of_each_format_leads_to_a_report(tmp_path, name):
    """The gold stands at rank 2, so Hit@1 is 0, Hit@5 is 1 and RR a half, whatever the format."""
    for file, content in FILES[name].items():
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).write_text(content)
    datasets = ["b"] if name == "beir" else list(FILES[name])
    (tmp_path / "my_formats.py").write_text(SEARCH)
    (tmp_path / "bench.yaml").write_text(
        f"name: {name}\ndataset: {json.dumps(datasets)}\nmetrics: [Hit@1, Hit@5, RR]\ntop_k: 5\n"
        "system: {type: callable, function: 'my_formats:search'}\n"
    )
    settings = Settings(tmp_path / "s.db", tmp_path / "cache")
    plan = bootstrap.load_benchmark(tmp_path / "bench.yaml")
    with bootstrap.open_configured_store(settings, write=True) as store:
        runs = bootstrap.store_plan(store, plan)
        bootstrap.execute(store, [run.id for run in runs], settings, Unobserved())
        report = build(store, [store.run(run.id) for run in runs])
    values = {metric: report.runs[0].summaries[metric].value for metric in ("Hit@1", "Hit@5", "RR")}
    assert values == {"Hit@1": 0.0, "Hit@5": 1.0, "RR": 0.5}
