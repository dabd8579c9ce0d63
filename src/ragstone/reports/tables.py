"""Tables in words, for every format to lay out."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from ragstone.reports.plain import plain, shortened

WIDTH = 100
_NARROWEST = 16


@dataclass(frozen=True, slots=True)
class Table:
    """Cells of text.

    Attributes:
        numbers: Columns that are aligned right.
        faint: Rows that rest on too little to be read.
        title: What stands above it; may be empty.
        note: What a reader needs to know; may be empty.
    """

    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    numbers: Collection[int] = ()
    faint: Collection[int] = ()
    title: str = ""
    note: str = ""


def full_width(table: Table) -> int:
    """Return how many characters across a table needs if nothing is cut.

    Example:
        >>> full_width(Table(["run", "n"], [["a", "10"]]))
        7
    """
    rows = [[plain(cell) for cell in row] for row in (table.header, *table.rows)]
    return sum(max(map(len, column)) for column in zip(*rows, strict=True)) + 2 * (len(table.header) - 1)


def columns(table: Table, width: int = WIDTH) -> list[str]:
    """Return a table in columns of plain text; its widest column is cut where the lines would be too long.

    Example:
        >>> columns(Table(["run", "n"], [["a", "10"]], numbers=[1]))
        ['run   n', 'a    10']
    """
    rows = [[plain(cell) for cell in row] for row in (table.header, *table.rows)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(table.header))]
    widest = widths.index(max(widths))
    room = width - sum(widths) + widths[widest] - 2 * len(widths) + 2
    widths[widest] = max(_NARROWEST, min(widths[widest], room)) if widths[widest] > _NARROWEST else widths[widest]
    return [
        "  ".join(
            cell.rjust(widths[at]) if at in table.numbers else shortened(cell, widths[at]).ljust(widths[at])
            for at, cell in enumerate(row)
        ).rstrip()
        for row in rows
    ]
