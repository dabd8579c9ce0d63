from __future__ import annotations

import logging
import shutil
from pathlib import Path

import pytest

from ragstone.errors import InvalidInputError
from ragstone.systems.embedded import index
from ragstone.systems.embedded.corpus import find_corpus
from ragstone.systems.embedded.index import open_index


@pytest.fixture
def builds(monkeypatch):
    """The (size, overlap) of every index that was built."""
    built = []
    build = index._build
    monkeypatch.setattr(index, "_build", lambda *args: built.append(args[1:]) or build(*args))
    index._indexes.clear()
    return built


def open_it(tmp_path: Path, size: int = 50, overlap: int = 5, *, fresh: bool = True):
    if fresh:
        index._indexes.clear()
    corpus = find_corpus("docs", None, tmp_path)
    return open_index(corpus, chunk_size=size, chunk_overlap=overlap, cache=tmp_path / "cache")


def test_an_index_is_built_once_and_then_loaded(folder, tmp_path, builds):
    """The index from disk holds the same chunks and finds the same, to the bit."""
    first = open_it(tmp_path)
    second = open_it(tmp_path)
    assert builds == [(50, 5)]
    assert second.built.chunks == first.built.chunks
    assert second.built.corpus_digest == first.built.corpus_digest
    assert second.built.documents == 4
    a, b = (one.built.lexical.search("trees", 9) for one in (first, second))
    assert a.rows.tolist() == b.rows.tolist()
    assert a.scores.tolist() == b.scores.tolist()


def test_configurations_share_the_index_in_memory(folder, tmp_path, builds):
    """The same corpus and settings give the same object within a process."""
    assert open_it(tmp_path) is open_it(tmp_path, fresh=False)


def test_it_is_built_anew_when_anything_changes(folder, tmp_path, builds, monkeypatch):
    """Other chunk settings, other content, or another tokeniser are another index."""
    open_it(tmp_path)
    open_it(tmp_path, size=40)
    open_it(tmp_path, overlap=6)
    (folder / "notes.txt").write_text("Changed.")
    open_it(tmp_path)
    monkeypatch.setattr(index, "TOKENIZER_VERSION", 99)
    open_it(tmp_path)
    open_it(tmp_path)
    assert len(builds) == 5
    assert len(list((tmp_path / "cache" / "indexes").iterdir())) == 5


@pytest.mark.parametrize("name", ["chunks.jsonl", "manifest.json", "bm25/data.csc.index.npy"])
@pytest.mark.parametrize("damage", ["truncate", "delete"])
def test_a_damaged_index_is_built_anew(folder, tmp_path, builds, caplog, name, damage):
    """A file that is short or gone is noticed, told, and repaired."""
    open_it(tmp_path)
    [path] = (tmp_path / "cache" / "indexes").glob(f"*/{name}")
    if damage == "delete":
        path.unlink()
    else:
        path.write_bytes(path.read_bytes()[:-5])
    with caplog.at_level(logging.WARNING):
        assert len(open_it(tmp_path).built.lexical.search("trees", 9)) > 0
    assert "is damaged" in caplog.text
    assert len(builds) == 2
    open_it(tmp_path)
    assert len(builds) == 2


def test_an_interrupted_build_leaves_nothing_behind(folder, tmp_path, builds, monkeypatch):
    """The folder appears complete or not at all."""

    def interrupt(draft, built):
        (draft / "chunks.jsonl").write_text("half")
        raise KeyboardInterrupt

    monkeypatch.setattr(index.index_files, "_write", interrupt)
    with pytest.raises(KeyboardInterrupt):
        open_it(tmp_path)
    assert list((tmp_path / "cache" / "indexes").iterdir()) == []


def test_the_slower_of_two_builders_keeps_the_others_work(folder, tmp_path, builds, monkeypatch):
    """When the folder exists by the time it is renamed, it stays, and no draft is left."""
    built = open_it(tmp_path).built
    [target] = (tmp_path / "cache" / "indexes").iterdir()
    marker = target.stat().st_ino
    index.index_files.save(target, built)
    assert [path.stat().st_ino for path in target.parent.iterdir()] == [marker]


def test_a_deleted_cache_is_built_anew(folder, tmp_path, builds):
    """Everything in the cache can be computed again."""
    open_it(tmp_path)
    shutil.rmtree(tmp_path / "cache")
    open_it(tmp_path)
    assert len(builds) == 2


def test_a_corpus_without_text_is_an_error(tmp_path, builds):
    """Nothing to search in is told when the system is opened."""
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "empty.txt").write_text(" \n")
    with pytest.raises(InvalidInputError, match="none of the 1 documents"):
        open_it(tmp_path)


def test_only_a_few_indexes_stay_in_memory(folder, tmp_path, builds):
    """The one used longest ago goes first."""
    for size in range(20, 20 + index._KEPT + 2):
        open_it(tmp_path, size=size, fresh=False)
    assert len(index._indexes) == index._KEPT
    open_it(tmp_path, size=20 + index._KEPT + 1, fresh=False)
    assert len(builds) == index._KEPT + 2
