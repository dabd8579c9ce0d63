"""Matching the hits of one response to the golds of its query."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from ragstone.matching.normalise import document_name, heading_path, squeeze
from ragstone.types import Gold, Hit, Unit

# References that name a document by a key of its own; a file name is the end of a path, a bare name is folded.
EXACT = ("document_id", "uri", "content_hash", "path")


@dataclass(frozen=True, slots=True)
class MatchOptions:
    """How references are matched.

    Attributes:
        unit: What hits are collapsed to before matching; None follows the kind of the query's golds.
        page_tolerance: How far a hit's page may be from a gold's.
        snippet_mode: How many of a gold's snippets a chunk must contain: ``ignore``, ``any`` or ``all``.
    """

    unit: Unit | None = None
    page_tolerance: int = 1
    snippet_mode: Literal["ignore", "any", "all"] = "any"


@dataclass(frozen=True, slots=True)
class Match:
    """One hit after collapsing.

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

    A hit that fits several golds takes the best one not taken yet: nearest page, then highest grade, then first
    in the dataset. When all are taken, it repeats the best. Golds with a negative grade are unjudged and match
    nothing.
    """
    options = options or MatchOptions()
    unit = options.unit or unit_of(golds, options)
    finder = _Finder(golds, options)
    taken: set[int] = set()
    matches = []
    exact = any(gold.ref in EXACT for gold in golds)
    for rank, position in enumerate(_collapse(hits, unit, exact=exact), 1):
        fitting = finder.fitting(hits[position])
        free = [index for index in fitting if index not in taken]
        gold = next(iter(free or fitting), None)
        matches.append(Match(rank, position, gold, bool(fitting) and not free, tuple(fitting)))
        if gold is not None:
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


def _collapse(hits: Sequence[Hit], unit: Unit, *, exact: bool) -> list[int]:
    seen: set[object] = set()
    kept = []
    for position, hit in enumerate(hits):
        key = _key(hit, unit, str if exact else document_name)
        if key not in seen:
            seen.add(key)
            kept.append(position)
    return kept


def _key(hit: Hit, unit: Unit, name: Callable[[str], str]) -> object:
    if unit == "document" and hit.document:
        return name(hit.document)
    if unit == "page" and hit.page is not None:
        return name(hit.document), hit.page
    return "chunk", hit.id


class _Finder:
    """Looks golds up by document or chunk, so that a hit is compared with the few that can match it."""

    def __init__(self, golds: Sequence[Gold], options: MatchOptions) -> None:
        self._golds = golds
        self._options = options
        self._by_key: dict[tuple[str, str], list[int]] = {}
        self._headings = [heading_path(gold.heading) for gold in golds]
        for index, gold in enumerate(golds):
            if gold.grade >= 0:
                self._by_key.setdefault(_gold_key(gold), []).append(index)
        self._names = [(kind, _NAMES[kind]) for kind in sorted({kind for kind, _ in self._by_key})]

    def fitting(self, hit: Hit) -> list[int]:
        """Return the golds that the hit fits, best first."""
        found = [
            index
            for kind, name in self._names
            for index in self._by_key.get((kind, name(hit)), ())
            if self._fits(hit, index)
        ]
        return sorted(found, key=lambda index: (self._distance(hit, index), -self._golds[index].grade, index))

    def _fits(self, hit: Hit, index: int) -> bool:
        gold = self._golds[index]
        if gold.kind == "page" and (hit.page is None or self._distance(hit, index) > self._options.page_tolerance):
            return False
        wanted = self._headings[index]
        if gold.kind == "anchor" and heading_path(hit.heading)[: len(wanted)] != wanted:
            return False
        return self._has_snippets(hit, gold)

    def _distance(self, hit: Hit, index: int) -> int:
        page = self._golds[index].page
        return abs(page - hit.page) if page is not None and hit.page is not None else 0

    def _has_snippets(self, hit: Hit, gold: Gold) -> bool:
        if not gold.snippets or self._options.snippet_mode == "ignore":
            return True
        text = squeeze(hit.text)
        found = (squeeze(snippet) in text for snippet in gold.snippets)
        return any(found) if self._options.snippet_mode == "any" else all(found)


# Under which name a gold of each kind looks for a hit.
_NAMES: dict[str, Callable[[Hit], str]] = {
    "chunk": lambda hit: hit.id,
    "anchor": lambda hit: hit.document,
    "exact": lambda hit: hit.document,
    "file_name": lambda hit: hit.document.rpartition("/")[2],
    "document": lambda hit: document_name(hit.document),
}


def _gold_key(gold: Gold) -> tuple[str, str]:
    if gold.kind == "chunk":
        return "chunk", gold.chunk or ""
    if gold.kind == "anchor":
        return "anchor", gold.document
    if gold.ref in EXACT:
        return "exact", gold.document
    if gold.ref == "file_name":
        return "file_name", gold.document
    return "document", document_name(gold.document)
