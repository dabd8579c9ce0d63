"""The page on benchmark files, from the models that read them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Annotated, Any

from pydantic import AliasChoices, BaseModel, TypeAdapter, ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined

from ragstone.bootstrap import json_schema, system_options
from ragstone.experiments.benchmark import Benchmark, Matching, Matrix, Retry
from ragstone.experiments.configuration import Configuration
from ragstone.reports import FORMATS
from ragstone.systems.embedded.embedders import EMBEDDERS
from ragstone.systems.embedded.rerankers import RERANKERS
from reference_parts.tables import code, table

INTRODUCTION = """\
# Benchmark files

A benchmark file is one YAML document. Unknown keys, keys that stand twice and values of a wrong type are
refused, all of them at once, each with its line. `ragstone benchmark validate FILE` checks a file without
running it; [benchmark.schema.json](benchmark.schema.json) is the JSON Schema for editors, as
`ragstone benchmark schema` prints it.

Paths of datasets and corpora are relative to the folder of the benchmark file; a dataset that is not there is
looked for in the current folder. This holds too for paths that come from a file which the benchmark file extends.

A file that begins with `extends: other.yaml` is merged over that file: mappings key by key, everything else
is replaced. The other file may extend a third one.
"""


def page() -> str:
    """Return the page."""
    own = [name for name in Benchmark.model_fields if name not in Configuration.model_fields]
    parts = [
        INTRODUCTION.rstrip(),
        "## The benchmark",
        model_table(Benchmark, own),
        "## The configuration of a run",
        "These keys stand at the top of the file, where every run starts from them, and in a variant. " + _names(),
        model_table(Configuration),
        "## matrix",
        _doc(Matrix),
        model_table(Matrix),
        "## matching",
        _doc(Matching),
        model_table(Matching),
        "## retry",
        _doc(Retry),
        model_table(Retry),
    ]
    for name, options in system_options().items():
        parts += [f"## system: {name}", _doc(options), model_table(options)]
    return "\n\n".join(parts)


def _names() -> str:
    embedders, rerankers = ", ".join(map(code, EMBEDDERS)), ", ".join(map(code, RERANKERS))
    formats = ", ".join(map(code, FORMATS))
    return f"Embedders: {embedders}. Rerankers: {rerankers}. (Report formats, for `ragstone report`: {formats}.)"


def _doc(model: type[BaseModel]) -> str:
    return " ".join((model.__doc__ or "").split())


def model_table(model: type[BaseModel], names: list[str] | None = None) -> str:
    rows = (_row(model, name) for name in names or model.model_fields)
    return table(("key", "type", "default", "meaning"), rows)


def _row(model: type[BaseModel], name: str) -> tuple[str, str, str, str]:
    field = model.model_fields[name]
    properties = _properties(model)
    also = [alias for alias in _aliases(field) if alias != name]
    meaning = " ".join(
        filter(None, [field.description, f"Also written {', '.join(map(code, also))}." * bool(also)])
    )
    kind = _type(properties[_first(name, field)])
    return code(name), f"text or {kind}" if _takes_one(field) else kind, _default(field), meaning


@cache
def _properties(model: type[BaseModel]) -> Mapping[str, Any]:
    schema: Mapping[str, Any] = json_schema() if model is Benchmark else model.model_json_schema()
    return schema["properties"]


def _takes_one(field: FieldInfo) -> bool:
    """Say whether a list may be written as its only item."""
    if not str(field.annotation).startswith("list[str") or not field.metadata:
        return False
    try:
        TypeAdapter(Annotated[field.annotation, *field.metadata]).validate_python("one")
    except ValidationError:
        return False
    return True


def _aliases(field: FieldInfo) -> list[str]:
    choices = field.validation_alias
    return [str(one) for one in choices.choices] if isinstance(choices, AliasChoices) else []


def _first(name: str, field: FieldInfo) -> str:
    return (_aliases(field) or [name])[0]


def _default(field: FieldInfo) -> str:
    if field.is_required():
        return "required"
    value = (
        field.default if field.default is not PydanticUndefined else field.get_default(call_default_factory=True)
    )
    if isinstance(value, BaseModel):
        return "its own defaults"
    return code(json.dumps(value))


def _type(schema: Mapping[str, Any]) -> str:
    """Return a schema in words."""
    if "$ref" in schema:
        return f"[mapping](#{schema['$ref'].rsplit('/', 1)[-1].lower()})" if _is_own(schema) else "any value"
    if "oneOf" in schema:
        return "mapping, see " + ", ".join(f"[{name}](#system-{name})" for name in system_options())
    if "anyOf" in schema:
        return " or ".join(_type(one) for one in schema["anyOf"] if one != {"type": "null"})
    if "enum" in schema or "const" in schema:
        return ", ".join(code(one) for one in schema.get("enum", [schema.get("const")]))
    return _plain(schema)


def _is_own(schema: Mapping[str, Any]) -> bool:
    return str(schema["$ref"]).endswith(("Matrix", "Matching", "Retry"))


def _plain(schema: Mapping[str, Any]) -> str:
    kind = schema.get("type")
    if kind == "array":
        items = schema.get("items", {})
        return f"list of {_type(items)}" + (" or null" if {"type": "null"} in items.get("anyOf", ()) else "")
    if kind == "object":
        inner = schema.get("additionalProperties")
        return f"mapping to {_type(inner)}" if isinstance(inner, Mapping) and inner else "mapping"
    words = {"string": "text", "integer": "whole number", "number": "number", "boolean": "true or false"}
    return " ".join([words.get(str(kind), "any value"), *_bounds(schema)])


def _bounds(schema: Mapping[str, Any]) -> Iterator[str]:
    low, high, above = (schema.get(key) for key in ("minimum", "maximum", "exclusiveMinimum"))
    if low is not None and high is not None:
        yield f"from {low:g} to {high:g}"
    elif low is not None:
        yield f"of at least {low:g}"
    elif above is not None:
        yield f"above {above:g}"
