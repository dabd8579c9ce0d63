"""The exceptions of Ragstone.

    RagstoneError
    ├── UsageError                 the caller asked for something that does not exist or fit   (exit 2)
    │   ├── UnknownNameError       a name that no registry knows
    │   ├── MissingExtraError      an optional package is not installed
    │   └── InvalidInputError      a file or value with one or more problems, all listed
    ├── SystemUnderTestError       the system under test failed for one query
    │   ├── TransientError         the same call may succeed later: it is retried
    │   │   └── UnreachableError   nothing answers at the endpoint                              (exit 4)
    │   └── BadResponseError       it answered, but not in the agreed shape
    ├── RunInterruptedError        the user stopped a run; the message says how it goes on         (exit 130)
    └── StoreError                 the store cannot be read or written                          (exit 5)
        ├── StoreBusyError         another process is writing to it
        └── StaleLeaseError        a result came from a worker that lost its lease

Every message names the value seen, where it stood, and the way out.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import IntEnum
from typing import NamedTuple

MOST_LISTED = 25
MOST_SHOWN = 100


class ExitCode(IntEnum):
    """What a command's exit code says."""

    OK = 0
    GATE_FAILED = 1
    USAGE = 2
    INCOMPLETE = 3
    UNREACHABLE = 4
    STORE = 5
    NOT_ENOUGH_EVIDENCE = 6
    DEFECT = 70
    INTERRUPTED = 130


class RagstoneError(Exception):
    """Ragstone could not do what was asked."""


class UsageError(RagstoneError):
    """The request does not fit; the message says what would."""


class UnknownNameError(UsageError):
    """No entry of a registry has this name."""

    def __init__(self, kind: str, name: str, known: Iterable[str]) -> None:
        self.kind = kind
        self.name = name
        self.known = tuple(sorted(known))
        super().__init__(f"unknown {kind} {name!r}{did_you_mean(name, self.known)}{known_names(self.known)}")


class MissingExtraError(UsageError):
    """A feature needs an optional package that is not installed."""

    def __init__(self, feature: str, extra: str, package: str) -> None:
        self.feature = feature
        self.extra = extra
        super().__init__(f"{feature} needs the package {package!r}: pip install 'ragstone[{extra}]'")


class Problem(NamedTuple):
    """One thing that is wrong with an input: where, what was seen, and the way out.

    Attributes:
        message: What is wrong, the value seen and the way out, in one sentence.
        source: The file, or another name for where the input came from.
        line: 1-based line number, where known.
        pointer: The path inside the document, such as ``matrix.top_k_values[1]``.
    """

    message: str
    source: str = ""
    line: int | None = None
    pointer: str = ""

    def __str__(self) -> str:
        place = self.source if self.line is None else f"{self.source}:{self.line}"
        return ": ".join(part for part in (place, self.pointer, self.message) if part)


class InvalidInputError(UsageError):
    """An input has problems; all of them are listed, each with its place."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        self.problems = tuple(problems)
        lines = [str(problem) for problem in self.problems[:MOST_SHOWN]]
        more = len(self.problems) - len(lines)
        super().__init__("\n".join([*lines, f"and {more:,} more problems"] if more else lines))


class SystemUnderTestError(RagstoneError):
    """The system under test failed."""


class TransientError(SystemUnderTestError):
    """The call failed in a way that may pass: it is retried.

    Attributes:
        retry_after: Seconds that the other side asked us to wait, if it did.
    """

    def __init__(self, message: str, *, retry_after: float | None = None) -> None:
        self.retry_after = retry_after
        super().__init__(message)


class UnreachableError(TransientError):
    """Nothing answers at the endpoint."""


class BadResponseError(SystemUnderTestError):
    """The system answered, but not in the agreed shape."""


class RunInterruptedError(RagstoneError):
    """The user stopped a run; what is stored stays."""


class StoreError(RagstoneError):
    """The store cannot be read or written."""


class StoreBusyError(StoreError):
    """Another process is writing to this store."""


class StaleLeaseError(StoreError):
    """The lease under which this result was produced is no longer valid; the result is refused."""


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return `` (did you mean 'x'?)`` for the nearest known name, case aside, or an empty string."""
    from difflib import get_close_matches  # noqa: PLC0415 - wanted only where something is wrong

    spelled = {one.lower(): one for one in known}
    nearest = get_close_matches(name.lower(), spelled, n=1)
    return f" (did you mean {spelled[nearest[0]]!r}?)" if nearest else ""


def known_names(known: Sequence[str]) -> str:
    """Return ``; known: a, b`` for the end of a message, a long list cut, or an empty string for no names."""
    more = f" and {len(known) - MOST_LISTED} more" if len(known) > MOST_LISTED else ""
    return f"; known: {', '.join(known[:MOST_LISTED])}{more}" if known else ""
