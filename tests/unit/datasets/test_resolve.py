"""References are looked up in a catalogue: resolved to one document, or left open for a named reason."""

from __future__ import annotations

import hashlib
import time

import pytest
from tests.unit.datasets.samples import as_lines

from ragstone.datasets.apply import apply
from ragstone.datasets.catalogue import Catalogue, Document
from ragstone.datasets.intake import Case
from ragstone.datasets.load import assemble
from ragstone.datasets.resolve import Outcome, doc_ref_hash, resolve
from ragstone.errors import InvalidInputError
from ragstone.types import Gold, Query

HASH = hashlib.sha256(b"a").hexdigest()
CATALOGUE = Catalogue(
    (
        Document(id="1", uri="file:///a.md", content_hash=HASH, file_name="a.md", path="x/a.md"),
        Document(id="2", uri="file:///b.md", content_hash=HASH, file_name="Same.pdf", path="x/b.md"),
        Document(id="3", uri="file:///c.md", content_hash="sha256:" + "C" * 64, file_name="Same.pdf", path="c.md"),
    )
)


def gold(document, ref=None, **fields):
    return Gold(kind=fields.pop("kind", "document"), document=document, ref=ref, **fields)


def dataset(*golds, groups=(), **fields):
    return assemble([Case(Query(id="q", text="?", **fields), golds, groups)], "test")


def outcome(document, ref=None, **fields):
    return resolve(dataset(gold(document, ref, **fields)), CATALOGUE).outcomes["q"][0]


@pytest.mark.parametrize(
    ("document", "ref", "expected"),
    [
        ("1", "document_id", Outcome("1")),
        ("9", "document_id", Outcome(reason="not_found")),
        ("file:///b.md", "uri", Outcome("2")),
        ("FILE:///b.md", "uri", Outcome(reason="not_found")),
        ("c" * 64, "content_hash", Outcome("3")),
        ("sha256:" + "C" * 64, "content_hash", Outcome("3")),
        (HASH, "content_hash", Outcome(reason="ambiguous")),
        ("b" * 64, "content_hash", Outcome(reason="not_found")),
        ("abc", "content_hash", Outcome(reason="invalid_ref")),
        ("file:///a.md", "path", Outcome("1")),
        ("x/a.md", "path", Outcome("1")),
        ("a.md", "file_name", Outcome("1")),
        ("Same.pdf", "file_name", Outcome(reason="ambiguous")),
        ("same.pdf", "file_name", Outcome(reason="not_found")),
        (" ", "uri", Outcome(reason="invalid_ref")),
        ("A.MD ", None, Outcome("1")),
        ("C", None, Outcome("3")),
        ("x/B.md", None, Outcome("2")),
        ("same", None, Outcome(reason="ambiguous")),
        ("other", None, Outcome(reason="not_found")),
        ("", None, Outcome(reason="invalid_ref")),
    ],
)
def test_each_kind_of_reference_is_looked_up_its_own_way(document, ref, expected):
    """Stated kinds are exact, names are folded, and what several documents have is never resolved."""
    assert outcome(document, ref) == expected


def test_pages_and_anchors_are_looked_up_by_name_and_bare_chunks_not_at_all():
    """A chunk id names no document, so it is neither resolved nor open."""
    found = resolve(
        dataset(
            gold("A.md", kind="page", page=1),
            gold("b.md", kind="anchor", heading=("H",)),
            gold("", kind="chunk", chunk="c"),
        ),
        Catalogue((Document(id="a"), Document(id="b"))),
    )
    assert found.outcomes["q"] == (Outcome("a"), Outcome("b"), Outcome())
    assert (found.total, found.resolved, found.status) == (2, 2, "resolved")


@pytest.mark.parametrize(
    ("names", "status"),
    [([], "resolved"), (["a.md"], "resolved"), (["a.md", "no"], "partial"), (["no", "Same.pdf"], "pending")],
)
def test_the_status_is_of_all_references(names, status):
    """None of none is resolved; two documents with one file name leave 0 of 1, pending."""
    found = resolve(dataset(*(gold(name, "file_name") for name in names)), CATALOGUE)
    assert (found.status, found.total) == (status, len(names))


def test_the_hash_of_a_reference_is_that_of_its_sorted_json():
    """The two hashes of the acceptance cases."""
    assert doc_ref_hash({"uri": "file:///doc.pdf"}).startswith("2e44cc839eed")
    assert doc_ref_hash({"document_id": "doc-123"}).startswith("6aa98c05878b")


