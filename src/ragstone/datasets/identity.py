"""The identity of a dataset: a hash over its content, independent of files and formatting."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import fields

from ragstone.types import Gold, Query

_QUERY = tuple(field.name for field in fields(Query) if field.name not in ("notes", "provenance"))
_GOLD = tuple(field.name for field in fields(Gold) if field.name != "resolved")


def digest(
    queries: Sequence[Query],
    golds: Mapping[str, Sequence[Gold]],
    groups: Mapping[str, Sequence[Sequence[int]]],
) -> str:
    """Return SHA-256 over queries, golds and support groups as sorted-key JSON, in the dataset's order.

    Notes and provenance are left out: they change neither what is asked nor what is right. So is what a corpus
    makes of a reference.
    """
    content = [
        [
            {name: getattr(query, name) for name in _QUERY},
            [{name: getattr(gold, name) for name in _GOLD} for gold in golds.get(query.id, ())],
            groups.get(query.id, ()),
        ]
        for query in queries
    ]
    text = json.dumps(content, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()
