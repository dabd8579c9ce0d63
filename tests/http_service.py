"""A small real HTTP service for tests, which replies as it is told and remembers what it was asked."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from urllib.parse import parse_qs, urlsplit

import pytest

pytest.importorskip("httpx2")

from ragstone.systems.http import HttpOptions

SEED = {
    "results": [
        {"text": "t", "score": 0.9, "document": "book.pdf", "chunk_id": "c1", "chunk_index": 4,
         "page_number": 12, "section": "Options > Greeks"},
        {"text": "u", "score": 0.5, "document": "notes.txt", "chunk_id": "c2", "page_number": 0, "section": None},
    ]
}  # fmt: skip
SECRET = "s3cr3t-t0k3n"  # noqa: S105 - of no service


@dataclass
class Reply:
    """What the server says next."""

    body: bytes
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    seconds: float = 0.0


@dataclass
class Service:
    """A real server on this machine that notes what it is asked."""

    endpoint: str = ""
    reply: Reply | Callable[[dict], Reply] = field(default_factory=lambda: says(SEED))
    asked: list[dict] = field(default_factory=list)
    connections: set[object] = field(default_factory=set)
    left: threading.Event = field(default_factory=threading.Event)


def says(value: object, **more: object) -> Reply:
    return Reply(json.dumps(value).encode(), **more)


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    service: Service

    def do_POST(self) -> None:
        service = self.service
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        url = urlsplit(self.path)
        asked = {"method": self.command, "path": url.path, "parameters": parse_qs(url.query)}
        asked |= {"headers": dict(self.headers), "body": json.loads(body) if body else None}
        service.asked.append(asked)
        service.connections.add(self.client_address)
        reply = service.reply(asked) if callable(service.reply) else service.reply
        self._wait(reply.seconds)
        self.send_response(reply.status)
        for name, value in {"Content-Length": str(len(reply.body)), **reply.headers}.items():
            self.send_header(name, value)
        self.end_headers()
        try:
            self.wfile.write(reply.body)
        except ConnectionError:
            service.left.set()

    do_GET = do_POST  # noqa: N815 - http.server's name

    def _wait(self, seconds: float) -> None:
        """Wait, or until the other side closes its connection."""
        if seconds:
            self.connection.settimeout(seconds)
            try:
                if self.connection.recv(1) == b"":
                    self.service.left.set()
            except TimeoutError:
                pass
            self.connection.settimeout(None)

    def log_message(self, *_: object) -> None:
        pass


async def closing(system, query="q", k=5):
    try:
        return await system.search(query, k)
    finally:
        await system.close()


def search(system, query="q", k=5):
    return asyncio.run(closing(system, query, k))


def options(**given):
    return HttpOptions(**{"type": "http", "endpoint": "http://localhost:1", **given})