def test_samples_of_what_stays_open_are_at_most_a_hundred():
    """Each names query, reference, hash and reason; the counts go on."""
    found = resolve(dataset(*(gold(f"u{number}", "uri") for number in range(150))), CATALOGUE)
    first = found.samples[0]
    assert (len(found.samples), found.reasons) == (100, {"not_found": 150})
    assert (first.query_id, first.doc_ref, first.reason) == ("q", {"uri": "u0"}, "not_found")
    assert first.doc_ref_hash == doc_ref_hash({"uri": "u0"})


def test_a_wrong_first_key_stays_open_unless_it_may_fall_through():
    """The first present key decides; with fallthrough the next that finds a document does."""
    reference = {"uri": "file:///a.md", "document_id": "9"}
    made = dataset(gold("9", "document_id"), provenance={"doc_refs": {"0": reference}})
    strict, tolerant = resolve(made, CATALOGUE), resolve(made, CATALOGUE, fallthrough=True)
    assert (strict.status, strict.samples[0].doc_ref) == ("pending", reference)
    assert tolerant.outcomes["q"] == (Outcome("1"),)


def test_applying_puts_the_catalogue_ids_in_place():
    """Open golds stay, to be counted as never retrieved, or are dropped; the digest follows."""
    made = dataset(gold("file:///a.md", "uri", grade=3), gold("gone", "uri"))
    found = resolve(made, CATALOGUE)
    counted, dropped = apply(made, found), apply(made, found, "drop")
    assert counted.golds["q"] == (gold("1", "document_id", grade=3), gold("gone", "uri"))
    assert dropped.golds["q"] == (gold("1", "document_id", grade=3),)
    assert len({made.digest, counted.digest, dropped.digest}) == 3


def test_references_to_one_document_become_one_gold():
    """The higher grade stays; support groups follow their golds, and end with one that is dropped."""
    made = dataset(
        gold("file:///a.md", "uri", grade=1),
        gold("gone", "uri"),
        gold("a.md", "file_name", grade=3),
        gold("2", "document_id"),
        groups=((0, 2), (1, 3), (1,)),
        provenance={"doc_refs": {}, "kept": 1},
    )
    found = apply(made, resolve(made, CATALOGUE), "drop")
    assert found.golds["q"] == (gold("1", "document_id", grade=3), gold("2", "document_id"))
    assert found.support_groups["q"] == ((0,),)
    assert found.queries[0].provenance == {"kept": 1}


def test_a_folder_is_a_catalogue(tmp_path):
    """Ids, uris and paths are relative, the hash is that of the bytes, hidden files are passed over."""
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "a.md").write_bytes(b"a")
    (tmp_path / ".hidden").write_text("x")
    assert Catalogue.read(tmp_path).documents == (
        Document(id="sub/a.md", uri="sub/a.md", content_hash=HASH, file_name="a.md", path="sub/a.md"),
    )


def test_a_file_is_a_catalogue(tmp_path):
    """One document a line; every mistake is told with its line."""
    path = tmp_path / "c.jsonl"
    path.write_text(as_lines({"document_id": 1, "uri": "u"}, {"id": "b"}))
    assert Catalogue.read(path).documents == (Document(id="1", uri="u"), Document(id="b"))
    path.write_text(as_lines({"id": "a"}, {"id": "a"}, {"uri": "u"}, {"id": "b", "urn": 1}))
    with pytest.raises(InvalidInputError) as refused:
        Catalogue.read(path)
    assert [problem.line for problem in refused.value.problems] == [2, 3, 4]
    assert "did you mean 'uri'?" in str(refused.value)


def test_a_catalogue_that_cannot_be_read_is_told(tmp_path, monkeypatch):
    """A file that is missing, or one of a folder that cannot be opened, is named with the reason."""
    with pytest.raises(InvalidInputError, match=r"nowhere: cannot be read: No such file"):
        Catalogue.read(tmp_path / "nowhere")

    def refuse(file, name):
        raise PermissionError(13, "Permission denied")

    (tmp_path / "a.md").write_text("a")
    monkeypatch.setattr(hashlib, "file_digest", refuse)
    with pytest.raises(InvalidInputError, match=r"a\.md: cannot be read: Permission denied"):
        Catalogue.read(tmp_path)


def test_resolving_takes_linear_time():
    """100,000 references against 100,000 documents take seconds, not hours."""
    documents = tuple(Document(id=f"d{number}", file_name=f"f{number}.md") for number in range(100_000))
    made = dataset(*(gold(f"f{number}.md", "file_name") for number in range(100_000)))
    started = time.monotonic()
    assert resolve(made, Catalogue(documents)).resolved == 100_000
    assert time.monotonic() - started < 10
