"""Bounded, strict JSON and YAML, with the place of every value.

Nothing here trusts a file: sizes and depths are limited, duplicate keys and NaN are refused, YAML is safe. All
problems of a file are collected and raised together as `InvalidInputError`.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError

from ragstone.errors import InvalidInputError, Problem, did_you_mean, known_names

MAX_YAML_BYTES = 1_000_000
MAX_YAML_NODES = 50_000
MAX_YAML_DEPTH = 50
MAX_JSON_DEPTH = 50
MAX_LINE_BYTES = 10_000_000
SHOWN = 60

Pointer = tuple[str | int, ...]

# The parts of a JSON text: brackets, strings (with the colon of a key), and everything else.
_TOKENS = re.compile(
    r'(?P<open>[{\[])|(?P<close>[}\]])|(?P<string>"(?:[^"\\]|\\.)*")(?P<key>\s*:)?|(?P<word>[^\s{}\[\]:,"]+)',
    re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class YamlFile:
    """A YAML document as plain data, with the place of every key and item.

    Attributes:
        places: File and 1-based line by pointer; that of a mapping's entry is its key's.
    """

    source: str
    value: Any
    places: Mapping[Pointer, tuple[str, int]] = field(default_factory=dict)

    def problem(self, message: str, pointer: Pointer = ()) -> Problem:
        """Return a problem at a pointer, on the line of the nearest place that the file holds."""
        known = pointer
        while known not in self.places and known:
            known = known[:-1]
        source, line = self.places.get(known, (self.source, None))
        return Problem(message, source, line, format_pointer(pointer))


def format_pointer(pointer: Sequence[str | int]) -> str:
    """Write a pointer as people do: ``matrix.top_k_values[1]``."""
    text = ""
    for part in pointer:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else str(part)
    return text


def shown(value: object) -> str:
    """Return the value's repr, cut to a length that fits a message."""
    text = repr(value)
    return text if len(text) <= SHOWN else f"{text[: SHOWN - 1]}…"


def read_text(path: Path, limit: int | None = None) -> str:
    """Read a UTF-8 file, a byte-order mark dropped.

    Raises:
        InvalidInputError: The file is missing, not a file, unreadable, larger than `limit` bytes or not UTF-8.
    """
    try:
        if limit is not None and path.stat().st_size > limit:
            message = f"the file has {path.stat().st_size:,} bytes; at most {limit:,} are read"
            raise InvalidInputError([Problem(message, str(path))])
        return path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        bad = error.object[error.start : error.start + 1]
        message = f"byte {bad!r} is not UTF-8 (offset {error.start}); save the file as UTF-8"
        raise InvalidInputError([Problem(message, str(path), line)]) from None
    except OSError as error:
        message = f"cannot be read: {error.strerror or error}"
        raise InvalidInputError([Problem(message, str(path))]) from None


def parse_json(text: str, source: str, line: int | None = None) -> Any:  # noqa: ANN401 - JSON is any value
    """Parse strict JSON that can be kept and written again: finite numbers, no key twice, moderate depth.

    Args:
        text: One JSON document.
        source: File name for messages.
        line: Line of the file on which the text stands, for JSON Lines; None to count lines within the text.
    """
    try:
        value = json.loads(text, object_pairs_hook=_object, parse_constant=_no_constant)
        _check_values(value)
        return value
    except json.JSONDecodeError as error:
        raise InvalidInputError(
            [Problem(f"not JSON: {error.msg} (column {error.colno})", source, line or error.lineno)]
        ) from None
    except UnicodeEncodeError as error:
        bad = error.object[error.start : error.end]
        message = f"{bad!r} is half of a character pair, which is no text"
    except ValueError as error:
        # What Python says of numbers with thousands of digits is advice for its programmers.
        message = "a number of thousands of digits is no number to keep" if "digits" in str(error) else str(error)
    except RecursionError:
        message = "nested too deeply to be read"
    raise InvalidInputError([Problem(message, source, line or _line_of_fault(text))])


