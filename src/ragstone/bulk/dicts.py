"""Judged hits from dictionaries in memory: one look-up for each judged document, no object for any other row.

The scores of all rows go into one array. A rank is one more than the number of higher scores of the query; where
scores are equal, ids are compared as well.
"""

from __future__ import annotations

import struct
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import pairwise, repeat
from typing import NoReturn

import numpy as np
from numpy.typing import NDArray

from ragstone.bulk.hits import Hits
from ragstone.bulk.problems import Problems, shown
from ragstone.bulk.ranking import Ties, compared
from ragstone.bulk.words import Places
from ragstone.errors import Problem, UsageError

Floating = NDArray[np.float32] | NDArray[np.float64]
Table = Mapping[str, Mapping[str, float]]
MOST_GRADE = 2**31 - 1
_NAN = float("nan")


class DictJudgments:
    """Judgments as a dictionary: grade by document by query.

    Args:
        table: The dictionary.

    Attributes:
        queries: Query ids.
        grade: Grades of all judgments, query after query (int32).
        start: Offsets into `grade`, one more than there are queries (int64).

    Raises:
        InvalidInputError: A grade is no whole number.
    """

    def __init__(self, table: Table) -> None:
        self.table = table
        self.queries = tuple(table)
        refuse_other_ids(table, "qrels")
        self.start = _offsets(list(map(len, table.values())))
        grades, at = np.empty(int(self.start[-1])), 0
        try:
            for judged in table.values():
                pack = _doubles(len(judged))
                pack.pack_into(grades.data, at, *judged.values())
                at += pack.size
        except struct.error:
            _raise_wrong(table, "qrels", "grade", whole=True)
        if not bool(((grades == np.floor(grades)) & (np.abs(grades) <= MOST_GRADE)).all()):
            _raise_wrong(table, "qrels", "grade", whole=True)
        self.grade = grades.astype(np.int32)


def refuse_other_ids(table: Mapping[str, object], name: str) -> None:
    """Raise for a query id that is no string."""
    for query in table:
        if not isinstance(query, str):
            raise UsageError(f"{name}: query ids are strings, got {query!r}")


@lru_cache(maxsize=4096)
def _doubles(count: int) -> struct.Struct:
    """Return what packs numbers as doubles; the quickest way from Python's numbers into an array."""
    return struct.Struct(f"{count}d")


def _offsets(sizes: Sequence[int] | Places) -> Places:
    """Return the sum of the sizes before each, and of all."""
    return np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(np.array(sizes, dtype=np.int64))])


def dict_hits(judgments: DictJudgments, run: Table, ties: Ties, source: str) -> Hits:
    """Return the judged hits of a run.

    Args:
        judgments: What is judged.
        run: Score by document by query.
        ties: How exactly scores are compared.
        source: Name of the run for messages.

    Raises:
        InvalidInputError: A score is no finite number.
    """
    given = list(map(run.get, judgments.queries))
    returned = np.array([-1 if got is None else len(got) for got in given], dtype=np.int64)
    start = _offsets(np.maximum(returned, 0))
    scores, found = _look_up(judgments, given, int(start[-1]))
    if scores is None or not bool(np.isfinite(scores).all()):
        _raise_wrong(run, source, "score", whole=False)
    rows = np.flatnonzero(~np.isnan(found))
    query = np.repeat(np.arange(len(returned)), np.diff(judgments.start))[rows]
    keys, wanted = compared(scores, ties), compared(found[rows], ties)
    _sort_parts(keys, start)
    low, high = start[query], start[query + 1]
    place = low + _count_below(keys, wanted, low, high)
    rank = high - place
    following = np.minimum(place + 1, high - 1)
    tied = np.flatnonzero((following > place) & (keys[following] == wanted))
    if len(tied):
        rank[tied] = _tied_ranks(judgments, run, ties, query[tied], rows[tied], wanted[tied], rank[tied])
    order = np.argsort((query << 32) | rank)
    all_judged = np.count_nonzero(returned >= 0) == len(run)
    unjudged = [] if all_judged else [str(name).encode() for name in run if name not in judgments.table]
    return Hits(_int32(query[order]), _int32(rank[order]), _int32(rows[order]), returned, unjudged)


