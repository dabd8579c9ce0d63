"""Pieces, hashes and the order of rows change nothing."""

from __future__ import annotations

import random

import numpy as np
import polars as pl
import pytest

from ragstone.bulk import columns, evaluate, floats, jsonl, parquet, pieces, ranking, score, words
from ragstone.errors import InvalidInputError

METRICS = ["nDCG@10", "AP", "RR"]


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Return qrels and a run in which ids, scores and depths vary."""
    rng, folder = random.Random(7), tmp_path_factory.mktemp("files")
    names = [f"{'x' * rng.randint(0, 30)}{i}" for i in range(300)]
    with (folder / "qrels").open("w") as qrels, (folder / "run").open("w") as run:
        for number in range(40):
            for name in rng.sample(names, rng.randint(1, 40)):
                qrels.write(f"query-number-{number} 0 {name} {rng.randint(0, 2)}\n")
            for name in rng.sample(names, rng.randint(1, 250)):
                run.write(f"query-number-{number} Q0 {name} 1 {rng.choice([1, 2.5, rng.random()])} t\n")
    return folder / "qrels", folder / "run"


@pytest.fixture(scope="module")
def expected(files):
    return score(*files, METRICS).by_query()


@pytest.mark.parametrize("chunk", [16, 1000, 5000, 30_000])
def test_the_size_of_a_piece_changes_nothing(files, expected, chunk, monkeypatch):
    """Blocks are carried over, and buffers grow where a block is longer than a piece."""
    monkeypatch.setattr(pieces, "CHUNK", chunk)
    monkeypatch.setattr(columns, "PART", 7)
    monkeypatch.setattr(evaluate, "BLOCK", 3)
    monkeypatch.setattr(ranking, "_PAIRS", 11)
    assert score(*files, METRICS).by_query() == expected


@pytest.mark.parametrize("value", [0, 1 << 33])
def test_documents_of_one_hash_are_told_apart(files, expected, value, monkeypatch):
    """Every hit is verified byte by byte, and so is every suspected repetition."""
    monkeypatch.setattr(words.Tokens, "hashes", lambda self: np.full(len(self), value, dtype=np.uint64))
    assert score(*files, METRICS).by_query() == expected


def test_scattered_rows_change_nothing(files, expected, tmp_path):
    """Queries are brought together; ties still fall by id."""
    lines = [path.read_text().splitlines() for path in files]
    for found in lines:
        random.Random(1).shuffle(found)
    for name, found in zip(("qrels", "run"), lines, strict=True):
        (tmp_path / name).write_text("\n".join(found))
    assert score(tmp_path / "qrels", tmp_path / "run", METRICS).by_query() == {
        query: expected[query] for query in score(tmp_path / "qrels", tmp_path / "run", METRICS).queries
    }


def test_ids_that_begin_alike_are_ordered_by_length():
    """A shorter id is the lesser one, as strcmp has it."""
    names = ["a", "ab", "abcdefgh", "abcdefghi", "abcdefghijklmnop", "abcdefghijklmnopq"]
    tokens = columns.tokens_of(names)
    for i in range(len(names)):
        for j in range(len(names)):
            one, other = tokens[np.array([i])], tokens[np.array([j])]
            assert bool(one.greater(other)[0]) == (names[i] > names[j])
            assert bool(one.same(other)[0]) == (i == j)


def test_short_ids_never_share_a_hash():
    """Up to eight bytes the hash can be turned back."""
    tokens = columns.tokens_of([f"d{i}" for i in range(100_000)])
    assert len(set(tokens.hashes().tolist())) == 100_000


def test_the_wide_format_is_what_it_is_taken_for():
    """Where it is used, it holds every whole number of 64 bits."""
    wide = np.array([2**64 - 1], dtype=np.uint64).astype(np.longdouble)
    assert not floats._WIDE or int(wide[0]) == 2**64 - 1


@pytest.mark.parametrize("ties", ["trec9", "trec10"])
def test_many_judged_hits_may_share_one_score(ties, monkeypatch, tmp_path):
    """Ranks within a large tie are looked up; they are those of comparing each pair."""
    rng = random.Random(3)
    names = list({f"{'d' * rng.randint(0, 20)}{rng.randrange(10**6)}" for _ in range(3000)})
    run = "".join(f"q Q0 {name} 1 {rng.choice([1, 1, 2])} t\n" for name in names)
    qrels = "".join(f"q 0 {name} {rng.randint(0, 2)}\n" for name in rng.sample(names, 300))
    (tmp_path / "run").write_text(run)
    (tmp_path / "qrels").write_text(qrels)
    monkeypatch.setattr(ranking, "_PAIRS", 500)
    found = []
    for few in (0, 10**6):
        monkeypatch.setattr(ranking, "_FEW", few)
        found.append(score(tmp_path / "qrels", tmp_path / "run", METRICS, ties=ties).by_query())
    assert found[0] == found[1]


@pytest.mark.parametrize("scattered", [False, True])
@pytest.mark.parametrize("kind", ["parquet", "jsonl"])
@pytest.mark.parametrize("rows", [1, 7, 1000])
def test_files_of_columns_are_read_in_pieces(files, expected, tmp_path, monkeypatch, scattered, kind, rows):
    """Of any number of rows, whether queries stand together or not; the problem's line is that of the file."""
    monkeypatch.setattr(parquet, "ROWS", rows)
    monkeypatch.setattr(jsonl, "LINES", rows)
    found = [line.split() for line in files[1].read_text().splitlines()]
    if scattered:
        random.Random(2).shuffle(found)
    frame = pl.DataFrame({"qid": [row[0] for row in found], "docno": [row[2] for row in found]})
    frame = frame.with_columns(pl.Series("score", [float(row[4]) for row in found]))

    def scored(frame):
        getattr(frame, {"parquet": "write_parquet", "jsonl": "write_ndjson"}[kind])(tmp_path / "run")
        return score(files[0], tmp_path / "run", METRICS).by_query()

    assert scored(frame) == expected
    again = frame.vstack(frame[5:6])
    first = 1 + int(np.flatnonzero((frame["qid"] == again["qid"][-1]) & (frame["docno"] == again["docno"][-1]))[0])
    with pytest.raises(InvalidInputError) as caught:
        scored(again)
    (problem,) = caught.value.problems
    assert problem.line == len(again)
    assert f"first on line {first}" in problem.message
