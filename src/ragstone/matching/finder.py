"""Looking up which golds a hit fits."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ragstone.matching.normalise import document_name, heading_path, squeeze
from ragstone.matching.options import EXACT, MatchOptions
from ragstone.types import Gold, Hit


class Finder:
    """Looks golds up by document or chunk, so that a hit is compared with the few that can match it.

    Golds with a negative grade are unjudged, and those that are not resolved mean nothing: they are never found.
    """

    def __init__(self, golds: Sequence[Gold], options: MatchOptions) -> None:
        self._golds = golds
        self._options = options
        by_kind: dict[str, dict[str, list[int]]] = {}
        self._prefixes: list[int] = []
        self._headings = [heading_path(gold.heading) for gold in golds]
        for index, gold in enumerate(golds):
            if gold.grade < 0 or not gold.resolved:
                continue
            if gold.ref == "prefix":
                self._prefixes.append(index)
            else:
                kind, name = _gold_key(gold)
                by_kind.setdefault(kind, {}).setdefault(name, []).append(index)
        self._tables = [(_NAMES[kind], by_kind[kind]) for kind in sorted(by_kind)]

    def fitting(self, hit: Hit) -> list[int]:
        """Return the golds that the hit fits, best first.

        The more a gold says, the better: a chunk before a page or heading, that before a whole document, a deeper
        heading before the one above it, a name of a stated kind before a folded one. Then the nearest page, the
        highest grade, the first in the dataset.
        """
        named = self._named(hit)
        if not named:
            return []
        found = [index for index in named if self._fits(hit, index)]
        if len(found) < 2:
            return found
        return sorted(found, key=lambda index: self._order(hit, index))

    def _order(self, hit: Hit, index: int) -> tuple[object, ...]:
        gold = self._golds[index]
        says = (_SAYS[gold.kind], len(self._headings[index]), bool(gold.snippets), gold.ref is not None)
        return tuple(-one for one in says), self._distance(hit, index), -gold.grade, index

    def _named(self, hit: Hit) -> Sequence[int]:
        """Return the golds that name the hit's document or chunk."""
        if len(self._tables) == 1 and not self._prefixes:
            name, table = self._tables[0]
            return table.get(name(hit), ())
        named = [index for name, table in self._tables for index in table.get(name(hit), ())]
        if self._prefixes:
            begun = hit.document or hit.id
            named += [index for index in self._prefixes if begun.startswith(self._golds[index].document)]
        return named

    def _fits(self, hit: Hit, index: int) -> bool:
        gold = self._golds[index]
        if gold.kind == "page" and (hit.page is None or self._distance(hit, index) > self._options.page_tolerance):
            return False
        return (gold.kind != "anchor" or self._heading_fits(hit, index)) and self._has_snippets(hit, gold)

    def _heading_fits(self, hit: Hit, index: int) -> bool:
        wanted, given = self._headings[index], heading_path(hit.heading)
        return given == wanted if self._options.headings == "exact" else given[: len(wanted)] == wanted

    def _distance(self, hit: Hit, index: int) -> int:
        page = self._golds[index].page
        return abs(page - hit.page) if page is not None and hit.page is not None else 0

    def _has_snippets(self, hit: Hit, gold: Gold) -> bool:
        if not gold.snippets or self._options.snippet_mode == "ignore":
            return True
        text = squeeze(hit.text)
        found = (squeeze(snippet) in text for snippet in gold.snippets)
        return any(found) if self._options.snippet_mode == "any" else all(found)


# How much each kind of gold says.
_SAYS = {"document": 0, "page": 1, "anchor": 1, "chunk": 2}
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
