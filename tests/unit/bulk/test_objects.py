"""Python objects of every kind are scored alike or refused with a message, never with a traceback."""

from __future__ import annotations

from decimal import Decimal
from types import MappingProxyType

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from ragstone.bulk import arrow, score
from ragstone.errors import InvalidInputError, UsageError
from ragstone.metrics import parse

QRELS = {"q1": {"a": 1, "b": 0}, "q2": {"c": 1}}
RUN = {"q1": {"a": 0.5, "b": 0.6}, "q2": {"c": 1.0}}
EXPECTED = {"q1": {"RR": 0.5}, "q2": {"RR": 1.0}}


@pytest.fixture(params=["dict", "file", "frame"])
def qrels(request, tmp_path):
    """Return the same qrels in several forms."""
    rows = [(query, name, grade) for query, found in QRELS.items() for name, grade in found.items()]
    (tmp_path / "qrels").write_text("".join(f"{q} 0 {d} {g}\n" for q, d, g in rows))
    frame = pl.DataFrame(rows, schema=["qid", "docno", "label"], orient="row")
    return {"dict": QRELS, "file": tmp_path / "qrels", "frame": frame}[request.param]


def frame(**change):
    """Return a run as columns."""
    return {"qid": ["q1", "q1", "q2"], "docno": ["a", "b", "c"], "score": [0.5, 0.6, 1.0], **change}


def objects(*values):
    return pd.Series(values, dtype=object)


@pytest.mark.parametrize(
    ("run", "message"),
    [
        (
            {"q1": {"a": 1}, "zz": {"a": float("nan")}},
            r"\['zz'\]\['a'\]: the score must be a finite number, got nan",
        ),
        ({"q1": {"a": 1}, "zz": {"a": "1"}}, r"\['zz'\]\['a'\]: .* got '1'"),
        ({"q1": {"a": 10**400}}, r"\['q1'\]\['a'\]: .* got 1000"),
        ({"q1": {"a": 1}, "zz": {"a": 10**5000}}, r"\['zz'\]\['a'\]: .* got a number of type int, too long"),
        ({"q1": {"a": pd.NA}}, r"got <NA>"),
        ({"q1": {"a": Decimal("sNaN")}}, r"got Decimal\('sNaN'\)"),
        ({"q1": {"a": 1}, "zz": {"a": pd.NaT}}, r"got NaT"),
        ({"q1": {"a": None}}, r"got None"),
        ({"q1": {"": 1}}, r"\['q1'\]\[''\]: a document id must be a string that is not empty"),
        ({"": {"a": 1}}, r"run: \[''\]: a query id must be"),
        ({"q1": {"a": 1, 7: 1}}, r"\['q1'\]\[7\]: a document id must be a string"),
        ({1: {"a": 1}}, r"run: \[1\]: a query id must be a string"),
        ({"q1": {"\ud800": 1}}, r"\['q1'\]\['\\ud800'\]: a document id must be .* UTF-8"),
        ({"\ud800": {"a": 1}}, r"\['\\ud800'\]: a query id must be"),
        ({"q1": {"a": 1}, "q2": None}, r"\['q2'\]: must be a dictionary of values by document, got None"),
        ({"q1": {"a": 1}, "zz": ["a"]}, r"\['zz'\]: must be a dictionary of values by document, got \['a'\]"),
    ],
)
def test_wrong_dictionaries_are_refused_whatever_the_qrels_are(qrels, run, message):
    """The place is the key, also in queries that nobody judged."""
    with pytest.raises(InvalidInputError, match=message):
        score(qrels, run, ["RR"])


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"q1": {"a": 10**400}}, r"qrels: \['q1'\]\['a'\]: the grade must be a whole number"),
        ({"q1": None}, r"qrels: \['q1'\]: must be a dictionary"),
        ({"q1": {"\ud800": 1}}, r"qrels: \['q1'\]\['\\ud800'\]: a document id"),
        ({"q1": {"": 1}}, r"qrels: \['q1'\]\[''\]: a document id"),
    ],
)
def test_wrong_dictionaries_of_grades(given, message):
    """As for runs."""
    with pytest.raises(InvalidInputError, match=message):
        score(given, RUN, ["RR"])


def test_twenty_problems_at_most():
    """However long the dictionary."""
    with pytest.raises(InvalidInputError) as caught:
        score(QRELS, {"q1": dict.fromkeys(range(100), 1.0)}, ["RR"])
    assert len(caught.value.problems) == 20


def test_a_query_without_rows_was_searched(qrels):
    """It returned nothing, which is not the same as missing."""
    result = score(qrels, {"q1": {}, "q2": {"c": 1}}, ["RR"], missing_query="exclude")
    assert result.by_query() == {"q1": {"RR": 0.0}, "q2": {"RR": 1.0}}
    assert result.retrieved.tolist() == [0, 1]


