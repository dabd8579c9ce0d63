"""A matrix, a Pareto plot or a heat map as text: for a terminal, and as Markdown."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Container, Iterator, Sequence
from dataclasses import replace

from ragstone.experiments.choice.analysis import MatrixAnalysis
from ragstone.experiments.choice.grids import Grid
from ragstone.experiments.choice.pareto import Pareto
from ragstone.experiments.report import Report
from ragstone.reports.choice.heat_map import grid_title
from ragstone.reports.choice.pareto_words import DEFINITION, pareto_sentences, placed_names
from ragstone.reports.choice.report import Which, which
from ragstone.reports.choice.tables import (
    EFFECTS_NOTE,
    GROUPS_NOTE,
    P_NOTE,
    SPREAD_NOTE,
    effects_table,
    grid_table,
    pareto_table,
    ranking_table,
)
from ragstone.reports.choice.words import names_of, sentences
from ragstone.reports.escape import escaped, with_commands
from ragstone.reports.plain import plain
from ragstone.reports.tables import WIDTH, Table, columns, full_width

# Where a ranking has p and the limits of the cost, and the effects how many pairs there are and how far these lie
# apart: what goes first where a terminal has no room for all of it.
_P, _LIMITS = 5, 7
_PAIRS, _SPREAD = 6, 7

MarkdownTable = Callable[[Sequence[str], Sequence[Sequence[str]], Container[int]], str]


def matrix_text(analysis: MatrixAnalysis, pareto: Pareto | None = None, *, width: int = WIDTH) -> str:
    """Return a matrix by one metric for a terminal."""
    lines = [*_prose(sentences(analysis), width)]
    if analysis.ranked:
        shown, left_out = _fitting(ranking_table(analysis, pareto), width, (_LIMITS, _P))
        lines += ["", *columns(shown, width)]
        lines += _prose([names_of(analysis.table).note, GROUPS_NOTE, "" if _P in left_out else P_NOTE], width)
    if analysis.effects:
        shown, left_out = _fitting(effects_table(analysis), width, (_SPREAD, _PAIRS))
        note = EFFECTS_NOTE if _SPREAD in left_out else f"{EFFECTS_NOTE} {SPREAD_NOTE}"
        lines += ["", "Main effects", *columns(shown, width), *_prose([note], width)]
    if pareto is not None and pareto.points:
        lines += ["", *_prose(pareto_sentences(pareto), width)]
    return "\n".join(lines) + "\n"


def pareto_text(pareto: Pareto, *, width: int = WIDTH) -> str:
    """Return quality against cost for a terminal."""
    lines = [*_prose(pareto_sentences(pareto), width)]
    if pareto.points:
        lines += ["", *columns(pareto_table(pareto), width)]
        lines += _prose([placed_names(pareto).note, DEFINITION], width)
    return "\n".join(lines) + "\n"


def grid_text(grid: Grid, *, width: int = WIDTH) -> str:
    """Return a heat map's numbers for a terminal."""
    return "\n".join([grid_title(grid), *columns(grid_table(grid), width)]) + "\n"


def matrix_markdown(analysis: MatrixAnalysis, pareto: Pareto | None, table: MarkdownTable) -> str:
    """Return a matrix by one metric as Markdown; `table` writes a table."""
    return "".join(_matrix_parts(analysis, pareto, table))


def _matrix_parts(analysis: MatrixAnalysis, pareto: Pareto | None, table: MarkdownTable) -> Iterator[str]:
    yield _listed(sentences(analysis))
    if analysis.ranked:
        note = " ".join(filter(None, [names_of(analysis.table).note, GROUPS_NOTE, P_NOTE]))
        yield f"\n{_markdown(ranking_table(analysis, pareto), table)}\n{escaped(note)}\n"
    if pareto is not None and pareto.points:
        yield f"\n{_listed(pareto_sentences(pareto))}\n{DEFINITION}\n"
    if analysis.effects:
        shown = _markdown(effects_table(analysis), table)
        yield f"\n### What each factor is worth\n\n{shown}\n{EFFECTS_NOTE} {SPREAD_NOTE}\n"


def pareto_markdown(pareto: Pareto, table: MarkdownTable) -> str:
    """Return quality against cost as Markdown."""
    shown = f"\n{_markdown(pareto_table(pareto), table)}\n{DEFINITION}\n" if pareto.points else ""
    return _listed(pareto_sentences(pareto)) + shown


def grid_markdown(grid: Grid, table: MarkdownTable) -> str:
    """Return a heat map's numbers as Markdown."""
    return f"{escaped(grid_title(grid))}\n\n{_markdown(grid_table(grid), table)}"


def which_sections(report: Report, table: MarkdownTable) -> Iterator[str]:
    """Yield a report's section on which configuration is best, and the one on noise, where they apply."""
    found: Which = which(report)
    if found.analysis is not None:
        yield f"\n## Which configuration?\n\n{matrix_markdown(found.analysis, found.pareto, table)}"
    if found.spreads:
        yield "\n## How noisy?\n\n" + _listed([f"{name}: {said}" for name, said in found.spreads])


def _fitting(table: Table, width: int, dispensable: Sequence[int]) -> tuple[Table, Sequence[int]]:
    """Return a table with the columns that there is room for, and which had to go."""
    for n in range(len(dispensable) + 1):
        shown = _without(table, dispensable[:n])
        if full_width(shown) <= width:
            break
    return shown, dispensable[:n]


def _without(table: Table, left_out: Sequence[int]) -> Table:
    """Return a table without some of its columns."""
    kept = [at for at in range(len(table.header)) if at not in left_out]
    header, *rows = ([row[at] for at in kept] for row in (table.header, *table.rows))
    numbers, whole = (
        frozenset(place for place, at in enumerate(kept) if at in some) for some in (table.numbers, table.whole)
    )
    return replace(table, header=header, rows=rows, numbers=numbers, whole=whole)


def _prose(said: Sequence[str], width: int) -> Iterator[str]:
    for one in said:
        yield from textwrap.wrap(plain(one), width, subsequent_indent="  ")


def _listed(said: Sequence[str]) -> str:
    return "".join(f"- {with_commands(one)}\n" for one in said)


def _markdown(table: Table, write: MarkdownTable) -> str:
    return write(
        table.header, [[escaped(cell) if cell else "" for cell in row] for row in table.rows], table.numbers
    )
