"""`ragstone matrix`: which of many configurations, what it costs, and where it is good."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ragstone.cli.options import JsonOption, StoreOption, complete_runs, settings
from ragstone.cli.output import put, put_json, say, write_file

if TYPE_CHECKING:
    from ragstone.experiments.choice.analysis import MatrixAnalysis
    from ragstone.experiments.choice.grids import Grid
    from ragstone.experiments.choice.pareto import Pareto
    from ragstone.experiments.report import Report
    from ragstone.metrics import Metric

app = typer.Typer(help="Many configurations side by side.", no_args_is_help=True, rich_markup_mode=None)

References = Annotated[
    list[str] | None,
    typer.Argument(
        help="Batch, or runs; by default the latest batch.", metavar="[RUN]...", autocompletion=complete_runs
    ),
]
MetricOption = Annotated[
    str | None,
    typer.Option("--metric", "-m", help="What is ranked by; by default the benchmark's primary metric."),
]
CostOption = Annotated[
    str, typer.Option("--cost", help="A metric of which less is better, or a key of the responses' usage.")
]
CeilingOption = Annotated[
    str | None, typer.Option("--ceiling", help="Most cost that is admitted, such as '5 s': names the best within.")
]
SeedOption = Annotated[int, typer.Option("--seed", min=0, help="Seed of permutations and splits.")]
OutOption = Annotated[Path | None, typer.Option("--out", "-o", help="File to write: .svg, .png, .csv or .md.")]


@app.command()
def show(
    references: References = None,
    metric: Annotated[
        list[str] | None,
        typer.Option("--metric", "-m", help="Metric to rank by; again for more. Default: the primary one."),
    ] = None,
    cost: CostOption = "latency_p95",
    holdout: Annotated[
        bool,
        typer.Option("--holdout", help="Also pick the best on half of the questions, and measure it on the rest."),
    ] = False,
    seed: SeedOption = 0,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="File to write: .html, .md or .csv.")] = None,
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """Rank the runs of a benchmark, and say how much of the winner's lead is luck.

    Every run by the same metric on the same questions; one test allows for all pairs.
    """
    from ragstone.experiments.choice.analysis import analyse
    from ragstone.experiments.choice.pareto import pareto
    from ragstone.metrics import parse
    from ragstone.reports.choice.csv import ranking_csv
    from ragstone.reports.choice.data import matrix_data
    from ragstone.reports.choice.render import matrix_markdown, matrix_text
    from ragstone.reports.markdown import markdown_table
    from ragstone.reports.terminal import terminal_width
    from ragstone.reports.words import label

    report = _report(references, store)
    metrics = [parse(name) for name in metric] if metric else [report.runs[0].benchmark.primary]
    found = analyse(report.runs, metrics, holdout=holdout, seed=seed)
    placed = [pareto(report.runs, one.table.metric, cost, seed=seed) for one in found]
    pairs = list(zip(found, placed, strict=True))
    if as_json:
        put_json({"metrics": [matrix_data(one) for one in found]})
        return
    writers: dict[str, Callable[[], str]] = {
        ".md": lambda: "\n".join(
            f"## {label(str(one.table.metric))}\n\n{matrix_markdown(one, costs, markdown_table)}"
            for one, costs in pairs
        ),
        ".csv": lambda: ranking_csv(found),
        ".html": lambda: _page(report, pairs),
    }
    _put_or_write(out, writers, lambda: "\n".join(matrix_text(*one, width=terminal_width()) for one in pairs))


def _page(report: Report, pairs: list[tuple[MatrixAnalysis, Pareto]]) -> str:
    from ragstone.reports.choice.page import matrix_page

    return matrix_page(report, pairs)


@app.command()
def pareto(
    references: References = None,
    metric: MetricOption = None,
    cost: CostOption = "latency_p95",
    ceiling: CeilingOption = None,
    seed: SeedOption = 0,
    out: OutOption = None,
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """Plot quality against latency or cost: which runs are worth their price.

    A run is dominated at 95% if another one is better in both by more than noise.
    """
    from ragstone.experiments.choice.pareto import pareto as place
    from ragstone.reports.choice.data import pareto_data
    from ragstone.reports.choice.render import pareto_text
    from ragstone.reports.terminal import terminal_width

    report = _report(references, store)
    limit = None if ceiling is None else _limit(ceiling)
    found = place(report.runs, _metric(report, metric), cost, ceiling=limit, seed=seed)
    if as_json:
        put_json(pareto_data(found))
        return
    _put_or_write(out, _pareto_writers(found), lambda: pareto_text(found, width=terminal_width()))


@app.command()
def heatmap(
    references: References = None,
    by: Annotated[
        list[str] | None,
        typer.Option(
            "--by",
            help="Two factors; or a slice dimension such as category; or metrics. Default: the two factors that "
            "matter most, else metrics.",
        ),
    ] = None,
    metric: MetricOption = None,
    out: OutOption = None,
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show where runs are good: factor by factor, by slice of the questions, or by metric."""
    from ragstone.reports.choice.data import grid_data
    from ragstone.reports.choice.render import grid_text
    from ragstone.reports.terminal import terminal_width

    report = _report(references, store)
    grid = _grid(report, _metric(report, metric), by or [])
    if as_json:
        put_json(grid_data(grid))
        return
    _put_or_write(out, _grid_writers(grid), lambda: grid_text(grid, width=terminal_width()))


