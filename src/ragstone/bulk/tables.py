"""What is wrong with ids and values that come as Python objects, told with the keys that lead to them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain, islice
from typing import Any, NoReturn, TypeAlias

from ragstone.bulk.problems import MOST, Problems, shown
from ragstone.bulk.qrels import MOST_GRADE
from ragstone.errors import Problem, UsageError

AN_ID = "a string that is not empty and can be written as UTF-8"
Table: TypeAlias = Mapping[str, Mapping[str, float]]


def check_ids(table: Mapping[Any, Any], source: str) -> None:
    """Raise unless a table holds a dictionary for each query and all ids are strings.

    Args:
        table: Value by document by query.
        source: Its name for messages.

    Raises:
        InvalidInputError: What stands where a dictionary or an id should.
    """
    kinds = set(map(type, table.values()))
    if all(issubclass(kind, Mapping) for kind in kinds) and _are_ids(table) and all(map(_are_ids, table.values())):
        return
    problems = Problems()
    problems.extend(islice(_wrong_ids(table, source), MOST))
    problems.raise_any()


def _are_ids(names: Mapping[Any, Any]) -> bool:
    """Say whether all keys are ids, at the cost of writing them one behind the other."""
    try:
        "".join(names).encode()
    except (TypeError, UnicodeEncodeError):
        return False
    return "" not in names


def _wrong_ids(table: Mapping[Any, Any], source: str) -> Iterator[Problem]:
    for query, row in table.items():
        place = f"[{shown(query)}]"
        if not is_id(query):
            yield Problem(f"a query id must be {AN_ID}", source, pointer=place)
        if not isinstance(row, Mapping):
            message = f"must be a dictionary of values by document, got {shown(row)}"
            yield Problem(message, source, pointer=place)
            continue
        for name in row:
            if not is_id(name):
                yield Problem(f"a document id must be {AN_ID}", source, pointer=f"{place}[{shown(name)}]")


def is_id(value: object) -> bool:
    """Say whether a value can be an id."""
    try:
        return isinstance(value, str) and bool(value.encode())
    except UnicodeEncodeError:
        return False


def is_number(value: Any, *, whole: bool = False) -> bool:  # noqa: ANN401 - judged here
    """Say whether a value is a finite number, or one that can be a grade."""
    if isinstance(value, str | bytes | bytearray):
        return False
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        return False
    return math.isfinite(number) and (not whole or (number == math.floor(number) and abs(number) <= MOST_GRADE))


def are_finite(rows: Iterable[Mapping[str, float]]) -> bool:
    """Say whether all values of some rows are finite numbers."""
    try:
        return all(map(math.isfinite, chain.from_iterable(row.values() for row in rows)))
    except (TypeError, ValueError, OverflowError):
        return False


def raise_values(table: Table, source: str, what: str, *, whole: bool) -> NoReturn:
    """Raise the problems of a table that is known to hold values that are no numbers, or not whole ones."""
    kind = "whole" if whole else "finite"
    found = (
        Problem(
            f"the {what} must be a {kind} number, got {shown(value)}",
            source,
            pointer=f"[{shown(query)}][{shown(name)}]",
        )
        for query, row in table.items()
        for name, value in row.items()
        if not is_number(value, whole=whole)
    )
    problems = Problems()
    problems.extend(islice(found, MOST))
    problems.raise_any()
    raise UsageError(f"{source}: each {what} must be a {kind} number")
