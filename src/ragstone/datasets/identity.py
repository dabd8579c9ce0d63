"""The identity of a dataset: a hash over its content, independent of files and formatting."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict

from ragstone.types import Gold, Query


def digest(
    queries: Sequence[Query],
    golds: Mapping[str, Sequence[Gold]],
    groups: Mapping[str, Sequence[Sequence[int]]],
) -> str:
    """Return SHA-256 over queries, golds and support groups as sorted-key JSON, in the dataset's order.

    Notes and provenance are left out: they change neither what is asked nor what is right.
    """
    content = []
    for query in queries:
        fields = asdict(query)
        del fields["notes"], fields["provenance"]
        content.append([fields, [asdict(gold) for gold in golds.get(query.id, ())], groups.get(query.id, ())])
    text = json.dumps(content, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()
