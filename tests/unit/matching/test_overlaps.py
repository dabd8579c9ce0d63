"""References that overlap, and ways to match them."""

from __future__ import annotations

import pytest

from ragstone.matching import MatchOptions, judge_run, match_response, normalise
from ragstone.matching.scope import scope_miss
from ragstone.metrics import parse, score
from ragstone.types import Dataset, Gold, Hit, Query, Response, Scope


def test_a_prefix_means_every_document_that_begins_with_it():
    """Chunking adds suffixes to ids; case counts, and another beginning does not match."""
    golds = [Gold(kind="document", document="doc_1", ref="prefix")]
    found = match_response(
        [Hit(id=name, document=name) for name in ("doc_2#0", "Doc_1", "doc_1#0", "doc_1#1")], golds
    )
    assert [match.gold for match in found] == [None, None, 0, 0]
    assert [match.repeated for match in found] == [False, False, False, True]


def test_headings_may_have_to_be_the_very_ones():
    """The strict reading takes the heading itself, not what stands below it."""
    golds = [Gold(kind="anchor", document="d", heading=("A",))]
    hits = [Hit(id="1", document="d", heading=("A", "B")), Hit(id="2", document="d", heading=("# A",))]
    assert [match.gold for match in match_response(hits, golds, MatchOptions(headings="exact"))] == [None, 0]
    assert [match.gold for match in match_response(hits, golds)] == [0, 0]


def test_a_hit_that_fits_two_golds_finds_one_or_both():
    """First-match recall counts one gold a hit, any-match recall all that it fits; supports count all."""
    golds = (Gold(kind="page", document="d", page=4), Gold(kind="page", document="d", page=5))
    dataset = Dataset(
        name="d", queries=(Query(id="q", text="?"),), golds={"q": golds}, support_groups={"q": ((0, 1),)}
    )
    run = judge_run(dataset, {"q": Response(hits=(Hit(id="c", document="d", page=4),))})
    names = ("R@5", "R(match='any')@5", "recall_all@5", "Hit@5")
    values = {name: score(run, parse(name))["q"].value for name in names}
    assert values == {"R@5": 0.5, "R(match='any')@5": 1.0, "recall_all@5": 1.0, "Hit@5": 1.0}
    strict = judge_run(
        dataset, {"q": Response(hits=(Hit(id="c", document="d", page=4),))}, MatchOptions(page_tolerance=0)
    )
    assert score(strict, parse("R(match='any')@5"))["q"].value == 0.5


@pytest.mark.parametrize(
    ("golds", "hits"),
    [
        ([("A",), ("A", "B")], [("A", "B"), ("A", "C")]),
        ([("A", "B"), ("A",)], [("A", "B"), ("A", "C")]),
    ],
)
def test_the_gold_that_says_more_takes_the_hit(golds, hits):
    """A deeper heading comes first whatever the order of the lines; the general one is left for the rest."""
    wanted = [Gold(kind="anchor", document="d", heading=path) for path in golds]
    found = match_response([Hit(id=str(n), document="d", heading=path) for n, path in enumerate(hits)], wanted)
    assert {golds[match.gold] for match in found if match.gold is not None} == set(golds)
    assert not any(match.repeated for match in found)


def test_a_page_comes_before_its_document_and_a_stated_name_before_a_folded_one():
    """Both golds are found by the two hits."""
    golds = [Gold(kind="document", document="d"), Gold(kind="page", document="d", page=3)]
    found = match_response([Hit(id="1", document="d", page=3), Hit(id="2", document="d", page=9)], golds)
    assert [match.gold for match in found] == [1, 0]
    names = [Gold(kind="document", document="b"), Gold(kind="document", document="b.md", ref="document_id")]
    found = match_response([Hit(id="1", document="b.md"), Hit(id="2", document="b.pdf")], names)
    assert [match.gold for match in found] == [1, 0]


@pytest.mark.parametrize("heading", [("A>B",), ("# A  > B",), ("A", "B"), ("A", " ", "## B")])
def test_headings_are_split_alike_on_both_sides(heading):
    """It does not matter who joined the path, and how."""
    gold, other = (
        Gold(kind="anchor", document="d", heading=("A", "B")),
        Gold(kind="anchor", document="d", heading=heading),
    )
    hit, plain = Hit(id="1", document="d", heading=heading), Hit(id="2", document="d", heading=("A", "B"))
    assert match_response([hit], [gold])[0].gold == match_response([plain], [other])[0].gold == 0


def test_a_gold_that_is_not_resolved_matches_nothing():
    """It still counts among the golds."""
    golds = (Gold(kind="document", document="a", resolved=False), Gold(kind="document", document="b"))
    dataset = Dataset(name="d", queries=(Query(id="q", text="?"),), golds={"q": golds})
    run = judge_run(dataset, {"q": Response(hits=(Hit(id="a", document="a"), Hit(id="b", document="b")))})
    assert score(run, parse("R@5"))["q"].value == 0.5


@pytest.mark.parametrize(("mode", "missed"), [("on", 1), ("on_with_fallback", 0), ("off", -1)])
def test_no_folder_selected(mode, missed):
    """A search that fell back to everything excludes nothing; one that was scoped to nothing excludes all."""
    assert scope_miss(Scope(mode=mode, folders=()), [Gold(kind="document", document="a/b.md")]) == missed


def test_remembered_names_are_forgotten_where_they_are_many(monkeypatch):
    """A process that scores run after run does not grow without end."""
    monkeypatch.setattr(normalise, "MOST_NAMES", 3)
    for number in range(5):
        normalise.document_name(f"a name of its own {number}")
    normalise.forget_names()
    assert normalise.document_name.cache_info().currsize == 0
