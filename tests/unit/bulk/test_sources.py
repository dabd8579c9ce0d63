"""Every form in which runs and qrels come gives the same scores."""

from __future__ import annotations

import gzip
import importlib
import json
import random
import sys

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import zstandard

from ragstone.bulk import Qrels, arrow, score
from ragstone.errors import InvalidInputError, MissingExtraError, UsageError

METRICS = ["nDCG@5", "AP", "P@3", "bpref"]


def draw():
    """Return qrels and a run with ids short and long, ASCII and not, and many ties."""
    rng = random.Random(3)
    names = [f"d{i}" for i in range(30)] + [f"a-long-document-id-{i}" for i in range(20)] + ["é", "漢字", "ß" * 12]
    qrels = {f"q{i}": {name: rng.randint(-1, 2) for name in rng.sample(names, 12)} for i in range(9)}
    run = {
        f"q{i}": {name: rng.randint(0, 5) / 2 for name in rng.sample(names, rng.randint(1, 40))}
        for i in range(1, 11)
    }
    return qrels, run


QRELS, RUN = draw()
EXPECTED = score(QRELS, RUN, METRICS).by_query()


def rows(table):
    return [(query, name, value) for query, found in table.items() for name, value in found.items()]


def columns(table, value):
    query, name, values = zip(*rows(table), strict=True)
    return {"query_id": list(query), "doc_id": list(name), value: list(values), "further": [0] * len(query)}


def trec(table, *, run):
    return "".join(f"{q} Q0 {d} 1 {v} t\n" if run else f"{q} 0 {d} {v}\n" for q, d, v in rows(table)).encode()


def zstd(data):
    """Pack in two frames with checksums."""
    packer = zstandard.ZstdCompressor(write_checksum=True)
    return packer.compress(data[:999]) + packer.compress(data[999:])


def check(qrels, run):
    assert score(qrels, run, METRICS).by_query() == EXPECTED


@pytest.mark.parametrize("pack", [bytes, gzip.compress, zstd])
def test_text_plain_and_packed(tmp_path, pack):
    """What packs a file is told by its first bytes, not by its name."""
    (tmp_path / "qrels").write_bytes(pack(trec(QRELS, run=False)))
    (tmp_path / "run").write_bytes(pack(trec(RUN, run=True)))
    check(tmp_path / "qrels", str(tmp_path / "run"))


@pytest.mark.parametrize("pack", [gzip.compress, zstd])
def test_a_packed_file_that_is_cut_or_broken(tmp_path, pack):
    """It is an error of that file, not a shorter run."""
    data = pack(trec(RUN, run=True))
    for broken in (data[:-9], data[: len(data) // 2], data[:30] + b"\xff" * 8 + data[40:]):
        (tmp_path / "run").write_bytes(broken)
        with pytest.raises(InvalidInputError, match="run: cannot be read"):
            score(QRELS, tmp_path / "run", METRICS)


def test_json_lines(tmp_path):
    """One object a line, under any of the usual names."""
    for name, table, keys in (
        ("qrels", QRELS, ("qid", "docno", "rel")),
        ("run", RUN, ("query_id", "doc_id", "score")),
    ):
        text = "\n".join(json.dumps(dict(zip(keys, row, strict=True))) for row in rows(table))
        (tmp_path / name).write_text(text + "\n\n", encoding="utf-8")
    check(tmp_path / "qrels", tmp_path / "run")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"query_id": "q", "doc_id": "d"}', "no column holds the score"),
        ("[1]", "must be an object"),
        ('{"qid": "q", "docno": "d", "score": "1"}', "must be a number, got '1'"),
        ("{", "not JSON"),
        ('{"qid": "q", "docno": "", "score": 1}', "an id must be a string"),
        ('{"qid": "q", "docno": "x\\u0000", "score": NaN}', "NaN is not a JSON number"),
        ('{"qid": "q", "docno": "d", "score": 1' + "0" * 400 + "}", "must be a finite number, got 1000"),
        ('{"qid": "q", "docno": "d", "score": -1e999}', "too large to be kept"),
        (
            '{"qid": "q", "docno": "d", "score": 1, "Score": 2}',
            "several columns may hold the score: 'score', 'Score'",
        ),
    ],
)
def test_wrong_json_lines(tmp_path, line, message):
    """Each with its line."""
    good = '{"query_id": "q", "doc_id": "a", "score": 1}\n'
    (tmp_path / "run").write_text(good + line, encoding="utf-8")
    with pytest.raises(InvalidInputError, match=message) as caught:
        score(QRELS, tmp_path / "run", METRICS)
    assert caught.value.problems[0].line == 2


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"qid": "q", "docid": "a", "rel": 1}', "document 'a' stands twice for query 'q', first on line 3"),
        ('{"qid": "q", "docid": "b", "rel": 0.5}', "must be a whole number"),
    ],
)
def test_blank_lines_are_lines(tmp_path, line, message):
    """Messages count the lines of the file, not its rows."""
    (tmp_path / "qrels").write_text(f'\n\n{{"qid": "q", "docid": "a", "rel": 1}}\n \n{line}\n', encoding="utf-8")
    with pytest.raises(InvalidInputError, match=message) as caught:
        score(tmp_path / "qrels", RUN, METRICS)
    assert [problem.line for problem in caught.value.problems] == [5]


