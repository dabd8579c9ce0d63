"""What is wrong with an input: up to 20 problems, told together."""

from __future__ import annotations

from collections.abc import Iterable

from ragstone.errors import InvalidInputError, Problem

MOST = 20


class Problems:
    """Collects problems and raises them: when there are `MOST` of them, or when the input has been read."""

    def __init__(self) -> None:
        self.found: list[Problem] = []

    def __bool__(self) -> bool:
        return bool(self.found)

    def extend(self, problems: Iterable[Problem]) -> None:
        """Add problems; raises them when the list is full."""
        self.found.extend(problems)
        if len(self.found) >= MOST:
            self.raise_any()

    def raise_any(self) -> None:
        """Raise what has been found, in the order of lines."""
        if self.found:
            raise InvalidInputError(sorted(self.found, key=lambda one: one.line or 0)[:MOST])


def shown(value: object) -> str:
    """Return a value as messages show it."""
    from ragstone.files import shown as show  # noqa: PLC0415 - its libraries are loaded where a message is wanted

    try:
        return show(value.decode(errors="backslashreplace") if isinstance(value, bytes) else value)
    except ValueError:  # Python writes no number of thousands of digits
        return f"a number of type {type(value).__name__}, too long to be shown"
