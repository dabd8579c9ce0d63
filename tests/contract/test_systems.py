"""What every registered kind of system promises."""

from __future__ import annotations

import asyncio
import json
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from ragstone.errors import MissingExtraError
from ragstone.experiments.configuration import Configuration
from ragstone.systems import SYSTEMS, Surroundings

QUERIES = ["sort a list", "parse JSON", "", "zzzz", "heap heap heap", "Größe?"]
CORPUS = {"type": "embedded", "corpus": "stdlib", "modules": ["json", "heapq", "bisect"]}
MODULE = """
def search(query, k):
    return [(f"{query}-{n}", 1 / (n + 1)) for n in range(k)]
"""
# One or more samples of every kind: its options, and the configuration it is opened for.
SAMPLES = {
    "callable": [({"type": "callable", "function": "contract_search:search"}, {})],
    "embedded": [
        (CORPUS, {"search_mode": "sparse"}),
        (CORPUS, {"search_mode": "dense", "embedding_model": "static"}),
        (CORPUS, {"embedding_model": "static"}),
        (CORPUS, {"embedding_model": "static", "fusion": "weighted", "score_threshold": 0.2}),
        (CORPUS, {"search_mode": "sparse", "use_reranker": True, "reranker_model": "static"}),
        (CORPUS, {"search_mode": "dense"}),
        (CORPUS, {"use_reranker": True, "retrieval_top_k": 10}),
    ],
    # The fixture puts the address of a running service in.
    "http": [
        ({"type": "http", "endpoint": "http://service"}, {}),
        (
            {"type": "http", "endpoint": "http://service", "request": {"query": "{query}", "top_k": "{k}"}},
            {"top_k": 9},
        ),
    ],
}


class Service(BaseHTTPRequestHandler):
    """Replies to every search with as many hits as asked for."""

    protocol_version = "HTTP/1.1"

    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        hits = [{"chunk_id": f"{asked['query']}-{n}", "score": 1 / (n + 1)} for n in range(asked["top_k"])]
        body = json.dumps({"results": hits}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        """Say nothing."""


def _cases():
    for name, samples in SAMPLES.items():
        for options, settings in samples:
            label = "-".join([name, *map(str, settings.values())])
            yield pytest.param(name, options, settings, id=label, marks=_marks(name, settings))


def _marks(name, settings):
    dense = settings.get("search_mode") != "sparse" and settings.get("embedding_model", "minilm") == "minilm"
    reranked = "use_reranker" in settings and settings.get("reranker_model", "minilm") == "minilm"
    return pytest.mark.minilm if name == "embedded" and (dense or reranked) else ()


CASES = list(_cases())


@pytest.fixture(scope="session")
def cache(tmp_path_factory):
    """A cache for all samples, so that a text is embedded once."""
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(scope="session")
def service():
    """The address of a running service."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Service)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


@pytest.fixture
def open_it(tmp_path, cache, service):
    """Open a sample."""
    (tmp_path / "contract_search.py").write_text(MODULE)

    def open_sample(name, options, settings):
        kind = SYSTEMS[name]
        options = {**options, "endpoint": service} if name == "http" else options
        surroundings = Surroundings(base=tmp_path, cache=cache)
        try:
            return kind.open(kind.options(**options), Configuration(**settings), surroundings)
        except MissingExtraError as error:
            pytest.skip(f"NOT TESTED: {error}")

    yield open_sample
    sys.modules.pop("contract_search", None)


def search_all(system, k):
    """Ask all queries on one event loop, then close."""

    async def go():
        responses = [await system.search(query, k) for query in QUERIES]
        await system.close()
        return responses

    return asyncio.run(go())


def test_every_kind_has_a_sample():
    """A new kind of system is tested here as soon as it is registered."""
    assert sorted(SAMPLES) == list(SYSTEMS)


@pytest.mark.parametrize(("name", "options", "settings"), CASES)
@pytest.mark.parametrize("k", [1, 7, 500])
def test_hits_are_few_distinct_and_in_order(open_it, name, options, settings, k):
    """At most k hits, every id once, scores that never rise; and the same hits when asked again."""
    responses = search_all(open_it(name, options, settings), k)
    for response in responses:
        scores = [hit.score for hit in response.hits]
        assert len(response.hits) <= k
        assert len({hit.id for hit in response.hits}) == len(response.hits)
        assert scores == sorted(scores, reverse=True)
        assert all(hit.document for hit in response.hits)
        assert response.failure is None
    again = search_all(open_it(name, options, settings), k)
    assert [response.hits for response in again] == [response.hits for response in responses]


@pytest.mark.parametrize(("name", "options", "settings"), CASES)
def test_the_description_is_json_and_stable(open_it, name, options, settings):
    """It is kept with the run: plain JSON, equal for two instances, before and after a search."""
    system = open_it(name, options, settings)
    before = json.dumps(system.describe(), sort_keys=True, allow_nan=False)
    search_all(system, 3)
    assert json.dumps(system.describe(), sort_keys=True) == before
    assert json.dumps(open_it(name, options, settings).describe(), sort_keys=True) == before


@pytest.mark.parametrize(("name", "options", "settings"), CASES)
def test_searches_may_overlap(open_it, name, options, settings):
    """Concurrent searches give what single ones give."""
    system = open_it(name, options, settings)

    async def at_once():
        try:
            return await asyncio.gather(*(system.search(query, 5) for query in QUERIES))
        finally:
            await system.close()

    alone = search_all(system, 5)
    assert [response.hits for response in asyncio.run(at_once())] == [response.hits for response in alone]


@pytest.mark.parametrize("name", list(SYSTEMS))
def test_options_have_descriptions_and_name_their_kind(name):
    """Every field tells what it is, and `type` has the kind's name as its only value."""
    schema = SYSTEMS[name].options.model_json_schema()
    assert schema["properties"]["type"]["const"] == name
    assert schema["additionalProperties"] is False
    assert [field for field, told in schema["properties"].items() if not told.get("description")] == []