@pytest.mark.parametrize("query", ["PAR1", "PAR1x", "{", "{q}", "{1", "[1]"])
def test_ids_that_look_like_another_form(tmp_path, query):
    """A file is Parquet or JSON Lines where all of its beginning is, not where an id begins so."""
    (tmp_path / "qrels").write_text(f"{query} 0 a 1\n", encoding="utf-8")
    (tmp_path / "run").write_text(f"{query} Q0 a 1 0.5 PAR1", encoding="utf-8")
    assert score(tmp_path / "qrels", tmp_path / "run", ["RR"]).by_query() == {query: {"RR": 1.0}}


@pytest.mark.parametrize("text", ['{ "qid":"q","docno":"a","score":1}', '{\t"qid":"q","docno":"a","score":1}'])
def test_json_lines_may_have_blanks(tmp_path, text):
    """Behind the brace, and before it."""
    (tmp_path / "run").write_text("\n " + text, encoding="utf-8")
    assert score({"q": {"a": 1}}, tmp_path / "run", ["RR"]).by_query() == {"q": {"RR": 1.0}}


@pytest.mark.parametrize("missing", [None, "pyarrow.parquet"])
@pytest.mark.parametrize("damage", [slice(None, -9), slice(None, 200), slice(None, 12)])
def test_a_damaged_parquet_file(monkeypatch, tmp_path, damage, missing):
    """Cut off wherever: a message with the path and the reason, from either reader."""
    if missing:
        monkeypatch.setitem(sys.modules, missing, None)
    pq.write_table(pa.table(columns(RUN, "score")), tmp_path / "run")
    (tmp_path / "run").write_bytes((tmp_path / "run").read_bytes()[damage])
    with pytest.raises(InvalidInputError, match=r"run: cannot be read as Parquet: .+"):
        score(QRELS, tmp_path / "run", METRICS)


def test_parquet(tmp_path):
    """Only the three columns are read."""
    pq.write_table(pa.table(columns(QRELS, "relevance")), tmp_path / "qrels")
    pq.write_table(pa.table(columns(RUN, "score")), tmp_path / "run", row_group_size=17)
    check(tmp_path / "qrels", tmp_path / "run")


