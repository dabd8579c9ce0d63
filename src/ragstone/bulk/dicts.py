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

import numpy as np
from numpy.typing import NDArray

from ragstone.bulk.hits import Hits
from ragstone.bulk.judgments import Judgments
from ragstone.bulk.qrels import MOST_GRADE
from ragstone.bulk.ranking import Ties, compared
from ragstone.bulk.rows import names
from ragstone.bulk.tables import Table, are_finite, check_ids, raise_values
from ragstone.bulk.words import Places

Floating = NDArray[np.float32] | NDArray[np.float64]
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
        InvalidInputError: A grade is no whole number, an id is no string.
    """

    def __init__(self, table: Table) -> None:
        self.table = table
        self.queries = tuple(table)
        check_ids(table, "qrels")
        self.start = _offsets(list(map(len, table.values())))
        grades, at = np.empty(int(self.start[-1])), 0
        try:
            for judged in table.values():
                pack = _doubles(len(judged))
                pack.pack_into(grades.data, at, *judged.values())
                at += pack.size
        except struct.error:
            raise_values(table, "qrels", "grade", whole=True)
        if not bool(((grades == np.floor(grades)) & (np.abs(grades) <= MOST_GRADE)).all()):
            raise_values(table, "qrels", "grade", whole=True)
        self.grade = grades.astype(np.int32)


def as_dict(judgments: Judgments) -> dict[str, dict[str, int]]:
    """Return judgments of a file or table as a dictionary: grade by document by query."""
    every = np.arange(len(judgments.grade))
    ids = [name.decode(errors="backslashreplace") for name in names(judgments.documents, every)]
    grades, ends = judgments.grade.tolist(), pairwise(judgments.offsets().tolist())
    queries = map(bytes.decode, judgments.queries)
    return {
        query: dict(zip(ids[a:b], grades[a:b], strict=True)) for query, (a, b) in zip(queries, ends, strict=True)
    }


@lru_cache(maxsize=4096)
def _doubles(count: int) -> struct.Struct:
    """Return what packs numbers as doubles; the quickest way from Python's numbers into an array."""
    return struct.Struct(f"{count}d")


def _offsets(sizes: Sequence[int] | Places) -> Places:
    """Return the sum of the sizes before each, and of all."""
    return np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(np.array(sizes, dtype=np.int64))])


def dict_hits(judgments: DictJudgments, run: Table, ties: Ties, source: str, *, scored: bool = False) -> Hits:
    """Return the judged hits of a run.

    Args:
        judgments: What is judged.
        run: Score by document by query.
        ties: How exactly scores are compared.
        source: Name of the run for messages.
        scored: Whether to keep the scores of all rows.

    Raises:
        InvalidInputError: A score is no finite number, an id is no string.
    """
    check_ids(run, source)
    given = list(map(run.get, judgments.queries))
    returned = np.array([-1 if got is None else len(got) for got in given], dtype=np.int64)
    start = _offsets(np.maximum(returned, 0))
    scores, found = _look_up(judgments, given, int(start[-1]))
    all_judged = sum(got is not None for got in given) == len(run)
    others = [] if all_judged else [name for name in run if name not in judgments.table]
    if scores is None or not bool(np.isfinite(scores).all()) or not are_finite(map(run.__getitem__, others)):
        raise_values(run, source, "score", whole=False)
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
    unjudged = [name.encode() for name in others]
    every = _downwards(keys, start) if scored else None
    return Hits(_int32(query[order]), _int32(rank[order]), _int32(rows[order]), returned, unjudged, every)


def _downwards(keys: Floating, start: Places) -> NDArray[np.float64]:
    """Return each query's sorted scores from high to low."""
    mirror = np.repeat(start[:-1] + start[1:] - 1, np.diff(start))
    return keys[mirror - np.arange(len(keys))].astype(np.float64)


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
    # As numbers of one kind: a Decimal or a whole number beyond 2**53 is not equal to what it was compared as.
    values = compared(np.frombuffer(_doubles(len(found)).pack(*found.values())), ties).tolist()
    for name, value in zip(found, values, strict=True):
        if value in groups:
            groups[value].append(name)
    for group in groups.values():
        group.sort()
    return groups
