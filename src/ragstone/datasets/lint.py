"""What is allowed in a dataset and spoils its numbers all the same."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ragstone.datasets.intake import Row
from ragstone.errors import Problem
from ragstone.matching.normalise import document_name, heading_path
from ragstone.types import Dataset, Gold, Query


def lint(dataset: Dataset, places: Mapping[str, Row]) -> list[Problem]:
    """Return warnings, each at its question's place: what no search can get full marks for, or what is idle."""
    return [
        places[query.id].problem(f"{query.id}: {message}")
        for query in dataset.queries
        for message in _doubts(query, dataset)
    ]


def _doubts(query: Query, dataset: Dataset) -> Iterator[str]:
    golds = dataset.golds.get(query.id, ())
    if golds and query.answerable and all(gold.grade <= 0 for gold in golds):
        yield "no gold reference has a grade above 0, so retrieval is not scored for it"
    if repeated := _repeated(golds):
        yield f"gold references {repeated} are the same, so recall can never reach 1; keep one"
    for group in dataset.support_groups.get(query.id, ()):
        if len(set(group)) < len(group):
            yield f"support group {list(group)} names a gold twice"
        if any(golds[index].grade < 0 for index in group):
            yield f"support group {list(group)} needs an unjudged gold, which nothing can match"


def _repeated(golds: Sequence[Gold]) -> list[int]:
    """Return the positions of golds that match the very same hits as an earlier one, and of that one."""
    first: dict[object, int] = {}
    for position, gold in enumerate(golds):
        earlier = first.setdefault(_identity(gold), position)
        if earlier != position:
            return [earlier, position]
    return []


def _identity(gold: Gold) -> object:
    exact = gold.ref is not None or gold.kind in ("anchor", "chunk")
    name = gold.document if exact else document_name(gold.document)
    return gold.kind, gold.ref, name, gold.page, heading_path(gold.heading), gold.chunk, gold.snippets
