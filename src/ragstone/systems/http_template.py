"""The template of an HTTP request: where the query, k and the settings of the run go."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from ragstone.errors import did_you_mean, known_names
from ragstone.experiments.configuration import Configuration
from ragstone.types import JSON

PLACEHOLDERS = ("query", "k", *Configuration.model_fields)
_PLACEHOLDER = re.compile(r"\{(\w+)\}")


def check_template(template: JSON) -> None:
    """Refuse a template that would not send what its author means.

    Raises:
        ValueError: It names a setting that does not exist, has a placeholder within a longer text, or leaves out
            the query.
    """
    texts = list(_texts(template))
    for text in texts:
        if name := _placeholder(text):
            if name not in PLACEHOLDERS:
                raise ValueError(f"unknown placeholder {text!r}{did_you_mean(name, PLACEHOLDERS)}{_known()}")
        elif any(name in PLACEHOLDERS for name in _PLACEHOLDER.findall(text)):
            raise ValueError(f"{text!r} has a placeholder within a text; it must be the whole value")
    if "{query}" not in texts:
        raise ValueError('no value is "{query}", so every question would send the same')


def filled(template: Mapping[str, JSON], values: Mapping[str, JSON]) -> dict[str, JSON]:
    """Return the template with each placeholder replaced by its value, of whatever type.

    A key or item whose placeholder has the value None is left out: services refuse a null more often than not.
    """
    return {key: _filled(item, values) for key, item in template.items() if _has_value(item, values)}


def _filled(template: JSON, values: Mapping[str, JSON]) -> JSON:
    if isinstance(template, str):
        name = _placeholder(template)
        return template if name is None else values[name]
    if isinstance(template, Mapping):
        return filled(template, values)
    if isinstance(template, (list, tuple)):
        return [_filled(item, values) for item in template if _has_value(item, values)]
    return template


def _has_value(item: JSON, values: Mapping[str, JSON]) -> bool:
    name = _placeholder(item) if isinstance(item, str) else None
    return name is None or values[name] is not None


def _placeholder(text: str) -> str | None:
    found = _PLACEHOLDER.fullmatch(text)
    return found[1] if found else None


def _texts(template: JSON) -> Iterator[str]:
    if isinstance(template, str):
        yield template
    elif isinstance(template, Mapping):
        for item in template.values():
            yield from _texts(item)
    elif isinstance(template, (list, tuple)):
        for item in template:
            yield from _texts(item)


def _known() -> str:
    return known_names([f"{{{name}}}" for name in PLACEHOLDERS])
