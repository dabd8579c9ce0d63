"""The HTTP system against a real server: what it sends, reads and refuses."""

from __future__ import annotations

import asyncio
import gzip
import json
import logging
import time
from contextlib import suppress
from datetime import UTC, datetime
from email.utils import format_datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("httpx2")

from tests.http_service import SECRET, SEED, Reply, says, search

from ragstone.errors import BadResponseError, TransientError, UnreachableError, UsageError
from ragstone.systems.http_client import seconds_asked
from ragstone.systems.http_reply import Places, read_json, read_reply
from ragstone.types import Hit, Scope


def test_the_shape_of_rust_local_rag_needs_no_mapping(service, open_it):
    """With an endpoint alone, query and top_k are posted and its results read; page 0 is no page."""
    response = search(open_it(), "why?", 5)
    assert response.hits == (
        Hit(id="c1", document="book.pdf", score=0.9, text="t", page=12, heading=("Options", "Greeks")),
        Hit(id="c2", document="notes.txt", score=0.5, text="u"),
    )
    (asked,) = service.asked
    assert (asked["method"], asked["path"], asked["body"]) == ("POST", "/search", {"query": "why?", "top_k": 5})
    assert asked["headers"]["Content-Type"] == "application/json"


def test_results_and_fields_are_found_by_their_paths(service, open_it):
    """Nested and indexed places, whole-number ids, an answer and an abstention."""
    one = {"pk": 7, "meta": {"file": "a.md", "at": [{"p": 3}]}, "content": "x", "sim": 1, "path": ["A", "B"]}
    service.reply = says({"data": {"hits": [{"list": [one]}]}, "gen": {"text": "42", "none": False}})
    fields = {"id": "pk", "document": "meta.file", "text": "content", "score": "sim", "page": "meta.at[0].p",
              "heading": "path"}  # fmt: skip
    system = open_it(results="data.hits[0].list", fields=fields, answer="gen.text", abstained="gen.none")
    response = search(system)
    hit = Hit(id="7", document="a.md", score=1.0, text="x", page=3, heading=("A", "B"))
    assert (response.hits, response.answer, response.abstained) == ((hit,), "42", False)


@pytest.mark.parametrize(
    ("reply", "path", "found"),
    [
        ([{"id": "a"}], "", ["a"]),
        (["a", "b"], "", ["a", "b"]),
        ([["a", 0.5]], "", ["a"]),
        ([[{"id": "a"}]], "[0]", ["a"]),
        ({"result": []}, "result", []),
    ],
)
def test_a_reply_may_be_a_list(service, open_it, reply, path, found):
    """An empty path is the whole reply; ids alone and pairs are read as from a function."""
    service.reply = says(reply)
    assert [hit.id for hit in search(open_it(results=path)).hits] == found


def test_optional_places_may_be_absent(service, open_it):
    """A result without the mapped score, page or heading has none; so has a reply without an answer."""
    service.reply = says({"results": [{"id": "a"}]})
    fields = {"score": "meta.score", "page": "p", "heading": "h[0]"}
    response = search(open_it(fields=fields, answer="gen.text", abstained="abstained"))
    assert (response.hits, response.answer, response.abstained) == ((Hit(id="a", document="a"),), None, None)


def test_more_hits_than_asked_are_cut_and_told(service, open_it):
    """A service that returns too much gains nothing by it."""
    response = search(open_it(), k=1)
    assert (len(response.hits), response.degraded) == (1, ("returned 2 hits where 1 were asked",))


def test_settings_of_the_run_are_sent_and_left_out_where_none(service, open_it):
    """Placeholders keep their type, at any depth; a setting that is None is omitted, never null."""
    request = {"q": "{query}", "n": ["{k}", "{score_threshold}"], "opt": {"mode": "{search_mode}", "fixed": None},
               "min": "{score_threshold}", "rerank": "{use_reranker}", "text": "{not a name}"}  # fmt: skip
    search(open_it({"search_mode": "lexical"}, request=request), "x", 3)
    search(open_it({"score_threshold": 0.5}, request=request), "x", 3)
    bare, full = (asked["body"] for asked in service.asked)
    assert bare == {
        "q": "x", "n": [3], "opt": {"mode": "sparse", "fixed": None}, "rerank": False, "text": "{not a name}"
    }  # fmt: skip
    assert (full["n"], full["min"]) == ([3, 0.5], 0.5)


