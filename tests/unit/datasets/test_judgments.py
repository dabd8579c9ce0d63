from __future__ import annotations

import json

import pytest

from ragstone.datasets.judgments import merge_judgments, pool_line
from ragstone.errors import InvalidInputError
from ragstone.types import Dataset, Gold, Hit, Query

QUERIES = (Query(id="q1", text="one?"), Query(id="q2", text="two?"), Query(id="none", text="?", answerable=False))
GOLDS = {"q1": (Gold(kind="document", document="a", grade=3), Gold(kind="document", document="b", grade=-1))}
DATASET = Dataset(name="set", queries=QUERIES, golds=GOLDS, support_groups={"q1": ((0,),)}, digest="old")


def line(query="q1", grade: object = 2, reference: object = None, **more: object) -> dict[str, object]:
    return {"query_id": query, "gold_reference": reference or {"document": "c"}, "grade": grade, **more}


def written(folder, *rows):
    path = folder / "judged.jsonl"
    path.write_text("".join((row if isinstance(row, str) else json.dumps(row)) + "\n" for row in rows))
    return path


def problems(folder, *rows):
    """Return the messages with their lines."""
    with pytest.raises(InvalidInputError) as caught:
        merge_judgments(DATASET, written(folder, *rows))
    return [(problem.line, problem.message) for problem in caught.value.problems]


def test_new_grades_stand_behind_the_golds(tmp_path):
    """Support groups keep their meaning, a null grade is left out, an unjudged gold gets its grade."""
    rows = [line(), line("q2", 0), line(grade=None), line(reference={"document": "b"}, grade=1)]
    merged = merge_judgments(DATASET, written(tmp_path, *rows))
    assert merged.dataset.golds["q1"] == (
        Gold(kind="document", document="a", grade=3),
        Gold(kind="document", document="b", grade=1),
        Gold(kind="document", document="c", grade=2),
    )
    assert merged.dataset.golds["q2"] == (Gold(kind="document", document="c", grade=0),)
    assert (merged.added, merged.known, merged.open) == (3, 0, 1)
    assert merged.dataset.support_groups == DATASET.support_groups
    assert merged.dataset.digest != DATASET.digest


def test_a_pool_line_comes_back_as_it_went_out(tmp_path):
    """What the pool writes is what the merge reads, once a grade is filled in."""
    hit = Hit(id="c1", document="m.md", heading=("A", "B"), page=2, text="some\ntext ✓")
    gold = Gold(kind="anchor", document="m.md", heading=("A", "B"), snippets=("some text",), grade=2)
    row = json.loads(pool_line(QUERIES[0], hit, gold))
    assert row["grade"] is None
    assert "relevance" not in row["gold_reference"]
    merged = merge_judgments(DATASET, written(tmp_path, {**row, "grade": 3, "notes": "clear"}))
    assert merged.dataset.golds["q1"][-1] == Gold(
        kind="anchor", document="m.md", heading=("A", "B"), snippets=("some text",), grade=3
    )


def test_a_grade_that_is_there_already_is_no_news(tmp_path):
    """The same judgement twice changes nothing."""
    merged = merge_judgments(
        DATASET, written(tmp_path, line(reference={"document": "a"}, grade=3), line(), line())
    )
    assert (merged.added, merged.known) == (1, 2)


def test_all_problems_are_listed_with_their_lines(tmp_path):
    """Unknown questions, contradictions, grades out of range, and what is no judgement at all."""
    found = problems(
        tmp_path,
        line("q9"),
        line(grade=4),
        line(grade="2"),
        line(reference={"document": "a"}, grade=0),
        line("none", 1),
        "not json",
        line(reference={"page": 3}),
        {"query_id": "q1", "gold_reference": {"document": "d"}},
        line(reference={"document": "d", "relevance": 2}),
        line(surprise=1),
        line(reference={"document": "e"}, grade=1),
        line(reference={"document": "e"}, grade=2),
    )
    assert [number for number, _ in found] == [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12]
    said = dict(found)
    assert "no question 'q9'" in said[1]
    assert "is judged 0 here and 3 in the dataset" in said[4]
    assert "unanswerable" in said[5]
    assert "missing" in said[8]
    assert "grade of its own" in said[9]
    assert "unknown key" in said[10]
    assert "is judged 2 here and 1 on line 11" in said[12]


def test_an_empty_file_is_refused(tmp_path):
    """Nothing to merge is a mistake worth telling."""
    assert problems(tmp_path) == [(None, "there is no judgement in it")]


def test_a_missing_file_is_named(tmp_path):
    """A wrong path is told as one problem."""
    with pytest.raises(InvalidInputError, match="cannot be read"):
        merge_judgments(DATASET, tmp_path / "nowhere.jsonl")


def test_a_pool_without_grades_changes_nothing(tmp_path):
    """All grades null: the dataset is the same."""
    merged = merge_judgments(DATASET, written(tmp_path, line(grade=None)))
    assert merged.dataset.golds == DATASET.golds
    assert (merged.added, merged.open) == (0, 1)
