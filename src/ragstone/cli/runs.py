"""`ragstone runs`: list, show, delete."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ragstone.cli.options import JsonOption, StoreOption, complete_runs, settings
from ragstone.cli.output import put, put_json, say

if TYPE_CHECKING:
    from ragstone.types import Run

app = typer.Typer(help="The runs in the store.", no_args_is_help=True, rich_markup_mode=None)

Reference = Annotated[str, typer.Argument(help="Run or batch.", metavar="RUN", autocompletion=complete_runs)]


@app.command("list")
def list_runs(store: StoreOption = None, as_json: JsonOption = False) -> None:
    """List all runs, oldest first."""
    from ragstone.bootstrap import open_configured_store

    with open_configured_store(settings(store, None)) as opened:
        runs = opened.runs()
    if as_json:
        put_json({"runs": [_brief(run) for run in runs]})
        return
    if not runs:
        say("the store holds no runs yet")
    widths = [max((len(row[i]) for row in map(_row, runs)), default=0) for i in range(4)]
    for run in runs:
        cells = _row(run)
        put("  ".join(cell.ljust(width) for cell, width in zip(cells, widths, strict=False)) + f"  {cells[-1]}")


@app.command()
def show(reference: Reference, store: StoreOption = None, as_json: JsonOption = False) -> None:
    """Show what a run was asked to do and how far it is."""
    from ragstone.bootstrap import open_configured_store
    from ragstone.experiments.select import find_runs

    with open_configured_store(settings(store, None)) as opened:
        runs = find_runs(opened, reference)
    if as_json:
        put_json({"runs": [asdict(run) for run in runs]})
        return
    for run in runs:
        settings_text = ", ".join(f"{key}={value}" for key, value in run.spec.config.items())
        put(f"{run.id}\n  state: {run.state}, {run.done} of {run.total} done, {run.failed} failed")
        put(f"  batch: {run.batch}\n  created: {run.created_at}\n  configuration: {settings_text}")
        put(f"  system: {run.system}")


@app.command()
def delete(
    reference: Reference,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """Delete a run, or all runs of a batch, with their responses."""
    from ragstone.bootstrap import open_configured_store
    from ragstone.experiments.select import find_runs

    with open_configured_store(settings(store, None), write=True, create=False) as opened:
        runs = find_runs(opened, reference)
        if not yes:
            typer.confirm(f"Delete {', '.join(run.id for run in runs)}?", abort=True, err=True)
        for run in runs:
            opened.delete(run.id)
    if as_json:
        put_json({"deleted": [run.id for run in runs]})
    else:
        say(f"deleted {len(runs)} run(s)")


def _row(run: Run) -> tuple[str, ...]:
    progress = f"{run.done}/{run.total}" + (f", {run.failed} failed" if run.failed else "")
    return run.id, run.batch, run.state, progress, run.created_at


def _brief(run: Run) -> dict[str, Any]:
    brief = {"name": run.spec.name, "position": run.spec.position, "config_hash": run.spec.config_hash}
    keys = ("id", "batch", "state", "total", "done", "failed", "created_at", "started_at", "finished_at", "error")
    return {**{key: getattr(run, key) for key in keys}, **brief}