def test_get_sends_parameters(service, open_it):
    """With GET the template becomes query parameters, beside those of the path."""
    request = {
        "q": "{query}",
        "n": "{k}",
        "rerank": "{use_reranker}",
        "tag": ["a", "b"],
        "min": "{score_threshold}",
    }
    search(open_it(method="GET", path="/find?debug=true", request=request), "a&b ü", 3)
    (asked,) = service.asked
    assert (asked["method"], asked["path"], asked["body"]) == ("GET", "/find", None)
    assert asked["parameters"] == {
        "debug": ["true"], "q": ["a&b ü"], "n": ["3"], "rerank": ["false"], "tag": ["a", "b"]
    }  # fmt: skip


@pytest.mark.parametrize("method", ["POST", "GET"])
@pytest.mark.parametrize(
    "query", ["Größe 日本 🦀 e\u0301", 'a "quote" \\ {k} \n\t\0', "\u2028\u200f", " ", "%20+&=#?/"]
)
def test_any_text_arrives_as_it_is(service, open_it, method, query):
    """Nothing in a query is lost, changed or taken for a placeholder."""
    search(open_it(method=method, request={"query": "{query}"}), query)
    (asked,) = service.asked
    arrived = asked["body"]["query"] if method == "POST" else asked["parameters"]["query"][0]
    assert arrived == query


@pytest.mark.parametrize("status", [408, 425, 429, 500, 502, 503, 504])
def test_what_may_pass_is_transient(service, open_it, status):
    """The runner repeats these; the message has the status and what the service said."""
    service.reply = Reply(b"busy\nnow\x1b[31m", status)
    with pytest.raises(TransientError, match=f"POST http://127.*/search says {status} .*: busy now") as caught:
        search(open_it())
    assert not isinstance(caught.value, UnreachableError)
    assert "\x1b" not in str(caught.value)


@pytest.mark.parametrize("status", [300, 304, 400, 401, 403, 404, 405, 409, 413, 422, 501])
def test_any_other_status_is_a_bad_response(service, open_it, status):
    """It would fail again; two hundred characters of the body are shown."""
    service.reply = Reply(b"" if status == 304 else b"x" * 1000, status)
    with pytest.raises(BadResponseError, match=f"says {status}") as caught:
        search(open_it())
    assert ("x" * 200 in str(caught.value)) == (status != 304)
    assert "x" * 201 not in str(caught.value)


def test_a_status_without_a_body_is_told(service, open_it):
    """Seed 003 answers 500 with nothing."""
    service.reply = Reply(b"", 500)
    with pytest.raises(TransientError, match=r"says 500 Internal Server Error: \(nothing\)"):
        search(open_it())


def test_retry_after_is_told(service, open_it):
    """The runner waits as long as the service asked, for 429 and 503."""
    service.reply = Reply(b"", 429, {"Retry-After": "7"})
    with pytest.raises(TransientError) as caught:
        search(open_it())
    assert caught.value.retry_after == 7.0


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        (None, None),
        ("0", 0.0),
        ("120", 120.0),
        (format_datetime(datetime(2026, 1, 1, 0, 1, tzinfo=UTC), usegmt=True), 60.0),
        ("Thu, 01 Jan 2026 00:01:00 -0000", 60.0),
        ("Thu, 01 Jan 2020 00:00:00 GMT", 0.0),
        ("soon", None),
        ("-5", None),
        ("²", None),
        ("", None),
    ],
)
def test_retry_after_is_seconds_or_a_date(value, seconds):
    """What is neither asks for nothing."""
    assert seconds_asked(value, datetime(2026, 1, 1, tzinfo=UTC)) == seconds


