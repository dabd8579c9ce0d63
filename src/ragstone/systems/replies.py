"""Turns what a foreign search returns into a `Response`."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from numbers import Integral, Real
from typing import Any

from pydantic import TypeAdapter, ValidationError

from ragstone.errors import BadResponseError
from ragstone.matching.normalise import heading_path
from ragstone.types import Hit, Response

_SHOWN = 200
_RESPONSE = TypeAdapter(Response)
_FORMS = (
    "a hit is a ragstone Hit, a document id, an (id, score) pair, or a mapping with id or chunk_id, document, "
    "score, text, page or page_number, heading or heading_path"
)


def to_response(reply: object, k: int) -> Response:
    """Read a reply as a response of at most `k` hits.

    A reply is a `Response`, or an iterable of hits, best first. A hit is one of

    * a `Hit`;
    * a string: a document's id, which is also taken as the hit's id;
    * a pair (id, score): the same with a score;
    * a mapping with ``id`` or ``chunk_id`` and the optional keys ``document`` (default: the id), ``score``,
      ``text``, ``page`` or ``page_number``, ``heading`` or ``heading_path`` (a list, or one string joined by
      ``>``). With ``document`` alone, that is also the id, followed by ``#2`` and so on for further hits of the
      document, since each is a passage of its own. Other keys are ignored.

    A score is a finite number or None. Hits beyond the k-th are cut off, which is noted in `Response.degraded`.

    Raises:
        BadResponseError: The reply or one of its hits has another shape; the message shows it and its position.
    """
    if isinstance(reply, Response):
        return _cut(_checked_response(reply), k)
    if isinstance(reply, (str, bytes, Mapping)) or not isinstance(reply, Iterable):
        raise _refusal(reply, "the reply", f"return a ragstone Response or a list of hits; {_FORMS}")
    return _cut(Response(hits=tuple(_hits(reply))), k)


def _hits(reply: Iterable[object]) -> Iterator[Hit]:
    """Yield the hits; those of one document without ids of their own are told apart by a number."""
    nameless: Counter[str] = Counter()
    for n, value in enumerate(reply):
        hit = _hit(value, f"hit {n}")
        if isinstance(value, Mapping) and _either(value, "id", "chunk_id") in (None, ""):
            nameless[hit.document] += 1
            many = nameless[hit.document]
            hit = hit if many == 1 else replace(hit, id=f"{hit.document}#{many}")
        yield hit


def _checked_response(reply: Response) -> Response:
    """Return the response as it will be stored and read again; what does not survive that is refused."""
    hits = tuple(_checked(hit, f"hits[{n}]") for n, hit in enumerate(reply.hits))
    try:
        text = _RESPONSE.dump_json(replace(reply, hits=hits), warnings=False)
        return _RESPONSE.validate_json(text)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(map(str, first["loc"]))
        raise _refusal(first["input"], f"the response's {where}", first["msg"]) from None
    except (ValueError, TypeError) as error:
        raise BadResponseError(f"the response cannot be stored: {error}") from None


def _cut(response: Response, k: int) -> Response:
    n = len(response.hits)
    if n <= k:
        return response
    note = f"returned {n} hits where {k} were asked"
    return replace(response, hits=response.hits[:k], degraded=(*response.degraded, note))


def _hit(value: object, where: str) -> Hit:
    match value:
        case Hit():
            return _checked(value, where)
        case str():
            return Hit(id=_text(value, where), document=value)
        case [str() as name, score]:
            return Hit(id=_text(name, where), document=name, score=_score(score, where))
        case Mapping():
            return _from_mapping(value, where)
        case _:
            raise _refusal(value, where, _FORMS)


def _checked(hit: object, where: str) -> Hit:
    if not isinstance(hit, Hit):
        raise _refusal(hit, where, "the hits of a Response are ragstone Hits")
    _score(hit.score, where)
    _text(hit.id, f"{where}, id")
    _text(hit.document, f"{where}, document")
    _text(hit.text, f"{where}, text")
    return hit


def _from_mapping(value: Mapping[Any, Any], where: str) -> Hit:
    document = _text(value.get("document"), f"{where}, document")
    name = _text(_either(value, "id", "chunk_id"), f"{where}, id") or document
    if not name:
        raise _refusal(value, where, "it has neither id, chunk_id nor document")
    return Hit(
        id=name,
        document=document or name,
        score=_score(value.get("score"), where),
        text=_text(value.get("text"), f"{where}, text"),
        page=_page(_either(value, "page", "page_number"), f"{where}, page"),
        heading=_heading(_either(value, "heading", "heading_path"), f"{where}, heading"),
    )


def _either(value: Mapping[Any, Any], first: str, second: str) -> object:
    found = value.get(first)
    return value.get(second) if found is None else found


def _score(value: object, where: str) -> float | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, Real):
        raise _refusal(value, f"{where}, score", "a score is a number or None")
    score = float(value)
    if not math.isfinite(score):
        raise _refusal(value, f"{where}, score", "a score is finite; leave it out where there is none")
    return score


def _text(value: object, where: str) -> str:
    if value is None:
        return ""
    if not isinstance(value, str):
        raise _refusal(value, where, "this must be a string")
    try:
        value.encode()
    except UnicodeEncodeError as error:
        raise _refusal(value, where, f"this is no text: {error.reason}") from None
    return value


def _page(value: object, where: str) -> int | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, Integral) or value < 1:
        raise _refusal(value, where, "a page is a whole number, counted from 1")
    return int(value)


def _heading(value: object, where: str) -> tuple[str, ...]:
    if value is None:
        return ()
    if isinstance(value, str):
        return heading_path([value])
    if not isinstance(value, (list, tuple)) or not all(isinstance(part, str) for part in value):
        raise _refusal(value, where, "a heading is a list of strings, or one string joined by '>'")
    return tuple(value)


def _refusal(value: object, where: str, expected: str) -> BadResponseError:
    shown = repr(value)
    shown = shown if len(shown) <= _SHOWN else f"{shown[:_SHOWN]}..."
    return BadResponseError(f"{where} is {shown} of type {type(value).__name__}: {expected}")
