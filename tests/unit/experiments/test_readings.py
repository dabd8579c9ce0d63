"""The same responses under strict and tolerant matching."""

from __future__ import annotations

import json

import pytest
from tests.runs import execute, planned

from ragstone.experiments.readings import by_document
from ragstone.experiments.report import build
from ragstone.reports.base import render
from ragstone.testing import FakeSystem, InMemoryStore
from ragstone.types import Dataset, Gold, Hit, Query, Response

# q0 hits a neighbouring page, q1 the right document only, q2 the very heading below the gold's.
GOLDS = {
    "q0": (Gold(kind="page", document="book", page=5, grade=3),),
    "q1": (Gold(kind="page", document="book", page=50, grade=3), Gold(kind="page", document="book", page=60)),
    "q2": (Gold(kind="anchor", document="notes.md", heading=("A",)),),
}
HITS = {
    "q0": Hit(id="0", document="book", page=6),
    "q1": Hit(id="1", document="book", page=9),
    "q2": Hit(id="2", document="notes.md", heading=("A", "B")),
}


def report_of(golds=GOLDS, **changes):
    dataset = Dataset(name="t", queries=tuple(Query(id=q, text=q) for q in golds), golds=golds, digest="t")
    store = InMemoryStore()
    runs = planned(store, dataset, metrics=["Hit@5", "RR"], **changes)
    execute(store, runs, FakeSystem({name: Response(hits=(hit,)) for name, hit in HITS.items()}))
    return build(store, [store.run(runs[0].id)])


def test_strict_tolerant_and_document_level_stand_side_by_side():
    """Two of three hits owe their match to tolerance, and the third is right by document."""
    report = report_of()
    by_name = {one.name: one for one in report.runs[0].readings}
    assert {name: one.summaries["Hit@5"].value for name, one in by_name.items()} == {
        "strict": 0.0,
        "tolerant": pytest.approx(2 / 3),
        "document": 1.0,
    }
    assert [name for name, one in by_name.items() if one.used] == ["tolerant"]
    assert report.runs[0].summaries["Hit@5"].value == pytest.approx(2 / 3)
    (row,) = json.loads(render(report, "json"))["runs"][0]["matching"]["readings"]
    assert row["gap"] == pytest.approx(2 / 3)
    for form in ("terminal", "markdown", "html"):
        assert "What the matching is worth" in render(report, form)
        assert "+66.7%" in render(report, form)


def test_the_strict_setting_is_the_strict_reading():
    """Whoever matches strictly sees what tolerance would add."""
    report = report_of(matching={"page_tolerance": 0, "headings": "exact"})
    by_name = {one.name: one for one in report.runs[0].readings}
    assert by_name["strict"].used
    assert by_name["strict"].summaries["Hit@5"].value == report.runs[0].summaries["Hit@5"].value == 0.0
    assert by_name["tolerant"].summaries["Hit@5"].value == pytest.approx(2 / 3)


def test_document_golds_have_one_reading():
    """Where nothing depends on pages or headings, nothing is shown."""
    report = report_of({"q0": (Gold(kind="document", document="book"),)})
    assert report.runs[0].readings == ()
    assert "What the matching is worth" not in render(report, "markdown")


def test_golds_of_one_document_become_one_at_the_best_grade():
    """A document is not wanted twice because two of its pages are."""
    dataset = Dataset(name="t", queries=(Query(id="q1", text="?"),), golds={"q1": GOLDS["q1"]}, digest="t")
    assert by_document(dataset).golds["q1"] == (Gold(kind="document", document="book", grade=3),)


@pytest.mark.parametrize(
    ("golds", "merged"),
    [
        (
            (Gold(kind="anchor", document="a.md", heading=("A",)), Gold(kind="page", document="a.md", page=2)),
            (Gold(kind="document", document="a.md"),),
        ),
        (
            (Gold(kind="page", document="Doc.pdf", page=3, grade=1), Gold(kind="page", document="doc", page=7)),
            (Gold(kind="document", document="doc"),),
        ),
        (
            (Gold(kind="document", document="x", ref="prefix"), Gold(kind="chunk", chunk="c")),
            (Gold(kind="document", document="x", ref="prefix"), Gold(kind="chunk", chunk="c")),
        ),
    ],
)
def test_spellings_of_one_document_are_one_and_bare_chunks_stay(golds, merged):
    """By document, a score can only be as high as or higher than the strict one."""
    dataset = Dataset(name="t", queries=(Query(id="q1", text="?"),), golds={"q1": golds}, digest="t")
    assert by_document(dataset).golds["q1"] == merged


def test_ambiguous_matches_are_listed_for_review():
    """A hit between two golds is shown with both, the one it was matched to first."""
    golds = {
        "q0": (
            Gold(kind="page", document="book", page=7, grade=1),
            Gold(kind="page", document="book", page=5, grade=3),
        )
    }
    report = report_of(golds)
    data = json.loads(render(report, "json"))["runs"][0]["matching"]
    assert data["ambiguous"] == 1
    assert data["ambiguous_samples"] == [
        {"query": "q0", "rank": 1, "hit": "book, page 6", "golds": ["book, page 5", "book, page 7"]}
    ]
    assert "to review" in render(report, "html")
    assert "Ambiguous matches" in render(report, "markdown")
