from __future__ import annotations

import subprocess
import sys

import pytest

from ragstone.errors import InvalidInputError, UnknownNameError
from ragstone.systems.embedded.corpus import find_corpus
from ragstone.systems.embedded.documents import Document, Section, corpus_digest

SCRIPT = """
from ragstone.systems.embedded.stdlib import read_stdlib
from ragstone.systems.embedded.documents import corpus_digest
print(corpus_digest(read_stdlib()))
"""


def test_the_standard_library_is_read_the_same_in_every_process():
    """Hash seeds and memory addresses leave no trace in its texts."""
    digests = {
        subprocess.run(
            [sys.executable, "-c", SCRIPT],
            env={"PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(digests) == 1


def test_modules_restrict_the_standard_library(tmp_path):
    """Only the named modules are read, in the fixed order, and each content once."""
    corpus = find_corpus("stdlib", ("json", "heapq"), tmp_path)
    assert [document.name for document in corpus.read()] == ["heapq", "json"]
    assert corpus.read() is find_corpus("stdlib", ("heapq", "json"), tmp_path).read()
    assert corpus.kind == "stdlib"


def test_an_unknown_module_is_an_error(tmp_path):
    """A typing error is never an empty corpus."""
    with pytest.raises(UnknownNameError, match=r"'jsn' \(did you mean 'json'\?\)"):
        find_corpus("stdlib", ("jsn",), tmp_path)


def test_a_changed_folder_is_read_again(folder, tmp_path):
    """Equal content is read once; an edit is seen at once."""
    before = find_corpus("docs", None, tmp_path)
    assert before.read() is find_corpus("docs", None, tmp_path).read()
    (folder / "notes.txt").write_text("Changed.")
    after = find_corpus("docs", None, tmp_path)
    assert after.signature != before.signature
    assert Document("notes.txt", (Section((), "Changed."),)) in after.read()


def test_a_missing_folder_is_an_error(tmp_path):
    """The path is shown as it was looked for."""
    with pytest.raises(InvalidInputError, match="nowhere"):
        find_corpus("nowhere", None, tmp_path)


def test_the_digest_sees_names_headings_pages_and_texts():
    """Each part of a document changes the digest."""
    documents = [
        Document("a", (Section(("h",), "text", 1),)),
        Document("b", (Section(("h",), "text", 1),)),
        Document("a", (Section(("i",), "text", 1),)),
        Document("a", (Section(("h",), "other", 1),)),
        Document("a", (Section(("h",), "text", 2),)),
    ]
    assert len({corpus_digest([document]) for document in documents}) == len(documents)