def test_a_query_without_judgments_stays_a_query(tmp_path):
    """Whatever the run is."""
    (tmp_path / "run").write_text("q2 Q0 c 1 1 t\n")
    for run in ({"q2": {"c": 1}}, tmp_path / "run"):
        assert score({"q1": {}, "q2": {"c": 1}}, run, ["RR"]).by_query() == {"q1": {"RR": None}, "q2": {"RR": 1.0}}


@pytest.mark.parametrize(
    "run",
    [
        {"q1": {"a": False, "b": True}, "q2": {"c": True}},
        {"q1": {"a": Decimal("0.5"), "b": np.float32(0.6)}, "q2": {"c": np.int8(1)}},
        MappingProxyType({np.str_("q1"): MappingProxyType({"a": 0.5, np.str_("b"): 0.6}), "q2": {"c": 1}}),
    ],
)
def test_numbers_and_mappings_of_all_kinds(qrels, run):
    """Truth values are numbers."""
    assert score(qrels, run, "RR").by_query() == EXPECTED


@pytest.mark.parametrize("values", [(2**53 + 1, 2**53), (Decimal("0.1"), Decimal("0.1")), (np.float16(0.1),) * 2])
def test_ties_among_numbers_that_are_not_floats(values):
    """They are compared as the numbers that they become, and then by id."""
    run = {"q1": dict(zip(("a", "b"), values, strict=True))}
    assert score({"q1": {"a": 1}}, run, ["RR"]).by_query() == {"q1": {"RR": 0.5}}


@pytest.mark.parametrize(
    "runs", [{"old": {}, "new": RUN}, {"new": RUN, "old": {}}, {"old": {"q1": {}}, "new": RUN}]
)
def test_a_run_without_rows_among_others(qrels, runs):
    """All values tell what a dictionary holds, not the first one alone."""
    found = score(qrels, runs, ["RR"])
    assert found["new"].by_query() == EXPECTED
    assert found["old"].by_query() == {"q1": {"RR": 0.0}, "q2": {"RR": 0.0}}


def test_none_among_runs_is_named():
    """By the name of the run."""
    with pytest.raises(UsageError, match="old: a value of type NoneType holds no rows"):
        score(QRELS, {"old": None, "new": RUN}, ["RR"])


@pytest.mark.parametrize("missing", [None, "nanoarrow"])
@pytest.mark.parametrize(
    "run",
    [
        pd.DataFrame(frame(docid=[7, 8, 9], query=["some words"] * 3, rank=[1, 2, 3])),
        pd.DataFrame(frame(further=objects(1, "x", None))),
        pd.DataFrame(frame(docno=objects("a", "b", "c"), score=objects(1, 2.5, 3))),
        pd.DataFrame(frame(docno=pd.Categorical(["a", "b", "c"]))),
        pd.DataFrame(frame(score=pd.array([1, 3, 2], dtype="Int64"))),
        pd.DataFrame(frame()).set_index("qid"),
        pd.DataFrame(frame(x=[1, 2, 3], y=[1, 2, 3])).rename(columns={"y": "x"}),
        pd.DataFrame(frame(qid=pd.array(["q1", "q1", "q2"], dtype="string"))),
        pa.table(frame(docno=pa.array(["a", "b", "c"]).dictionary_encode())),
        pa.table(frame(docno=pa.array([b"a", b"b", b"c"]))),
        pa.table(frame(score=[False, True, True])),
        pa.table(frame()).to_reader(),
        pl.DataFrame(frame(further=[[1], [2], [3]])),
        pl.DataFrame(frame()).with_columns(pl.col("qid").cast(pl.Categorical)),
    ],
    ids=range(14),
)
def test_frames_of_all_kinds(monkeypatch, run, missing):
    """Further columns do not matter, whatever they hold; ids are those in docno, not PyTerrier's own numbers."""
    if missing:
        monkeypatch.setattr(arrow, "find_spec", lambda name: None if name == missing else object())
    if isinstance(run, pa.RecordBatchReader):
        run = pa.table(frame()).to_reader()  # each can be read once
    assert score(QRELS, run, ["RR"]).by_query() == EXPECTED


