"""What becomes of golds that the corpus does not hold."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ragstone.datasets.apply import without
from ragstone.errors import UsageError
from ragstone.matching.reference import place
from ragstone.metrics import Policy
from ragstone.types import Dataset, Gold, Validity


def scored_dataset(dataset: Dataset, validity: Validity | None, policy: Policy) -> Dataset:
    """Return the dataset to score against: unresolved golds are left out, or counted as what nothing can match."""
    if validity is None or validity.resolved == validity.total:
        return dataset
    open_ = {query: {*validity.gone.get(query, ()), *validity.ambiguous.get(query, ())} for query in dataset.golds}
    if policy.unresolved == "drop":
        return replace(without(dataset, open_), digest=dataset.digest)
    golds = {
        query: tuple(replace(gold, resolved=index not in open_[query]) for index, gold in enumerate(found))
        for query, found in dataset.golds.items()
    }
    return replace(dataset, golds=golds)


def refuse_strangers(dataset: Dataset, validity: Validity) -> None:
    """Refuse a corpus that holds none of the golds: every score would be 0, and mean nothing.

    Raises:
        UsageError: It holds none.
    """
    if validity.total and not validity.resolved:
        query, gold = next(unresolved(dataset, validity))
        raise UsageError(
            f"none of the {validity.total} gold references is in the corpus of the system (the first: {query} "
            f"wants {place(gold)}); check that the questions belong to this corpus and that its names are "
            "written as the golds write them"
        )


def unresolved(dataset: Dataset, validity: Validity) -> Iterator[tuple[str, Gold]]:
    """Yield query id and gold of what is gone or ambiguous, in the dataset's order."""
    for query in dataset.queries:
        for index in sorted({*validity.gone.get(query.id, ()), *validity.ambiguous.get(query.id, ())}):
            yield query.id, dataset.golds[query.id][index]
