"""Where a gold or a hit points, as people write it."""

from __future__ import annotations

from ragstone.types import Gold, Hit

_STEP = " \N{SINGLE RIGHT-POINTING ANGLE QUOTATION MARK} "


def place(one: Gold | Hit) -> str:
    """Return where a gold or a hit points: document, then page or heading path, or the chunk's id.

    Example:
        >>> place(Gold(kind="page", document="a.pdf", page=3))
        'a.pdf, page 3'
    """
    path = one.heading[1:] if one.heading and one.heading[0] == one.document else one.heading
    chunk = one.chunk if isinstance(one, Gold) else one.id
    where = _STEP.join(filter(None, (one.document, *path))) or chunk or ""
    return where if one.page is None else f"{where}, page {one.page}"
