"""`ragstone selfcheck`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from ragstone.cli.options import JsonOption, QuietOption
from ragstone.cli.output import put, put_json, say
from ragstone.errors import ExitCode

if TYPE_CHECKING:
    from ragstone.stats.selfcheck import Cell

TITLES = {
    "coverage": "How often 95% intervals hold the truth, in percent",
    "false alarms": "How often tests at 5% see a difference that is not there, in percent",
    "power": "How often a difference shows that is said to show with 80% chance, in percent",
}


def selfcheck(
    full: Annotated[
        bool, typer.Option("--full", help="More runs, as for the table in the documentation.")
    ] = False,
    runs: Annotated[
        int | None,
        typer.Option(
            "--runs",
            help="Simulated experiments for each figure [default 3000]; below 1000 luck may break a promise.",
            min=8,
        ),
    ] = None,
    seed: Annotated[int, typer.Option("--seed", help="Seed of the simulation.", min=0)] = 0,
    quiet: QuietOption = False,
    as_json: JsonOption = False,
) -> None:
    """Rerun the simulations behind every interval and test, and print how well they keep their promises.

    Exits with 1 if a default interval holds the truth too seldom, or a default verdict raises too many alarms or
    misses too often what it is said to see.
    """
    from ragstone.stats.selfcheck import FULL_RUNS, RUNS, SIZES
    from ragstone.stats.selfcheck import selfcheck as simulate

    count = runs or (FULL_RUNS if full else RUNS)
    if not quiet:
        say(f"simulating {count:,} experiments for each figure, at {len(SIZES)} sizes; this takes a while")
    cells = list(simulate(runs=count, seed=seed))
    broken = [cell for cell in cells if not cell.holds]
    if as_json:
        rows = [{**asdict(cell), "holds": cell.holds} for cell in cells]
        put_json({"runs": count, "seed": seed, "holds": not broken, "figures": rows})
    else:
        put(render(cells, count, seed))
    if broken:
        raise typer.Exit(ExitCode.GATE_FAILED)


def render(cells: Sequence[Cell], runs: int, seed: int) -> str:
    """Return the figures as Markdown tables, one for each kind, with what is promised below."""
    from ragstone.stats.selfcheck import LEAST_COVERAGE, LEAST_POWER, MOST_ALARMS

    parts = [f"{runs:,} experiments for each figure, an eighth of them for slow methods; seed {seed}"]
    for kind, title in TITLES.items():
        if some := [cell for cell in cells if cell.kind == kind]:
            parts += [f"{title}:", "\n".join(_table(some))]
    parts.append(
        f"Promised (*): at least {LEAST_COVERAGE:.0%} coverage, at most {MOST_ALARMS:.1%} false alarms, and at "
        f"least {LEAST_POWER:.0%} where 80% is said, from 20 questions on; intervals without bounds from 50 on. A "
        "figure in exclamation marks breaks a promise; a dash means that there is none to give."
    )
    return "\n\n".join(parts)


def _table(cells: Sequence[Cell]) -> Iterable[str]:
    sizes = list(dict.fromkeys(cell.n for cell in cells))
    rows: dict[tuple[str, str], dict[int, Cell]] = {}
    for cell in cells:
        rows.setdefault((cell.method, cell.data), {})[cell.n] = cell
    promised = {key for key, row in rows.items() if any(cell.promised for cell in row.values())}
    first = dict.fromkeys(method for method, _ in rows)
    heads = [f"n = {n}" for n in sizes]
    names = [(f"{method}{' *' if (method, data) in promised else ''}", data) for method, data in rows]
    widths = [max(len(name[column]) for name in names) for column in (0, 1)]
    yield _line(["method".ljust(widths[0]), "data".ljust(widths[1]), *heads])
    yield _line(["-" * widths[0], "-" * widths[1], *("-" * (len(head) - 1) + ":" for head in heads)])
    for method in first:
        for key, (name, data) in zip(rows, names, strict=True):
            if key[0] == method:
                texts = [_figure(rows[key].get(n)).rjust(len(head)) for n, head in zip(sizes, heads, strict=True)]
                yield _line([name.ljust(widths[0]), data.ljust(widths[1]), *texts])


def _line(texts: Sequence[str]) -> str:
    return f"| {' | '.join(texts)} |"


def _figure(cell: Cell | None) -> str:
    if cell is None or cell.value is None:
        return "-"
    text = f"{100 * cell.value:.1f}"
    return text if cell.holds else f"!{text}!"
