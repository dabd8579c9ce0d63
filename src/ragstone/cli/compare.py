"""`ragstone compare`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ragstone.cli.options import JsonOption, StoreOption, complete_runs, settings
from ragstone.cli.output import put, say, wants_colour, write_file

if TYPE_CHECKING:
    from ragstone.ports import Store
    from ragstone.types import Run


def compare(  # noqa: PLR0917 - the options of one command
    references: Annotated[
        list[str],
        typer.Argument(
            help="The baseline, then up to seven others: runs, or a batch for all of its runs.",
            metavar="RUN",
            autocompletion=complete_runs,
        ),
    ],
    metric: Annotated[
        list[str] | None,
        typer.Option(
            "--metric",
            "-m",
            help="Metric to compare by, the first decides; again for more. Default: the leading ones.",
        ),
    ] = None,
    level: Annotated[float, typer.Option("--level", help="Confidence level of the intervals.")] = 0.95,
    clusters: Annotated[
        bool,
        typer.Option(
            "--clusters/--no-clusters", help="Let questions of common origin count as what they are worth."
        ),
    ] = True,
    ignore_identity: Annotated[
        bool, typer.Option("--ignore-identity", help="Compare although dataset, rules or judge differ.")
    ] = False,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Seed of the resampling.")] = 0,
    form: Annotated[
        str | None,
        typer.Option("--format", "-f", help="terminal, markdown, html, json or junit; by default from --out."),
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="File to write instead of standard output.")
    ] = None,
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """Say whether a run is better than a baseline, by how much and how sure.

    Question by question, allowing for everything that was compared. Ends with 0 whoever wins: `ragstone gate`
    decides.
    """
    from ragstone.bootstrap import open_configured_store
    from ragstone.experiments.comparison.compare import compare as compare_runs
    from ragstone.experiments.results import collect
    from ragstone.reports.comparison.render import comparison_format_of, render_comparison
    from ragstone.reports.comparison.terminal import render_comparison_terminal
    from ragstone.reports.terminal import terminal_width

    chosen = comparison_format_of(form, out, as_json=as_json)
    with open_configured_store(settings(store, None)) as opened:
        results = [collect(opened, run) for run in _runs(opened, references)]
    found = compare_runs(
        results, metrics=metric, level=level, clusters=clusters, ignore_identity=ignore_identity, seed=seed
    )
    if chosen == "terminal" and out is None:
        put(render_comparison_terminal(found, width=terminal_width(), colour=wants_colour()))
    elif out is None:
        put(render_comparison(found, chosen))
    else:
        write_file(out, render_comparison(found, chosen))
        say(f"wrote {out}")
    raise typer.Exit(found.exit_code)


def _runs(store: Store, references: list[str]) -> list[Run]:
    """Return the runs meant, each once, in the order given: a batch may hold the baseline named before it."""
    from ragstone.errors import UsageError
    from ragstone.experiments.comparison.inputs import MOST_RUNS
    from ragstone.experiments.select import find_runs

    runs = {run.id: run for reference in references for run in find_runs(store, reference)}
    if len(runs) < 2:
        only = next(iter(runs))
        raise UsageError(f"{' and '.join(references)} mean the one run {only}; name another to compare it with")
    if len(runs) > MOST_RUNS:
        raise UsageError(
            f"{len(runs)} runs are meant, and a comparison takes {MOST_RUNS} at most; name those that matter"
        )
    return list(runs.values())
