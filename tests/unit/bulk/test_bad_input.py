"""What is wrong with a file is told with file, line, column and value, up to 20 problems at once."""

from __future__ import annotations

import pytest

from ragstone.bulk import pieces, score
from ragstone.errors import InvalidInputError, UsageError

QRELS = b"q1 0 a 1\nq1 0 b 0\nq2 0 c 2\n"
RUN = b"q1 Q0 a 1 0.9 t\nq1 Q0 b 2 0.8 t\nq2 Q0 c 1 0.7 t\n"


@pytest.fixture(params=[32, 1 << 20])
def files(tmp_path, monkeypatch, request):
    """Return what scores given bytes, read in pieces of a line or at once."""
    monkeypatch.setattr(pieces, "CHUNK", request.param)

    def of(qrels=QRELS, run=RUN):
        (tmp_path / "qrels").write_bytes(qrels)
        (tmp_path / "run").write_bytes(run)
        return score(tmp_path / "qrels", tmp_path / "run", ["AP"])

    return of


def problems(files, **content):
    with pytest.raises(InvalidInputError) as caught:
        files(**content)
    assert all(problem.source.endswith(("run", "qrels")) for problem in caught.value.problems)
    return [(problem.line, problem.message) for problem in caught.value.problems]


@pytest.mark.parametrize("score_text", ["abc", "nan", "inf", "-inf", "1e999", "1_000", "0x1"])
def test_a_score_that_is_no_finite_number(files, score_text):
    """Not a number, NaN and infinity are refused, not sorted somewhere."""
    bad = RUN.replace(b"0.8", score_text.encode())
    wanted = f"column 5: the score must be a finite decimal number, got {score_text!r}"
    assert problems(files, run=bad) == [(2, wanted)]


@pytest.mark.parametrize(
    ("line", "seen"),
    [
        (b"q1 Q0 b 2 0.8", "5 columns, got 'q1 Q0 b 2 0.8'"),
        (b"q1", "1 column, got 'q1'"),
        (b"q1 Q0 b 2 0.8 my run", "7 columns, got 'q1 Q0 b 2 0.8 my run'"),
    ],
)
def test_missing_and_further_columns(files, line, seen):
    """The line is shown, and what the columns are."""
    bad = RUN.replace(b"q1 Q0 b 2 0.8 t", line)
    assert problems(files, run=bad) == [(2, f"{seen}; a run has 6: query, Q0, document, rank, score, tag")]


def test_a_document_twice(files):
    """Judged or not; the first place is told, and that of a query elsewhere does not matter."""
    bad = RUN + b"q2 Q0 x 2 0.6 t\nq2 Q0 a 3 0.5 t\nq2 Q0 x 4 0.4 t\n"
    assert problems(files, run=bad) == [(6, "document 'x' stands twice for query 'q2', first on line 4; keep one")]
    assert problems(files, qrels=QRELS + b"q2 0 c 1\n") == [
        (4, "document 'c' stands twice for query 'q2', first on line 3; keep one")
    ]


def test_a_document_twice_in_blocks_that_lie_apart(files):
    """Queries whose rows are scattered are brought together first; lines are those of the file."""
    assert problems(files, run=RUN + b"q1 Q0 a 3 0.1 t\n") == [
        (4, "document 'a' stands twice for query 'q1', first on line 1; keep one")
    ]


@pytest.mark.parametrize("grade", ["1.5", "x", "99999999999"])
def test_a_grade_that_is_no_whole_number(files, grade):
    """Grades are whole; 1.0 is."""
    found = problems(files, qrels=QRELS.replace(b"b 0", f"b {grade}".encode()))
    assert [line for line, _ in found] == [2]
    assert files(qrels=QRELS.replace(b"a 1", b"a 1.0")).summaries["AP"].value == 1.0


def test_bytes_that_are_not_utf8(files):
    """Line, column and byte are told."""
    assert problems(files, run=RUN.replace(b" b ", b" b\xff ")) == [
        (2, "column 3: byte b'\\xff' is not UTF-8; save the file as UTF-8")
    ]


def test_up_to_20_problems_are_told_in_order(files):
    """Of every kind, from any piece of the file."""
    lines = [b"q1 Q0 d%d 1 %s t" % (i, b"x" if i % 2 else b"1") for i in range(60)]
    lines[10] = b"too few"
    found = problems(files, run=b"\n".join(lines) + b"\n")
    assert len(found) == 20
    assert [line for line, _ in found] == sorted(line for line, _ in found)
    assert 11 in [line for line, _ in found]


