"""`ragstone score`: run files of any size against qrels."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ragstone.cli.options import JsonOption
from ragstone.cli.output import put, put_json, say
from ragstone.errors import UsageError

if TYPE_CHECKING:
    from ragstone.bulk import RunScores
    from ragstone.types import Interval

_DOTTED = re.compile(r"([A-Za-z]\w*)\.(\d*\.?\d+(?:,\d*\.?\d+)*)")
_COMMA = re.compile(r",(?![^()]*\))")


class TiesName(StrEnum):
    """How exactly scores are compared."""

    TREC9 = "trec9"
    TREC10 = "trec10"


class NoGoldName(StrEnum):
    """What becomes of queries without a relevant document."""

    EXCLUDE = "exclude"
    ZERO = "zero"


def score(  # noqa: PLR0917 - each is an option of its own
    qrels: Annotated[
        Path,
        typer.Argument(
            help="Judgments: TREC qrels, JSON Lines, Parquet, a BEIR folder or its TSV.", metavar="QRELS"
        ),
    ],
    runs: Annotated[
        list[Path],
        typer.Argument(help="Run files: TREC, JSON Lines or Parquet; .gz and .zst too.", metavar="RUN..."),
    ],
    metrics: Annotated[
        list[str] | None,
        typer.Option("--metrics", "-m", help="Names, by commas or one option each; trec_eval's are known."),
    ] = None,
    by_query: Annotated[bool, typer.Option("--by-query", "-q", help="Each query's values as well.")] = False,
    complete: Annotated[
        bool, typer.Option("--complete", "-c", help="Judged queries that a run lacks count as 0.")
    ] = False,
    ties: Annotated[
        TiesName, typer.Option("--ties", help="Compare scores as 64-bit numbers, or as trec_eval 9's 32 bits.")
    ] = TiesName.TREC10,
    no_gold: Annotated[
        NoGoldName | None,
        typer.Option("--no-gold", help="Queries without a relevant document; zero with --trec, else exclude."),
    ] = None,
    trec: Annotated[bool, typer.Option("--trec", help="The lines that trec_eval prints.")] = False,
    as_csv: Annotated[bool, typer.Option("--csv", help="CSV on standard output.")] = False,
    parquet: Annotated[
        Path | None,
        typer.Option("--parquet", help="Write each query's values here.", metavar="FILE", dir_okay=False),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Score run files against qrels: means with intervals, or one line per query and metric.

    Without -c the queries in both files count, as with trec_eval.
    """
    from ragstone.bulk import DEFAULT
    from ragstone.bulk.trec_lines import metrics_for

    if trec + as_csv + as_json > 1:
        raise UsageError("choose one of --trec, --csv and --json")
    names = _trec_names(metrics or ["official"]) if trec else _names(metrics or []) or list(DEFAULT)
    policy: Any = {
        "ties": ties.value,
        "no_gold": (no_gold or (NoGoldName.ZERO if trec else NoGoldName.EXCLUDE)).value,
        "missing_query": "zero" if complete and not trec else "exclude",
    }
    results = _scored(qrels, runs, metrics_for(names) if trec else names, policy)
    if parquet is not None:
        _write_parquet(results, parquet)
    if trec:
        _put_trec(results, names, by_query=by_query, complete=complete)
    elif as_json:
        put_json({"runs": [result.to_dict(by_query=by_query) for result in results.values()]})
    elif as_csv:
        put(_csv(results, by_query=by_query))
    else:
        _put_table(results, by_query=by_query)


def _scored(
    qrels: Path, runs: Sequence[Path], metrics: Sequence[str], policy: Mapping[str, Any]
) -> dict[str, RunScores]:
    """Return the scores of each run by its path, and say what is doubtful."""
    from ragstone.bulk import Qrels
    from ragstone.bulk import score as score_run

    if len(set(runs)) < len(runs):
        raise UsageError("a run is named twice; name each once")
    read = Qrels(str(qrels))
    results = {name: score_run(read, name, metrics, **policy) for name in map(str, runs)}
    for result in results.values():
        for warning in result.warnings:
            say(f"warning: {result.name}: {warning}")
    return results


