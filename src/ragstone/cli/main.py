"""The application: its commands, and how errors become messages and exit codes."""

from __future__ import annotations

import os
import signal
import sys
from typing import Annotated

import typer

from ragstone.cli import benchmark, demo, explain, metrics, report, run, runs
from ragstone.cli.output import fail, stop_on_closed_pipe

app = typer.Typer(
    name="ragstone",
    help="The touchstone for retrieval-augmented generation: is it good, how sure, and where does it fail?",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    epilog="Exit codes: 0 ok, 1 a threshold was missed, 2 usage, 3 finished but incomplete, 4 endpoint "
    "unreachable, 5 store, 6 not enough evidence, 130 interrupted.",
)
app.command()(run.run)
app.command()(run.resume)
app.command()(report.report)
app.command()(explain.explain)
app.command()(demo.demo)
app.add_typer(runs.app, name="runs")
app.add_typer(benchmark.app, name="benchmark")
app.add_typer(metrics.app, name="metrics")


def print_version(wanted: bool) -> None:
    """Print the version and exit, if asked to."""
    if wanted:
        from importlib.metadata import version

        typer.echo(version("ragstone"))
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool,
        typer.Option("--version", help="Print the version and exit.", is_eager=True, callback=print_version),
    ] = False,
) -> None:
    """Options of the whole program."""


def main() -> None:
    """Run the command line; any error of ours ends in one message and its exit code."""
    # A terminated run ends like one interrupted from the keyboard: resumable.
    signal.signal(signal.SIGTERM, lambda *_: os.kill(os.getpid(), signal.SIGINT))
    with stop_on_closed_pipe():
        try:
            app()
        except Exception as error:
            from ragstone.errors import RagstoneError

            if not isinstance(error, RagstoneError):
                raise
            fail(error, as_json="--json" in sys.argv)
