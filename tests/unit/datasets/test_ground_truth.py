"""Ground truth in JSON Lines: read whole, or refused with every problem and its line."""

from __future__ import annotations

import json
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragstone.datasets import load
from ragstone.errors import InvalidInputError
from ragstone.types import Gold

FULL = {
    "query_id": "Q001",
    "query": "How do I calculate implied volatility?",
    "category": "options_derivatives",
    "difficulty": "medium",
    "is_rejection": False,
    "gold_references": [
        {"document": "Black Scholes.pdf", "page": 45, "relevance": 3},
        {"document": "notes/a.md", "heading_path": "#  Setup >Proxy", "snippets": ["curl"]},
        {"rel_path": "notes/b.md", "grade": 1, "modified_at": "2025-01-02"},
        {"chunk_id": "c9", "relevance": 0},
    ],
    "expected_answer_gist": "Newton-Raphson",
    "notes": "several ways",
    "tags": ["work"],
    "vaults": ["personal"],
    "folders": ["notes"],
    "expected_key_facts": ["vega"],
    "required_support_groups": [[0, 1], [2]],
    "recency_conflict_rule": "cite_newer",
    "provenance": {"method": "golden"},
}


def write(path, *rows):
    path.write_text("".join((row if isinstance(row, str) else json.dumps(row)) + "\n" for row in rows))
    return path


def loads_or_refuses(path):
    with suppress(InvalidInputError):
        load([path], "test")


def load_rows(tmp_path, *rows):
    return load([write(tmp_path / "q.jsonl", *rows)], "test")


def test_every_field_is_read(tmp_path):
    """The nine fields of the design and the further ones arrive in the dataset."""
    loaded = load_rows(tmp_path, "# a comment", "", FULL)
    (query,) = loaded.dataset.queries
    assert (query.id, query.answerable, query.difficulty, query.tags) == ("Q001", True, "medium", ("work",))
    assert (query.expected_answer, query.key_facts, query.recency_rule) == (
        "Newton-Raphson",
        ("vega",),
        "cite_newer",
    )
    assert loaded.dataset.golds["Q001"] == (
        Gold(kind="page", document="Black Scholes.pdf", page=45, grade=3),
        Gold(kind="anchor", document="notes/a.md", heading=("Setup", "Proxy"), grade=2, snippets=("curl",)),
        Gold(kind="document", document="notes/b.md", grade=1, modified_at="2025-01-02"),
        Gold(kind="chunk", chunk="c9", grade=0),
    )
    assert loaded.dataset.support_groups == {"Q001": ((0, 1), (2,))}
    assert loaded.warnings == ()


@pytest.mark.parametrize(
    ("change", "part"),
    [
        ({"query_id": None}, "query_id: input should be a valid string, got None"),
        ({"query_id": ""}, "query_id: is empty"),
        ({"query": ...}, "query: is required and missing"),
        ({"qurey": "x"}, "qurey: unknown key (did you mean 'query'?)"),
        ({"difficulty": "impossible"}, "difficulty: input should be 'easy', 'medium', 'hard' or 'adversarial'"),
        ({"is_rejection": "no"}, "is_rejection: input should be a valid boolean, got 'no'"),
        ({"gold_references": {}}, "gold_references: input should be a valid list"),
        ({"gold_references": [{"relevance": 3}]}, "gold_references[0]: a gold reference needs a document"),
        ({"gold_references": [{"document": "a", "page": 0}]}, "gold_references[0].page: input should be greater"),
        ({"gold_references": [{"document": "a", "page": "4"}]}, "got '4'"),
        ({"gold_references": [{"document": "a", "relevance": 7}]}, "less than or equal to 3, got 7"),
        ({"gold_references": [{"document": "a", "relevance": 2.5}]}, "got 2.5"),
        (
            {"gold_references": [{"document": "a", "page": 1, "heading_path": "A"}]},
            "page and heading_path are both given",
        ),
        (
            {"required_support_groups": [[9]]},
            "required_support_groups[0]: [9] must list positions of the 4 gold references",
        ),
        ({"required_support_groups": [[]]}, "required_support_groups[0]: [] must list"),
    ],
)
def test_a_bad_field_is_told_with_line_pointer_and_value(tmp_path, change, part):
    """The message begins with the file and line."""
    row = {**FULL, **change}
    row = {key: value for key, value in row.items() if value is not ...}
    if "gold_references" in change:
        row["required_support_groups"] = None
    with pytest.raises(InvalidInputError) as refused:
        load_rows(tmp_path, FULL | {"query_id": "other"}, row)
    assert str(refused.value).startswith(str(tmp_path / "q.jsonl") + ":2: ")
    assert part in str(refused.value)


