"""Whether a scoped search looked where the golds are."""

from __future__ import annotations

from collections.abc import Sequence

from ragstone.types import Gold, Scope


def scope_miss(scope: Scope | None, golds: Sequence[Gold]) -> int:
    """Return 1 if the selected folders exclude every gold, 0 if they hold one, -1 where it does not apply.

    It applies when the search was scoped (mode ``on`` or ``on_with_fallback``), its folders are known and the
    query has golds with documents. A gold is in a folder if its path starts with the folder's segments. With
    ``on_with_fallback`` and no folder selected, the search fell back to everything and excludes nothing.
    """
    documents = [gold.document for gold in golds if gold.document]
    if scope is None or scope.mode not in ("on", "on_with_fallback") or scope.folders is None or not documents:
        return -1
    if scope.mode == "on_with_fallback" and not scope.folders:
        return 0
    folders = [tuple(filter(None, folder.split("/"))) for folder in scope.folders]
    inside = (
        tuple(filter(None, name.split("/")))[: len(folder)] == folder for name in documents for folder in folders
    )
    return 0 if any(inside) else 1