def _line_of_fault(text: str) -> int | None:
    """Return the line of the first token of a JSON text that may not be kept, found again token by token."""
    keys: list[set[str] | None] = []
    for token in _TOKENS.finditer(text):
        if token["open"]:
            keys.append(set() if token["open"] == "{" else None)
        elif token["close"] and keys:
            keys.pop()
        if len(keys) > MAX_JSON_DEPTH or _is_fault(token, keys[-1] if keys else None):
            return text.count("\n", 0, token.start()) + 1
    return None


def _is_fault(token: re.Match[str], keys: set[str] | None) -> bool:
    try:
        if (word := token["word"]) is not None:
            return word in ("NaN", "Infinity", "-Infinity") or len(word) > 4000 or math.isinf(float(word or 0))
        if (quoted := token["string"]) is None:
            return False
        string = json.loads(quoted, strict=False)
        string.encode()
    except ValueError:
        return isinstance(token["string"], str)
    repeated = bool(token["key"]) and keys is not None and string in keys
    if token["key"] and keys is not None:
        keys.add(string)
    return repeated


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise ValueError(f"key {twice!r} stands twice in one object; keep one")
    return found


def _check_values(value: object) -> None:
    """Refuse what cannot be kept, level by level without recursion."""
    level: list[object] = [value]
    for _ in range(MAX_JSON_DEPTH + 1):
        inner: list[object] = []
        for item in level:
            if isinstance(item, dict):
                inner += [*item, *item.values()]
            elif isinstance(item, list):
                inner += item
            else:
                _check_scalar(item)
        if not inner:
            return
        level = inner
    raise ValueError(f"nested more than {MAX_JSON_DEPTH} levels deep")


def _check_scalar(value: object) -> None:
    """Refuse lone surrogates, which JSON's escapes allow, and numbers that overflow."""
    if isinstance(value, str):
        value.encode()
    elif isinstance(value, float) and not math.isfinite(value):
        raise ValueError("a number is too large to be kept (it would become infinite); write a smaller one")


def _no_constant(name: str) -> float:
    raise ValueError(f"{name} is not a JSON number; leave the field out or use null")


def load_yaml(path: Path) -> YamlFile:
    """Load one YAML document with safe tags only, refusing duplicate keys and alias bombs.

    Raises:
        InvalidInputError: The file cannot be read, is not YAML, is too large or too deep, or has a key twice.
    """
    text = read_text(path, MAX_YAML_BYTES)
    source = str(path)
    try:
        with closing(_Loader(text)) as loader:
            return _document(loader, source)
    except yaml.MarkedYAMLError as error:
        raise InvalidInputError([_yaml_problem(error, source)]) from None
    except (yaml.YAMLError, ValueError) as error:
        what = " ".join(str(error).split())
        raise InvalidInputError([Problem(f"not YAML: {what}", source)]) from None
    except RecursionError:
        raise InvalidInputError([Problem("nested too deeply to be read", source)]) from None


class _Loader(yaml.SafeLoader):
    def close(self) -> None:
        """Release the parser's state."""
        self.dispose()


def _document(loader: _Loader, source: str) -> YamlFile:
    node = loader.get_single_node()
    if node is None:
        return YamlFile(source, None)
    walk = _Walk(source)
    walk.visit(node, ())
    if walk.problems:
        raise InvalidInputError(walk.problems)
    return YamlFile(source, loader.construct_document(node), walk.places)


def _yaml_problem(error: yaml.MarkedYAMLError, source: str) -> Problem:
    mark = error.problem_mark or error.context_mark
    what = " ".join(filter(None, (error.context, error.problem)))
    if isinstance(error, yaml.constructor.ConstructorError):
        what = f"{error.problem}; only plain values are read, without tags"
    return Problem(f"not YAML: {what}", source, mark.line + 1 if mark else None)


