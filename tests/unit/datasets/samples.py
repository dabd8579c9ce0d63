"""One small good data set in each format."""

from __future__ import annotations

import json
from pathlib import Path


def as_lines(*rows: object) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


GROUND_TRUTH = {
    "query_id": "Q1",
    "query": "What is delta?",
    "category": "options",
    "gold_references": [{"document": "Book.pdf", "page": 4, "relevance": 3}],
}
SCHEMA = {
    "schema_version": "1.0",
    "metadata": {"name": "Named", "description": "..."},
    "queries": [
        {
            "query_key": "q1",
            "query_text": "search query",
            "relevant_docs": [
                {"doc_ref": {"uri": "file:///doc.pdf"}, "relevance_grade": 3},
                {"doc_ref": {"document_id": "doc-123"}},
            ],
        },
        {"query_id": "q2", "query": "older words", "relevant_doc_refs": ["file:///b.pdf", {"file_name": "c.pdf"}]},
    ],
}
NEEDLE = {
    "needle_doc_id": "tutorials_topology",
    "questions": [{"id": "n1", "question": "How?", "expected_answer": "Thus."}, {"question": "Why?"}],
}
REALISTIC = {
    "questions": [
        {"doc_id": "d1", "realistic_q1": "one?", "realistic_q2": "two?", "original_instruction": "do"},
        {"doc_id": "d2", "realistic_q1": "bad?", "quality_pass": False},
        {"our_doc_path": "a/b.md", "realistic_q1": "three?", "quality_pass": True},
    ]
}
INFORMED = {
    "metadata": {"n": 1},
    "questions": [
        {"question": "How?", "expected_answer": "So.", "doc_id": "d1", "difficulty": "Expert", "type": "howto"}
    ],
}
PRODUCTION = {"metadata": {}, "per_question": [{"id": "p1", "question": "How?", "target_doc_id": "d1", "rank": 2}]}
CHUNKS = [
    {"id": "c1", "query": "How?", "relevant_chunk_ids": ["a_1", "a_2"], "tier": "gold", "confidence_score": 1}
]
ADAPTIVE = [
    {
        "id": unit,
        "query": "How?",
        "query_type": "factoid",
        "optimal_granularity": unit,
        "relevant_chunk_ids": ["c1", "c2"],
        "relevant_heading_ids": ["h1"],
        "relevant_doc_ids": ["d1"],
        "expected_answer_keywords": ["word"],
        "difficulty": "easy",
    }
    for unit in ("chunk", "heading", "document")
]
EVAL = {
    "id": "test_001",
    "question": "How?",
    "answerable": True,
    "category": "multi_hop",
    "gold_supports": [
        {"rel_path": "notes/a.md", "heading_path": "#  A  >B", "snippets": ["x"]},
        {"rel_path": "notes/b.md"},
    ],
    "required_support_groups": [[0, 1]],
    "difficulty": "easy",
    "tags": ["work"],
}
QRELS = "1 0 d1 2\n1 0 d2 -1\n2 0 d3 1\n"
TOPICS = "1\tfirst words\n2\tsecond words\n3\tnever judged\n"
TAGGED = """\
<top>
<num> Number: 1
<title> first
 words
<desc> Description: more
</top>

<top>
<num>2</num>
<title>second words</title>
</top>
"""
BEIR = {
    "queries.jsonl": as_lines({"_id": "1", "text": "first", "metadata": {}}, {"_id": 2, "text": "second"}),
    "qrels/test.tsv": "query-id\tcorpus-id\tscore\n1\td1\t2\n1\td2\t0\n",
}

GOOD = {
    "ground-truth": {"a.jsonl": "# comment\n" + as_lines(GROUND_TRUTH)},
    "schema-1.0": {"a.json": json.dumps(SCHEMA, indent=1)},
    "needle": {"a.json": json.dumps(NEEDLE)},
    "realistic": {"a.json": json.dumps(REALISTIC)},
    "informed": {"a.json": json.dumps(INFORMED)},
    "production": {"a.json": json.dumps(PRODUCTION)},
    "chunk-level": {"a.json": json.dumps(CHUNKS)},
    "adaptive": {"a.json": json.dumps(ADAPTIVE, indent=2)},
    "eval-set": {"a.jsonl": as_lines(EVAL)},
    "trec": {"qrels.txt": QRELS, "topics.tsv": TOPICS},
    "beir": {f"folder/{name}": text for name, text in BEIR.items()},
}


def put(folder: Path, files: dict[str, str | bytes]) -> list[Path]:
    """Write the files and return the paths to load: a folder once, other files each."""
    found = []
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        first = folder / Path(name).parts[0]
        if first not in found:
            found.append(first)
    return found
