"""Each format is recognised by content, whatever the file's name, and becomes the one internal dataset."""

from __future__ import annotations

import json
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.unit.datasets import samples
from tests.unit.datasets.samples import GOOD, SCHEMA, as_lines, put

from ragstone.datasets import Limits, load
from ragstone.datasets.formats import formats
from ragstone.datasets.sample import look
from ragstone.datasets.write import ground_truth_text
from ragstone.errors import InvalidInputError
from ragstone.types import Gold


def loaded(folder, files):
    return load(put(folder, files), "")


def document(name, ref, grade):
    return Gold(kind="document", document=name, ref=ref, grade=grade)


def test_there_is_a_sample_of_each_format():
    """A format without a sample would go untested."""
    assert set(GOOD) == set(formats)


@pytest.mark.parametrize("name", GOOD)
def test_a_format_is_recognised_by_content(tmp_path, name):
    """A file of a meaningless name is read as what it is."""
    files = {key if "/" in key else f"{index}.dat": text for index, (key, text) in enumerate(GOOD[name].items())}
    assert set(loaded(tmp_path, files).formats) == {name}


@pytest.mark.parametrize("name", GOOD)
def test_one_format_alone_recognises_a_file(tmp_path, name):
    """The order of the registry decides nothing."""
    for path in put(tmp_path, GOOD[name]):
        sample = look(path, Limits.local())
        assert [other for other, one in formats.items() if one.recognises(sample)] == [name]


@pytest.mark.parametrize("name", GOOD)
def test_converting_keeps_the_digest(tmp_path, name):
    """Every format can be written as ground truth and read again as the same dataset."""
    dataset = loaded(tmp_path, GOOD[name]).dataset
    (tmp_path / "out.jsonl").write_text(ground_truth_text(dataset))
    again = load([tmp_path / "out.jsonl"], "").dataset
    assert (again.digest, again.queries) == (dataset.digest, dataset.queries)


@pytest.mark.parametrize("name", ["schema-1.0", "needle", "production"])
def test_a_document_on_one_line_is_still_a_document(tmp_path, name):
    """Formatting does not decide whether a file is JSON or JSON Lines."""
    value = json.loads(next(iter(GOOD[name].values())))
    compact = loaded(tmp_path, {"a": json.dumps(value, separators=(",", ":"))})
    assert compact.dataset.digest == loaded(tmp_path, {"a": json.dumps(value, indent=4)}).dataset.digest


def test_files_of_several_formats_make_one_dataset(tmp_path):
    """Formats can be mixed; their questions stand in the order of the files."""
    files = {"a.json": json.dumps(SCHEMA), **GOOD["trec"], **GOOD["eval-set"]}
    found = loaded(tmp_path, files)
    assert found.formats == ("schema-1.0", "trec", "trec", "eval-set")
    assert [query.id for query in found.dataset.queries] == ["q1", "q2", "1", "2", "test_001"]
    assert found.dataset.name == "Named"


def test_schema_judgments_have_three_shapes(tmp_path):
    """A bare value is a uri; an object may hold a doc_ref or be one; the grade is 2 unless it is said."""
    shapes = [
        "file:///a",
        7,
        {"doc_ref": {"path": "b"}},
        {"doc_ref": "c", "relevance_grade": "3"},
        {"file_name": "d", "relevance_grade": 1.0},
    ]
    text = json.dumps({"queries": [{"query_key": 1, "query_text": "x", "relevant_docs": shapes}]})
    assert loaded(tmp_path, {"a.json": text}).dataset.golds["1"] == (
        document("file:///a", "uri", 2),
        document("7", "uri", 2),
        document("b", "path", 2),
        document("c", "uri", 3),
        document("d", "file_name", 1),
    )


def test_the_first_present_key_of_a_doc_ref_decides(tmp_path):
    """The priority is document_id, uri, content_hash, path, file_name; all keys are kept for a fall-through."""
    reference = {"file_name": "f", "path": "p", "content_hash": "c"}
    text = json.dumps({"queries": [{"query_key": "q", "query_text": "x", "relevant_docs": [reference]}]})
    dataset = loaded(tmp_path, {"a.json": text}).dataset
    assert dataset.golds["q"] == (document("c", "content_hash", 2),)
    assert dataset.queries[0].provenance["doc_refs"] == {"0": reference}


