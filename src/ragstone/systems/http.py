"""A search service behind HTTP as the system under test."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from importlib.util import find_spec
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, Self
from urllib.parse import urlsplit

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, JsonValue, model_validator

from ragstone.errors import BadResponseError, MissingExtraError, UsageError
from ragstone.experiments.configuration import Configuration
from ragstone.ports import System
from ragstone.systems import SYSTEMS, Surroundings, SystemKind
from ragstone.systems.http_reply import HitField, Places, checked_path, read_json, read_reply
from ragstone.systems.http_template import check_template, filled
from ragstone.types import JSON, Response

if TYPE_CHECKING:
    from ragstone.systems.http_client import Exchange

MAX_RESPONSE_BYTES = 20 * 1024 * 1024
_VARIABLE = re.compile(r"\$\{([A-Za-z_]\w*)\}")
_HEADER = re.compile(r"[!#$%&'*+.^`|~\w-]+", re.ASCII)
_CREDENTIAL = re.compile("auth|cookie|key|password|secret|token", re.IGNORECASE)


def _http_address(endpoint: str) -> str:
    if "@" in endpoint:  # not shown: what stands before it may be a password
        raise ValueError("an endpoint has no user and password: send them as a header, from the environment")
    parts = urlsplit(endpoint)
    known = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0  # a port above 65535 raises
    if not known or not _is_one_word(endpoint):
        raise ValueError(f"{endpoint!r} is no address of the form http://host:port or https://host")
    if parts.query or parts.fragment:
        raise ValueError(
            f"{endpoint.partition('?')[0]!r} goes on with a query: name parameters in path or request"
        )
    return endpoint


def _http_path(path: str) -> str:
    if (path and not path.startswith("/")) or not _is_one_word(path) or "#" in path:
        raise ValueError(f"{path!r} is no path: it is empty or begins with /, and has no spaces and no #")
    return path


def _is_one_word(text: str) -> bool:
    return text.isprintable() and " " not in text


def _template(request: dict[str, JsonValue]) -> dict[str, JsonValue]:
    check_template(request)
    return request


def _headers(headers: dict[str, str]) -> dict[str, str]:
    for name, value in headers.items():
        if not _HEADER.fullmatch(name):
            raise ValueError(f"{name!r} is no name of a header")
        if _CREDENTIAL.search(name) and not _VARIABLE.search(value):
            raise ValueError(
                f"the value of {name} would be kept with the results and shown in reports: write ${{NAME}} and "
                "set the environment variable NAME"
            )
        _check_header(name, value)
    return headers


def _check_header(name: str, value: str) -> None:
    """Refuse what cannot be sent, without showing it."""
    if not value or value != value.strip() or not (value.isascii() and value.isprintable()):
        raise ValueError(
            f"the value of {name} is empty, or has outer spaces or characters that a header cannot hold"
        )


class HttpOptions(BaseModel):
    """A search service that is asked by HTTP and replies with JSON.

    A setting of the run reaches it only where `request` has its placeholder.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    type: Literal["http"] = Field(description="This kind of system.")
    endpoint: Annotated[str, AfterValidator(_http_address)] = Field(
        description="Address of the service, such as http://localhost:3046."
    )
    path: Annotated[str, AfterValidator(_http_path)] = Field(
        default="/search", description="What follows the endpoint in every search."
    )
    method: Literal["POST", "GET"] = Field(
        default="POST", description="POST sends the request as a JSON body, GET as query parameters."
    )
    request: Annotated[dict[str, JsonValue], AfterValidator(_template)] = Field(
        default={"query": "{query}", "top_k": "{k}"},
        description='What is sent. A value that is "{query}", "{k}" or a setting such as "{search_mode}" is '
        "replaced; a setting without a value is left out.",
    )
    results: Annotated[str, AfterValidator(checked_path)] = Field(
        default="results",
        description="Where the list of results is in the reply, such as data.hits[0].list; empty for a reply that "
        "is the list.",
    )
    fields: dict[HitField, Annotated[str, AfterValidator(checked_path)]] = Field(
        default_factory=dict,
        description="Where a result has id, document, score, text, page and heading, such as "
        "{document: meta.file}. By default: id or chunk_id, document, score, text, page or page_number, and "
        "heading, heading_path or section.",
    )
    answer: Annotated[str, AfterValidator(checked_path)] | None = Field(
        default=None, description="Where the generated answer is in the reply."
    )
    abstained: Annotated[str, AfterValidator(checked_path)] | None = Field(
        default=None, description="Where the reply says, as true or false, that the system has no answer."
    )
    scope_mode: Annotated[str, AfterValidator(checked_path)] | None = Field(
        default=None, description="Where the reply says how the search was scoped: off, on or on_with_fallback."
    )
    scope_folders: Annotated[str, AfterValidator(checked_path)] | None = Field(
        default=None, description="Where the reply lists the folders that were searched; for scope_miss."
    )
    headers: Annotated[dict[str, str], AfterValidator(_headers)] = Field(
        default_factory=dict,
        description="Headers of every request. ${NAME} stands for an environment variable, whose value is never "
        "kept or shown; credentials must be given so.",
    )
    max_response_bytes: int = Field(
        default=MAX_RESPONSE_BYTES, ge=1, description="A longer reply is refused as a bad response."
    )
    verify: bool = Field(default=True, description="Whether the certificate of an https endpoint is checked.")
    max_k: int | None = Field(
        default=None, ge=1, description="The most hits that the service returns; a larger top_k is refused."
    )
    health: Annotated[str, AfterValidator(_http_path)] | None = Field(
        default=None, description="A path that is asked once before the first search and must say 200."
    )

    @model_validator(mode="after")
    def _parameters_are_flat(self) -> Self:
        lists = [value if isinstance(value, list) else [value] for value in self.request.values()]
        if self.method == "GET" and any(isinstance(one, (dict, list, type(None))) for one in chain(*lists)):
            raise ValueError("with the method GET, a value of request is a text, a number, true, false or a list")
        return self

    @property
    def places(self) -> Places:
        """Where things stand in a reply."""
        return Places(self.results, self.fields, self.answer, self.abstained, self.scope_mode, self.scope_folders)


