"""`ragstone judgments`: what to judge next, and judgements merged into a data set."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ragstone.cli.options import JsonOption, StoreOption, complete_runs, settings
from ragstone.cli.output import put, put_json, say, write_file

app = typer.Typer(help="Judgements of what runs returned.", no_args_is_help=True, rich_markup_mode=None)


@app.command()
def pool(
    references: Annotated[
        list[str], typer.Argument(help="Runs or batches.", metavar="RUN...", autocompletion=complete_runs)
    ],
    depth: Annotated[int, typer.Option("--depth", min=1, help="Hits of each run that are looked at.")] = 10,
    limit: Annotated[int | None, typer.Option("--limit", min=1, help="Passages at most.")] = None,
    seed: Annotated[int, typer.Option("--seed", help="Of the shuffle.")] = 0,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="File to write instead of standard output.", dir_okay=False)
    ] = None,
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """List the passages that nobody has judged, blind to run and rank.

    Pooled over the runs, the questions whose judgements could change most first. Fill in each grade, 0 to 3, and
    merge the file with `ragstone judgments apply`.
    """
    import json

    from ragstone.bootstrap import open_configured_store
    from ragstone.datasets.judgments import pool_line
    from ragstone.experiments.diagnosis.holes import pool as pool_runs
    from ragstone.experiments.results import collect
    from ragstone.experiments.select import find_runs
    from ragstone.reports.diagnosis.holes import pool_sentence

    with open_configured_store(settings(store, None)) as opened:
        runs = {run.id: run for reference in references for run in find_runs(opened, reference)}
        results = [collect(opened, run) for run in runs.values()]
    items = pool_runs(results, depth=depth, limit=limit, seed=seed)
    lines = [pool_line(item.query, item.hit, item.reference) for item in items]
    questions = len({item.query.id for item in items})
    if out is not None:
        write_file(out, "".join(f"{line}\n" for line in lines))
    if as_json:
        counts = {"passages": len(items), "questions": questions, "runs": list(runs)}
        rows = [] if out else [json.loads(line) for line in lines]
        put_json({**counts, "out": None if out is None else str(out), **({} if out else {"pool": rows})})
        return
    if out is None and lines:
        put("\n".join(lines))
    say(pool_sentence(len(items), questions, len(runs)) + (f": wrote {out}" if out else ""))


@app.command()
def apply(
    dataset: Annotated[
        list[Path], typer.Argument(help="Files of the data set, of any known format.", metavar="DATASET...")
    ],
    judged: Annotated[Path, typer.Argument(help="The pool with its grades filled in.", metavar="JUDGED")],
    out: Annotated[Path, typer.Option("--out", "-o", help="File to write.", metavar="FILE", dir_okay=False)],
    as_json: JsonOption = False,
) -> None:
    """Merge the grades of a pool into a data set, written as ground-truth JSON Lines.

    Nothing is written where a line is malformed, of an unknown question, or contradicts a grade that is there.
    """
    from ragstone.datasets import load
    from ragstone.datasets.judgments import merge_judgments
    from ragstone.datasets.write import ground_truth_text
    from ragstone.errors import UsageError

    if out.resolve() in {path.resolve() for path in [*dataset, judged]}:
        raise UsageError(f"{out} is read here; a data set is not changed in place, so write to another file")
    loaded = load(dataset)
    for warning in loaded.warnings:
        say(f"warning: {warning}")
    merged = merge_judgments(loaded.dataset, judged)
    write_file(out, ground_truth_text(merged.dataset))
    counts = {"added": merged.added, "known": merged.known, "open": merged.open}
    if as_json:
        put_json({**counts, "digest": merged.dataset.digest, "out": str(out)})
        return
    if merged.open:
        say(f"{merged.open} lines have no grade yet and are left out")
    say(f"added {merged.added} judgements ({merged.known} were there already): wrote {out}")
