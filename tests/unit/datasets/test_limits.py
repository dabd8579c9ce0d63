"""Limits hold exactly at their border, and before anything large is read."""

from __future__ import annotations

import json
import resource
import time

import pytest
from tests.unit.datasets.samples import GOOD, QRELS, TAGGED, put

from ragstone.datasets import Limits, load
from ragstone.datasets.limits import UPLOAD_BYTES
from ragstone.errors import InvalidInputError, UsageError


def schema(path, queries=1, judgments=1):
    judged = [{"uri": f"u{number}"} for number in range(judgments)]
    rows = [{"query_key": f"q{number}", "query_text": "x", "relevant_docs": judged} for number in range(queries)]
    path.write_text(json.dumps({"queries": rows}))
    return path


def padded(path, size):
    schema(path)
    path.write_bytes(path.read_bytes().ljust(size))
    return path


def hole(path, top, size):
    """Write a file of a size that takes no room on the disk."""
    with path.open("wb") as file:
        file.write(top)
        file.truncate(size)
    return path


def test_an_upload_may_have_ten_mebibytes(tmp_path):
    """The last byte decides."""
    path = tmp_path / "a.json"
    assert len(load([padded(path, UPLOAD_BYTES)], "", limits=Limits.upload()).dataset.queries) == 1
    with pytest.raises(InvalidInputError, match="has 10,485,761 bytes; at most 10,485,760 are read"):
        load([padded(path, UPLOAD_BYTES + 1)], "", limits=Limits.upload())


def test_an_upload_may_have_a_thousand_questions(tmp_path):
    """The 1,001st is refused; a local file may have it."""
    path = tmp_path / "a.json"
    load([schema(path, 1000)], "", limits=Limits.upload())
    with pytest.raises(InvalidInputError, match="more than 1,000 questions"):
        load([schema(path, 1001)], "", limits=Limits.upload())
    assert len(load([path], "").dataset.queries) == 1001


def test_a_question_of_an_upload_may_have_a_hundred_judgments(tmp_path):
    """The message says which question has too many."""
    path = tmp_path / "a.json"
    load([schema(path, 1, 100)], "", limits=Limits.upload())
    with pytest.raises(InvalidInputError, match=r"queries\[0\]: 101 judgments for the question 'q0'; at most 100"):
        load([schema(path, 1, 101)], "", limits=Limits.upload())


def test_limits_are_configurable(tmp_path):
    """Each limit is an argument; one below 1 makes no sense."""
    with pytest.raises(InvalidInputError, match="more than 1 questions"):
        load([schema(tmp_path / "a.json", 2)], "", limits=Limits(max_queries=1))
    with pytest.raises(UsageError, match="max_bytes must be 1 or more"):
        Limits(max_bytes=0)


@pytest.mark.parametrize(
    ("top", "size", "part"),
    [
        (b'{\n"queries": [', 200_000_000, "at most 100,000,000 are read"),
        (b'{"queries": [' + b" " * 11_000_000, 200_000_000, "at most 100,000,000 are read"),
        (b"[" * 100_000, 100_000, "nested too deeply"),
        (b'{"queries": ' * 100_000, 1_200_000, "nested too deeply"),
    ],
    ids=["200 MB", "200 MB on one line", "100,000 lists deep", "100,000 objects deep"],
)
def test_monsters_are_refused_at_once(tmp_path, top, size, part):
    """Within a second and without much memory."""
    path = hole(tmp_path / "a.json", top, size)
    before, started = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.monotonic()
    with pytest.raises(InvalidInputError, match=part):
        load([path], "")
    assert time.monotonic() - started < 1
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 200_000


@pytest.mark.parametrize(
    ("content", "part"),
    [
        (b'{"queries": [{"query_key": "q", "query_text": "x", "relevant_docs": [' + b"{}," * 3_000_000, "values"),
        (b'{"queries": [\n' + b"{}," * 3_400_000 + b"{}]}", "about 6,800,003 values; at most 1,000,000 are read"),
        (b'{"query_id": "a", "query": "x"}\n' + b"x\n" * 5_000_000, "and 901 more problems"),
        (
            b'{"query_id": "a", "query": "x"}\n{"query_id": "b", "tags": [' + b"0," * 4_000_000,
            "more than 1,000,000 values",
        ),
        (b'{"queries": [' + b",".join([b"{}"] * 100_000) + b"]}", "and 901 more problems"),
    ],
    ids=["judgments", "questions", "bad lines", "one line", "bad questions"],
)
def test_an_upload_is_refused_at_once_whatever_it_holds(tmp_path, content, part):
    """Ten mebibytes of small things cost neither minutes nor gigabytes, and not a line of output each."""
    path = tmp_path / "a"
    path.write_bytes(content)
    before, started = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.monotonic()
    with pytest.raises(InvalidInputError, match=part) as refused:
        load([path], "", limits=Limits.upload())
    assert time.monotonic() - started < 3
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 200_000
    assert len(refused.value.problems) <= 1001
    assert str(refused.value).count("\n") <= 100


def test_a_local_file_of_lines_has_no_limit(tmp_path):
    """A file of lines larger than a whole document may be is read line by line."""
    path = tmp_path / "a.jsonl"
    row = {"query_id": "a", "query": "x", "gold_references": [{"document": "d"}]}
    path.write_text(f"{json.dumps(row)}\n{json.dumps({**row, 'query_id': 'b'})}\n")
    assert len(load([path], "", limits=Limits(max_document_bytes=10)).dataset.queries) == 2


def test_tagged_topics_are_read_whole(tmp_path):
    """So they have the limit of whole documents."""
    paths = put(tmp_path, {"q": QRELS, "t": TAGGED})
    with pytest.raises(InvalidInputError, match="at most 10 are read"):
        load(paths, "", limits=Limits(max_document_bytes=10))


@pytest.mark.parametrize("name", ["queries.jsonl", "qrels/test.tsv"])
def test_each_file_of_a_folder_has_the_limit(tmp_path, name):
    """A BEIR folder is as large as its largest file."""
    (folder,) = put(tmp_path, GOOD["beir"])
    with (folder / name).open("ab") as file:
        file.truncate(UPLOAD_BYTES + 1)
    with pytest.raises(InvalidInputError, match="has 10,485,761 bytes"):
        load([folder], "", limits=Limits.upload())


def test_a_line_without_end_is_refused(tmp_path):
    """One line of more than 10 MB is told and passed over; lines behind it are still read."""
    path = tmp_path / "a.jsonl"
    row = '{"query_id": "a", "query": "x"}\n'
    path.write_text(row + "#" * 11_000_000 + "\n" + row)
    with pytest.raises(InvalidInputError) as refused:
        load([path], "")
    assert [problem.line for problem in refused.value.problems] == [2, 3]