@pytest.mark.parametrize("missing", [None, "nanoarrow"])
@pytest.mark.parametrize(
    ("run", "message"),
    [
        (pl.LazyFrame(frame()), r"run: a LazyFrame holds no rows yet; call \.collect\(\)"),
        (pd.DataFrame(frame(score=objects(1, "x", 2.5))), r"run:2: the value must be a finite number, got 'x'"),
        (pd.DataFrame(frame(score=objects(1, 10**400, 2))), r"run:2: the value must be a finite number, got 1000"),
        (pd.DataFrame(frame(docno=objects("a", 5, None))), r"run:3: the document id must be .*, got None"),
        (pd.DataFrame(frame(docno=objects("a", "\ud800", "c"))), r"run:2: the document id must be .* UTF-8"),
        (pd.DataFrame(frame(x=[1, 2, 3])).rename(columns={"x": "score"}), r"several columns may hold the score"),
        (
            pd.DataFrame(frame(score=pd.array([1, None, 2], dtype="Int64"))),
            r"'score' has 1 nulls; drop those rows",
        ),
        (pd.DataFrame(frame(docno=pd.Categorical(["a", None, "c"]))), r"'docno' has 1 nulls"),
        (pa.table(frame(docno=pa.array(["a", None, "c"]).dictionary_encode())), r"'docno' has 1 nulls"),
        (
            pa.table(frame(docno=pa.DictionaryArray.from_arrays([0, 1, 2], pa.array(["a", None, "c"])))),
            r"has 1 nulls",
        ),
        (pa.table([["q"], ["a"], ["b"], [1.0]], names=["qid", "docno", "docno", "score"]), r"hold the document"),
        (pa.table(frame(score=[Decimal("1.5")] * 3)), r"numbers of at most 64 bits; cast them"),
        (pd.Series(["a"]), r"run: "),
        (np.zeros(3), r"run: a value of type ndarray holds no rows"),
        ((one for one in [RUN]), r"run: a value of type generator holds no rows"),
        (pd.DataFrame, r"run: a value of type type holds no rows"),
        ("no\0path", r"cannot be read: this is no path"),
    ],
    ids=range(17),
)
def test_wrong_frames_and_things(monkeypatch, run, message, missing):
    """Each with what is wrong and, where it is known, where."""
    if missing:
        monkeypatch.setattr(arrow, "find_spec", lambda name: None if name == missing else object())
    with pytest.raises(UsageError, match=message):
        score(QRELS, run, ["RR"])


@pytest.mark.parametrize("missing", [None, "nanoarrow"])
@pytest.mark.parametrize("library", [pd, pl])
def test_a_frame_without_rows(monkeypatch, library, missing):
    """It is an empty run, whatever the types that its columns were given."""
    if missing:
        monkeypatch.setattr(arrow, "find_spec", lambda name: None if name == missing else object())
    run = library.DataFrame({"qid": [], "docno": [], "score": []})
    assert score(QRELS, run, ["RR"]).by_query() == {"q1": {"RR": 0.0}, "q2": {"RR": 0.0}}


@pytest.mark.parametrize("missing", [None, "nanoarrow"])
def test_a_reader_that_breaks_off(monkeypatch, missing):
    """Its reason is told."""
    if missing:
        monkeypatch.setattr(arrow, "find_spec", lambda name: None if name == missing else object())
    batch = pa.record_batch(frame())

    def broken():
        yield batch
        raise ValueError("the line went dead")

    with pytest.raises(UsageError, match=r"run: cannot be read as Arrow data: .*the line went dead"):
        score(QRELS, pa.RecordBatchReader.from_batches(batch.schema, broken()), ["RR"])


def test_nulls_outside_of_a_slice_do_not_matter():
    """Only the rows of the slice are those of the run."""
    table = pa.table(frame(docno=["a", None, "c"]))
    assert score(QRELS, table.slice(2), ["RR"]).by_query() == {"q1": {"RR": 0.0}, "q2": {"RR": 1.0}}
    with pytest.raises(UsageError, match="1 nulls"):
        score(QRELS, table.slice(1), ["RR"])


def test_query_ids_that_are_no_text():
    """Bytes are ids where they are UTF-8."""
    table = pa.table({"qid": [b"q\xff"], "docno": ["a"], "rel": [1]})
    with pytest.raises(UsageError, match=r"qrels: .*UTF"):
        score(table, RUN, ["RR"])


@pytest.mark.parametrize("metrics", ["RR", parse("RR"), ["RR"], [parse("RR")], (one for one in ["RR"])])
def test_metrics_are_names_or_what_is_made_of_them(metrics):
    """One or several."""
    assert score(QRELS, RUN, metrics).by_query() == EXPECTED


@pytest.mark.parametrize("metrics", [None, 5, [5], [None], b"RR"])
def test_other_things_are_no_metrics(metrics):
    """Told as such."""
    with pytest.raises(UsageError, match="metric"):
        score(QRELS, RUN, metrics)


@pytest.mark.parametrize("ties", [None, ["trec9"], np.zeros(3)])
def test_other_things_are_no_words(ties):
    """Also where they cannot be compared with words."""
    with pytest.raises(UsageError, match="ties is"):
        score(QRELS, RUN, ["RR"], ties=ties)
