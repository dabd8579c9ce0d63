"""The demo ground truth keeps what its README promises, against the documents of the running Python."""

import json
from collections import Counter
from pathlib import Path

import pytest

import ragstone
from ragstone.systems.embedded.stdlib import MODULES, read_stdlib

FOLDER = Path(ragstone.__file__).parent / "demo" / "ground_truth"
MINIMUM = {"golden": 24, "synthetic": 32, "rejection": 10}
DIFFICULTIES = {"easy", "medium", "hard", "adversarial"}
FIELDS = {
    "query_id",
    "query",
    "category",
    "difficulty",
    "is_rejection",
    "gold_references",
    "expected_answer_gist",
    "notes",
    "tags",
    "provenance",
}


def _read(kind):
    lines = (FOLDER / f"{kind}_queries.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines if line.strip() and not line.startswith("#")]


BY_KIND = {kind: _read(kind) for kind in MINIMUM}
EVERY = [record for records in BY_KIND.values() for record in records]
ANSWERED = [record for record in EVERY if not record["is_rejection"]]


@pytest.fixture(scope="module")
def sections():
    return {document.name: document.sections for document in read_stdlib()}


def _path(gold):
    return tuple(gold["heading_path"].split(" > "))


def _matches(gold, sections):
    path, snippets = _path(gold), gold.get("snippets")
    return [
        section
        for section in sections.get(gold["document"], ())
        if section.heading[: len(path)] == path
        and (not snippets or any(snippet in section.text for snippet in snippets))
    ]


@pytest.mark.parametrize("record", ANSWERED, ids=lambda record: record["query_id"])
def test_every_gold_resolves(record, sections):
    """Every gold reference stands in the documents of the running Python."""
    missing = [gold["heading_path"] for gold in record["gold_references"] if not _matches(gold, sections)]

    assert missing == []


@pytest.mark.parametrize("record", ANSWERED, ids=lambda record: record["query_id"])
def test_golds_are_section_sized(record, sections):
    """No gold reference matches a whole module or class: it names one section, or its snippet picks one."""
    wide = [gold["heading_path"] for gold in record["gold_references"] if len(_matches(gold, sections)) > 1]

    assert wide == []


def test_snippets_stand_near_the_beginning(sections):
    """A snippet is within one line and among the first words of its section, where no cut splits it."""
    for gold in (gold for record in ANSWERED for gold in record["gold_references"] if "snippets" in gold):
        for snippet in gold["snippets"]:
            text = _matches(gold, sections)[0].text
            assert "\n" not in snippet, gold["heading_path"]
            assert len(text[: text.index(snippet)].split()) < 60, gold["heading_path"]


def test_gold_documents_are_modules_that_are_read():
    """Every gold reference is in a module of the corpus, and its heading path starts with that module."""
    golds = [gold for record in ANSWERED for gold in record["gold_references"]]

    assert {gold["document"] for gold in golds} <= set(MODULES)
    assert all(_path(gold)[0] == gold["document"] for gold in golds)


@pytest.mark.parametrize("kind", MINIMUM)
def test_there_are_enough_questions_of_each_kind(kind):
    """Each file holds at least the promised number of questions."""
    assert len(BY_KIND[kind]) >= MINIMUM[kind]


@pytest.mark.parametrize("kind", MINIMUM)
def test_fields_ids_and_provenance_fit_the_file(kind):
    """Every question has all fields, an id with the letter of its file, and a provenance that names its method."""
    for record in BY_KIND[kind]:
        assert set(record) - {"required_support_groups"} == FIELDS
        assert record["query_id"][0] == kind[0].upper()
        assert record["query"].strip()
        assert record["expected_answer_gist"].strip()
        assert record["provenance"]["method"] == kind


def test_ids_and_questions_are_unique():
    """No identifier and no question occurs twice."""
    assert len({record["query_id"] for record in EVERY}) == len(EVERY)
    assert len({record["query"].casefold() for record in EVERY}) == len(EVERY)


def test_every_difficulty_is_covered():
    """The four difficulties occur, each at least four times, and no other does."""
    counts = Counter(record["difficulty"] for record in EVERY)

    assert set(counts) == DIFFICULTIES
    assert min(counts.values()) >= 4


def test_every_category_is_covered():
    """There are six to eight categories beside rejection, each with at least five questions."""
    counts = Counter(record["category"] for record in EVERY)

    assert 6 <= len(set(counts) - {"rejection"}) <= 8
    assert min(counts.values()) >= 5


def test_every_grade_occurs():
    """The grades 0 to 3 all occur, and no other does."""
    grades = {gold["relevance"] for record in EVERY for gold in record["gold_references"]}

    assert grades == {0, 1, 2, 3}


def test_every_answerable_question_has_a_direct_answer():
    """Every question that is no rejection has a gold reference of grade 3, and none twice."""
    for record in ANSWERED:
        golds = record["gold_references"]
        assert any(gold["relevance"] == 3 for gold in golds), record["query_id"]
        assert len({gold["heading_path"] for gold in golds}) == len(golds), record["query_id"]


def test_multi_hop_questions_have_valid_groups():
    """At least five questions need several sections, and their groups point at gold references of use."""
    multi_hop = [record for record in EVERY if "multi_hop" in record["tags"]]

    assert len(multi_hop) >= 5
    assert multi_hop == [record for record in EVERY if record.get("required_support_groups")]
    for record in multi_hop:
        golds, groups = record["gold_references"], record["required_support_groups"]
        assert all(len(group) >= 2 and len(set(group)) == len(group) for group in groups)
        assert all(
            0 <= index < len(golds) and golds[index]["relevance"] > 0 for group in groups for index in group
        )


def test_rejections_have_no_golds():
    """The rejection file, and it alone, holds rejections, and they have no gold references."""
    assert [record for record in EVERY if record["is_rejection"]] == BY_KIND["rejection"]
    for record in EVERY:
        assert record["is_rejection"] == (record["category"] == "rejection")
        assert record["is_rejection"] == (not record["gold_references"])


def test_synthetic_questions_record_their_draw():
    """Each synthetic question records seed, draw and source, and its first gold reference is that source."""
    records = BY_KIND["synthetic"]
    provenances = [record["provenance"] for record in records]

    assert len({provenance["seed"] for provenance in provenances}) == 1
    assert len({provenance["draw"] for provenance in provenances}) == len(records)
    for record in records:
        first = record["gold_references"][0]
        assert (first["heading_path"], first["relevance"]) == (record["provenance"]["source_heading"], 3)


def test_synthetic_sources_are_spread_and_not_tiny(sections):
    """Sources of synthetic questions have at least 15 words and are at most two of one module."""
    sources = [record["gold_references"][0] for record in BY_KIND["synthetic"]]

    assert max(Counter(source["document"] for source in sources).values()) <= 2
    assert all(len(_matches(source, sections)[0].text.split()) >= 15 for source in sources)