class _Walk:
    """Collects the place of every place in a YAML node tree, and what is not allowed in it."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.places: dict[Pointer, tuple[str, int]] = {}
        self.problems: list[Problem] = []
        self._nodes = 0

    def visit(self, node: yaml.Node, pointer: Pointer, line: int | None = None) -> None:
        self._nodes += 1
        line = line or node.start_mark.line + 1
        if self._nodes > MAX_YAML_NODES or len(pointer) > MAX_YAML_DEPTH:
            limit = f"{MAX_YAML_NODES:,} values or {MAX_YAML_DEPTH} levels, aliases counted each time"
            raise InvalidInputError([Problem(f"too large: more than {limit}", self.source, line)])
        self.places[pointer] = (self.source, line)
        if isinstance(node, yaml.ScalarNode):
            _check_scalar(node.value)
        if isinstance(node, yaml.SequenceNode):
            for index, item in enumerate(node.value):
                self.visit(item, (*pointer, index))
        elif isinstance(node, yaml.MappingNode):
            self._mapping(node, pointer)

    def _mapping(self, node: yaml.MappingNode, pointer: Pointer) -> None:
        seen: dict[str, int] = {}
        for key, value in node.value:
            name, line = str(key.value), key.start_mark.line + 1
            place = (*pointer, name)
            if not isinstance(key, yaml.ScalarNode):
                self.problems.append(Problem("a key must be a word, not a list or mapping", self.source, line))
                continue
            if name in seen:
                message = f"key {name!r} stands twice, first on line {seen[name]}; keep one"
                self.problems.append(Problem(message, self.source, line, format_pointer(place)))
            seen[name] = line
            self.visit(value, place, line)


def problems_of(error: ValidationError, document: YamlFile, known: Mapping[str, Sequence[str]]) -> list[Problem]:
    """Translate pydantic's findings into problems with lines.

    Args:
        error: What pydantic found.
        document: The file, for lines.
        known: Field names by parent pointer (formatted, ``""`` for the top), and the values that a field which
            chooses between shapes may have, by its pointer.
    """
    problems = []
    for finding in error.errors(include_url=False):
        pointer = _pointer(finding["loc"], document)
        problems.append(document.problem(_message(finding, pointer, known), pointer))
    return sorted(problems, key=lambda problem: (problem.source, problem.line or 0))


def _pointer(location: Sequence[str | int], document: YamlFile) -> Pointer:
    """Return pydantic's location without the names of union branches, which are no places in a file."""
    pointer: Pointer = ()
    for index, part in enumerate(location):
        place = (*pointer, part)
        if place in document.places or len(document.places) <= 1 or index == len(location) - 1:
            pointer = place
    return pointer


def _message(finding: Mapping[str, Any], pointer: Pointer, known: Mapping[str, Sequence[str]]) -> str:
    kind, value = finding["type"], finding["input"]
    if kind == "extra_forbidden":
        names = known.get(format_pointer(pointer[:-1]), ())
        return f"unknown key{did_you_mean(str(pointer[-1]), names) or known_names(names)}"
    if kind == "missing":
        return "is required and missing"
    if kind in ("union_tag_invalid", "union_tag_not_found"):
        field = finding["ctx"]["discriminator"].strip("'")
        types = known.get(format_pointer((*pointer, field)), ())
        seen = f"unknown {field} {value[field]!r}" if field in value else f"needs a {field}"
        return f"{seen}{known_names(types)}"
    if kind in ("model_attributes_type", "model_type", "dict_type"):
        return f"must be a mapping of keys to values, got {shown(value)}"
    if kind == "too_short" and not value:
        return f"is empty, got {shown(value)}; it needs at least one entry"
    text = str(finding["msg"]).removeprefix("Value error, ")
    text = text[:1].lower() + text[1:]
    return text if kind == "value_error" else f"{text}, got {shown(value)}"
