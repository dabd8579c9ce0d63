"""Reading a benchmark file with what it extends, every key under its one name."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from pydantic import AliasChoices

from ragstone.errors import InvalidInputError, Problem
from ragstone.experiments.benchmark import Benchmark
from ragstone.files import Pointer, YamlFile, format_pointer, load_yaml, shown

MAX_EXTENDS = 10
# Keys that may stand at the top for what is within a section.
FLAT_KEYS: dict[str, Pointer] = {
    "connection_mode": ("system", "type"),
    "rag_endpoint": ("system", "endpoint"),
    "page_tolerance": ("matching", "page_tolerance"),
}
_ALIASES = {
    str(choice): name
    for name, field in Benchmark.model_fields.items()
    if isinstance(field.validation_alias, AliasChoices)
    for choice in field.validation_alias.choices
}


def read_extended(path: Path, _chain: tuple[Path, ...] = ()) -> YamlFile:
    """Load a YAML file and merge it over the file that its `extends` names.

    Mappings are merged key by key; everything else is replaced. `extends` is relative to the file it stands in.
    """
    document = canonical(load_yaml(path))
    parent_name = document.value.get("extends") if isinstance(document.value, dict) else None
    if parent_name is None:
        return document
    if not isinstance(parent_name, str):
        message = f"must name one file, got {shown(parent_name)}"
        raise InvalidInputError([document.problem(message, ("extends",))])
    chain = (*_chain, path.resolve())
    parent_path = path.parent / parent_name
    if parent_path.resolve() in chain or len(chain) > MAX_EXTENDS:
        loop = " -> ".join(file.name for file in (*chain, parent_path))
        raise InvalidInputError([document.problem(f"files extend each other: {loop}", ("extends",))])
    if not parent_path.is_file():
        message = f"there is no file {parent_name!r} in {path.parent.resolve()}"
        raise InvalidInputError([document.problem(message, ("extends",))])
    return _merged(read_extended(parent_path, chain), document)


def _merged(parent: YamlFile, child: YamlFile) -> YamlFile:
    if not isinstance(parent.value, dict):
        return parent
    own = {key: value for key, value in child.value.items() if key != "extends"}
    places = dict(parent.places)
    value = _overlay(_moved(parent, Path(child.source).parent), own, (), places)
    places.update(child.places)
    return YamlFile(child.source, value, places)


def _moved(parent: YamlFile, folder: Path) -> dict[str, Any]:
    """Return the parent's content with the relative paths of its data as seen from another folder."""
    home = Path(parent.source).parent
    content: dict[str, Any] = dict(parent.value)
    elsewhere = home.resolve() != folder.resolve()
    if elsewhere and isinstance(content.get("catalogue"), str):
        content["catalogue"] = os.path.relpath(home / content["catalogue"], folder)
    if elsewhere and isinstance(content.get("dataset"), str):
        content["dataset"] = [content["dataset"]]
    if elsewhere and isinstance(content.get("dataset"), list):
        content["dataset"] = [os.path.relpath(home / str(name), folder) for name in content["dataset"]]
    return content


def _overlay(base: Any, over: Any, pointer: Pointer, places: dict[Pointer, Any]) -> Any:  # noqa: ANN401 - any YAML
    if isinstance(base, dict) and isinstance(over, dict):
        merged = dict(base)
        for key, value in over.items():
            merged[key] = _overlay(base[key], value, (*pointer, key), places) if key in base else value
        return merged
    # What is replaced takes its places with it, or a shorter list would leave lines of the longer one.
    for place in [place for place in places if place[: len(pointer)] == pointer]:
        del places[place]
    return over


def canonical(document: YamlFile) -> YamlFile:
    """Return the document with every key under its one name, so that files that extend each other meet.

    Aliases become the names that they stand for, and the flat keys `connection_mode`, `rag_endpoint` and
    `page_tolerance` what they are within `system` and `matching`.

    Raises:
        InvalidInputError: A thing stands in it under two names.
    """
    if not isinstance(document.value, dict):
        return document
    places = dict(document.places)
    content: dict[str, Any] = {}
    given: dict[Pointer, str] = {}
    problems: list[Problem] = []
    # Sections come before the flat keys that go into them.
    order = list(FLAT_KEYS)
    entries = sorted(document.value.items(), key=lambda item: order.index(item[0]) if item[0] in order else -1)
    for key, value in entries:
        target: Pointer = FLAT_KEYS.get(key, (_ALIASES.get(key, str(key)),))
        if _has(content, target):
            other = given.get(target, format_pointer(target))
            problems.append(document.problem(f"{key} and {other} say the same thing; keep one", (key,)))
            continue
        given[target] = key
        content = _with(content, target, value)
        _move(places, (key,), target)
    if problems:
        raise InvalidInputError(problems)
    return replace(document, value=content, places=places)


def _has(content: Any, target: Pointer) -> bool:  # noqa: ANN401 - any YAML
    """Say whether there is something at a place, or something that is no section above it."""
    for key in target:
        if not isinstance(content, dict):
            return True
        if key not in content:
            return False
        content = content[key]
    return True


def _with(content: Mapping[str, Any], target: Pointer, value: object) -> dict[str, Any]:
    first, *rest = target
    inner = value if not rest else _with(content.get(str(first), {}), tuple(rest), value)
    return {**content, str(first): inner}


def _move(places: dict[Pointer, tuple[str, int]], old: Pointer, new: Pointer) -> None:
    """Let the places below one pointer be those below another; sections in between stand where they began."""
    if old == new:
        return
    for place in [place for place in places if place[: len(old)] == old]:
        places[(*new, *place[len(old) :])] = places.pop(place)
    for depth in range(1, len(new)):
        places.setdefault(new[:depth], places.get(new, ("", 0)))