def test_a_redirect_is_not_followed(service, open_it):
    """Nothing, headers least of all, goes to an address that the benchmark does not name."""
    service.reply = Reply(b"", 302, {"Location": "http://example.invalid/login?key=1"})
    with pytest.raises(BadResponseError, match=r"302 Found, elsewhere is http://example.invalid/login \(red"):
        search(open_it())
    assert len(service.asked) == 1


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b"<html>Sign in</html>", "not JSON: .*the reply begins <html>Sign in"),
        (b"", r"not JSON: .*the reply begins \(nothing\)"),
        (b'{"results": [{"id": "a", "score": NaN}]}', "NaN is not a JSON number"),
        (b'{"results": [], "results": []}', "key 'results' stands twice"),
        (b'{"results": ["\xff"]}', "not UTF-8"),
        (b'{"results": ["\\ud800"]}', "which is no text"),
        (b"[" * 100_000, "nested too deeply"),
        (b"7", "the reply has no 'results': at 'results' there is 7"),
        (b'{"hits": [], "took": 3}', "no 'results': at 'results' there are the keys 'hits', 'took'"),
        (b"{}", r"there are the keys \(none\)"),
        (b"[]", "there is a list of 0"),
        (b'{"results": null}', "the reply's 'results' is None: it must be a list"),
        (b'{"results": {"a": 1}}', "the reply's 'results' is {'a': 1}: it must be a list"),
        (b'{"results": [{"id": "a"}, {"doc_id": "b"}]}', "hit 1 has neither id nor document.*the keys 'doc_id'"),
        (b'{"results": [7]}', "hit 0 is 7 of type int"),
        (b'{"results": [{"id": true}]}', "hit 0, id is True"),
        (b'{"results": [{"id": "a", "score": "0.5"}]}', "hit 0, score is '0.5' of type str"),
        (b'{"results": [{"id": "a", "score": 1e999}]}', "a number is too large to be kept"),
        (b'{"results": [{"id": "a", "page": 0}]}', "hit 0, page is 0"),
        (b'{"results": [{"id": "a", "text": ["t"]}]}', "hit 0, text is"),
    ],
)
def test_a_reply_of_another_shape_is_refused(service, open_it, body, message):
    """The message names the place, what is there, and how the reply begins."""
    service.reply = Reply(body)
    with pytest.raises(BadResponseError, match=message) as caught:
        search(open_it())
    assert len(str(caught.value)) < 800


@pytest.mark.parametrize(
    ("reply", "mapping", "message"),
    [
        ({"results": [{"id": "a", "meta": {"name": 1}}]}, {"fields": {"document": "meta.file"}},
         "hit 0 has no 'meta.file': at 'file' there are the keys 'name'"),
        ({"results": [{"id": "a", "meta": None}]}, {"fields": {"document": "meta.file"}},
         "at 'file' there is None"),
        ({"results": ["a"]}, {"fields": {"id": "pk"}}, "at 'pk' there is 'a'"),
        ({"results": ["a"]}, {"fields": {"score": "s"}}, "hit 0 has neither id nor document"),
        ({"data": [[]]}, {"results": "data[1]"}, "the reply has no .*at 1 there is a list of 1"),
        ({"results": [], "answer": 5}, {"answer": "answer"}, "'answer' is 5 of type int, not str"),
        ({"results": [], "none": "yes"}, {"abstained": "none"}, "'none' is 'yes' of type str, not bool"),
    ],
)  # fmt: skip
def test_a_mapping_that_does_not_fit_is_told(service, open_it, reply, mapping, message):
    """A hit whose named document is missing must not count as a miss."""
    service.reply = says(reply)
    with pytest.raises(BadResponseError, match=message):
        search(open_it(**mapping))


NAMES = st.sampled_from(["results", "a", "id", "document", "score", "page", "heading", "section", "chunk_id"])
SIMPLE = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5)
VALUES = st.recursive(
    SIMPLE, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=4), max_leaves=12
)
PATHS = st.sampled_from(["", "results", "a", "a.results", "[0]", "results[0].a", "a[1].id"])


@given(
    body=st.binary(max_size=30) | VALUES.map(lambda value: json.dumps(value).encode()),
    places=st.builds(Places, PATHS, st.dictionaries(st.sampled_from(["id", "page", "text"]), PATHS), PATHS, PATHS),
)
def test_whatever_comes_is_read_or_a_bad_response(body, places):
    """No reply raises anything else, whatever it holds and wherever it is looked for."""
    with suppress(BadResponseError):
        response = read_reply(read_json(body), places, 3)
        assert all(hit.id and len(response.hits) <= 3 for hit in response.hits)


def test_a_compressed_reply_is_unpacked(service, open_it):
    """Gzip is accepted; what only claims to be gzip is a bad response."""
    packed = gzip.compress(json.dumps(SEED).encode())
    service.reply = Reply(packed, headers={"Content-Encoding": "gzip"})
    assert len(search(open_it()).hits) == 2
    service.reply = Reply(b"not gzip", headers={"Content-Encoding": "gzip"})
    with pytest.raises(BadResponseError, match="cannot be unpacked"):
        search(open_it())


