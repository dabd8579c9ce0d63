"""Data words as JSON text and back, checked on the way in."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, TypeVar

from pydantic import TypeAdapter, ValidationError

from ragstone.errors import StoreError
from ragstone.types import Dataset, Hit, Response, RunSpec, Validity

T = TypeVar("T")

_DATASET = TypeAdapter(Dataset)
_RESPONSE = TypeAdapter(Response)
_HIT = TypeAdapter(Hit)
_SPEC = TypeAdapter(RunSpec)
_VALIDITY = TypeAdapter(Validity)


def dump_dataset(dataset: Dataset) -> str:
    """Write a dataset, fields at their defaults left out."""
    return _dump(_DATASET, dataset)


def load_dataset(text: str) -> Dataset:
    """Read what `dump_dataset` wrote."""
    return _load(_DATASET, text, "dataset")


def dump_response(response: Response) -> str:
    """Write a response without its candidates, fields at their defaults left out."""
    return _dump(_RESPONSE, replace(response, candidates=()))


def load_response(text: str, passages: Mapping[str, Hit]) -> Response:
    """Read what `dump_response` wrote, its candidates taken from the passages of the run."""
    response = _load(_RESPONSE, text, "response")
    known = {hit.id for hit in response.hits}
    named = dict.fromkeys(name for stage in response.stages for name in stage.ids if name not in known)
    return replace(response, candidates=tuple(passages[name] for name in named if name in passages))


def dump_passage(passage: Hit) -> str:
    """Write a passage, fields at their defaults left out."""
    return _dump(_HIT, passage)


def load_passage(text: str) -> Hit:
    """Read what `dump_passage` wrote."""
    return _load(_HIT, text, "passage")


def dump_spec(spec: RunSpec) -> str:
    """Write a run's specification."""
    return _SPEC.dump_json(spec).decode()


def load_spec(text: str) -> RunSpec:
    """Read what `dump_spec` wrote."""
    return _load(_SPEC, text, "run specification")


def dump_validity(validity: Validity) -> str:
    """Write which golds are in a corpus."""
    return _dump(_VALIDITY, validity)


def load_validity(text: str) -> Validity:
    """Read what `dump_validity` wrote."""
    return _load(_VALIDITY, text, "validity of golds")


def dump_object(value: Mapping[str, Any]) -> str:
    """Write plain JSON data."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def load_object(text: str) -> dict[str, Any]:
    """Read plain JSON data."""
    found: dict[str, Any] = json.loads(text)
    return found


def _dump(adapter: TypeAdapter[T], value: T) -> str:
    return adapter.dump_json(value, exclude_defaults=True).decode()


def _load(adapter: TypeAdapter[T], text: str, kind: str) -> T:
    try:
        return adapter.validate_json(text)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(map(str, first["loc"]))
        raise StoreError(f"a stored {kind} cannot be read: {where}: {first['msg']}") from None
