"""Putting what was resolved into a dataset: catalogue ids instead of references."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Literal

from ragstone.datasets.intake import Case
from ragstone.datasets.load import assemble
from ragstone.datasets.resolve import Outcome, Resolution
from ragstone.types import Dataset, Gold, Query, Validity

Policy = Literal["count", "drop"]


def apply(dataset: Dataset, resolution: Resolution, policy: Policy = "count") -> Dataset:
    """Return the dataset with the catalogue's ids in its golds.

    Golds of one query that turn out to mean the same become one, with the higher grade.

    Args:
        dataset: What was resolved.
        resolution: What its references mean.
        policy: ``count`` keeps a gold that stays open, to be counted as never retrieved; ``drop`` leaves it out,
            and with it every support group that needs it.
    """
    cases = []
    for query in dataset.queries:
        golds = dataset.golds.get(query.id, ())
        kept, places = _golds(golds, resolution.outcomes.get(query.id, ()), policy)
        groups = (
            tuple(dict.fromkeys(places[index] for index in group))
            for group in dataset.support_groups.get(query.id, ())
            if all(index in places for index in group)
        )
        cases.append(Case(_without_references(query), kept, tuple(groups)))
    return assemble(cases, dataset.name, dataset.description)


def without(dataset: Dataset, places: Mapping[str, Collection[int]]) -> Dataset:
    """Return the dataset without some golds, given by query id as indices into the query's golds."""
    outcomes = {
        query: tuple(
            Outcome(reason="not_found" if index in places.get(query, ()) else None) for index in range(len(golds))
        )
        for query, golds in dataset.golds.items()
    }
    return apply(dataset, Resolution(outcomes=outcomes, total=0, resolved=0, reasons={}, samples=()), "drop")


def still_open(dataset: Dataset, resolution: Resolution) -> Validity:
    """Return which golds of ``apply(dataset, resolution, "count")`` mean no document of the catalogue."""
    gone: dict[str, tuple[int, ...]] = {}
    unclear: dict[str, tuple[int, ...]] = {}
    total = 0
    for query, outcomes in resolution.outcomes.items():
        kept, places = _golds(dataset.golds.get(query, ()), outcomes, "count")
        total += sum(gold.grade >= 0 for gold in kept)
        for reasons, found in ((("not_found", "invalid_ref"), gone), (("ambiguous",), unclear)):
            at = {places[index] for index, outcome in enumerate(outcomes) if outcome.reason in reasons}
            judged = tuple(sorted(index for index in at if kept[index].grade >= 0))
            found.update({query: judged} if judged else {})
    return Validity(source="catalogue", total=total, gone=gone, ambiguous=unclear)


def _golds(
    golds: Sequence[Gold], outcomes: Sequence[Outcome], policy: Policy
) -> tuple[tuple[Gold, ...], dict[int, int]]:
    """Return the golds that stay, and the new place of each old one."""
    kept: list[Gold] = []
    same: dict[Gold, int] = {}
    places: dict[int, int] = {}
    for index, (gold, outcome) in enumerate(zip(golds, outcomes, strict=True)):
        if outcome.reason is not None and policy == "drop":
            continue
        if outcome.document is not None:
            gold = replace(gold, document=outcome.document, ref="document_id")  # noqa: PLW2901 - the same gold, resolved
        place = same.setdefault(replace(gold, grade=0), len(kept))
        places[index] = place
        if place == len(kept):
            kept.append(gold)
        else:
            kept[place] = replace(kept[place], grade=max(kept[place].grade, gold.grade))
    return tuple(kept), places


def _without_references(query: Query) -> Query:
    """Drop the references that were kept by the position of their golds, which may have moved."""
    provenance = {key: value for key, value in query.provenance.items() if key != "doc_refs"}
    return query if len(provenance) == len(query.provenance) else replace(query, provenance=provenance)
