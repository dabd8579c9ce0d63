"""Which questions belong together, as the documentation says it."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from ragstone.experiments.clusters import CLUSTER_KEYS, clusters_of
from ragstone.types import Query

PAGE = Path(__file__).parents[3] / "docs" / "how-to" / "write-ground-truth.md"


def questions(*provenance):
    return [Query(id=f"Q{i}", text="?", provenance=given) for i, given in enumerate(provenance)]


def test_every_key_is_documented():
    """The page on ground truth names all keys that make questions count together, and no other."""
    section = PAGE.read_text(encoding="utf-8").split("## Questions that belong together")[1].split("\n## ")[0]
    rows = re.findall(r"^\| (`.*?`) \|", section, re.MULTILINE)
    assert set(re.findall(r"`(\w+)`", " ".join(rows))) == set(CLUSTER_KEYS)


def test_the_documented_example_is_grouped_as_it_says():
    """R1, R2 and R3 make one group, R4 and R5 stand alone."""
    text = PAGE.read_text(encoding="utf-8").split("<!-- file: related.jsonl -->")[1].split("```")[1]
    rows = [json.loads(line) for line in text.splitlines() if line.startswith("{")]
    queries = [Query(id=row["query_id"], text=row["query"], provenance=row["provenance"]) for row in rows]
    assert clusters_of(queries) == (0, 0, 0, 1, 2)


@pytest.mark.parametrize("key", [key for key in CLUSTER_KEYS if key != "paraphrase_of"])
def test_equal_values_under_one_key_belong_together(key):
    """Text and whole numbers alike; another key with the same value says nothing."""
    other = next(one for one in CLUSTER_KEYS if one != key)
    assert clusters_of(questions({key: "a"}, {key: "b"}, {key: "a"})) == (0, 1, 0)
    assert clusters_of(questions({key: 7}, {key: 7})) == (0, 0)
    assert clusters_of(questions({key: "a"}, {other: "a"})) is None


def test_paraphrases_belong_to_what_they_paraphrase():
    """A paraphrase names the id of the question, which needs no word of its own."""
    assert clusters_of(questions({}, {"paraphrase_of": "Q0"}, {}, {"paraphrase_of": "Q0"})) == (0, 0, 1, 0)
