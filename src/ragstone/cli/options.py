"""Options that commands share."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from ragstone.settings import Settings

StoreOption = Annotated[
    Path | None,
    typer.Option(
        "--store", help="SQLite file that keeps runs [env RAGSTONE_STORE; default ragstone.db].", dir_okay=False
    ),
]
CacheOption = Annotated[
    Path | None,
    typer.Option(
        "--cache",
        help="Folder for indexes and vectors [env RAGSTONE_CACHE; default the user's cache].",
        file_okay=False,
    ),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON on standard output.")]
QuietOption = Annotated[bool, typer.Option("--quiet", "-q", help="No progress.")]


def complete_runs(incomplete: str) -> list[str]:
    """Return run and batch ids of the default store that begin as typed, for shell completion."""
    from ragstone.bootstrap import open_configured_store
    from ragstone.errors import RagstoneError

    try:
        with open_configured_store(settings(None, None)) as store:
            names = {name for run in store.runs() for name in (run.id, run.batch)}
    except RagstoneError:
        return []
    return sorted(name for name in names if name.startswith(incomplete))


def settings(store: Path | None, cache: Path | None) -> Settings:
    """Return the settings, flags first."""
    from ragstone.settings import Settings

    return Settings.read(store=store, cache=cache)
