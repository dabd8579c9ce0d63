"""References match the way their owner means them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragstone.matching import MatchOptions, judge_run, match_response
from ragstone.matching.normalise import document_name, heading_path
from ragstone.types import Dataset, Failure, Gold, Hit, Query, Response


def anchor(path: str, **fields) -> Gold:
    return Gold(kind="anchor", document="n.md", heading=tuple(path.split(" > ")), **fields)


def chunk(path: str, text: str = "", name: str = "1") -> Hit:
    return Hit(id=name, document="n.md", heading=tuple(path.split(" > ")), text=text)


def golds_of(hits, golds, **options):
    return [match.gold for match in match_response(hits, golds, MatchOptions(**options))]


@pytest.mark.parametrize(
    ("gold", "heading", "matches"),
    [
        ("A > B", "#  A > B", True),
        ("A", "A > B", True),
        ("A", "AB", False),
        ("Overview", "Overview of X", False),
        ("A > B", "A", False),
        ("a", "A", False),
        ("A  x", "A x", True),
    ],
)
def test_headings_match_by_segments(gold, heading, matches):
    """A prefix of whole segments, spaces and # marks aside, case counting."""
    assert golds_of([chunk(heading)], [anchor(gold)]) == [0 if matches else None]


def test_the_path_of_an_anchor_is_exact():
    """Another case or folder is another note."""
    hit = Hit(id="1", document="N.md", heading=("A",))
    assert golds_of([hit], [anchor("A")]) == [None]


@pytest.mark.parametrize(
    ("mode", "text", "matches"),
    [("any", "has  one\nthing", True), ("all", "has one thing", False), ("all", "one thing and two", True),
     ("any", "", False), ("ignore", "", True)],
)  # fmt: skip
def test_snippets(mode, text, matches):
    """Any, all or none of a gold's snippets must stand in the chunk; white space is folded."""
    gold = anchor("A", snippets=("one thing", "two"))
    assert golds_of([chunk("A", text)], [gold], snippet_mode=mode) == [0 if matches else None]


@pytest.mark.parametrize(
    ("ref", "document", "matches"),
    [
        ("document_id", "Doc-1", True),
        ("document_id", "doc-1", False),
        ("uri", "Doc-1", True),
        ("path", "x/Doc-1", False),
        ("file_name", "x/y/Doc-1", True),
        ("file_name", "x/y/doc-1", False),
        (None, "DOC-1.pdf", True),
    ],
)
def test_a_reference_of_a_kind_is_not_folded(ref, document, matches):
    """Ids, URIs and paths match to the letter, a file name the end of a path, a bare name folded."""
    gold = Gold(kind="document", document="Doc-1", ref=ref)
    assert golds_of([Hit(id="1", document=document)], [gold]) == [0 if matches else None]


def test_documents_that_differ_in_case_stay_two_where_ids_are_exact():
    """Collapsing follows the kind of reference."""
    hits = [Hit(id="1", document="a"), Hit(id="2", document="A")]
    assert len(match_response(hits, [Gold(kind="document", document="A", ref="document_id")])) == 2
    assert len(match_response(hits, [Gold(kind="document", document="A")])) == 1


def test_a_snippet_is_looked_for_in_every_chunk_of_its_document():
    """A document gold with a snippet does not stop at the document's first chunk."""
    hits = [Hit(id=str(i), document="a", text=text) for i, text in enumerate(["start", "the needle"])]
    gold = Gold(kind="document", document="a", snippets=("needle",))
    assert golds_of(hits, [gold]) == [None, 0]
    assert golds_of(hits, [gold], snippet_mode="ignore") == [0]


def test_the_nearest_page_wins_over_the_higher_grade():
    """A hit exactly on a gold's page is that gold."""
    golds = [Gold(kind="page", document="d", page=44, grade=3), Gold(kind="page", document="d", page=45, grade=1)]
    assert golds_of([Hit(id="1", document="d", page=45)], golds) == [1]


def test_document_names_are_folded():
    """Case, space and a known extension do not count; other dots stay."""
    assert document_name(" Black Scholes.PDF ") == "black scholes"
    assert document_name("os.path") == "os.path"
    assert document_name(".md") == ".md"


def test_chunk_golds_match_by_id_alone():
    """A chunk gold needs no document."""
    assert golds_of([Hit(id="c7", document="x")], [Gold(kind="chunk", chunk="c7")]) == [0]