def test_a_document_judged_twice_counts_once(tmp_path):
    """The higher grade counts, and a warning says so."""
    judgments = [{"uri": "a", "relevance_grade": 1}, {"doc_ref": "a", "relevance_grade": 3}]
    text = json.dumps({"queries": [{"query_key": "q", "query_text": "x", "relevant_docs": judgments}]})
    found = loaded(tmp_path, {"a.json": text})
    assert found.dataset.golds["q"] == (document("a", "uri", 3),)
    assert "judged twice; the higher grade counts" in str(found.warnings[0])


def test_metadata_of_a_schema_query_is_free(tmp_path):
    """Its category and difficulty make slices; an unknown difficulty becomes a tag; all of it is kept."""
    metadata = {"category": "c", "difficulty": "expert", "anything": [1]}
    text = json.dumps(
        {"queries": [{"query_key": "q", "query_text": "x", "relevant_docs": ["a"], "metadata": metadata}]}
    )
    (query,) = loaded(tmp_path, {"a.json": text}).dataset.queries
    assert (query.category, query.difficulty, query.tags) == ("c", None, ("expert",))
    assert query.provenance == {"metadata": metadata}


def test_needle_questions_share_their_target(tmp_path):
    """Each has the needle document as its gold of grade 3; an id is made where none is given."""
    dataset = loaded(tmp_path, GOOD["needle"]).dataset
    assert dataset.golds == {name: (document("tutorials_topology", "document_id", 3),) for name in ("n1", "q_001")}


def test_realistic_entries_make_two_cases(tmp_path):
    """Ids follow the entry's position, an entry of bad quality is skipped with a warning."""
    found = loaded(tmp_path, GOOD["realistic"])
    assert [query.id for query in found.dataset.queries] == ["q_000_q1", "q_000_q2", "q_002_q1"]
    assert found.dataset.golds["q_002_q1"] == (document("a/b.md", "path", 3),)
    assert "1 entries skipped" in str(found.warnings[0])


def test_production_targets_are_prefixes(tmp_path):
    """A target means every document whose id begins with it; fields without a meaning here are kept."""
    dataset = loaded(tmp_path, GOOD["production"]).dataset
    (query,) = dataset.queries
    assert query.provenance == {"rank": 2}
    assert [gold.ref for gold in dataset.golds[query.id]] == ["prefix"]


def test_chunk_cases_keep_how_far_they_may_be_trusted(tmp_path):
    """Tier and confidence stand in the provenance, chunks are golds."""
    dataset = loaded(tmp_path, GOOD["chunk-level"]).dataset
    assert dataset.queries[0].provenance == {"tier": "gold", "confidence_score": 1.0}
    assert [gold.chunk for gold in dataset.golds["c1"]] == ["a_1", "a_2"]


def test_adaptive_cases_are_judged_at_their_best_granularity(tmp_path):
    """Chunks and headings are golds by their ids, documents by theirs; lines read as an array does."""
    dataset = loaded(tmp_path, GOOD["adaptive"]).dataset
    assert dataset.golds["heading"] == (Gold(kind="chunk", chunk="h1", grade=3),)
    assert dataset.golds["document"] == (document("d1", "document_id", 3),)
    lines = as_lines(*samples.ADAPTIVE)
    inside = json.dumps({"queries": samples.ADAPTIVE})
    assert {loaded(tmp_path, {"x": text}).dataset.digest for text in (lines, inside)} == {dataset.digest}


def test_eval_set_supports_are_anchors(tmp_path):
    """A heading path makes an anchor, a path alone a document; groups are kept."""
    dataset = loaded(tmp_path, GOOD["eval-set"]).dataset
    first, second = dataset.golds["test_001"]
    assert (first.kind, first.heading, second.kind) == ("anchor", ("A", "B"), "document")
    assert dataset.support_groups == {"test_001": ((0, 1),)}


