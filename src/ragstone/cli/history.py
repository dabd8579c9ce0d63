"""`ragstone history`: a benchmark over time."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ragstone.cli.options import JsonOption, StoreOption, settings
from ragstone.cli.output import put, put_json, say, write_file

app = typer.Typer(help="Benchmarks over time.", no_args_is_help=True, rich_markup_mode=None)


@app.command()
def show(
    benchmark: Annotated[
        str | None, typer.Argument(help="Name of the benchmark; by default that of the latest run.")
    ] = None,
    metric: Annotated[
        str | None, typer.Option("--metric", "-m", help="By default the primary metric of the latest run.")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="File to write: .html, .svg, .md, .csv or .json.", dir_okay=False),
    ] = None,
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show every run of a benchmark in time, and where it fell by more than noise.

    Each run is held against the one before it of the same name, question by question, with the change in
    configuration that came with it.
    """
    from ragstone.bootstrap import open_configured_store
    from ragstone.experiments.history import history
    from ragstone.reports.history.render import history_data, render_history

    with open_configured_store(settings(store, None)) as opened:
        found = history(opened, benchmark, metric)
    if out is not None:
        write_file(out, render_history(found, out))
    if as_json:
        put_json({**history_data(found), "out": None if out is None else str(out)})
    elif out is not None:
        say(f"wrote {out}")
    else:
        put(render_history(found))
