"""`ragstone dataset`: validate, show, convert and resolve, for people and as JSON."""

from __future__ import annotations

import json

import pytest
from tests.unit.datasets.samples import GOOD, GROUND_TRUTH, as_lines, put
from typer.testing import CliRunner

from ragstone.cli.dataset import app
from ragstone.datasets import load
from ragstone.errors import InvalidInputError


def call(*words, code=0):
    result = CliRunner().invoke(app, [str(word) for word in words])
    assert result.exit_code == code, (result.output, result.exception)
    return result


def as_json(*words, code=0):
    return json.loads(call(*words, "--json", code=code).stdout)


@pytest.mark.parametrize("name", GOOD)
def test_each_format_is_valid_shown_and_converted(tmp_path, name):
    """Every verb takes every format; a converted set has the digest of the first."""
    paths = put(tmp_path, GOOD[name])
    assert "no problems" in call("validate", *paths).stdout
    shown = as_json("show", *paths)
    out = tmp_path / "out" / "converted.jsonl"
    call("convert", *paths, "--out", out)
    assert as_json("validate", out)["digest"] == shown["digest"]
    assert shown["mix"]["questions"] == len(load(paths, "").dataset.queries)


def test_show_prints_the_mix(tmp_path):
    """Name and format first, then the counts, warnings on the other stream."""
    result = call("show", *put(tmp_path, GOOD["realistic"]))
    assert result.stdout.startswith("a (realistic)\n  questions      3\n")
    assert "document_id 2, path 1" in result.stdout
    assert "warning: " in result.stderr


def test_convert_says_what_it_wrote(tmp_path):
    """As JSON the answer holds the path and the number of questions."""
    out = tmp_path / "x.jsonl"
    answer = as_json("convert", *put(tmp_path, GOOD["trec"]), "--out", out)
    assert (answer["questions"], answer["out"]) == (2, str(out))


def test_upload_limits_can_be_asked_for(tmp_path):
    """A set that is fine on disk may be too large to upload."""
    rows = [{**GROUND_TRUTH, "query_id": str(number)} for number in range(1001)]
    (path,) = put(tmp_path, {"a.jsonl": as_lines(*rows)})
    call("validate", path)
    result = call("validate", path, "--limits", "upload", code=1)
    assert isinstance(result.exception, InvalidInputError)
    assert "more than 1,000 questions" in str(result.exception)


def corpus(folder, *names):
    for name in names:
        path = folder / "corpus" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name)
    return folder / "corpus"


def test_resolve_finds_the_documents_of_a_folder(tmp_path):
    """Status, counts and samples; the resolved set is written with the folder's ids."""
    (path,) = put(tmp_path, GOOD["schema-1.0"])
    folder, out = corpus(tmp_path, "sub/c.pdf", "other.md"), tmp_path / "out.jsonl"
    answer = as_json("resolve", path, "--corpus", folder, "--policy", "drop", "--out", out)
    assert (answer["status"], answer["total"], answer["resolved"]) == ("partial", 4, 1)
    assert answer["unresolved"] == {"not_found": 3}
    assert answer["samples"][0]["doc_ref"] == {"uri": "file:///doc.pdf"}
    assert answer["samples"][0]["doc_ref_hash"].startswith("2e44cc839eed")
    assert [gold.document for gold in load([out], "").dataset.golds["q2"]] == ["sub/c.pdf"]


def test_resolve_exits_with_three_when_nothing_is_found(tmp_path):
    """Two documents with one file name are ambiguous: 0 of 1, pending."""
    query = {"query_key": "q", "query_text": "?", "relevant_docs": [{"file_name": "a.md"}]}
    (path,) = put(tmp_path, {"a.json": json.dumps({"queries": [query]})})
    result = call("resolve", path, "--corpus", corpus(tmp_path, "1/a.md", "2/a.md"), code=3)
    assert result.stdout.splitlines()[:2] == ["pending: 0 of 1 references mean one document", "  ambiguous    1"]
    assert "q: file_name 'a.md': ambiguous" in result.stdout


def test_resolve_shows_the_first_of_many(tmp_path):
    """The rest is counted, and JSON lists more."""
    query = {"query_key": "q", "query_text": "?", "relevant_docs": [f"u{number}" for number in range(12)]}
    (path,) = put(tmp_path, {"a.json": json.dumps({"queries": [query]})})
    assert "and 2 more" in call("resolve", path, "--corpus", corpus(tmp_path, "a.md"), code=3).stdout


def test_resolve_reads_a_catalogue_and_may_fall_through(tmp_path):
    """A wrong document_id beside a right uri is found only where that is asked for."""
    reference = {"document_id": "9", "uri": "u"}
    query = {"query_key": "q", "query_text": "?", "relevant_docs": [reference]}
    paths = put(
        tmp_path, {"a.json": json.dumps({"queries": [query]}), "c.jsonl": as_lines({"id": "1", "uri": "u"})}
    )
    call("resolve", paths[0], "--corpus", paths[1], code=3)
    assert as_json("resolve", paths[0], "--corpus", paths[1], "--fallthrough")["status"] == "resolved"
