"""Broken data sets in every format: each is refused with its place, the value seen and the way out."""

from __future__ import annotations

import json
import os

import pytest
from tests.unit.datasets.samples import (
    ADAPTIVE,
    BEIR,
    CHUNKS,
    EVAL,
    GROUND_TRUTH,
    INFORMED,
    NEEDLE,
    PRODUCTION,
    QRELS,
    SCHEMA,
    TAGGED,
    TOPICS,
    as_lines,
    put,
)

from ragstone.datasets import load
from ragstone.errors import InvalidInputError


def schema(**changes):
    """Return the schema document with its first query changed."""
    first, *others = SCHEMA["queries"]
    return json.dumps({**SCHEMA, "queries": [{**first, **changes}, *others]}, indent=1)


def judged(*judgments):
    return schema(relevant_docs=list(judgments))


def eval_case(**changes):
    return as_lines({**EVAL, "id": "test_000"}, {**EVAL, **changes})


def beir(**changes):
    return {f"set/{name}": text for name, text in {**BEIR, **changes}.items() if text is not None}


TEST_QRELS = "qrels/test.tsv"

# Name: file name and content (or several files), and what the message must hold.
BROKEN = {
    "nothing": ("a.json", "", ["a.json: is empty", "no question"]),
    "only a comment": ("a.jsonl", "# later\n\n", ["is empty", "no question"]),
    "a picture": (
        "a.json",
        b"\x89PNG\r\n\x1a\n\x00",
        ["no known format", "not text", "PNG", "beir (a BEIR folder", "schema-1.0 (a JSON document"],
    ),
    "prose": (
        "a.txt",
        "Dear reader,\nthese are my questions.\n",
        ["no known format", "'Dear reader,'", "trec (TREC qrels"],
    ),
    "other keys": ("a.jsonl", as_lines({"prompt": "x", "context": "y"}), ["keys 'context', 'prompt'"]),
    "a JSON number": ("a.json", "42", ["no known format", "'42'"]),
    "a JSON list of numbers": ("a.json", "[1, 2]", ["no known format", "[1, 2]"]),
    "a JSON object of no format": ("a.json", '{\n"data": []\n}', ["a JSON document with the keys 'data'"]),
    "a JSON list cut off": ("a.json", json.dumps(CHUNKS)[:-20], ["a.json:1: not JSON"]),
    "JSON cut off": ("a.json", json.dumps(SCHEMA, indent=1)[:300], ["a.json:19: not JSON"]),
    "JSON with a trailing comma": ("a.json", '{\n"queries": [],\n}', [": not JSON"]),
    "key twice in a document": (
        "a.json",
        '{\n"queries": [], "queries": []}',
        ["'queries' stands twice", "keep one"],
    ),
    "NaN in a document": ("a.json", '{\n"queries": [NaN]}', ["NaN is not a JSON number"]),
    "infinite number": ("a.json", '{\n"queries": [], "metadata": {"a": 1e999}}', ["too large to be kept"]),
    "deep document": ("a.json", "[" * 100_000, ["nested too deeply"]),
    "moderately deep": ("a.json", '{\n"queries": ' + "[" * 60 + "]" * 60 + "}", ["more than 50 levels"]),
    "lone surrogate": ("a.json", '{\n"queries": ["\\ud800"]}', ["half of a character pair"]),
    "Latin-1 document": ("a.json", '{\n"queries": "\xe9"}'.encode("latin-1"), ["a.json:2:", "not UTF-8", "save"]),
    "Latin-1 lines": ("a.jsonl", b'{"query_id": "a"}\n{"query": "\xe9"}\n', ["a.jsonl:2:", "not UTF-8", "save"]),
    "UTF-16": ("a.jsonl", as_lines(GROUND_TRUTH).encode("utf-16"), ["is written as UTF-16", "save it as UTF-8"]),
    "line cut off": ("a.jsonl", as_lines(GROUND_TRUTH) + '{"query_id": "b"', ["a.jsonl:2: not JSON"]),
    "first line cut off": ("a.jsonl", '{"query_id": "b"\n' + as_lines(GROUND_TRUTH), ["a.jsonl:1: not JSON"]),
    "commas between lines": (
        "a.jsonl",
        json.dumps(GROUND_TRUTH) + ",\n" + json.dumps(GROUND_TRUTH) + "\n",
        ["a.jsonl:1: not JSON", "no comma stands between"],
    ),
    "id twice": (
        "a.jsonl",
        as_lines(GROUND_TRUTH, GROUND_TRUTH),
        ["a.jsonl:2:", "'Q1' stands twice", "first at a.jsonl:1"],
    ),
    "unknown field": (
        "a.jsonl",
        as_lines({**GROUND_TRUTH, "gold_references": [{"document": "a", "pages": 4}]}),
        ["a.jsonl:1: gold_references[0].pages: unknown key", "did you mean 'page'?"],
    ),
    "unknown kind of reference": (
        "a.jsonl",
        as_lines({**GROUND_TRUTH, "gold_references": [{"document": "a", "ref": "url"}]}),
        ["gold_references[0].ref", "'uri'", "got 'url'"],
    ),
    "reference of nothing": (
        "a.jsonl",
        as_lines({**GROUND_TRUTH, "gold_references": [{"chunk_id": "a", "ref": "uri"}]}),
        ["gold_references[0]", "ref is 'uri', but there is no document"],
    ),
    "query key twice": (
        "a.json",
        schema(query_key="q2"),
        ["queries[1]", "'q2' stands twice", "first at a.json: queries[0]"],
    ),
    "no queries": ("a.json", '{\n"schema_version": "1.0"}', ["a.json: queries: is required and missing"]),
    "empty queries": ("a.json", '{\n"queries": []}', ["a.json: queries:", "at least one entry", "got []"]),
    "queries is an object": ("a.json", '{\n"queries": {}}', ["a.json: queries:", "valid list", "got {}"]),
    "newer schema": ("a.json", json.dumps({**SCHEMA, "schema_version": "2.0"}), ["'2.0' is not known", "'1.0'"]),
    "query is a word": ("a.json", '{\n"queries": ["what?"]}', ["queries[0]", "mapping of keys", "'what?'"]),
    "query key missing": (
        "a.json",
        '{\n"queries": [{"query": "x"}]}',
        ["queries[0].query_key: is required and missing"],
    ),
    "query text blank": ("a.json", schema(query_text=" "), ["queries[0].query_text: is empty", "' '"]),
    "two spellings": (
        "a.json",
        schema(query="again"),
        ["queries[0].query: stands beside another key", "keep one"],
    ),
    "misspelt field": (
        "a.json",
        schema(relevent_docs=[]),
        ["queries[0].relevent_docs", "did you mean 'relevant_docs'?"],
    ),
    "docs not a list": (
        "a.json",
        schema(relevant_docs="doc"),
        ["queries[0].relevant_docs", "valid list", "'doc'"],
    ),
    "grade too high": (
        "a.json",
        judged({"doc_ref": "a", "relevance_grade": 4}),
        ["queries[0].relevant_docs[0].relevance_grade: must be 0 (not relevant)", "got 4"],
    ),
    "grade not whole": (
        "a.json",
        judged("a", {"uri": "b", "relevance_grade": 1.5}),
        ["relevant_docs[1]", "got 1.5"],
    ),
    "grade a word": (
        "a.json",
        judged({"doc_ref": "a", "relevance_grade": "high"}),
        ["relevance_grade", "got 'high'"],
    ),
    "empty doc ref": (
        "a.json",
        judged({"doc_ref": {}}),
        ["relevant_docs[0].doc_ref: an empty document", "give one of"],
    ),
    "null doc ref": (
        "a.json",
        judged(None),
        ["relevant_docs[0]", "must be a uri, or an object with one of", "got None"],
    ),
    "unknown doc ref": (
        "a.json",
        judged({"doc_ref": {"filename": "a"}}),
        ["relevant_docs[0].doc_ref", "unknown key 'filename'", "did you mean 'file_name'?"],
    ),
    "grade inside the doc ref": (
        "a.json",
        judged({"doc_ref": {"uri": "a", "relevance_grade": 2}}),
        ["relevant_docs[0].doc_ref", "relevance_grade stands inside", "move it out"],
    ),
    "misspelt grade": (
        "a.json",
        schema(relevant_doc_refs=[{"doc_ref": "a", "relevence_grade": 2}]).replace(
            '"relevant_docs"', '"metadat"', 1
        ),
        ["queries[0].relevant_doc_refs[0].relevence_grade", "did you mean 'relevance_grade'?"],
    ),
    "no ids at all": ("a.jsonl", as_lines({"query": "x"}), ["a.jsonl:1: query_id: is required and missing"]),
    "no supports at all": (
        "a.jsonl",
        as_lines({"id": "x", "question": "y"}),
        ["a.jsonl:1: answerable: is required"],
    ),
    "deciding key empty": (
        "a.json",
        judged({"document_id": "", "uri": "x"}),
        ["relevant_docs[0]", "document_id must be a text that is not empty", "leave it out"],
    ),
    "needle without questions": (
        "a.json",
        '{\n"needle_doc_id": "a"}',
        ["a.json: questions: is required and missing"],
    ),
    "needle without target": (
        "a.json",
        json.dumps({**NEEDLE, "needle_doc_id": None}),
        ["a.json: needle_doc_id", "got None"],
    ),
    "needle question missing": (
        "a.json",
        '{\n"needle_doc_id": "a", "questions": [{"id": "x"}]}',
        ["questions[0].question"],
    ),
    "informed without target": (
        "a.json",
        json.dumps({"questions": [{"question": "x", "expected_answer": "y"}]}),
        ["questions[0].doc_id: is required and missing"],
    ),
    "informed answer mistyped": (
        "a.json",
        json.dumps({"questions": [{**INFORMED["questions"][0], "expected_answer": 5}]}),
        ["questions[0].expected_answer", "got 5"],
    ),
    "realistic without target": (
        "a.json",
        '{\n"questions": [{"realistic_q1": "x"}]}',
        ["questions[0]", "doc_id or our_doc_path"],
    ),
    "production target missing": (
        "a.json",
        json.dumps({**PRODUCTION, "per_question": [{"question": "x"}]}),
        ["per_question[0].target_doc_id: is required"],
    ),
    "chunk ids a word": (
        "a.json",
        json.dumps([{**CHUNKS[0], "relevant_chunk_ids": "c"}]),
        ["[0].relevant_chunk_ids", "'c'"],
    ),
    "unknown granularity": (
        "a.json",
        json.dumps([{**ADAPTIVE[0], "optimal_granularity": "page"}]),
        ["[0].optimal_granularity", "'chunk', 'heading' or 'document'", "got 'page'"],
    ),
    "answerable without supports": (
        "a.jsonl",
        eval_case(gold_supports=[], category="factual", required_support_groups=None),
        ["a.jsonl:2: gold_supports", "needs a gold support", "make answerable false"],
    ),
    "unanswerable with supports": (
        "a.jsonl",
        eval_case(answerable=False),
        ["a.jsonl:2: answerable", "2 gold supports"],
    ),
    "multi-hop without groups": (
        "a.jsonl",
        eval_case(required_support_groups=None),
        ["a.jsonl:2: required_support_groups", "[[0, 1]]"],
    ),
    "group out of range": (
        "a.jsonl",
        eval_case(required_support_groups=[[0, 2]]),
        ["a.jsonl:2: required_support_groups[0]: [0, 2]", "2 gold references, counted from 0"],
    ),
    "conflict without rule": (
        "a.jsonl",
        eval_case(category="recency/conflict"),
        ["a.jsonl:2: recency_conflict_rule", "cite_newer"],
    ),
    "general but answerable": ("a.jsonl", eval_case(category="general"), ["a.jsonl:2: answerable", "'general'"]),
    "eval category": (
        "a.jsonl",
        eval_case(category="multihop"),
        ["a.jsonl:2: category", "'multi_hop'", "got 'multihop'"],
    ),
    "three columns": (
        "q.txt",
        QRELS + "2 0 d9\n",
        ["q.txt:4: 3 columns", "'2 0 d9'", "query, 0, document, grade"],
    ),
    "a run": ("q.txt", QRELS + "1 Q0 d9 1 0.5 tag\n", ["q.txt:4: 6 columns", "those of a run"]),
    "grade of qrels": ("q.txt", QRELS + "2 0 d9 good\n", ["q.txt:4:", "whole number", "got 'good'"]),
    "huge grade of qrels": ("q.txt", QRELS + f"2 0 d9 {10**30}\n", ["q.txt:4:", "from -1000 to 1000"]),
    "judged twice": ("q.txt", QRELS + "1 0 d1 2\n", ["q.txt:4: document 'd1' is judged twice for query '1'"]),
    "topics alone": ("t.tsv", TOPICS, ["t.tsv: these are topics without judgments", "name their qrels file"]),
    "topic twice": ({"q.txt": QRELS, "t.tsv": TOPICS + "1\tx\n"}, None, ["t.tsv:4: the topic '1' stands twice"]),
    "topic columns": ({"q.txt": QRELS, "t.tsv": TOPICS + "4\tx\ty\n"}, None, ["t.tsv:4: 3 columns between tabs"]),
    "topic without title": (
        {"q.txt": QRELS, "t.txt": TAGGED.replace("<title>second words</title>", "")},
        None,
        ["t.txt:8: a topic needs an id and a text, got '2' and ''"],
    ),
    "other ids in topics": (
        {"q.txt": QRELS, "t.tsv": "Q1\tfirst\nQ2\tsecond\n"},
        None,
        ["no id in common: topics have 'Q1', qrels have '1'"],
    ),
    "BEIR without queries": (
        beir(**{"queries.jsonl": None}),
        None,
        ["queries.jsonl: cannot be read: No such file"],
    ),
    "BEIR without qrels": (
        beir(**{TEST_QRELS: None}),
        None,
        ["qrels: there is no file of judgments", "qrels/test.tsv"],
    ),
    "BEIR with two splits": (
        beir(**{TEST_QRELS: None, "qrels/dev.tsv": "x", "qrels/train.tsv": "y"}),
        None,
        ["holds dev.tsv, train.tsv and no test.tsv"],
    ),
    "BEIR without header": (beir(**{TEST_QRELS: "1\td1\t2\n"}), None, ["test.tsv:1: the header must be query-id"]),
    "BEIR columns": (
        beir(**{TEST_QRELS: BEIR[TEST_QRELS] + "1\td3\n"}),
        None,
        ["test.tsv:4: 2 columns between tabs", "query-id, corpus-id, score"],
    ),
    "BEIR query without text": (
        beir(**{"queries.jsonl": as_lines({"_id": "1"})}),
        None,
        ["queries.jsonl:1: text: is required and missing"],
    ),
    "BEIR of other ids": (
        beir(**{"queries.jsonl": as_lines({"_id": "q1", "text": "x"})}),
        None,
        ["queries.jsonl: none of the 1 judged queries, such as '1', is in it"],
    ),
    "a folder of something": ({"set/readme.md": "x"}, None, ["no known format", "a folder with 'readme.md'"]),
}


