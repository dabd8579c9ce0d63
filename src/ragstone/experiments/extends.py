"""Reading a benchmark file with what it extends, and the flat spelling of its system."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

from ragstone.errors import InvalidInputError
from ragstone.files import Pointer, YamlFile, load_yaml, shown

MAX_EXTENDS = 10
DATASET_KEYS = ("dataset", "datasets", "ground_truth_path")
# The flat spelling of a system, and what each key is in the section.
SYSTEM_KEYS = {"connection_mode": "type", "rag_endpoint": "endpoint"}


def read_extended(path: Path, _chain: tuple[Path, ...] = ()) -> YamlFile:
    """Load a YAML file and merge it over the file that its `extends` names.

    Mappings are merged key by key; everything else is replaced. `extends` is relative to the file it stands in.
    """
    document = load_yaml(path)
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
    for key in DATASET_KEYS if elsewhere else ():
        if isinstance(content.get(key), str):
            content[key] = [content[key]]
        if isinstance(content.get(key), list):
            content[key] = [os.path.relpath(home / str(name), folder) for name in content[key]]
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


def with_system(document: YamlFile) -> YamlFile:
    """Return the document with `rag_endpoint` and `connection_mode` (http where not given) as its `system`.

    Raises:
        InvalidInputError: There is a `system` too.
    """
    content = document.value
    if not isinstance(content, dict) or SYSTEM_KEYS.keys().isdisjoint(content):
        return document
    flat = [key for key in SYSTEM_KEYS if key in content]
    if "system" in content:
        message = f"{flat[0]} and system both say what is measured; keep one"
        raise InvalidInputError([document.problem(message, (flat[0],))])
    section = {"type": "http", **{SYSTEM_KEYS[key]: content[key] for key in flat}}
    places = dict(document.places)
    for key in flat:
        if (key,) in places:
            places["system", SYSTEM_KEYS[key]] = places[key,]
            places.setdefault(("system",), places[key,])
    rest = {key: value for key, value in content.items() if key not in SYSTEM_KEYS}
    return replace(document, value={**rest, "system": section}, places=places)
