"""`ragstone benchmark`: validate a file, print the schema, start from a ready file."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path
from typing import Annotated

import typer

from ragstone.cli.options import JsonOption
from ragstone.cli.output import put, put_json, say, write_file

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


QUESTIONS = "questions.jsonl"


@app.command()
def presets(as_json: JsonOption = False) -> None:
    """List the ready benchmark files."""
    found = {name: _described(_preset(name)) for name in _names()}
    if as_json:
        put_json({"presets": [{"name": name, "description": said} for name, said in found.items()]})
        return
    width = max(map(len, found))
    for name, said in found.items():
        put(f"{name.ljust(width)}  {said}")


@app.command()
def preset(
    name: Annotated[str, typer.Argument(help="Name of a preset.", metavar="NAME", autocompletion=_names)],
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="File to write instead of standard output.", dir_okay=False)
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Write over a file that is there.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Print a ready benchmark file, or write it with a few questions to replace.

    The file of questions beside it is written only if there is none.
    """
    from ragstone.errors import UnknownNameError, UsageError

    if name not in _names():
        raise UnknownNameError("preset", name, _names())
    text = _preset(name)
    if out is None:
        put_json({"name": name, "text": text}) if as_json else put(text)
        return
    if out.exists() and not force:
        raise UsageError(f"{out} is there already; choose another file, or write over it with --force")
    written = [out]
    write_file(out, text)
    questions = out.parent / QUESTIONS
    if not questions.exists():
        write_file(questions, _read(QUESTIONS))
        written.append(questions)
    if as_json:
        put_json({"written": [str(path) for path in written]})
    else:
        say("\n".join(f"wrote {path}" for path in written))


def _names() -> list[str]:
    found = (files("ragstone") / "presets").iterdir()
    return sorted(file.name.removesuffix(".yaml") for file in found if file.name.endswith(".yaml"))


def _preset(name: str) -> str:
    return _read(f"{name}.yaml")


def _read(file: str) -> str:
    return (files("ragstone") / "presets" / file).read_text(encoding="utf-8")


def _described(text: str) -> str:
    """Return a benchmark file's description."""
    lines = (line.removeprefix("description: ") for line in text.splitlines() if line.startswith("description: "))
    return next(lines, "")