def refusal(folder, files, content):
    paths = put(folder, {files: content} if isinstance(files, str) else files)
    with pytest.raises(InvalidInputError) as refused:
        load(paths, "broken")
    return str(refused.value)


@pytest.mark.parametrize("name", BROKEN)
def test_each_broken_data_set_is_refused_helpfully(tmp_path, name):
    """The message holds the file, the place, the value and the way out."""
    files, content, parts = BROKEN[name]
    message = refusal(tmp_path, files, content)
    assert message.startswith(str(tmp_path))
    for part in parts:
        assert part in message


def test_no_file_is_no_traceback(tmp_path):
    """A path that does not exist is told with the system's reason."""
    with pytest.raises(InvalidInputError, match=r"nowhere\.json: cannot be read: No such file"):
        load([tmp_path / "nowhere.json"], "broken")


def test_a_pipe_is_refused(tmp_path):
    """What can be read only once cannot be recognised and then read."""
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(InvalidInputError, match="is a pipe or a device"):
        load([tmp_path / "pipe"], "broken")


def test_all_problems_of_all_formats_come_at_once(tmp_path):
    """Three files of three formats with two mistakes each give six problems in one message."""
    first, second = SCHEMA["queries"]
    files = {
        "a.json": json.dumps({**SCHEMA, "queries": [{**first, "query_key": ""}, {**second, "query": 1}]}),
        "b.jsonl": as_lines({**EVAL, "answerable": "yes"}, {**EVAL, "tags": "x"}),
        "q.txt": "1 0 d1 x\n1 0\n2 0 d3 1\n",
    }
    with pytest.raises(InvalidInputError) as refused:
        load(put(tmp_path, files), "broken")
    assert [problem.pointer or problem.line for problem in refused.value.problems] == [
        "queries[0].query_key",
        "queries[1].query",
        "answerable",
        "tags",
        1,
        2,
    ]