def _int32(column: Places) -> NDArray[np.int32]:
    return column.astype(np.int32)


def _look_up(
    judgments: DictJudgments, given: Sequence[Mapping[str, float] | None], rows: int
) -> tuple[NDArray[np.float64] | None, NDArray[np.float64]]:
    """Return the scores of all rows, None where some are no numbers, and of each judgment its score or NaN."""
    scores, at = np.empty(rows), 0
    found, place = np.full(len(judgments.grade), np.nan), 0
    nothing = repeat(_NAN)
    try:
        for judged, got in zip(judgments.table.values(), given, strict=True):
            wanted = _doubles(len(judged))
            if got is not None:
                pack = _doubles(len(got))
                pack.pack_into(scores.data, at, *got.values())
                wanted.pack_into(found.data, place, *map(got.get, judged, nothing))
                at += pack.size
            place += wanted.size
    except struct.error:
        return None, found
    return scores, found


def _raise_wrong(table: Table, source: str, what: str, *, whole: bool) -> NoReturn:
    """Raise the problems of a table that is known to hold values that are no numbers, or not whole ones."""
    kind = "whole" if whole else "finite"
    problems = Problems()
    for query, row in table.items():
        problems.extend(
            Problem(
                f"the {what} must be a {kind} number, got {shown(value)}", source, pointer=f"[{query!r}][{name!r}]"
            )
            for name, value in row.items()
            if not _is_number(value, whole=whole)
        )
    problems.raise_any()
    raise UsageError(f"{source}: each {what} must be a {kind} number")


def _is_number(value: object, *, whole: bool) -> bool:
    try:
        number = struct.unpack("d", struct.pack("d", value))[0]
    except struct.error:
        return False
    finite = abs(number) < np.inf
    return finite and (not whole or (number == int(number) and abs(number) <= MOST_GRADE))


def _sort_parts(keys: Floating, start: Places) -> None:
    """Sort each query's scores in place; queries of one depth that stand together are sorted at once."""
    edges = np.flatnonzero(np.diff(np.diff(start), prepend=-1, append=-1)).tolist()
    for first, last in pairwise(edges):
        part = keys[start[first] : start[last]]
        if len(part):
            part.reshape(last - first, -1).sort(axis=1)


def _count_below(keys: Floating, wanted: Floating, low: Places, high: Places) -> Places:
    """Count, in each sorted stretch ``keys[low:high]``, the numbers below the wanted one."""
    begin, low, high = low, low.copy(), high.copy()
    for _ in range(int((high - low).max(initial=0)).bit_length()):
        middle = (low + high) >> 1
        # Where the search is over, the middle may lie behind the end of the array.
        below = (keys.take(middle, mode="clip") < wanted) & (low < high)
        low = np.where(below, middle + 1, low)
        high = np.where(below, high, middle)
    return low - begin


def _tied_ranks(
    judgments: DictJudgments,
    run: Table,
    ties: Ties,
    query: Places,
    judgment: Places,
    score: Floating,
    last: Places,
) -> Places:
    """Return the ranks of hits that share their score with others, of which `last` is the last one's rank."""
    rank = last.copy()
    edges = np.flatnonzero(np.diff(query, prepend=-1, append=-1)).tolist()
    for first, end in pairwise(edges):
        number = int(query[first])
        name = judgments.queries[number]
        ids = list(judgments.table[name])
        scores = score[first:end].tolist()
        groups = _tied_ids(run[name], scores, ties)
        base = int(judgments.start[number])
        for row, value in enumerate(scores, first):
            rank[row] -= bisect_right(groups[value], ids[judgment[row] - base]) - 1
    return rank


def _tied_ids(found: Mapping[str, float], wanted: Sequence[float], ties: Ties) -> dict[float, list[str]]:
    """Return the documents that have one of the wanted scores, in the order of their ids."""
    groups: dict[float, list[str]] = {value: [] for value in wanted}
    values = found.values()
    if ties == "trec9":
        values = compared(np.fromiter(values, dtype=np.float64, count=len(found)), ties).tolist()
    for name, value in zip(found, values, strict=True):
        if value in groups:
            groups[value].append(name)
    for group in groups.values():
        group.sort()
    return groups
