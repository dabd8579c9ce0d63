"""Resolving references: which document of a corpus each gold means, and what stays open."""

from __future__ import annotations

import hashlib
import json
import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from ragstone.datasets.catalogue import Catalogue
from ragstone.datasets.schema_json import KEYS
from ragstone.matching.normalise import document_name
from ragstone.types import Dataset, DocRefKind, Gold, Query

Reason = Literal["not_found", "ambiguous", "invalid_ref"]
Status = Literal["resolved", "partial", "pending"]
MOST_SAMPLES = 100
_HASH = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a gold's reference means: the id of a document, or the reason why none.

    A chunk without a document has neither: it names no document.
    """

    document: str | None = None
    reason: Reason | None = None


@dataclass(frozen=True, slots=True)
class Unresolved:
    """A reference that stays open."""

    query_id: str
    doc_ref: Mapping[str, str]
    reason: Reason

    @property
    def doc_ref_hash(self) -> str:
        """SHA-256 of the reference as JSON with sorted keys."""
        return doc_ref_hash(self.doc_ref)


@dataclass(frozen=True, slots=True, kw_only=True)
class Resolution:
    """What the references of a dataset mean in a corpus.

    Attributes:
        outcomes: By query id, one for each of its golds.
        total: References to documents.
        resolved: How many of them mean one document.
        reasons: How many of the others there are of each reason.
        samples: The first of the others, at most 100.
    """

    outcomes: Mapping[str, tuple[Outcome, ...]]
    total: int
    resolved: int
    reasons: Mapping[Reason, int]
    samples: tuple[Unresolved, ...]

    @property
    def status(self) -> Status:
        """``resolved`` if all are (also none of none), ``partial`` if some are, ``pending`` if none is."""
        if self.resolved == self.total:
            return "resolved"
        return "partial" if self.resolved else "pending"


def doc_ref_hash(doc_ref: Mapping[str, str]) -> str:
    """Return SHA-256 of a document reference as JSON with sorted keys.

    Example:
        >>> doc_ref_hash({"document_id": "doc-123"})[:12]
        '6aa98c05878b'
    """
    return hashlib.sha256(json.dumps(dict(doc_ref), sort_keys=True).encode()).hexdigest()


def resolve(dataset: Dataset, catalogue: Catalogue, *, fallthrough: bool = False) -> Resolution:
    """Look up the reference of every gold in a catalogue.

    A gold that says what kind of reference it holds is looked up by that kind, exactly; another by its name,
    folded as matching folds it, among ids, then paths and uris, then file names. A name, a hash or a file name
    that several documents have is ambiguous and never resolved.

    Args:
        dataset: The golds.
        catalogue: The documents.
        fallthrough: Whether a reference with several keys tries the later ones where the first finds nothing.
    """
    index = _Index(catalogue)
    outcomes: dict[str, tuple[Outcome, ...]] = {}
    reasons: Counter[Reason] = Counter()
    samples: list[Unresolved] = []
    resolved = 0
    for query in dataset.queries:
        golds = dataset.golds.get(query.id, ())
        references = [_reference(query, position, gold) for position, gold in enumerate(golds)]
        found = tuple(index.outcome(reference, fallthrough=fallthrough) for reference in references)
        outcomes[query.id] = found
        for reference, outcome in zip(references, found, strict=True):
            resolved += outcome.document is not None
            if outcome.reason is not None:
                reasons[outcome.reason] += 1
                if len(samples) < MOST_SAMPLES:
                    samples.append(Unresolved(query.id, reference, outcome.reason))
    total = resolved + reasons.total()
    return Resolution(
        outcomes=outcomes, total=total, resolved=resolved, reasons=dict(reasons), samples=tuple(samples)
    )


def _reference(query: Query, position: int, gold: Gold) -> Mapping[str, str]:
    """Return a gold's reference as its file had it, its keys in the order of priority; empty for a bare chunk."""
    if gold.ref is None:
        return {"document": gold.document} if gold.document or gold.kind != "chunk" else {}
    several = query.provenance.get("doc_refs")
    kept = several.get(str(position)) if isinstance(several, Mapping) else None
    if isinstance(kept, Mapping) and kept.get(gold.ref) == gold.document:
        return {key: kept[key] for key in KEYS if isinstance(kept.get(key), str)}
    return {gold.ref: gold.document}


class _Index:
    """Documents by each of their names; several of one name are kept apart from none."""

    def __init__(self, catalogue: Catalogue) -> None:
        documents = catalogue.documents
        uris = [(one.uri, one.id) for one in documents]
        paths = [(one.path, one.id) for one in documents]
        names = [(one.file_name, one.id) for one in documents]
        ids = [(one.id, one.id) for one in documents]
        self._exact: dict[DocRefKind, dict[str, set[str]]] = {
            "document_id": _by_name(ids),
            "uri": _by_name(uris),
            "content_hash": _by_name((_bare_hash(one.content_hash), one.id) for one in documents),
            "path": _by_name([*uris, *paths]),
            "file_name": _by_name(names),
        }
        self._ids = sorted(one.id for one in documents)
        self._folded = [_by_name(_folded(pairs)) for pairs in (ids, [*paths, *uris], names)]

    def outcome(self, reference: Mapping[str, str], *, fallthrough: bool) -> Outcome:
        """Return what a reference means: its first key decides, or the first that finds a document."""
        if not reference:
            return Outcome()
        if "document" in reference:
            return self._named(reference["document"])
        if "prefix" in reference:
            return self._begun(reference["prefix"])
        found = [self._kind(key, reference[key]) for key in KEYS if key in reference]
        hit = next((outcome for outcome in found if outcome.document is not None), None)
        return hit if fallthrough and hit is not None else found[0]

    def _kind(self, kind: DocRefKind, value: str) -> Outcome:
        value = _bare_hash(value) if kind == "content_hash" else value
        if not value.strip() or (kind == "content_hash" and not _HASH.fullmatch(value)):
            return Outcome(reason="invalid_ref")
        return _only(self._exact[kind].get(value, set()))

    def _begun(self, prefix: str) -> Outcome:
        first = bisect_left(self._ids, prefix)
        return _only({one for one in self._ids[first : first + 2] if one.startswith(prefix)})

    def _named(self, name: str) -> Outcome:
        folded = document_name(name)
        if not folded:
            return Outcome(reason="invalid_ref")
        return _only(next((names[folded] for names in self._folded if folded in names), set()))


def _only(documents: set[str]) -> Outcome:
    if len(documents) == 1:
        return Outcome(next(iter(documents)))
    return Outcome(reason="ambiguous" if documents else "not_found")


def _by_name(pairs: Iterable[tuple[str, str]]) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for name, document in pairs:
        if name:
            found.setdefault(name, set()).add(document)
    return found


def _folded(pairs: Iterable[tuple[str, str]]) -> Iterable[tuple[str, str]]:
    return ((document_name(name), document) for name, document in pairs)


def _bare_hash(value: str) -> str:
    return value.strip().lower().removeprefix("sha256:")
