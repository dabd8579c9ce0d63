"""`ragstone run` and `ragstone resume`."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ragstone.cli.options import CacheOption, JsonOption, QuietOption, StoreOption, complete_runs, settings
from ragstone.cli.output import put, say, wants_colour

if TYPE_CHECKING:
    from ragstone.experiments.report import Report
    from ragstone.ports import Store
    from ragstone.settings import Settings


def run(
    file: Annotated[Path, typer.Argument(help="Benchmark file (YAML).", metavar="FILE")],
    store: StoreOption = None,
    cache: CacheOption = None,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Run a benchmark file and show its report.

    Interrupted, it goes on with `ragstone resume`.
    """
    from ragstone.bootstrap import load_benchmark, open_configured_store, store_plan

    chosen = settings(store, cache)
    plan = load_benchmark(file)
    for warning in plan.warnings:
        say(f"warning: {warning}")
    with open_configured_store(chosen, write=True) as opened:
        runs = store_plan(opened, plan)
        repeats = f", each asked {plan.benchmark.repeats} times," if plan.benchmark.repeats > 1 else ""
        questions = f"{len(plan.dataset.queries)} questions{repeats}"
        say(f"{len(runs)} run(s) of {questions} planned as {runs[0].batch} in {chosen.store}")
        execute_and_show(opened, [one.id for one in runs], chosen, as_json=as_json, quiet=quiet)


def resume(
    reference: Annotated[
        str | None,
        typer.Argument(
            help="Batch or run; by default the latest batch.", metavar="RUN", autocompletion=complete_runs
        ),
    ] = None,
    failed: Annotated[bool, typer.Option("--failed", help="Ask the questions whose search failed again.")] = False,
    store: StoreOption = None,
    cache: CacheOption = None,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Go on with interrupted runs.

    What is stored stays, what is missing is asked.
    """
    from ragstone.bootstrap import SystemClock, open_configured_store
    from ragstone.experiments.runner import reopen_failed
    from ragstone.experiments.select import find_runs

    chosen = settings(store, cache)
    with open_configured_store(chosen, write=True, create=False) as opened:
        runs = find_runs(opened, reference)
        if failed:
            count = sum(reopen_failed(opened, one, SystemClock()) for one in runs)
            say(f"{count} failed question(s) will be asked again")
        execute_and_show(opened, [one.id for one in runs], chosen, as_json=as_json, quiet=quiet)


def execute_and_show(
    store: Store, run_ids: Sequence[str], chosen: Settings, *, as_json: bool, quiet: bool
) -> None:
    """Execute runs with progress, print their report, and exit with its verdict."""
    report = execute_and_build(store, run_ids, chosen, quiet=quiet)
    show(report, chosen, as_json=as_json)
    raise typer.Exit(report.verdict)


def execute_and_build(store: Store, run_ids: Sequence[str], chosen: Settings, *, quiet: bool) -> Report:
    """Execute runs with progress and return their report.

    Raises:
        RunInterruptedError: The user stopped it; the message says how it goes on.
    """
    from ragstone.bootstrap import execute
    from ragstone.cli.progress import progress
    from ragstone.errors import RunInterruptedError
    from ragstone.experiments.report import build

    try:
        # What a system under test prints is talk, not data.
        with progress(quiet=quiet) as observer, redirect_stdout(sys.stderr):
            execute(store, run_ids, chosen, observer, observer.prepare)
    except KeyboardInterrupt:
        runs = [store.run(run_id) for run_id in run_ids]
        done, total = sum(one.done for one in runs), sum(one.total for one in runs)
        way_on = f"ragstone resume {runs[0].batch} --store {chosen.store}"
        raise RunInterruptedError(
            f"interrupted with {done} of {total} answers stored; go on with `{way_on}`"
        ) from None
    return build(store, [store.run(run_id) for run_id in run_ids])


def show(report: Report, chosen: Settings, *, as_json: bool) -> None:
    """Print a report for the terminal, or as JSON."""
    from ragstone.reports import render, render_terminal, terminal_width

    if as_json:
        put(render(report, "json"))
    else:
        put(render_terminal(report, width=terminal_width(), colour=wants_colour()))
        if not chosen.is_default_store:
            say(f"(these commands need --store {chosen.store}, or RAGSTONE_STORE)")
