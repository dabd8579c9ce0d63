"""Golds that the corpus lacks: the document altogether, or only the place in it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Literal

from ragstone.experiments.results import RunResult
from ragstone.matching.finder import Finder
from ragstone.types import Gold, Hit

Gone = Literal["not_in_corpus", "not_indexed"]


def gone_golds(result: RunResult) -> dict[str, dict[int, Gone]]:
    """Return the golds of a run that nothing in the corpus can match, by question and index.

    A gold is ``not_indexed`` where the run came across other passages of its document: then the document is there,
    and the place that the gold means was not parsed, chunked or indexed as the gold names it. Golds that the
    policy dropped from the dataset are not in the result.
    """
    validity = result.run.validity
    if validity is None or result.benchmark.policy.unresolved == "drop":
        return {}
    golds = {found.query.id: found.golds for found in result.queries}
    places = [(query, index) for query, indices in validity.gone.items() for index in indices]
    whole = [_document(golds[query][index]) for query, index in places]
    seen = _seen(result, whole) if places else set()
    gone: dict[str, dict[int, Gone]] = {}
    for number, (query, index) in enumerate(places):
        gone.setdefault(query, {})[index] = "not_indexed" if number in seen else "not_in_corpus"
    return gone


def _document(gold: Gold) -> Gold:
    """Return a reference to the whole document; one without a document fits nothing."""
    ref = "path" if gold.kind == "anchor" and gold.ref is None else gold.ref
    return Gold(kind="document", document=gold.document or "\0", ref=ref)


def _seen(result: RunResult, golds: list[Gold]) -> set[int]:
    finder = Finder(golds, replace(result.benchmark.matching, snippet_mode="ignore"))
    documents = {hit.document: hit for hit in _passages(result) if hit.document}
    return {number for hit in documents.values() for number in finder.fitting(hit)}


def _passages(result: RunResult) -> Iterator[Hit]:
    for found in result.queries:
        if found.response is not None:
            yield from found.response.hits
            yield from found.response.candidates