def _report(references: list[str] | None, store: Path | None) -> Report:
    from ragstone.bootstrap import open_configured_store
    from ragstone.experiments.report import build
    from ragstone.experiments.select import find_runs

    names: list[str | None] = [*references] if references else [None]
    with open_configured_store(settings(store, None)) as opened:
        runs = {run.id: run for name in names for run in find_runs(opened, name)}
        return build(opened, list(runs.values()))


def _metric(report: Report, name: str | None) -> Metric:
    from ragstone.metrics import parse

    return parse(name) if name else report.runs[0].benchmark.primary


def _limit(text: str) -> float:
    """Return a ceiling in milliseconds, or as the plain number that it is."""
    from ragstone.experiments.thresholds import parse_limit

    return parse_limit(text if text.lstrip().startswith("<") else f"<= {text}").bound


def _grid(report: Report, metric: Metric, by: list[str]) -> Grid:
    from ragstone.errors import UsageError
    from ragstone.experiments.choice.analysis import analyse
    from ragstone.experiments.choice.grids import factor_grid, metric_grid, slice_grid
    from ragstone.metrics import parse
    from ragstone.reports.choice.report import leading_factors, renamed
    from ragstone.reports.overview import main_metrics

    if len(by) > 2:
        raise UsageError(f"a heat map has two sides, got {len(by)}: {', '.join(by)}")
    if len(by) == 1 and by != ["metrics"]:
        return renamed(slice_grid(report.runs, metric, by[0]), report.runs)
    if not by or len(by) == 2:
        (found,) = analyse(report.runs, [metric])
        pair = (by[0], by[1]) if by else leading_factors(found)
        if pair:
            return factor_grid(found.table, found.factors, *pair)
    return renamed(metric_grid(report.runs, [parse(name) for name in main_metrics(report)]), report.runs)


def _pareto_writers(found: Pareto) -> dict[str, Callable[[], Any]]:
    from ragstone.reports.choice.csv import pareto_csv
    from ragstone.reports.choice.pareto_chart import pareto_chart
    from ragstone.reports.choice.render import pareto_markdown
    from ragstone.reports.markdown import markdown_table

    return {
        **_pictures(lambda: pareto_chart(found)),
        ".csv": lambda: pareto_csv(found),
        ".md": lambda: pareto_markdown(found, markdown_table),
    }


def _grid_writers(grid: Grid) -> dict[str, Callable[[], Any]]:
    from ragstone.reports.choice.csv import grid_csv
    from ragstone.reports.choice.heat_map import heat_map
    from ragstone.reports.choice.render import grid_markdown
    from ragstone.reports.markdown import markdown_table

    return {
        **_pictures(lambda: heat_map(grid)),
        ".csv": lambda: grid_csv(grid),
        ".md": lambda: grid_markdown(grid, markdown_table),
    }


def _pictures(draw: Callable[[], str]) -> dict[str, Callable[[], Any]]:
    from ragstone.reports.pictures import png, standalone

    return {".svg": lambda: standalone(draw()), ".png": lambda: png(draw())}


def _put_or_write(out: Path | None, writers: dict[str, Callable[[], Any]], text: Callable[[], str]) -> None:
    """Print the text, or write the file in the form that its suffix names."""
    from ragstone.errors import UsageError

    if out is None:
        put(text())
        return
    if out.suffix.lower() not in writers:
        raise UsageError(f"the suffix of {out.name!r} names no form; known: {', '.join(sorted(writers))}")
    content = writers[out.suffix.lower()]()
    if isinstance(content, bytes):
        _write_bytes(out, content)
    else:
        write_file(out, content)
    say(f"wrote {out}")


def _write_bytes(path: Path, content: bytes) -> None:
    from ragstone.errors import UsageError

    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror or error}") from error