def test_a_negative_grade_is_unjudged():
    """It matches nothing."""
    assert golds_of([Hit(id="1", document="a")], [Gold(kind="document", document="a", grade=-1)]) == [None]


def test_a_hit_takes_the_best_free_gold_then_repeats():
    """Nearest page first, then highest grade; a fourth hit on the same page repeats."""
    golds = [Gold(kind="page", document="d", page=page, grade=grade) for page, grade in ((4, 1), (5, 3), (6, 1))]
    hits = [Hit(id=str(i), document="d", page=5) for i in range(4)]
    matches = match_response(hits, golds, MatchOptions(unit="chunk"))
    assert [(match.gold, match.repeated) for match in matches] == [(1, False), (0, False), (2, False), (1, True)]
    assert matches[0].alternatives == (1, 0, 2)


@pytest.mark.parametrize(("unit", "kept"), [("document", 1), ("page", 2), ("chunk", 3)])
def test_collapse_keeps_the_first_hit_of_a_unit(unit, kept):
    """Three chunks on two pages of one document, and an exact repetition."""
    hits = [Hit(id=name, document="D.pdf", page=page) for name, page in (("a", 1), ("b", 1), ("c", 2), ("a", 1))]
    matches = match_response(hits, [], MatchOptions(unit=unit))
    assert [match.position for match in matches] == [0, 1, 2][:kept] if unit != "page" else [0, 2]
    assert [match.rank for match in matches] == list(range(1, kept + 1))


def test_the_unit_follows_the_golds():
    """Document golds collapse to documents, anchors do not collapse."""
    hits = [Hit(id=str(i), document="n.md", heading=("A",)) for i in range(3)]
    assert len(match_response(hits, [Gold(kind="document", document="n")])) == 1
    assert len(match_response(hits, [anchor("A")])) == 3


hits_of_documents = st.lists(
    st.builds(Hit, id=st.sampled_from("abcdef"), document=st.sampled_from("xyz")), max_size=15
)
golds_of_documents = st.lists(
    st.builds(Gold, kind=st.just("document"), document=st.sampled_from("xyz"), grade=st.integers(-1, 3)),
    max_size=4,
)


@given(hits_of_documents, golds_of_documents, st.sampled_from(["document", "page", "chunk"]))
def test_matching_is_bounded_and_ordered(hits, golds, unit):
    """Ranks count from 1 without gaps; a gold's first match is not a repetition, and every later one is."""
    matches = match_response(hits, golds, MatchOptions(unit=unit))
    assert [match.rank for match in matches] == list(range(1, len(matches) + 1))
    seen = set()
    for match in matches:
        if match.gold is not None:
            assert golds[match.gold].grade >= 0
            assert match.repeated == (match.gold in seen)
            seen.add(match.gold)


@given(st.text(max_size=30))
def test_normal_forms_are_stable(text):
    """Normalising twice changes nothing more."""
    assert heading_path(heading_path([text])) == heading_path([text])
    once = document_name(text)
    assert once == once.strip()


def test_a_judged_run_holds_what_metrics_need():
    """Ragged golds and scores, flags with -1 for unknown, a failed search without hits and latency."""
    queries = (Query(id="a", text="a"), Query(id="b", text="b", answerable=False), Query(id="c", text="c"))
    golds = {"a": (Gold(kind="document", document="x", grade=2), Gold(kind="document", document="y", grade=0))}
    dataset = Dataset(name="t", queries=queries, golds=golds, digest="d")
    responses = {
        "a": Response(hits=(Hit(id="1", document="y", score=2.0), Hit(id="2", document="x")), latency_ms=5.0),
        "b": Response(failure=Failure(kind="error", message="no"), hits=(Hit(id="1"),), latency_ms=7.0),
    }
    run = judge_run(dataset, responses)
    assert run.queries == ("a", "b")
    assert (run.query.tolist(), run.rank.tolist(), run.grade.tolist(), run.gold.tolist()) == (
        [0, 0], [1, 2], [0, 2], [1, 0])  # fmt: skip
    assert (run.n_returned.tolist(), run.gold_start.tolist()) == ([2, 0], [0, 2, 2])
    assert run.scores[0] == 2.0
    assert run.scores[1] != run.scores[1]
    assert (run.answerable.tolist(), run.failed.tolist(), run.failure_kind) == (
        [1, 0],
        [False, True],
        ("", "error"),
    )
    assert run.latency_ms[0] == 5.0
    assert run.latency_ms[1] != run.latency_ms[1]
    assert run.abstained.tolist() == [-1, -1]
