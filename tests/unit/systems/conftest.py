"""What the tests of the systems share: an embedder that needs no model, a small corpus, and a way to open it."""

from __future__ import annotations

import asyncio
import threading
import zlib
from collections.abc import Callable, Sequence
from http.server import ThreadingHTTPServer
from pathlib import Path

import numpy as np
import pytest
from tests import http_service

from ragstone.experiments.configuration import Configuration
from ragstone.ports import System
from ragstone.systems import SYSTEMS, Surroundings
from ragstone.systems.embedded import index, vectors
from ragstone.systems.embedded.embedders import EMBEDDERS
from ragstone.types import Response

PAGES = {
    "fruit.md": "# Fruit\n\nApples and pears grow on trees.\n\n## Citrus\n\nLemons are sour, oranges are sweet.\n",
    "tools/saw.md": "# Tools\n\n## Saw\n\nA saw cuts trees into boards.\n\n## Hammer\n\nA hammer drives nails.\n",
    "notes.txt": "Sweet tea needs lemons and sugar.\n",
    "site.html": "<h1>Garden</h1><p>Plant trees in autumn.</p><h2>Water</h2><p>Water young trees daily.</p>",
}


class FakeEmbedder:
    """Counts words into 32 hashed places; `seen` lists the texts of every call."""

    name = "fake"
    fingerprint = "fake-1"
    dimensions = 32

    def __init__(self) -> None:
        self.seen: list[list[str]] = []

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        """Return one unit-length row per text."""
        self.seen.append(list(texts))
        counts = np.full((len(texts), self.dimensions), 0.01, np.float32)
        for row, text in enumerate(texts):
            for word in text.lower().split():
                counts[row, zlib.crc32(word.strip(".,").encode()) % self.dimensions] += 1
        return counts / np.linalg.norm(counts, axis=1, keepdims=True)


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> FakeEmbedder:
    """A fake embedder, registered as ``fake``."""
    len(EMBEDDERS)  # loads the registry before it is changed
    embedder = FakeEmbedder()
    monkeypatch.setitem(EMBEDDERS._entries, "fake", lambda: embedder)
    vectors.load_embedder.cache_clear()
    yield embedder
    vectors.load_embedder.cache_clear()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder of documents."""
    for name, text in PAGES.items():
        path = tmp_path / "docs" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return tmp_path / "docs"


@pytest.fixture
def surroundings(tmp_path: Path) -> Surroundings:
    """An empty cache; paths are read against the test's own folder."""
    return Surroundings(base=tmp_path, cache=tmp_path / "cache")


@pytest.fixture
def open_folder(folder: Path, surroundings: Surroundings, fake: FakeEmbedder) -> Callable[..., System]:
    """Open the embedded system over `folder` with the fake embedder; keywords are settings of either kind."""
    index._indexes.clear()

    def open_it(**settings: object) -> System:
        kind = SYSTEMS["embedded"]
        own = {name: settings.pop(name) for name in list(settings) if name in kind.options.model_fields}
        options = kind.options(**{"type": "embedded", "corpus": folder.name, **own})
        configuration = Configuration(**{"embedding_model": "fake", **settings})
        return kind.open(options, configuration, surroundings)

    return open_it


@pytest.fixture
def ask() -> Callable[..., Response]:
    """Search synchronously."""
    return lambda system, query, k=10: asyncio.run(system.search(query, k))


@pytest.fixture
def service(monkeypatch):
    """A running service; no proxy stands before it."""
    for name in ("http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    told = http_service.Service()
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Bound", (http_service.Handler,), {"service": told}))
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
    told.endpoint = f"http://127.0.0.1:{server.server_port}"
    yield told
    server.shutdown()
    server.server_close()


@pytest.fixture
def open_it(service, tmp_path):
    """Open a system for the service."""
    from ragstone.systems.http import HttpOptions, open_http

    def opened(configuration=None, **options):
        given = HttpOptions(**{"type": "http", "endpoint": service.endpoint, **options})
        return open_http(
            given, Configuration(**(configuration or {})), Surroundings(base=tmp_path, cache=tmp_path)
        )

    return opened