def test_a_beir_folder(tmp_path):
    """The judgments of the split test, without corpus or queries; negative grades too."""
    (tmp_path / "qrels").mkdir()
    lines = "".join(f"{q}\t{d}\t{v}\n" for q, d, v in rows(QRELS))
    (tmp_path / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\n" + lines, encoding="utf-8")
    (tmp_path / "qrels" / "dev.tsv").write_text("nothing", encoding="utf-8")
    check(tmp_path, RUN)
    check(tmp_path / "qrels" / "test.tsv", RUN)
    (tmp_path / "qrels" / "test.tsv").unlink()
    (tmp_path / "qrels" / "train.tsv").write_text("nothing", encoding="utf-8")
    with pytest.raises(InvalidInputError, match=r"holds dev.tsv, train.tsv; a BEIR folder has qrels/test.tsv"):
        score(tmp_path, RUN, METRICS)


def frames(table, value):
    """Yield a table in every kind of frame, cut, in chunks (some empty), with coded or numbered columns."""
    data = columns(table, value)
    whole = pa.table(data)
    yield pl.DataFrame(data)
    yield pl.concat([pl.DataFrame(data)[:50], pl.DataFrame(data)[50:]], rechunk=False)
    yield pd.DataFrame(data)
    yield whole
    yield pa.concat_tables([whole.slice(0, 33), whole.slice(33)])
    nothing = pa.table({name: pa.array([], column.type) for name, column in zip(data, whole.columns, strict=True)})
    yield pa.concat_tables([nothing, whole.slice(0, 33), nothing, whole.slice(33), nothing])
    yield pa.table({**data, "query_id": whole["query_id"].dictionary_encode()})
    yield whole.cast(
        pa.schema(
            [
                ("query_id", pa.string_view()),
                ("doc_id", pa.string_view()),
                (value, pa.float32()),
                ("further", pa.int8()),
            ]
        )
    )


@pytest.mark.parametrize("number", range(8))
@pytest.mark.parametrize("missing", [None, "nanoarrow"])
def test_frames(monkeypatch, number, missing):
    """Polars, pandas and Arrow, read by nanoarrow or by pyarrow."""
    if missing:
        monkeypatch.setattr(arrow, "find_spec", lambda name: None if name == missing else object())
    check(list(frames(QRELS, "relevance"))[number], list(frames(RUN, "score"))[number])


def test_a_frame_without_arrow():
    """Pandas before 2.2, or anything like it."""

    class Old:
        def __init__(self, data):
            self.columns, self._frame = list(data), pd.DataFrame(data)

        def __getitem__(self, name):
            return self._frame[name]

    check(Old(columns(QRELS, "rel")), Old(columns(RUN, "sim")))


@pytest.mark.parametrize("missing", [None, "nanoarrow"])
def test_numbers_as_ids(monkeypatch, missing):
    """Whole numbers are written out, as in files."""
    if missing:
        monkeypatch.setattr(arrow, "find_spec", lambda name: None if name == missing else object())
    golds = pl.DataFrame({"query_id": [1, 1, 20], "doc_id": [7, 123456789012, 5], "relevance": [1, 2, 1]})
    run = pl.DataFrame({"query_id": [20, 1, 1], "doc_id": [5, 9, 123456789012], "score": [1, 3, 2]})
    assert score(golds, run, ["RR"]).by_query() == {"1": {"RR": 0.5}, "20": {"RR": 1.0}}


@pytest.mark.parametrize("missing", [None, "nanoarrow"])
def test_wrong_frames(monkeypatch, missing):
    """A missing column, nulls, texts as scores, NaN and a document twice."""
    if missing:
        monkeypatch.setattr(arrow, "find_spec", lambda name: None if name == missing else object())
    data = {"query_id": ["q", "q"], "doc_id": ["a", "b"], "score": [1.0, 2.0]}
    golds = {"q": {"a": 1}}
    for change, message in (
        ({"doc_id": ["a", None]}, "the column 'doc_id' has 1 nulls"),
        ({"doc_id": [None, None]}, "the column 'doc_id' has 2 nulls"),
        ({"doc_id": [1.0, 2.0]}, "ids must be strings or whole numbers"),
        ({"doc_id": ["a", ""]}, "run:2: the document id is empty"),
        ({"Score": [1.0, 2.0]}, "several columns may hold the score: 'score', 'Score'"),
        ({"score": ["x", "y"]}, "numbers|convert"),
        ({"score": [float("nan"), 1.0]}, "run:1: the value must be a finite number, got nan"),
        ({"doc_id": ["a", "a"]}, "run:2: document 'a' stands twice for query 'q', first on line 1"),
    ):
        with pytest.raises(UsageError, match=message):
            score(golds, pl.DataFrame({**data, **change}), METRICS)
    with pytest.raises(UsageError, match="no column holds the query; it is named 'query_id' or"):
        score(golds, pl.DataFrame(data).rename({"query_id": "x"}), METRICS)


def test_an_optional_package_that_is_missing_is_named(monkeypatch, tmp_path):
    """The message says what to install."""
    monkeypatch.setattr(arrow, "find_spec", lambda name: None)
    with pytest.raises(MissingExtraError, match=r"pip install 'ragstone\[arrow\]'"):
        score(QRELS, pl.DataFrame(columns(RUN, "score")), METRICS)
    (tmp_path / "run").write_bytes(zstandard.compress(b"x"))
    monkeypatch.setitem(sys.modules, "zstandard", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'ragstone\[zstd\]'"):
        score(QRELS, tmp_path / "run", METRICS)
    pq.write_table(pa.table(columns(RUN, "score")), tmp_path / "run")
    for name in ("pyarrow.parquet", "polars"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(MissingExtraError, match=r"pip install 'ragstone\[parquet\]'"):
        score(QRELS, tmp_path / "run", METRICS)


def test_parquet_by_polars_alone(monkeypatch, tmp_path):
    """Where pyarrow is not installed."""
    pq.write_table(pa.table(columns(RUN, "score")), tmp_path / "run")
    importlib.import_module("polars")
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    check(QRELS, tmp_path / "run")


def test_forms_can_be_mixed_and_qrels_read_once(tmp_path):
    """A list of runs, or runs by name; qrels from a file and from a dictionary."""
    (tmp_path / "qrels").write_bytes(trec(QRELS, run=False))
    (tmp_path / "run").write_bytes(trec(RUN, run=True))
    for qrels in (QRELS, Qrels(QRELS), tmp_path / "qrels", Qrels(tmp_path / "qrels")):
        by_name = score(qrels, {"dict": RUN, "file": tmp_path / "run"}, METRICS)
        assert {name: result.by_query() for name, result in by_name.items()} == {
            "dict": EXPECTED,
            "file": EXPECTED,
        }
        listed = score(qrels, [RUN, tmp_path / "run"], METRICS)
        assert list(listed) == ["run 1", str(tmp_path / "run")]
        assert listed["run 1"].by_query() == EXPECTED
