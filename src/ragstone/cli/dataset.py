"""`ragstone dataset`: validate, show, convert, resolve."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ragstone.cli.options import JsonOption
from ragstone.cli.output import put, put_json, say, write_file

if TYPE_CHECKING:
    from ragstone.datasets import Loaded
    from ragstone.datasets.resolve import Resolution
    from ragstone.errors import Problem

app = typer.Typer(help="Data sets: questions with their golds.", no_args_is_help=True, rich_markup_mode=None)
INCOMPLETE = 3
SHOWN_SAMPLES = 10


class LimitsName(StrEnum):
    """Which limits hold."""

    UPLOAD = "upload"
    LOCAL = "local"


class PolicyName(StrEnum):
    """What becomes of golds that stay open."""

    COUNT = "count"
    DROP = "drop"


Paths = Annotated[
    list[Path],
    typer.Argument(help="Files of any known format, TREC topics and qrels, or BEIR folders.", metavar="PATH..."),
]
LimitsOption = Annotated[
    LimitsName,
    typer.Option(
        "--limits",
        help="upload: 10 MiB, 1,000 questions, 100 judgments each, or as RAGSTONE_UPLOAD_MAX_BYTES, "
        "RAGSTONE_UPLOAD_MAX_QUERIES and RAGSTONE_UPLOAD_MAX_JUDGMENTS say.",
    ),
]


@app.command()
def validate(
    paths: Paths,
    limits: LimitsOption = LimitsName.LOCAL,
    each: Annotated[bool, typer.Option("--each", help="Every path is a data set of its own.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Check that files load, and list everything that is wrong or doubtful."""
    found = _load_each(paths, limits) if each else [_load(paths, limits)]
    if as_json:
        data = [{"valid": True, **_head(one), "questions": len(one.dataset.queries)} for one in found]
        put_json({"valid": True, "datasets": data} if each else data[0])
        return
    for one in found:
        warned = len(one.warnings)
        put(f"{_title(one)}: {len(one.dataset.queries)} questions, no problems, {warned} warning(s)")


def _load_each(paths: list[Path], limits: LimitsName) -> list[Loaded]:
    """Load every path as a data set; the problems of all are raised together."""
    from ragstone.errors import InvalidInputError

    found: list[Loaded] = []
    problems: list[Problem] = []
    for path in paths:
        try:
            found.append(_load([path], limits))
        except InvalidInputError as error:
            problems += error.problems
    if problems:
        raise InvalidInputError(problems)
    return found


@app.command()
def show(paths: Paths, as_json: JsonOption = False) -> None:
    """Show what a data set holds: its mix of questions and golds."""
    from dataclasses import asdict

    from ragstone.datasets.describe import mix

    loaded = _load(paths)
    counts = asdict(mix(loaded.dataset))
    if as_json:
        put_json({**_head(loaded), "mix": counts})
        return
    put(_title(loaded))
    for name, value in counts.items():
        text = _listed(value) if isinstance(value, dict) else str(value)
        put(f"  {name.replace('_', ' '):<14} {text or '-'}")
    put(f"  {'digest':<14} {loaded.dataset.digest}")


@app.command()
def convert(
    paths: Paths,
    out: Annotated[Path, typer.Option("--out", "-o", help="File to write.", metavar="FILE", dir_okay=False)],
    as_json: JsonOption = False,
) -> None:
    """Write a data set as ground-truth JSON Lines."""
    from ragstone.datasets.write import ground_truth_text

    loaded = _load(paths)
    write_file(out, ground_truth_text(loaded.dataset))
    if as_json:
        put_json({**_head(loaded), "questions": len(loaded.dataset.queries), "out": str(out)})
    else:
        say(f"wrote {len(loaded.dataset.queries)} questions to {out}")


@app.command()
def resolve(
    paths: Paths,
    corpus: Annotated[
        Path,
        typer.Option(
            "--corpus", help="Folder of documents, or their catalogue.jsonl.", metavar="PATH", exists=True
        ),
    ],
    policy: Annotated[
        PolicyName, typer.Option("--policy", help="Golds that stay open: counted as never retrieved, or dropped.")
    ] = PolicyName.COUNT,
    fallthrough: Annotated[
        bool,
        typer.Option("--fallthrough", help="Try the later keys of a reference where the first finds nothing."),
    ] = False,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="Write the resolved data set here.", metavar="FILE", dir_okay=False),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Find the documents that the golds mean; exit with 3 if none is found."""
    from ragstone.datasets.apply import apply
    from ragstone.datasets.catalogue import Catalogue
    from ragstone.datasets.resolve import resolve as resolve_dataset
    from ragstone.datasets.write import ground_truth_text

    loaded = _load(paths)
    found = resolve_dataset(loaded.dataset, Catalogue.read(corpus), fallthrough=fallthrough)
    if out is not None:
        write_file(out, ground_truth_text(apply(loaded.dataset, found, policy.value)))
    if as_json:
        put_json({**_resolution(found), "policy": policy.value, "out": None if out is None else str(out)})
    else:
        _put_resolution(found)
    if found.status == "pending":
        raise typer.Exit(INCOMPLETE)


def _load(paths: list[Path], limits: LimitsName = LimitsName.LOCAL) -> Loaded:
    from ragstone.datasets import load
    from ragstone.settings import upload_limits

    loaded = load(paths, "", limits=upload_limits() if limits is LimitsName.UPLOAD else None)
    for warning in loaded.warnings:
        say(f"warning: {warning}")
    return loaded


def _head(loaded: Loaded) -> dict[str, Any]:
    return {
        "name": loaded.dataset.name,
        "formats": list(loaded.formats),
        "digest": loaded.dataset.digest,
        "warnings": [str(warning) for warning in loaded.warnings],
    }


def _title(loaded: Loaded) -> str:
    from ragstone.reports.plain import plain

    return f"{plain(loaded.dataset.name)} ({', '.join(dict.fromkeys(loaded.formats))})"


def _listed(counts: dict[str, int]) -> str:
    from ragstone.reports.plain import plain

    return ", ".join(f"{plain(name)} {count}" for name, count in counts.items())


def _resolution(found: Resolution) -> dict[str, Any]:
    samples = [
        {
            "query_id": one.query_id,
            "doc_ref": dict(one.doc_ref),
            "doc_ref_hash": one.doc_ref_hash,
            "reason": one.reason,
        }
        for one in found.samples
    ]
    counts = {"status": found.status, "total": found.total, "resolved": found.resolved}
    return {**counts, "unresolved": dict(found.reasons), "samples": samples}


def _put_resolution(found: Resolution) -> None:
    from ragstone.reports.plain import plain

    put(f"{found.status}: {found.resolved} of {found.total} references mean one document")
    for reason, count in found.reasons.items():
        put(f"  {reason:<12} {count}")
    for one in found.samples[:SHOWN_SAMPLES]:
        reference = ", ".join(f"{key} {value!r}" for key, value in one.doc_ref.items())
        put(f"    {plain(one.query_id)}: {plain(reference)}: {one.reason}")
    left = sum(found.reasons.values()) - SHOWN_SAMPLES
    if left > 0:
        put(f"    and {left} more (--json lists up to 100)")
