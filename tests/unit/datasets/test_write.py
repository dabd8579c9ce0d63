"""A dataset is written as ground truth unchanged, or refused with all that the format cannot hold."""

from __future__ import annotations

import pytest
from tests.unit.datasets.samples import GOOD, put

from ragstone.datasets.describe import mix
from ragstone.datasets.intake import Case
from ragstone.datasets.load import assemble, load
from ragstone.datasets.write import ground_truth_text
from ragstone.errors import InvalidInputError
from ragstone.types import Gold, Query

CASE = Case(
    Query(
        id="q",
        text="What?",
        category="c",
        difficulty="hard",
        tags=("t",),
        vaults=("v",),
        folders=("f",),
        expected_answer="a",
        key_facts=("k",),
        recency_rule="cite_both",
        provenance={"a": 1},
        notes="n",
    ),
    (
        Gold(kind="document", document="d", ref="content_hash", grade=-1),
        Gold(kind="page", document="d", page=2, grade=0),
        Gold(kind="anchor", document="d", heading=("A > B", "C"), snippets=("s",), modified_at="2025-01-01"),
        Gold(kind="chunk", chunk="c", document="d"),
    ),
    ((0, 1), (2,)),
)


def test_every_field_survives(tmp_path):
    """What is written reads as the same questions, golds and groups."""
    made = assemble([CASE, Case(Query(id="r", text="No?", answerable=False))], "name")
    (tmp_path / "a.jsonl").write_text(ground_truth_text(made))
    again = load([tmp_path / "a.jsonl"], "name").dataset
    assert again == made


def test_what_the_format_cannot_hold_is_refused():
    """All of it at once: a grade of TREC, a difficulty of its own, an empty text."""
    made = assemble(
        [
            Case(Query(id="a", text="x", difficulty="expert"), (Gold(kind="document", document="d", grade=7),)),
            Case(Query(id="b", text="")),
            Case(Query(id="c", text="x"), (Gold(kind="document", document="d", chunk="c"),)),
        ],
        "name",
    )
    with pytest.raises(InvalidInputError) as refused:
        ground_truth_text(made)
    assert [problem.pointer for problem in refused.value.problems] == [
        "query 'a' difficulty",
        "query 'a' gold_references[0].relevance",
        "query 'b' query",
        "query 'c'",
    ]
    assert "less than or equal to 3, got 7" in str(refused.value)


def test_the_mix_counts_questions_and_golds(tmp_path):
    """Questions by slice, golds by kind, kind of reference and grade."""
    made = mix(
        assemble([CASE, Case(Query(id="r", text="No?", answerable=False)), Case(Query(id="s", text="?"))], "")
    )
    assert (made.questions, made.rejection, made.multi_hop, made.without_golds, made.golds) == (3, 1, 1, 1, 4)
    assert made.categories == {"none": 2, "c": 1}
    assert made.kinds == {"document": 1, "page": 1, "anchor": 1, "chunk": 1}
    assert made.references == {"name": 3, "content_hash": 1}
    assert list(made.grades.items()) == [("2", 2), ("0", 1), ("-1", 1)]
    schema = mix(load(put(tmp_path, GOOD["schema-1.0"]), "").dataset)
    assert schema.references == {"uri": 2, "document_id": 1, "file_name": 1}
