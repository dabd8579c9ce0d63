"""Matching the hits of one response to the golds of its query."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from ragstone.matching.finder import Finder
from ragstone.matching.normalise import document_name
from ragstone.matching.options import EXACT, MatchOptions
from ragstone.types import Gold, Hit, Unit


class Match(NamedTuple):
    """One hit after collapsing; a tuple, because large runs make millions of them.

    Attributes:
        rank: 1-based rank among the collapsed hits.
        position: 0-based position in the response.
        gold: Index into the query's golds; None for an unjudged hit.
        repeated: Whether a better-ranked hit matched the same gold.
        alternatives: Indices of all golds that the hit fits, best first; more than one is ambiguous.
    """

    rank: int
    position: int
    gold: int | None
    repeated: bool = False
    alternatives: tuple[int, ...] = ()


def match_response(hits: Sequence[Hit], golds: Sequence[Gold], options: MatchOptions | None = None) -> list[Match]:
    """Collapse the hits to the unit, first hit kept, and match each to at most one gold.

    A hit that fits several golds takes the best one not taken yet, in the order of `Finder.fitting`: what says
    more, the nearest page, the highest grade, the first in the dataset. When all are taken, it repeats the best.
    Golds with a negative grade are unjudged and match nothing.
    """
    options = options or MatchOptions()
    unit = options.unit or unit_of(golds, options)
    finder = Finder(golds, options)
    taken: set[int] = set()
    matches = []
    exact = any(gold.ref in EXACT for gold in golds)
    for rank, position in enumerate(_collapse(hits, unit, exact=exact), 1):
        fitting = finder.fitting(hits[position])
        if not fitting:
            matches.append(Match(rank, position, None))
            continue
        free = [index for index in fitting if index not in taken]
        gold = (free or fitting)[0]
        matches.append(Match(rank, position, gold, not free, tuple(fitting)))
        taken.add(gold)
    return matches


def unit_of(golds: Sequence[Gold], options: MatchOptions | None = None) -> Unit:
    """Return the unit that golds of these kinds ask for: the finest of theirs, chunks where there are none.

    A gold whose snippets count is looked for chunk by chunk: the snippet may stand in any chunk of its document.
    """
    kinds = {gold.kind for gold in golds}
    snippets = (options or MatchOptions()).snippet_mode != "ignore" and any(gold.snippets for gold in golds)
    if not kinds or snippets or kinds & {"anchor", "chunk"}:
        return "chunk"
    return "page" if "page" in kinds else "document"


def _collapse(hits: Sequence[Hit], unit: Unit, *, exact: bool) -> Iterator[int]:
    """Yield the positions of the first hit of each unit, one by one: what a hit is named stays at hand."""
    seen: set[str] = set()
    name = str if exact else document_name
    for position, hit in enumerate(hits):
        key = _key(hit, unit, name)
        if key not in seen:
            seen.add(key)
            yield position


def _key(hit: Hit, unit: Unit, name: Callable[[str], str]) -> str:
    """Return what hits of one unit share; a text, since a million tuples would keep the garbage collector busy."""
    if unit == "document" and hit.document:
        return f"d{name(hit.document)}"
    if unit == "page" and hit.page is not None:
        return f"{hit.page}p{name(hit.document)}"
    return f"c{hit.id}"
