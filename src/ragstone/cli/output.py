"""Where output goes: data on standard output, talk on standard error."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, NoReturn

import typer

from ragstone.errors import ExitCode, UsageError

KINDS = {
    "UsageError": ("usage", ExitCode.USAGE),
    "UnknownNameError": ("unknown_name", ExitCode.USAGE),
    "MissingExtraError": ("missing_extra", ExitCode.USAGE),
    "InvalidInputError": ("invalid_input", ExitCode.USAGE),
    "UnreachableError": ("unreachable", ExitCode.UNREACHABLE),
    "StoreError": ("store", ExitCode.STORE),
    "StoreBusyError": ("store_busy", ExitCode.STORE),
    "StaleLeaseError": ("stale_lease", ExitCode.STORE),
    "RunInterruptedError": ("interrupted", ExitCode.INTERRUPTED),
}


def say(text: str) -> None:
    """Write lines to standard error, without control characters that names and messages may hold."""
    from ragstone.reports.plain import plain

    typer.echo("\n".join(map(plain, text.split("\n"))), err=True)


def put(text: str) -> None:
    """Write text to standard output, ending in one newline."""
    typer.echo(text.rstrip("\n"), color=wants_colour())


def put_json(data: Mapping[str, Any]) -> None:
    """Write JSON to standard output."""
    put(json.dumps(data, ensure_ascii=False, indent=2, allow_nan=False))


def wants_colour() -> bool:
    """Say whether standard output should have colour: NO_COLOR and FORCE_COLOR win, else if it is a terminal."""
    if os.environ.get("NO_COLOR"):
        return False
    return bool(os.environ.get("FORCE_COLOR")) or (sys.stdout.isatty() and os.environ.get("TERM") != "dumb")


def fail(error: BaseException, *, as_json: bool) -> NoReturn:
    """Print an error, as JSON on standard output where that was asked for, and exit with its code."""
    names = [cls.__name__ for cls in type(error).__mro__]
    known = [KINDS[name] for name in names if name in KINDS]
    kind, code = known[0] if known else ("error", ExitCode.USAGE)
    message = str(error) or type(error).__name__
    if as_json:
        problems = [
            {"source": one.source, "line": one.line, "pointer": one.pointer, "message": one.message}
            for one in getattr(error, "problems", ())
        ]
        put_json({"error": {"kind": kind, "message": message, "problems": problems}})
    else:
        lines = message.splitlines()
        count = f"{len(lines)} problems:\n  " if len(lines) > 1 else ""
        say(f"ragstone: {count}" + "\n  ".join(lines))
    sys.exit(code)


def report_defect(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """Print the traceback of an unexpected error and exit with a code that no gate reads as a verdict."""
    sys.__excepthook__(kind, error, trace)
    say("ragstone: this is a defect; please report it with the lines above")
    os._exit(ExitCode.DEFECT)


def write_file(path: Path, text: str, *, append: bool = False) -> None:
    """Write a text file, or add to it, making its folder.

    Raises:
        UsageError: It cannot be written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("a" if append else "w", encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror or error}") from error


@contextmanager
def stop_on_closed_pipe() -> Iterator[None]:
    """End quietly when the reader of standard output has gone away, as in ``ragstone report | head``."""
    try:
        yield
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
