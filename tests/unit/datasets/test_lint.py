"""What is allowed and spoils the numbers all the same is told."""

from __future__ import annotations

import json

import pytest

from ragstone.datasets import load


def warnings(tmp_path, *golds, **row):
    path = tmp_path / "q.jsonl"
    path.write_text(json.dumps({"query_id": "q", "query": "?", "gold_references": list(golds), **row}))
    return [str(warning) for warning in load([path], "set").warnings]


@pytest.mark.parametrize(
    ("golds", "row", "part"),
    [
        ([{"document": "a"}, {"document": "A.pdf"}], {}, "gold references [0, 1] are the same"),
        ([{"document": "a", "relevance": 0}], {}, "no gold reference has a grade above 0"),
        ([{"document": "a"}, {"document": "b"}], {"required_support_groups": [[0, 0]]}, "names a gold twice"),
        (
            [{"document": "a"}, {"document": "b", "relevance": -1}],
            {"required_support_groups": [[0, 1]]},
            "needs an unjudged gold",
        ),
    ],
)
def test_a_doubt_is_a_warning_with_the_questions_id(tmp_path, golds, row, part):
    """It loads, and it says what to look at, and where."""
    (warning,) = warnings(tmp_path, *golds, **row)
    assert "q.jsonl:1: q: " in warning
    assert part in warning


def test_a_sound_question_gives_none(tmp_path):
    """Two pages of one document and two headings are different golds."""
    golds = [{"document": "a", "page": 1}, {"document": "a", "page": 2}, {"document": "a", "heading_path": "A"}]
    assert warnings(tmp_path, *golds) == []
