"""Reads hits out of a JSON reply, by the places where its author keeps them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from ragstone.errors import BadResponseError, InvalidInputError
from ragstone.files import parse_json, shown
from ragstone.systems.replies import to_response
from ragstone.types import Response, Scope

HitField = Literal["id", "document", "score", "text", "page", "heading"]

_STEP = r"[^.\[\]]+"
_PATH = re.compile(rf"(?:{_STEP}|\[\d+\])(?:\.{_STEP}|\[\d+\])*")
_MOST_KEYS = 25
# Where a field of a hit is looked for when the benchmark does not say.
_USUAL: Mapping[HitField, tuple[str, ...]] = {
    "id": ("id", "chunk_id"),
    "document": ("document",),
    "score": ("score",),
    "text": ("text",),
    "page": ("page", "page_number"),
    "heading": ("heading", "heading_path", "section"),
}


@dataclass(frozen=True, slots=True)
class Places:
    """Where things stand in a reply, as dotted paths such as ``data.hits[0].name``; an empty one is the whole.

    Attributes:
        results: The list of hits, best first.
        fields: The fields of a hit within one result, where they have other than the usual names.
        answer: The generated answer.
        abstained: Whether the system says that it has no answer.
        scope_mode: How the search was scoped.
        scope_folders: The folders that were searched.
    """

    results: str = "results"
    fields: Mapping[HitField, str] = field(default_factory=dict)
    answer: str | None = None
    abstained: str | None = None
    scope_mode: str | None = None
    scope_folders: str | None = None


def checked_path(path: str) -> str:
    """Return the path; raises `ValueError` where it is none."""
    if path and not _PATH.fullmatch(path):
        raise ValueError(f"{path!r} is no path into a reply: write a.b[0].c, or nothing for the whole")
    return path


def read_json(body: bytes) -> Any:  # noqa: ANN401 - JSON is any value
    """Parse a reply strictly: UTF-8, no NaN, no key twice.

    Raises:
        BadResponseError: It is something else; the message says what and where.
    """
    try:
        return parse_json(body.decode("utf-8-sig"), "the reply")
    except UnicodeDecodeError as error:
        raise BadResponseError(f"the reply is not UTF-8: {error.reason} at byte {error.start}") from None
    except InvalidInputError as error:
        raise BadResponseError(str(error)) from None


def read_reply(reply: object, places: Places, k: int) -> Response:
    """Return the hits of a reply, at most `k`, with its answer where there is one.

    Raises:
        BadResponseError: Something is missing or of the wrong type; the message names its place and what is there.
    """
    results = _required(reply, places.results, "the reply")
    if not isinstance(results, list):
        raise BadResponseError(f"{_name(places.results)} is {shown(results)}: it must be a list of results")
    response = to_response([_hit(one, places.fields, f"hit {n}") for n, one in enumerate(results)], k)
    return replace(
        response,
        answer=_typed(reply, places.answer, str),
        abstained=_typed(reply, places.abstained, bool),
        scope=_scope(reply, places),
    )


def _scope(reply: object, places: Places) -> Scope | None:
    """Return where the search looked; a list of folders without a mode means that it was scoped."""
    mode = _typed(reply, places.scope_mode, str)
    folders = _typed(reply, places.scope_folders, list)
    if folders is not None and not all(isinstance(one, str) for one in folders):
        name = _name(str(places.scope_folders))
        raise BadResponseError(f"{name} is {shown(folders)}: it must be a list of texts")
    if mode is None and folders is None:
        return None
    return Scope(mode=mode or "on", folders=None if folders is None else tuple(folders))


def _hit(result: object, fields: Mapping[HitField, str], where: str) -> object:
    """Return a result with its fields under the names that `to_response` knows."""
    if not isinstance(result, dict) and not fields:
        return result  # an id alone, or a pair of id and score
    hit = {name: _unmapped(result, name) for name in _USUAL if name not in fields}
    for name, path in fields.items():
        # Without the id or the document that was named, every hit would count as a miss.
        find = _required if name in ("id", "document") else _optional
        hit[name] = find(result, path, where)
    hit |= {name: str(hit[name]) for name in ("id", "document") if type(hit[name]) is int}
    if not hit["id"] and not hit["document"]:
        raise BadResponseError(
            f"{where} has neither id nor document: say in `fields` where they are; {_inventory(result)}"
        )
    return hit


def _unmapped(result: Any, name: HitField) -> object:  # noqa: ANN401 - any JSON
    for key in _USUAL[name] if isinstance(result, dict) else ():
        value = result.get(key)
        # rust-local-rag says page 0 where a text has no pages.
        if value is not None and not (key == "page_number" and value == 0):
            return value
    return None


def _required(value: object, path: str, where: str) -> object:
    try:
        return _at(value, path)
    except LookupError as error:
        raise BadResponseError(f"{where} has no {path!r}: {error}") from None


def _optional(value: object, path: str, where: str) -> object:  # noqa: ARG001 - takes what _required takes
    try:
        return _at(value, path)
    except LookupError:
        return None


def _typed(reply: object, path: str | None, wanted: type[Any]) -> Any:  # noqa: ANN401 - as wanted
    value = None if path is None else _optional(reply, path, "the reply")
    if value is not None and not isinstance(value, wanted):
        raise BadResponseError(
            f"{_name(str(path))} is {shown(value)} of type {type(value).__name__}, not {wanted.__name__}"
        )
    return value


def _at(value: Any, path: str) -> object:  # noqa: ANN401 - any JSON
    for step in _steps(path):
        holds = isinstance(value, dict) if isinstance(step, str) else isinstance(value, list)
        if not holds or (step >= len(value) if isinstance(step, int) else step not in value):
            raise LookupError(f"at {step!r} {_inventory(value)}")
        value = value[step]
    return value


def _steps(path: str) -> Iterator[str | int]:
    for index, name in re.findall(rf"\[(\d+)\]|({_STEP})", path):
        yield name or int(index)


def _name(path: str) -> str:
    return f"the reply's {path!r}" if path else "the reply"


def _inventory(value: object) -> str:
    """Say what is there instead."""
    if not isinstance(value, dict):
        what = f"a list of {len(value)}" if isinstance(value, list) else shown(value)
        return f"there is {what}"
    keys = ", ".join(map(repr, list(value)[:_MOST_KEYS]))
    return f"there are the keys {keys or '(none)'}{' and more' if len(value) > _MOST_KEYS else ''}"
