"""Exchanges with one HTTP address: a pooled client, bounded replies, and failures as exceptions of Ragstone.

The only module that imports httpx2; it is imported when a system is opened.
"""

from __future__ import annotations

import ssl
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, Literal

import httpx2

from ragstone.errors import (
    BadResponseError,
    SystemUnderTestError,
    TransientError,
    UnreachableError,
    UsageError,
)
from ragstone.types import JSON

MAY_PASS = (408, 425, 429, 500, 502, 503, 504)
HEALTH_SECONDS = 10
_SHOWN = 200
_MAX_ERROR_BYTES = 65_536
# The runner bounds how many questions are asked at a time and how long each may take.
_UNLIMITED = httpx2.Limits(max_connections=None, max_keepalive_connections=None)


def address(endpoint: str, path: str) -> httpx2.URL:
    """Join an endpoint and a path.

    Raises:
        UsageError: They make no address.
    """
    try:
        return httpx2.URL(endpoint.rstrip("/") + path)
    except httpx2.InvalidURL as error:
        raise UsageError(f"endpoint {endpoint!r} with the path {path!r} is no address: {error}") from None


class Exchange:
    """Sends requests to one address; connections are kept and reused until `close`.

    Args:
        url: Where requests go; redirects are not followed.
        headers: Sent with every request.
        secrets: Texts that no message may contain.
        max_bytes: A longer reply, once unpacked, is refused.
        verify: Whether the server's certificate is checked.

    The client belongs to the event loop of the first request after opening or closing.
    """

    def __init__(
        self,
        url: httpx2.URL,
        *,
        method: Literal["POST", "GET"],
        headers: Mapping[str, str],
        secrets: Sequence[str],
        max_bytes: int,
        verify: bool,
    ) -> None:
        self._url = url
        self._method = method
        self._secrets = sorted(filter(None, secrets), key=len, reverse=True)
        self._max_bytes = max_bytes
        self._client: httpx2.AsyncClient | None = None
        self._settings: dict[str, Any] = {
            "headers": {"User-Agent": "ragstone", **headers},
            "verify": httpx2.create_ssl_context(verify=verify),  # slow: not left to the first search
            "follow_redirects": False,
        }

    async def send(self, content: Mapping[str, JSON]) -> bytes:
        """Send a JSON body, or query parameters with GET, and return the body of a reply that says success.

        Raises:
            UnreachableError: There is no connection.
            TransientError: The status or a broken connection may pass.
            BadResponseError: Any other status, or a reply that is too long or cannot be unpacked.
        """
        async with self._reply_to(content) as response:
            body = await _body(response, self._max_bytes if response.is_success else _MAX_ERROR_BYTES)
            if not response.is_success:
                raise self._refusal(response, body)
            if len(body) > self._max_bytes:
                message = f"{self._place} replied with more than max_response_bytes ({self._max_bytes:,})"
                raise BadResponseError(message)
            return body

    def knock(self, url: httpx2.URL) -> None:
        """Ask a health address once, blocking; raises `UnreachableError` unless it says that all is well."""
        try:
            with (
                httpx2.Client(timeout=HEALTH_SECONDS, **self._settings) as client,
                client.stream("GET", url) as reply,
            ):
                status = reply.status_code
        except httpx2.HTTPError as error:
            raise UnreachableError(f"the health check GET {url}: {self.printable(_reason(error))}") from None
        except (ImportError, ValueError) as error:  # a proxy in the environment that cannot be, or such a host
            raise UsageError(f"the health check GET {url} cannot be sent: {error}") from None
        if not httpx2.codes.is_success(status):
            raise UnreachableError(f"the health check GET {url} says {status}")

    async def close(self) -> None:
        """Close all connections."""
        client, self._client = self._client, None
        if client is not None:
            await client.aclose()

    def printable(self, text: str) -> str:
        """Return text as a message may show it: on one line, without control characters and secrets."""
        for secret in self._secrets:
            text = text.replace(secret, "***")
        return "".join(one if one.isprintable() else "\N{REPLACEMENT CHARACTER}" for one in " ".join(text.split()))

    def beginning(self, body: bytes) -> str:
        """Return the first characters of a reply, printable."""
        # Cut after secrets are hidden, lest half of one be left.
        return self.printable(body[:_MAX_ERROR_BYTES].decode("utf-8", "replace"))[:_SHOWN] or "(nothing)"

    @property
    def _place(self) -> str:
        return f"{self._method} {self._url.copy_with(query=None)}"

    @asynccontextmanager
    async def _reply_to(self, content: Mapping[str, JSON]) -> AsyncIterator[httpx2.Response]:
        if self._client is None:
            self._client = httpx2.AsyncClient(timeout=None, limits=_UNLIMITED, **self._settings)
        url, body = (self._url, content) if self._method == "POST" else (self._with(content), None)
        with self._told_as_ours():
            async with self._client.stream(self._method, url, json=body) as response:
                yield response

    def _with(self, content: Mapping[str, Any]) -> httpx2.URL:
        return self._url.copy_merge_params(content)

    @contextmanager
    def _told_as_ours(self) -> Iterator[None]:
        try:
            yield
        except (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.ProxyError) as error:
            raise UnreachableError(f"no connection for {self._place}: {self.printable(_reason(error))}") from None
        except httpx2.DecodingError as error:
            message = f"{self._place} replied with a body that cannot be unpacked: {self.printable(str(error))}"
            raise BadResponseError(message) from None
        except httpx2.HTTPError as error:
            reason = self.printable(str(error)) or type(error).__name__
            raise TransientError(f"{self._place} broke off: {reason}") from None

    def _refusal(self, response: httpx2.Response, body: bytes) -> SystemUnderTestError:
        status = response.status_code
        message = f"{self._place} says {status} {response.reason_phrase}".rstrip()
        if response.has_redirect_location:
            aim = self.printable(response.headers["Location"].partition("?")[0])[:_SHOWN]
            message += f", elsewhere is {aim} (redirects are not followed)"
        message += f": {self.beginning(body)}"
        if status not in MAY_PASS:
            return BadResponseError(message)
        asked = response.headers.get("Retry-After") if status in (429, 503) else None
        return TransientError(message, retry_after=seconds_asked(asked, datetime.now(UTC)))


def seconds_asked(value: str | None, now: datetime) -> float | None:
    """Read a Retry-After header: seconds, or the date when to come again; None where it says neither."""
    if value is None:
        return None
    if value.isascii() and value.isdigit():
        return float(value)
    try:
        when = parsedate_to_datetime(value)
    except ValueError:
        return None
    return max(0.0, (when.replace(tzinfo=when.tzinfo or UTC) - now).total_seconds())


async def _body(response: httpx2.Response, limit: int) -> bytes:
    """Read the body, and stop soon after `limit` bytes."""
    body = bytearray()
    async for part in response.aiter_bytes():
        body += part
        if len(body) > limit:
            break
    return bytes(body)


def _reason(error: BaseException) -> str:
    """Return what the operating system said, which the client's own error often hides."""
    deepest: BaseException = error
    while (inner := deepest.__cause__ or deepest.__context__) is not None:
        deepest = inner
    reason = deepest if isinstance(deepest, (OSError, ssl.SSLError)) else error
    return str(reason) or type(reason).__name__