def test_trec_topics_of_both_styles_read_alike(tmp_path):
    """Blocks and tabs give the same queries; negative grades are kept; unjudged topics are left out."""
    blocks = loaded(
        tmp_path, {"q.txt": samples.QRELS, "t.txt": samples.TAGGED.replace("first\n", "first")}
    ).dataset
    tabs = loaded(tmp_path, GOOD["trec"])
    assert blocks.digest == tabs.dataset.digest
    assert tabs.dataset.golds["1"][1].grade == -1
    assert "1 topics without judgments are left out" in str(tabs.warnings[0])


def test_qrels_alone_ask_their_ids(tmp_path):
    """Without topics the id is the text."""
    assert [query.text for query in loaded(tmp_path, {"q": samples.QRELS}).dataset.queries] == ["1", "2"]


def test_judged_queries_without_topic_are_told(tmp_path):
    """They are left out with a warning that names one."""
    found = loaded(tmp_path, {"q": samples.QRELS, "t": "1\tone\n"})
    assert "1 judged queries without a topic (the first is '2') are left out" in str(found.warnings[0])


def test_a_beir_folder_may_have_one_split_of_any_name(tmp_path):
    """The test split is preferred, a single one is taken."""
    qrels = samples.BEIR["qrels/test.tsv"]
    one = loaded(tmp_path / "1", {"s/queries.jsonl": samples.BEIR["queries.jsonl"], "s/qrels/dev.tsv": qrels})
    both = {"s/qrels/dev.tsv": "other", **{f"s/{name}": text for name, text in samples.BEIR.items()}}
    assert loaded(tmp_path / "2", both).dataset.digest == one.dataset.digest


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)


def survives(folder, files):
    """Load or refuse; what loads can be converted or is refused."""
    with suppress(InvalidInputError):
        ground_truth_text(loaded(folder, files).dataset)


def pointers(value, at=()):
    """Return the places of all values inside a JSON value."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [at, *(place for key, item in inner for place in pointers(item, (*at, key)))]


def changed(value, place, new):
    if not place:
        return new
    copy = dict(value) if isinstance(value, dict) else list(value)
    copy[place[0]] = changed(copy[place[0]], place[1:], new)
    return copy


# Two tests mutate each reader's input: 500 times in all, 10,000 times in the thorough profile.
MUTATIONS = settings(max_examples=5000 if settings().max_examples > 1000 else 250)
RECORDS = {
    "ground-truth": samples.GROUND_TRUTH,
    "schema-1.0": SCHEMA,
    "needle": samples.NEEDLE,
    "realistic": samples.REALISTIC,
    "informed": samples.INFORMED,
    "production": samples.PRODUCTION,
    "chunk-level": samples.CHUNKS,
    "adaptive": samples.ADAPTIVE,
    "eval-set": samples.EVAL,
}


@pytest.mark.parametrize("name", RECORDS)
@MUTATIONS
@given(data=st.data())
def test_no_value_in_a_field_makes_a_crash(tmp_path_factory, name, data):
    """Whatever stands at any place of a JSON data set, it loads or is refused by our own error."""
    good = RECORDS[name]
    place = data.draw(st.sampled_from(pointers(good)))
    text = json.dumps(changed(good, place, data.draw(json_values)), indent=data.draw(st.sampled_from([None, 1])))
    survives(tmp_path_factory.getbasetemp() / "field", {"a": text + "\n"})


@pytest.mark.parametrize("name", GOOD)
@MUTATIONS
@given(data=st.data())
def test_no_cut_or_splice_makes_a_crash(tmp_path_factory, name, data):
    """A file cut off, or with bytes of another or of chance put in, loads or is refused by our own error."""
    files = dict(GOOD[name])
    mutated = data.draw(st.sampled_from(sorted(files)))
    content = files[mutated].encode()
    start = data.draw(st.integers(0, len(content)))
    end = data.draw(st.integers(start, len(content)))
    others = [text.encode() for other in GOOD.values() for text in other.values()]
    middle = data.draw(st.binary(max_size=20) | st.sampled_from(others))
    files[mutated] = content[:start] + middle + content[end:]
    survives(tmp_path_factory.getbasetemp() / "splice", files)


@given(st.binary(max_size=200))
def test_no_bytes_make_a_crash(tmp_path_factory, content):
    """Any file loads or is refused by our own error."""
    survives(tmp_path_factory.getbasetemp() / "bytes", {"a": content})