def test_a_reply_that_is_too_long_is_refused(service, open_it):
    """One byte over the limit is too much; so is a small body that unpacks to a large one."""
    size = len(json.dumps(SEED).encode())
    assert len(search(open_it(max_response_bytes=size)).hits) == 2
    with pytest.raises(BadResponseError, match=rf"more than max_response_bytes \({size - 1}\)"):
        search(open_it(max_response_bytes=size - 1))
    service.reply = Reply(gzip.compress(b" " * 30_000_000), headers={"Content-Encoding": "gzip"})
    with pytest.raises(BadResponseError, match=r"more than max_response_bytes \(20,971,520\)"):
        search(open_it())


def test_five_megabytes_are_read(service, open_it):
    """Long passages are no reason to fail."""
    service.reply = says({"results": [{"id": str(n), "text": "x" * 50_000} for n in range(100)]})
    assert len(search(open_it(), k=100).hits[99].text) == 50_000


def test_giving_up_closes_the_connection(service, open_it):
    """A search that the runner's time limit ends leaves nothing running."""
    service.reply = says(SEED, seconds=10)

    async def give_up() -> float:
        system, start = open_it(), time.perf_counter()
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(system.search("q", 1), timeout=0.2)
        taken = time.perf_counter() - start
        await system.close()
        return taken

    assert asyncio.run(give_up()) < 2
    assert service.left.wait(5)


def test_the_client_has_no_time_limit_of_its_own(open_it):
    """The limit is the runner's alone; the client's usual five seconds would turn slow answers into failures."""

    async def limit():
        system = open_it()
        await system.search("q", 1)
        found = system._exchange._client.timeout
        await system.close()
        return found

    assert set(asyncio.run(limit()).as_dict().values()) == {None}


def test_connections_are_reused(service, open_it):
    """Thirty searches, five at a time, need five connections, and each gets its own answer."""
    service.reply = lambda asked: says({"results": [{"id": asked["body"]["query"]}]}, seconds=0.01)

    async def ask_all():
        system, places = open_it(), asyncio.Semaphore(5)

        async def one(query):
            async with places:
                return (await system.search(query, 1)).hits[0].id

        try:
            return await asyncio.gather(*(one(f"q{n}") for n in range(30)))
        finally:
            await system.close()

    assert asyncio.run(ask_all()) == [f"q{n}" for n in range(30)]
    assert len(service.connections) <= 5


def test_a_system_can_be_used_again_after_closing(open_it):
    """The client belongs to an event loop; closing lets the next one begin anew."""
    system = open_it()
    assert search(system).hits == search(system).hits
    asyncio.run(system.close())


@pytest.mark.parametrize(
    ("endpoint", "reason"),
    [("http://127.0.0.1:9", "[Rr]efused|failed"), ("http://nosuch.invalid", r"\w+"), ("http://[::1]:9", r"\w+")],
)
def test_nothing_there_is_unreachable(open_it, endpoint, reason):
    """A refused connection or an unknown name is told with its reason."""
    with pytest.raises(
        UnreachableError, match=f"no connection for POST {endpoint[:12]}.*: .*({reason})".replace("[:", r"\[:")
    ):
        search(open_it(endpoint=endpoint))


def test_a_failed_handshake_is_unreachable_with_its_reason(service, open_it):
    """TLS against a server that speaks none is told as such."""
    with pytest.raises(UnreachableError, match=r"(?i)ssl"):
        search(open_it(endpoint=service.endpoint.replace("http:", "https:")))


def test_a_connection_that_breaks_off_is_transient(service, open_it):
    """A reply shorter than announced may be whole next time."""
    service.reply = Reply(b"{}", headers={"Content-Length": "100", "Connection": "close"})
    with pytest.raises(TransientError, match="broke off") as caught:
        search(open_it())
    assert not isinstance(caught.value, UnreachableError)