@pytest.mark.parametrize(
    ("line", "part"),
    [
        ("{", "not JSON"),
        ("[1]", "should be a valid dictionary"),
        ("null", "mapping of keys"),
        ('{"query": "a", "query": "b"}', "key 'query' stands twice"),
        ('{"query_id": NaN}', "NaN is not a JSON number"),
        ('{"query_id": Infinity}', "Infinity is not a JSON number"),
        ("[" * 100_000, "nested too deeply"),
    ],
)
def test_a_bad_line_is_told(tmp_path, line, part):
    """What is not strict JSON is refused by its line, and good lines do not hide it."""
    with pytest.raises(InvalidInputError) as refused:
        load_rows(tmp_path, FULL, line)
    assert ":2: " in str(refused.value)
    assert part.replace("should be a valid dictionary", "mapping of keys") in str(refused.value)


def test_all_problems_of_all_files_come_at_once(tmp_path):
    """Two files, three mistakes, one message; an id used twice names both places."""
    first = write(tmp_path / "a.jsonl", FULL, {**FULL, "query": ""}, "{")
    second = write(tmp_path / "b.jsonl", FULL)
    with pytest.raises(InvalidInputError) as refused:
        load([first, second], "test")
    assert [problem.line for problem in refused.value.problems] == [2, 3, 1]
    assert "'Q001' stands twice, first at a.jsonl:1" in str(refused.value)


def test_rows_without_gold_are_doubtful_but_not_wrong(tmp_path):
    """A sample question without golds loads with a warning; so does a rejection query with golds."""
    plain = {"query_id": "a", "query": "?"}
    loaded = load_rows(
        tmp_path, plain, {**FULL, "is_rejection": True}, {**plain, "query_id": "c", "is_rejection": True}
    )
    assert "no gold references" in str(loaded.warnings[0])
    assert "rejection query has gold" in str(loaded.warnings[1])
    assert len(loaded.warnings) == 2


def test_an_empty_file_is_refused(tmp_path):
    """No question is no dataset."""
    with pytest.raises(InvalidInputError, match="no question"):
        load_rows(tmp_path, "# nothing")


def test_the_digest_is_that_of_the_content(tmp_path):
    """Formatting, notes and file names do not change it; a grade does."""
    one = load_rows(tmp_path, FULL).dataset
    other = load(
        [write(tmp_path / "b.jsonl", json.dumps({**FULL, "notes": "x"}, indent=None), "")], "else"
    ).dataset
    changed = json.loads(json.dumps(FULL))
    changed["gold_references"][0]["relevance"] = 2
    assert one.digest == other.digest
    assert load_rows(tmp_path, changed).dataset.digest != one.digest


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)


@settings(max_examples=300)
@given(st.dictionaries(st.sampled_from(sorted(FULL)), json_values))
def test_no_mutation_of_a_row_makes_a_crash(tmp_path_factory, changes):
    """Whatever stands in a field, the row loads or is refused by our own error."""
    path = tmp_path_factory.getbasetemp() / "mutated.jsonl"
    write(path, json.dumps({**FULL, **changes}))
    loads_or_refuses(path)


@settings(max_examples=200)
@given(st.binary(max_size=200))
def test_no_bytes_make_a_crash(tmp_path_factory, content):
    """Any file loads or is refused by our own error."""
    path = tmp_path_factory.getbasetemp() / "bytes.jsonl"
    path.write_bytes(content)
    loads_or_refuses(path)
