"""Documents that stand twice for one query."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from ragstone.bulk.problems import shown
from ragstone.bulk.rows import Rows
from ragstone.bulk.words import Words
from ragstone.errors import Problem

_HALF = np.uint64(32)
_MIX = np.uint64(0xD6E8FEB86659FD93)


def repeated(rows: Rows, hashes: Words) -> Iterator[tuple[int, int]]:
    """Yield each row whose document stood before in the same block, with the row where it stood first.

    Sorted hashes show whether there can be any; only then are bytes compared. Half of a hash is enough for that,
    and sorts in half the time.
    """
    salts = np.arange(len(rows.queries), dtype=np.uint64) * _MIX
    salted = ((hashes ^ np.repeat(salts, np.diff(rows.first))) >> _HALF).astype(np.uint32)
    ordered = np.sort(salted)
    equal = ordered[1:] == ordered[:-1]
    if not equal.any():
        return
    suspects = np.flatnonzero(_is_any(salted, ordered[1:][equal]))
    blocks = np.searchsorted(rows.first, suspects, side="right")
    seen: dict[tuple[int, bytes], int] = {}
    for row, block in zip(suspects.tolist(), blocks.tolist(), strict=True):
        first = seen.setdefault((block, rows.documents.one(row)), row)
        if first != row:
            yield row, first


def _is_any(values: NDArray[np.uint32], wanted: NDArray[np.uint32]) -> NDArray[np.bool_]:
    """Return which values are among the wanted ones, which are sorted."""
    place = np.minimum(np.searchsorted(wanted, values), len(wanted) - 1)
    return np.asarray(wanted[place] == values, dtype=bool)


def twice(rows: Rows, row: int, first: int, source: str) -> Problem:
    """Return the problem of a document that stood before."""
    query = rows.queries[int(np.searchsorted(rows.first, row, side="right")) - 1]
    message = f"document {shown(rows.documents.one(row))} stands twice for query {shown(query)}"
    return Problem(f"{message}, first on line {rows.line[first]}; keep one", source, int(rows.line[row]))
