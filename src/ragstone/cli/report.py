"""`ragstone report`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ragstone.cli.options import JsonOption, StoreOption, complete_runs, settings
from ragstone.cli.output import put, say, write_file
from ragstone.cli.run import show


def report(
    reference: Annotated[
        str | None,
        typer.Argument(
            help="Batch or run; by default the latest batch.", metavar="RUN", autocompletion=complete_runs
        ),
    ] = None,
    form: Annotated[
        str | None,
        typer.Option("--format", "-f", help="terminal, markdown, csv, json or html; by default from --out."),
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="File to write instead of standard output.")
    ] = None,
    canonical: Annotated[
        bool, typer.Option("--canonical", help="JSON of the results alone: no timings, dates, ids or paths.")
    ] = False,
    per_query: Annotated[bool, typer.Option("--per-query", help="CSV of every question's scores.")] = False,
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show or write a report of stored runs.

    Nothing is asked again: everything comes from the store.
    """
    from ragstone.bootstrap import open_configured_store
    from ragstone.experiments.report import build
    from ragstone.experiments.select import find_runs
    from ragstone.reports import canonical_json, format_of, per_query_csv, render

    where = settings(store, None)
    with open_configured_store(where) as opened:
        built = build(opened, find_runs(opened, reference))
    chosen = format_of(form, out, as_json=as_json, canonical=canonical, per_query=per_query)
    if chosen == "terminal" and out is None:
        show(built, where, as_json=False)
    else:
        writers = {"canonical": canonical_json, "per-query": per_query_csv}
        text = writers[chosen](built) if chosen in writers else render(built, chosen)
        _write(text, out)
    raise typer.Exit(built.verdict)


def _write(text: str, out: Path | None) -> None:
    if out is None:
        put(text)
        return
    write_file(out, text)
    say(f"wrote {out}")
