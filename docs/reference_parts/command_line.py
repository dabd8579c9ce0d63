"""The page on the command line: every command's own help."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import typer
from typer.testing import CliRunner

from ragstone.cli.main import app

WIDTH = 80

INTRODUCTION = """\
# Command line

Results go to standard output, everything else (progress, warnings, errors) to standard error. Every command
that prints results takes `--json`. What a command's end means is in [exit codes](exit-codes.md).

Where a RUN is asked for, give the id of a run or of a batch, the beginning of an id that fits only one, or
the name of a run in the latest batch.
"""


def page() -> str:
    """Return the page."""
    return "\n\n".join([INTRODUCTION.rstrip(), *(_section(path) for path in commands())])


def commands() -> Iterator[tuple[str, ...]]:
    """Yield the path of every command and group, the program itself first."""
    root = typer.main.get_command(app)
    yield ()
    yield from _below(root, ())


def _below(group: Any, path: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    found: Mapping[str, Any] = getattr(group, "commands", {})
    for name, command in found.items():
        yield (*path, name)
        yield from _below(command, (*path, name))


def _section(path: tuple[str, ...]) -> str:
    name = " ".join(("ragstone", *path))
    return f"## {name}\n\n```text\n{help_of(path)}\n```"


def help_of(path: tuple[str, ...]) -> str:
    """Return what ``--help`` prints on a terminal 80 columns wide."""
    environment = {"COLUMNS": str(WIDTH), "TERMINAL_WIDTH": str(WIDTH), "NO_COLOR": "1"}
    result = CliRunner().invoke(
        app, [*path, "--help"], env=environment, prog_name="ragstone", terminal_width=WIDTH
    )
    if result.exit_code:
        raise RuntimeError(f"ragstone {' '.join(path)} --help ended with {result.exit_code}: {result.output}")
    return "\n".join(line.rstrip() for line in result.output.rstrip().splitlines())
