"""Normal forms of document names, heading paths and snippets."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

MOST_NAMES = 500_000
_EXTENSIONS = frozenset(
    "pdf md markdown mdx txt text rst html htm xhtml docx doc odt epub pptx xlsx csv json ipynb tex".split()
)


@cache
def document_name(name: str) -> str:
    """Fold a document name: case, surrounding space and a known file extension do not count.

    Example:
        >>> document_name(" Black Scholes.PDF "), document_name("os.path")
        ('black scholes', 'os.path')
    """
    folded = name.strip().casefold()
    stem, _, extension = folded.rpartition(".")
    return stem.rstrip() if stem and extension in _EXTENSIONS else folded


@cache
def heading_segment(segment: str) -> str:
    """Normalise one heading: marks at its start and runs of space do not count; case does.

    Example:
        >>> heading_segment("##  Getting   started ")
        'Getting started'
    """
    return " ".join(segment.strip().lstrip("#").split())


def heading_path(segments: Iterable[str]) -> tuple[str, ...]:
    """Normalise a heading path: each segment is split at ``>`` too, so that it does not matter who joined them.

    Empty segments are dropped.

    Example:
        >>> heading_path(["#  A  >B", " "]) == heading_path(["A", "B"]) == ("A", "B")
        True
    """
    parts = (part for segment in segments for part in segment.split(">"))
    return tuple(filter(None, map(heading_segment, parts)))


def squeeze(text: str) -> str:
    """Make every run of white space one space, as snippets are compared."""
    return " ".join(text.split())


def forget_names() -> None:
    """Drop the remembered names where they have become many.

    They are remembered without a limit, because keeping count of the least used costs more than folding them.
    """
    for remembered in (document_name, heading_segment):
        if remembered.cache_info().currsize > MOST_NAMES:
            remembered.cache_clear()
