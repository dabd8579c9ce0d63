"""Ranks as trec_eval gives them: score descending, then document id descending byte by byte.

The rank column of a file and the order of its lines mean nothing. A rank is one more than the number of rows with
a higher score, or with the same score and a greater id. In a block whose scores never rise the first number is
known from the row's place; only other blocks are sorted, and ids are compared only where a hit shares its score.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ragstone.bulk.rows import Rows
from ragstone.bulk.words import Places

Ties = Literal["trec9", "trec10"]
_PAIRS = 1 << 20
_FEW = 32  # hits that share their score; with more of them it pays to sort
_LONG = 256  # ids of more bytes are not copied to be sorted
Floating = NDArray[np.float32] | NDArray[np.float64]


def compared(scores: NDArray[np.float64], ties: Ties) -> Floating:
    """Return scores as they are compared: trec_eval 9 keeps 32 bits of them, trec_eval 10 all 64."""
    if ties == "trec10":
        return scores
    with np.errstate(over="ignore"):
        return scores.astype(np.float32)


def ranks(rows: Rows, hits: Places, block: Places, ties: Ties) -> Places:
    """Return the 1-based rank of some rows within their blocks.

    Args:
        rows: All rows.
        hits: The rows whose ranks are wanted.
        block: Block of each of them.
        ties: How exactly scores are compared.
    """
    scores, place = compared(rows.values, ties), hits
    order = _order(rows, scores)
    if order is not None:
        places = np.empty_like(order)
        places[order] = np.arange(len(order))
        scores, place = scores[order], places[hits]
    low, high = rows.first[block], rows.first[block + 1]
    rank = place - low + 1
    before = (place > low) & (scores[place - 1] == scores[place])
    behind = (place + 1 < high) & (scores[np.minimum(place + 1, len(scores) - 1)] == scores[place])
    shared = np.flatnonzero(before | behind)
    if len(shared):
        groups = _groups(rows, scores)
        group = np.searchsorted(groups, place[shared], side="right") - 1
        rank[shared] = groups[group] - low[shared] + 1 + _greater_ids(rows, order, hits[shared], groups, group)
    return rank


def ranked_scores(rows: Rows, ties: Ties) -> NDArray[np.float64]:
    """Return the scores of all rows, as they are compared, from high to low within each block."""
    scores = compared(rows.values, ties)
    order = _order(rows, scores)
    return np.asarray(scores if order is None else scores[order], dtype=np.float64)


def _order(rows: Rows, scores: Floating) -> Places | None:
    """Return the rows ordered by score within each block, None where they stand so already."""
    rising = scores[1:] > scores[:-1]
    rising[rows.first[1:-1] - 1] = False
    late = np.flatnonzero(rising) + 1
    if not len(late):
        return None
    wrong = np.zeros(len(rows.queries), dtype=bool)
    wrong[np.searchsorted(rows.first, late, side="right") - 1] = True
    sizes = np.diff(rows.first)
    chosen = np.flatnonzero(np.repeat(wrong, sizes))
    block = np.searchsorted(rows.first, chosen, side="right")
    order = np.arange(len(rows))
    order[chosen] = chosen[np.lexsort((-scores[chosen], block))]
    return order


def _groups(rows: Rows, scores: Floating) -> Places:
    """Return where each stretch of equal scores within a block begins, and at the end the number of rows."""
    edge = scores[1:] != scores[:-1]
    edge[rows.first[1:-1] - 1] = True
    return np.concatenate([[0], np.flatnonzero(edge) + 1, [len(scores)]])


def _greater_ids(rows: Rows, order: Places | None, hits: Places, groups: Places, group: Places) -> Places:
    """Count, for each hit, the rows of its group of equal scores that have a greater id."""
    greater = np.zeros(len(hits), dtype=np.int64)
    few = np.bincount(group)[group] <= _FEW
    if not few.all() and int(rows.documents[hits].length.max()) > _LONG:
        few[:] = True
    greater[few] = _by_pairs(rows, order, hits[few], groups[group[few]], groups[group[few] + 1])
    for number in sorted(set(group[~few].tolist())):
        mine = np.flatnonzero(group == number)
        greater[mine] = _by_search(rows, order, hits[mine], int(groups[number]), int(groups[number + 1]))
    return greater


def _by_pairs(rows: Rows, order: Places | None, hits: Places, begin: Places, end: Places) -> Places:
    """Compare each hit with every row of its stretch."""
    greater = np.zeros(len(hits), dtype=np.int64)
    sizes = end - begin
    done = 0
    while done < len(hits):
        last = max(done + 1, int(np.searchsorted(np.cumsum(sizes[done:]), _PAIRS, side="right")) + done)
        size = sizes[done:last]
        owner = np.repeat(np.arange(len(size)), size)
        other = np.arange(len(owner)) + (begin[done:last] - (np.cumsum(size) - size))[owner]
        other = other if order is None else order[other]
        above = rows.documents[other].greater(rows.documents[hits[done:last][owner]])
        greater[done:last] = np.bincount(owner[above], minlength=len(size))
        done = last
    return greater


def _by_search(rows: Rows, order: Places | None, hits: Places, begin: int, end: int) -> Places:
    """Look up where each row of one stretch stands among its many hits, which are sorted first."""
    documents = rows.documents[hits]
    width = int(documents.length.max())
    names = documents.texts(width)
    sorted_hits = np.argsort(names)
    names = names[sorted_hits]
    below = np.zeros(len(hits) + 1, dtype=np.int64)
    for low in range(begin, end, _PAIRS):
        rows_here = np.arange(low, min(low + _PAIRS, end))
        others = rows.documents[rows_here if order is None else order[rows_here]]
        # A row is above the hits that sort before it. One that is longer than all of them is cut; it still does.
        place = np.searchsorted(names, others.texts(width + 1), side="left")
        below += np.bincount(place, minlength=len(hits) + 1)
    greater = np.empty(len(hits), dtype=np.int64)
    greater[sorted_hits] = np.cumsum(below[::-1])[::-1][1:]
    return greater