def test_headers_come_from_the_environment_and_are_shown_nowhere(service, open_it, monkeypatch, caplog):
    """The secret reaches the service, and neither a description, a message nor a log, even if it is echoed."""
    caplog.set_level(logging.INFO)
    caplog.set_level(logging.DEBUG, logger="ragstone")
    monkeypatch.setenv("RAG_TOKEN", SECRET)
    headers = {"Authorization": "Bearer ${RAG_TOKEN}", "X-Tenant": "acme"}
    system = open_it(headers=headers, fields={"text": "t"})
    search(system)
    assert service.asked[0]["headers"]["Authorization"] == f"Bearer {SECRET}"
    assert service.asked[0]["headers"]["X-Tenant"] == "acme"
    shown = [repr(system), repr(system._options), json.dumps(system.describe())]
    for reply in (
        Reply(SECRET.encode(), 401),
        Reply(b"x" * 195 + SECRET.encode(), 500),
        Reply(f"<{SECRET}>".encode()),
        says({"results": f"bad {SECRET}"}),
        says({"results": [{"id": "a", "t": [SECRET]}]}),
        Reply(b"", 302, {"Location": f"/{SECRET}"}),
    ):
        service.reply = reply
        with pytest.raises((BadResponseError, TransientError)) as caught:
            search(system)
        shown.append(f"{caught.value!r} {caught.value.__cause__!r}")
    assert not [text for text in [*shown, caplog.text] if SECRET[:4] in text]
    assert system.describe()["headers"] == ["Authorization", "X-Tenant"]


@pytest.mark.parametrize("value", [None, "", " x", "a\nb", "ü"])
def test_a_variable_that_cannot_be_sent_is_told_by_name(open_it, monkeypatch, value):
    """The message names the variable or the header, not the value."""
    monkeypatch.delenv("RAG_TOKEN", raising=False)
    if value is not None:
        monkeypatch.setenv("RAG_TOKEN", value)
    with pytest.raises(UsageError, match="RAG_TOKEN, which is not set" if value is None else "X-Key"):
        open_it(headers={"X-Key": "${RAG_TOKEN}"})


@pytest.mark.parametrize(
    ("reply", "scope"),
    [
        ({"mode": "on_with_fallback", "folders": ["a/b"]}, Scope(mode="on_with_fallback", folders=("a/b",))),
        ({"folders": []}, Scope(mode="on", folders=())),
        ({"mode": "off"}, Scope(mode="off")),
        ({}, None),
    ],
)
def test_a_reply_may_say_where_it_looked(service, open_it, reply, scope):
    """With the folders that were searched, scope_miss can be computed."""
    service.reply = says({"results": [], "debug": reply})
    assert search(open_it(scope_mode="debug.mode", scope_folders="debug.folders")).scope == scope


def test_folders_that_are_no_texts_are_refused(service, open_it):
    """The place and what is there are named."""
    service.reply = says({"results": [], "folders": [1]})
    with pytest.raises(BadResponseError, match=r"'folders' is \[1\]: it must be a list of texts"):
        search(open_it(scope_folders="folders"))


def test_passages_without_ids_stay_apart(service, open_it):
    """Two passages of one document are two hits, so that the second can be the right one."""
    service.reply = says({"results": [{"document": "a.md", "text": t} for t in "xyz"] + [{"document": "b.md"}]})
    assert [hit.id for hit in search(open_it()).hits] == ["a.md", "a.md#2", "a.md#3", "b.md"]


def test_describe_tells_what_is_asked_and_how(open_it, service):
    """Type, address, template and mapping."""
    told = open_it(path="/find", fields={"id": "pk"}, max_k=50, headers={"X-Tenant": "acme"}).describe()
    assert told == {
        "type": "http", "endpoint": service.endpoint, "path": "/find", "method": "POST",
        "request": {"query": "{query}", "top_k": "{k}"}, "results": "results", "fields": {"id": "pk"},
        "answer": None, "abstained": None, "scope_mode": None, "scope_folders": None, "verify": True, "max_k": 50,
        "headers": ["X-Tenant"],
    }  # fmt: skip


def test_health_is_asked_once_when_opened(service, open_it):
    """A healthy service is asked nothing else before the first search."""
    open_it(health="/readyz")
    assert [(one["method"], one["path"]) for one in service.asked] == [("GET", "/readyz")]


def test_a_sick_or_absent_service_is_unreachable(service, open_it):
    """Neither 503 nor a refused connection lets a run begin."""
    service.reply = Reply(b"", 503)
    with pytest.raises(UnreachableError, match=r"the health check GET .*/readyz says 503"):
        open_it(health="/readyz")
    with pytest.raises(UnreachableError, match=r"the health check GET .*refused"):
        open_it(endpoint="http://127.0.0.1:9", health="/readyz")


def test_a_health_check_that_cannot_be_sent_is_told(open_it, monkeypatch):
    """A proxy in the environment that no client can use is the user's to mend."""
    monkeypatch.setenv("ALL_PROXY", "nonsense://host")
    with pytest.raises(UsageError, match=r"cannot be sent: .*nonsense"):
        open_it(health="/readyz")
