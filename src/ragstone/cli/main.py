"""The application: its commands, and how errors become messages and exit codes."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from ragstone.cli import (
    benchmark,
    compare,
    dataset,
    demo,
    explain,
    gate,
    history,
    judgments,
    matrix,
    metrics,
    power,
    report,
    run,
    runs,
    score,
    selfcheck,
)
from ragstone.cli.output import fail, report_defect, stop_on_closed_pipe

app = typer.Typer(
    name="ragstone",
    help="The touchstone for retrieval-augmented generation: is it good, how sure, and where does it fail?",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    epilog="Exit codes: 0 ok, 1 a threshold or gate was missed, 2 usage, 3 finished but incomplete, 4 endpoint "
    "unreachable, 5 store, 6 not enough evidence, 70 a defect of Ragstone, 130 interrupted.",
)
app.command()(run.run)
app.command()(run.resume)
app.command()(report.report)
app.command()(compare.compare)
app.command()(explain.explain)
app.command()(gate.gate)
app.command()(power.power)
app.command()(score.score)
app.command()(selfcheck.selfcheck)
app.command()(demo.demo)
app.add_typer(runs.app, name="runs")
app.add_typer(history.app, name="history")
app.add_typer(judgments.app, name="judgments")
app.add_typer(benchmark.app, name="benchmark")
app.add_typer(matrix.app, name="matrix")
app.add_typer(dataset.app, name="dataset")
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
    from ragstone.errors import RagstoneError

    # An error that is not ours is a defect: it keeps its traceback, and a code that no verdict has.
    sys.excepthook = report_defect
    with stop_on_closed_pipe():
        try:
            app()
        except RagstoneError as error:
            fail(error, as_json="--json" in sys.argv)
