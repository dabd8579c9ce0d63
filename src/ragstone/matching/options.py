"""How references are matched: the settings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ragstone.types import Unit

# References that name a document by a key of its own; a file name is the end of a path, a bare name is folded.
EXACT = ("document_id", "uri", "content_hash", "path", "prefix")


@dataclass(frozen=True, slots=True)
class MatchOptions:
    """How references are matched.

    Attributes:
        unit: What hits are collapsed to before matching; None follows the kind of the query's golds.
        page_tolerance: How far a hit's page may be from a gold's.
        headings: Whether a hit fits an anchor whose heading path its own begins with (``prefix``), or only one
            with the same path (``exact``).
        snippet_mode: How many of a gold's snippets a chunk must contain: ``ignore``, ``any`` or ``all``.
    """

    unit: Unit | None = None
    page_tolerance: int = 1
    headings: Literal["prefix", "exact"] = "prefix"
    snippet_mode: Literal["ignore", "any", "all"] = "any"