@pytest.mark.parametrize(
    "run",
    [
        RUN.replace(b"\n", b"\r\n"),
        RUN.replace(b"\n", b"\r\n", 1),
        RUN.replace(b" ", b"\t"),
        RUN.rstrip(b"\n"),
        RUN.replace(b" ", b"   "),
        b"\xef\xbb\xbf" + RUN,
        b"\n\n" + RUN.replace(b"\n", b"\n \n"),
        RUN.replace(b"\n", b" \n"),
        b"q2 Q0 c 1 0.7 t\n" + RUN[:32],
        RUN[:16] + RUN[32:] + RUN[16:32],
    ],
)
def test_what_is_fine(files, run):
    """CRLF, also mixed; tabs; several spaces; a byte-order mark; blank lines; no last newline; queries apart."""
    assert files(run=run).by_query() == {"q1": {"AP": 1.0}, "q2": {"AP": 1.0}}


def test_empty_files_are_empty(files):
    """No judgments give no queries; no rows give misses."""
    assert files(qrels=b"").queries == ()
    assert files(run=b"").by_query() == {"q1": {"AP": 0.0}, "q2": {"AP": 0.0}}
    assert files(run=b"\n\n").by_query() == {"q1": {"AP": 0.0}, "q2": {"AP": 0.0}}
    assert files(run=b"", qrels=b"").summaries["AP"].n == 0


def test_negative_grades_are_unjudged(files):
    """As in trec_eval: no gain, and not counted as judged."""
    assert files(qrels=b"q1 0 a -1\nq1 0 b 1\n").by_query() == {"q1": {"AP": 0.5}}


def test_queries_of_one_file_alone_are_told(files):
    """With their number and an example."""
    result = files(qrels=QRELS + b"q9 0 a 1\n", run=RUN + b"q8 Q0 a 1 1 t\n")
    assert result.warnings == (
        "1 judged queries are not in the run, such as 'q9'",
        "1 queries of the run have no judgments and do not count, such as 'q8'",
    )


def test_ids_spelled_in_two_ways_are_suspected(files):
    """A run in which nothing judged was found gets a warning."""
    (warning,) = files(run=RUN.replace(b" Q0 ", b" Q0 doc-")).warnings
    assert warning.startswith("almost nothing that was judged was retrieved: 0 of 3 judgments")


def test_a_file_that_is_not_there(tmp_path):
    """One message with the path."""
    with pytest.raises(InvalidInputError, match=r"nothing: cannot be read: No such file"):
        score(tmp_path / "nothing", tmp_path / "nothing", ["AP"])


def test_wrong_dictionaries():
    """The place is the key."""
    with pytest.raises(
        InvalidInputError, match=r"run: \['q'\]\['a'\]: the score must be a finite number, got nan"
    ):
        score({"q": {"a": 1}}, {"q": {"a": float("nan")}}, ["AP"])
    with pytest.raises(InvalidInputError, match=r"run: \['q'\]\['b'\]: .* got 'x'"):
        score({"q": {"a": 1}}, {"q": {"a": 1.0, "b": "x"}}, ["AP"])
    with pytest.raises(
        InvalidInputError, match=r"qrels: \['q'\]\['a'\]: the grade must be a whole number, got 1.5"
    ):
        score({"q": {"a": 1.5}}, {"q": {"a": 1.0}}, ["AP"])
    with pytest.raises(InvalidInputError, match=r"qrels: \[1\]: a query id must be a string"):
        score({1: {"a": 1}}, {"q": {"a": 1.0}}, ["AP"])


def test_wrong_words_are_refused():
    """Ties, policies, and things that hold no rows."""
    good = {"q": {"a": 1}}
    with pytest.raises(UsageError, match="ties is 'trec9' or 'trec10', got 'trec8'"):
        score(good, good, ["AP"], ties="trec8")
    with pytest.raises(UsageError, match="no_gold is"):
        score(good, good, ["AP"], no_gold="maybe")
    with pytest.raises(UsageError, match="a value of type int holds no rows"):
        score(good, 5, ["AP"])
    with pytest.raises(UsageError, match="named twice"):
        score(good, ["x", "x"], ["AP"])
