"""The options of the HTTP system: what cannot work is refused before anything is asked."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

pytest.importorskip("httpx2")

from tests.http_service import SECRET, options

from ragstone.errors import MissingExtraError, UsageError
from ragstone.experiments.configuration import Configuration
from ragstone.systems import http as http_module
from ragstone.systems.http import check_http, open_http


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"endpoint": "ftp://host"}, "no address of the form http"),
        ({"endpoint": "file:///etc/passwd"}, "no address of the form http"),
        ({"endpoint": "localhost:80"}, "no address of the form http"),
        ({"endpoint": "http://"}, "no address of the form http"),
        ({"endpoint": "http://a b"}, "no address of the form http"),
        ({"endpoint": "http://host:0"}, "no address of the form http"),
        ({"endpoint": "http://host:65536"}, "Port out of range"),
        ({"endpoint": "http://[::1"}, "Invalid IPv6"),
        ({"endpoint": "http://host?key=1"}, "'http://host' goes on with a query"),
        ({"path": "search"}, "no path"),
        ({"path": "/a b"}, "no path"),
        ({"path": "/a#b"}, "no path"),
        ({"health": "ready"}, "no path"),
        ({"method": "PUT"}, "POST"),
        ({"request": {"query": "q"}}, "every question would send the same"),
        ({"request": {"q": "{query}", "m": "{serch_mode}"}}, r"'\{serch_mode\}' \(did you mean 'search_mode'\?\)"),
        ({"request": {"q": "find {query}"}}, "placeholder within a text"),
        ({"method": "GET", "request": {"q": ["{query}"], "o": {"a": 1}}}, "with the method GET"),
        ({"method": "GET", "request": {"q": "{query}", "o": [[1]]}}, "with the method GET"),
        ({"results": "a..b"}, "no path into a reply"),
        ({"fields": {"id": "a[x]"}}, "no path into a reply"),
        ({"fields": {"name": "a"}}, "name"),
        ({"headers": {"bad name": "x"}}, "no name of a header"),
        ({"headers": {"X-Tenant": "a\r\nHost: b"}}, "characters that a header cannot hold"),
        ({"headers": {"X-Api-Key": "k"}}, "would be kept with the results"),
        ({"rag_endpoint": "http://host"}, "Extra inputs"),
    ],
)  # fmt: skip
def test_options_that_cannot_work_are_refused(given, message):
    """The benchmark file is refused before anything runs."""
    with pytest.raises(ValidationError, match=message):
        options(**given)


def test_a_password_in_the_endpoint_is_refused_and_not_shown():
    """It would be kept with the results; the way out is a header."""
    with pytest.raises(ValidationError, match="send them as a header") as caught:
        options(endpoint=f"http://me:{SECRET}@host")
    assert SECRET not in caught.value.errors()[0]["msg"]


def test_the_declared_bound_is_checked(tmp_path):
    """A service that returns at most 8 hits cannot be measured at 20."""
    check_http(options(max_k=20), Configuration(top_k=20), tmp_path)
    with pytest.raises(UsageError, match=r"top_k 20 is above system.max_k 8"):
        check_http(options(max_k=8), Configuration(top_k=20), tmp_path)


def test_an_address_that_cannot_be_is_refused(tmp_path):
    """What only the client can tell is told before anything runs, too."""
    with pytest.raises(UsageError, match="is no address"):
        check_http(options(endpoint="http://☃.com"), Configuration(), tmp_path)


def test_a_missing_package_names_its_extra(tmp_path, monkeypatch):
    """The check and the opening say what to install."""
    monkeypatch.setattr(http_module, "find_spec", lambda name: None)
    for work in (check_http, open_http):
        with pytest.raises(MissingExtraError, match=r"system 'http' needs .*ragstone\[http\]"):
            work(options(), Configuration(), tmp_path)