class HttpSystem:
    """A `System` that asks a service by HTTP.

    Args:
        options: Its section of the benchmark.
        settings: The settings of the run, by name.
        exchange: Sends requests to the service's address.
    """

    def __init__(self, options: HttpOptions, settings: Mapping[str, JSON], exchange: Exchange) -> None:
        self._options = options
        self._settings = settings
        self._exchange = exchange

    async def search(self, query: str, k: int) -> Response:
        """Send the filled template and read the reply; raises what `Exchange.send` and `read_reply` raise."""
        values = {**self._settings, "query": query, "k": k}
        body = await self._exchange.send(filled(self._options.request, values))
        try:
            return read_reply(read_json(body), self._options.places, k)
        except BadResponseError as error:
            message = self._exchange.printable(str(error))
            raise BadResponseError(f"{message}; the reply begins {self._exchange.beginning(body)}") from None

    def describe(self) -> Mapping[str, JSON]:
        """Say what is asked and how; of headers the names alone."""
        told = self._options.model_dump(mode="json", exclude={"headers", "max_response_bytes", "health"})
        return {**told, "headers": sorted(self._options.headers)}

    def passages(self) -> None:
        """Do not say: what a service could return is not known."""

    async def close(self) -> None:
        """Close the connections."""
        await self._exchange.close()


def open_http(options: HttpOptions, configuration: Configuration, surroundings: Surroundings) -> System:  # noqa: ARG001
    """Look up the headers, and ask for the service's health where the benchmark names an address for it.

    Raises:
        MissingExtraError: httpx2 is not installed.
        UsageError: An environment variable of a header is not set.
        UnreachableError: The service is not healthy.
    """
    _need_client()
    from ragstone.systems.http_client import Exchange, address  # noqa: PLC0415 - httpx2 is loaded where it is wanted

    secrets: list[str] = []
    exchange = Exchange(
        address(options.endpoint, options.path),
        method=options.method,
        headers={name: _looked_up(name, value, secrets) for name, value in options.headers.items()},
        secrets=secrets,
        max_bytes=options.max_response_bytes,
        verify=options.verify,
    )
    if options.health is not None:
        exchange.knock(address(options.endpoint, options.health))
    return HttpSystem(options, configuration.model_dump(mode="json"), exchange)


def check_http(options: HttpOptions, configuration: Configuration, base: Path) -> None:  # noqa: ARG001
    """Refuse what the service could not do; it is not asked.

    Raises:
        MissingExtraError: httpx2 is not installed.
        UsageError: The endpoint is no address, or top_k is above its `max_k`.
    """
    _need_client()
    from ragstone.systems.http_client import address  # noqa: PLC0415 - httpx2 is loaded where it is wanted

    for path in (options.path, options.health or ""):
        address(options.endpoint, path)
    if options.max_k is not None and configuration.top_k > options.max_k:
        raise UsageError(
            f"top_k {configuration.top_k} is above system.max_k {options.max_k}, the most that "
            f"{options.endpoint} returns; ask for fewer hits and drop metrics with a larger k"
        )


def _need_client() -> None:
    if find_spec("httpx2") is None:
        raise MissingExtraError("system 'http'", "http", "httpx2")


def _looked_up(name: str, value: str, secrets: list[str]) -> str:
    """Return a header's value with variables replaced; what they hold is added to `secrets`."""

    def look_up(found: re.Match[str]) -> str:
        variable = found[1]
        secret = os.environ.get(variable)
        if secret is None:
            raise UsageError(f"the header {name} needs the environment variable {variable}, which is not set")
        secrets.append(secret)
        return secret

    whole = _VARIABLE.sub(look_up, value)
    try:
        _check_header(f"{name} (from the environment)", whole)
    except ValueError as error:
        raise UsageError(str(error)) from None
    return whole


SYSTEMS.add("http")(SystemKind(HttpOptions, open_http, check_http))
