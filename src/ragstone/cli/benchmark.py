"""`ragstone benchmark`: validate a file, print the schema."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ragstone.cli.options import JsonOption
from ragstone.cli.output import put, put_json, say

app = typer.Typer(help="Benchmark files.", no_args_is_help=True, rich_markup_mode=None)


@app.command()
def validate(
    file: Annotated[Path, typer.Argument(help="Benchmark file (YAML).", metavar="FILE")],
    as_json: JsonOption = False,
) -> None:
    """Check a benchmark file and its dataset, and list the runs that it plans."""
    from ragstone.bootstrap import load_benchmark
    from ragstone.reports.plain import plain

    plan = load_benchmark(file)
    for warning in plan.warnings:
        say(f"warning: {warning}")
    if as_json:
        runs = [
            {"name": spec.name, "config_hash": spec.config_hash, "factors": dict(spec.factors)}
            for spec in plan.specs
        ]
        metrics = plan.benchmark.metric_names()
        put_json(
            {
                "benchmark": plan.benchmark.name,
                "questions": len(plan.dataset.queries),
                "metrics": metrics,
                "runs": runs,
            }
        )
        return
    put(f"{plain(plan.benchmark.name)}: {len(plan.specs)} run(s) of {len(plan.dataset.queries)} questions")
    for spec in plan.specs:
        put(f"  {spec.position:>3}  {spec.config_hash}  {plain(spec.name)}")


@app.command()
def schema(as_json: JsonOption = True) -> None:  # noqa: ARG001 - it is JSON either way
    """Print the JSON Schema of benchmark files, for editors."""
    from ragstone.bootstrap import json_schema

    put_json(json_schema())
