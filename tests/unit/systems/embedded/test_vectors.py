from __future__ import annotations

import logging
import sqlite3
import threading

import numpy as np
import pytest

from ragstone.errors import StoreError
from ragstone.systems.embedded.vectors import SLICE, CachedEmbedder, VectorCache

TEXTS = [f"text number {n}" for n in range(150)]


@pytest.fixture
def path(tmp_path):
    return tmp_path / "cache" / "vectors.sqlite"


def test_a_second_pass_embeds_nothing(fake, path):
    """What was computed once is read back bit by bit, by another instance too."""
    first = CachedEmbedder(fake, VectorCache(path)).embed(TEXTS)
    calls = len(fake.seen)
    second = CachedEmbedder(fake, VectorCache(path)).embed(TEXTS[::-1])
    assert len(fake.seen) == calls
    assert np.array_equal(second, first[::-1])
    assert np.array_equal(first, fake.embed(TEXTS))


def test_only_what_is_missing_is_embedded_and_only_once(fake, path):
    """Known texts are skipped and repeated ones are embedded once."""
    embedder = CachedEmbedder(fake, VectorCache(path))
    embedder.embed(["a", "b"])
    embedder.embed(["b", "c", "a", "c"])
    assert fake.seen == [["a", "b"], ["c"]]


def test_an_interrupted_pass_keeps_what_it_had(fake, path, monkeypatch):
    """Slices are committed one by one, so that an interrupt loses one slice at most."""
    honest = fake.embed

    def interrupted(texts):
        if len(fake.seen) == 2:
            raise KeyboardInterrupt
        return honest(texts)

    monkeypatch.setattr(fake, "embed", interrupted)
    with pytest.raises(KeyboardInterrupt):
        CachedEmbedder(fake, VectorCache(path)).embed(TEXTS)
    monkeypatch.undo()
    fake.seen.clear()
    CachedEmbedder(fake, VectorCache(path)).embed(TEXTS)
    assert sum(map(len, fake.seen)) == len(TEXTS) - 2 * SLICE


def test_progress_is_told_only_where_there_is_work(fake, path):
    """Progress runs from 0 to the number of missing texts; a full cache is silent."""
    told = []
    embedder = CachedEmbedder(fake, VectorCache(path), lambda *step: told.append(step))
    embedder.embed(TEXTS)
    assert told == [("embedding with fake", done, 150) for done in (0, 64, 128, 150)]
    told.clear()
    embedder.embed(TEXTS)
    assert told == []


def test_queries_are_never_cached(fake, path):
    """A query is computed each time, so that its latency is honest."""
    embedder = CachedEmbedder(fake, VectorCache(path))
    embedder.embed_query("q")
    embedder.embed_query("q")
    assert fake.seen == [["q"], ["q"]]
    assert not path.exists()


def test_embedders_do_not_share_vectors(fake, path):
    """Another fingerprint is another key."""
    CachedEmbedder(fake, VectorCache(path)).embed(["a"])
    fake.fingerprint = "fake-2"
    CachedEmbedder(fake, VectorCache(path)).embed(["a"])
    assert len(fake.seen) == 2


@pytest.mark.parametrize("damage", [b"this is no database" * 300, None], ids=["overwritten", "middle"])
def test_a_damaged_file_is_moved_aside_and_built_anew(fake, path, caplog, damage):
    """The damage is told, the old file is kept beside, and the vectors are right."""
    expected = CachedEmbedder(fake, VectorCache(path)).embed(TEXTS)
    content = bytearray(path.read_bytes())
    content[100:] = b"\xa5" * (len(content) - 100)
    path.write_bytes(damage or bytes(content))
    with caplog.at_level(logging.WARNING):
        again = CachedEmbedder(fake, VectorCache(path)).embed(TEXTS)
    assert np.array_equal(again, expected)
    assert "the vector cache is damaged" in caplog.text
    assert path.with_name("vectors.sqlite.damaged").exists()
    assert len(VectorCache(path).get("fake-1", 32, [])) == 0


def test_a_vector_of_another_length_is_computed_again(fake, path):
    """A blob that cannot be a vector of this embedder counts as missing."""
    embedder = CachedEmbedder(fake, VectorCache(path))
    expected = embedder.embed(["a"])
    with sqlite3.connect(path) as file:
        file.execute("UPDATE vectors SET vector = x'000000'")
    file.close()
    assert np.array_equal(embedder.embed(["a"]), expected)
    assert len(fake.seen) == 2


def test_a_cache_that_cannot_be_used_is_told(fake, tmp_path):
    """A file where the cache's folder should be is an error with the path and the way out."""
    (tmp_path / "file").write_text("x")
    with pytest.raises(StoreError, match="name another cache folder"):
        CachedEmbedder(fake, VectorCache(tmp_path / "file" / "vectors.sqlite")).embed(["a"])


def test_threads_may_share_a_cache(fake, path):
    """Several writers at once neither fail nor mix up vectors."""
    results = []
    workers = [
        threading.Thread(target=lambda: results.append(CachedEmbedder(fake, VectorCache(path)).embed(TEXTS)))
        for _ in range(4)
    ]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert len(results) == 4
    assert all(np.array_equal(result, fake.embed(TEXTS)) for result in results)


def test_no_texts_give_an_empty_matrix(fake, path):
    """The empty list has the embedder's width."""
    assert CachedEmbedder(fake, VectorCache(path)).embed([]).shape == (0, 32)
