"""Tables in words, for every format to lay out."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, count

from ragstone.reports.plain import plain, shortened

WIDTH = 100
_NARROWEST = 12
# Characters shown before the first that differs.
_CONTEXT = 2


@dataclass(frozen=True, slots=True)
class Table:
    """Cells of text.

    Attributes:
        numbers: Columns that are aligned right.
        whole: Columns of words that are never cut.
        faint: Rows that rest on too little to be read.
        title: What stands above it; may be empty.
        note: What a reader needs to know; may be empty.
    """

    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    numbers: Collection[int] = ()
    faint: Collection[int] = ()
    whole: Collection[int] = ()
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
    """Return a table in columns of plain text; its widest columns of words are cut where lines would be too long.

    Example:
        >>> columns(Table(["run", "n"], [["a", "10"]], numbers=[1]))
        ['run   n', 'a    10']
    """
    rows = [[plain(cell) for cell in row] for row in (table.header, *table.rows)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    fixed = {*table.numbers, *table.whole}
    for _ in range(sum(widths) + 2 * (len(widths) - 1) - width):
        cut = [at for at, room in enumerate(widths) if at not in fixed and room > _NARROWEST]
        if cut:
            widths[max(cut, key=lambda at: widths[at])] -= 1
    texts = [
        column if at in fixed else distinct(column, widths[at])
        for at, column in enumerate(zip(*rows, strict=True))
    ]
    return [
        "  ".join(
            cell.rjust(widths[at]) if at in table.numbers else cell.ljust(widths[at])
            for at, cell in enumerate(row)
        ).rstrip()
        for row in zip(*texts, strict=True)
    ]


def distinct(texts: Sequence[str], width: int) -> list[str]:
    """Return texts cut to a width so that different ones stay different.

    Texts are cut at the end. Where that makes two the same, as with long names that differ at the end alone, what
    they have in common is cut instead; a number stands at the end of those that even then look the same.

    Args:
        texts: In plain characters.
        width: Of at least 8 characters.

    Example:
        >>> distinct(["top_k=10 rrf_k=10 tag=a", "top_k=10 rrf_k=10 tag=b", "other"], 14)
        ['top_k=10 r…g=a', 'top_k=10 r…g=b', 'other']
    """
    cut = {text: shortened(text, width) for text in texts}
    for same in _alike(cut):
        shared = _shared(same)
        tail = min(max(map(len, same)) - shared + _CONTEXT, width - 1 - width // 3)
        start = max(0, shared - _CONTEXT)
        cut |= {text: f"{text[: width - 1 - tail]}…{text[start : start + tail]}" for text in same}
    taken: set[str] = set()
    for text, shown in cut.items():
        numbered = (f"{shown[: width - 1 - len(str(number))]}…{number}" for number in count(2))
        free = next(one for one in chain([shown], numbered) if one not in taken)
        taken.add(free)
        cut[text] = free
    return [cut[text] for text in texts]


def _alike(cut: Mapping[str, str]) -> list[list[str]]:
    """Return the texts that look the same, in groups of two or more."""
    groups: dict[str, list[str]] = {}
    for text, shown in cut.items():
        groups.setdefault(shown, []).append(text)
    return [same for same in groups.values() if len(same) > 1]


def _shared(texts: Sequence[str]) -> int:
    """Return how many characters all texts begin with alike."""
    first, last = min(texts), max(texts)
    pairs = enumerate(zip(first, last, strict=False))
    return next((at for at, (one, other) in pairs if one != other), len(first))
