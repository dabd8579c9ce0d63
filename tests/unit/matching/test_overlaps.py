"""References that overlap, and ways to match them."""

from __future__ import annotations

from ragstone.matching import MatchOptions, judge_run, match_response
from ragstone.metrics import parse, score
from ragstone.types import Dataset, Gold, Hit, Query, Response


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