def _names(given: Sequence[str]) -> list[str]:
    """Return metric names from options: lists by commas, and trec_eval's ``P.5,10``."""
    names: list[str] = []
    for text in given:
        if dotted := _DOTTED.fullmatch(text.strip()):
            names += [f"{dotted[1]}_{cut}" for cut in dotted[2].split(",")]
        else:
            names += [name.strip() for name in _COMMA.split(text) if name.strip()]
    return names


def _trec_names(given: Sequence[str]) -> list[str]:
    """Return the lines to print, and say what of trec_eval's sets is not computed."""
    from ragstone.bulk.trec_names import expanded

    names, absent = expanded(_names(given))
    if absent:
        say(f"warning: not computed, and therefore not printed: {', '.join(absent)}")
    return names


def _put_trec(results: Mapping[str, RunScores], names: Sequence[str], *, by_query: bool, complete: bool) -> None:
    from ragstone.bulk.trec_lines import tag_of, trec_lines

    for name, result in results.items():
        lines = trec_lines(result, names, by_query=by_query, complete=complete, tag=tag_of(name))
        put("\n".join(lines))


def _put_table(results: Mapping[str, RunScores], *, by_query: bool) -> None:
    from ragstone.bulk.result import cells
    from ragstone.reports.plain import plain

    for result in results.values():
        rows = [(name, *cells(summary)) for name, summary in result.summaries.items()]
        put(f"{plain(result.name)}: {len(result.queries):,} judged queries")
        put(_aligned([("metric", "mean", "95% interval", "n", "missing"), *rows]))
        if by_query:
            head = ("query", *result.metrics)
            values = [
                (plain(query), *map(_shown, row))
                for query, row in zip(result.queries, result.values.tolist(), strict=True)
            ]
            put(_aligned([head, *values]))
    if len(results) > 1:
        _put_comparison(results)


def _put_comparison(results: Mapping[str, RunScores]) -> None:
    from ragstone.bulk.comparing import against_first
    from ragstone.reports.plain import plain

    first = next(iter(results.values()))
    metric = first.metrics[0]
    put(f"{metric} against {plain(first.name)}:")
    rows = [
        (
            plain(name),
            "-" if found.difference is None else f"{found.difference:+.4f}",
            f"p {found.p:.4f}",
            f"{found.wins} won, {found.ties} tied, {found.losses} lost",
            found.verdict,
        )
        for name, found in against_first(results, metric).items()
    ]
    put(_aligned(rows))


def _aligned(rows: Sequence[Sequence[str]]) -> str:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join("  " + "  ".join(map(str.ljust, row, widths)).rstrip() for row in rows)


def _shown(value: float) -> str:
    return "-" if value != value else f"{value:.4f}"  # noqa: PLR0124 - NaN is not itself


def _csv(results: Mapping[str, RunScores], *, by_query: bool) -> str:
    from ragstone.reports.csv import csv_table

    if by_query:
        metrics = next(iter(results.values())).metrics
        rows = [
            [result.name, query, *values.values()]
            for result in results.values()
            for query, values in result.by_query().items()
        ]
        return csv_table(["run", "query_id", *metrics], rows)
    summaries = [(result.name, one) for result in results.values() for one in result.summaries.values()]
    return csv_table(
        ["run", "metric", "value", "n", "missing", "low", "high"],
        [
            [name, one.metric, one.value, one.n, sum(one.missing.values()), *_limits(one.interval)]
            for name, one in summaries
        ],
    )


def _limits(interval: Interval | None) -> tuple[float | None, float | None]:
    return (interval.low, interval.high) if interval else (None, None)


def _write_parquet(results: Mapping[str, RunScores], path: Path) -> None:
    from ragstone.bulk.parquet import write

    write(results, path)
    say(f"wrote {path}")
