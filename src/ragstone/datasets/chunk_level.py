"""Chunk-level cases: a JSON array (or JSON Lines) of questions with the ids of their relevant chunks.

    [{"id": "c1", "query": "...", "relevant_chunk_ids": ["a_1"], "tier": "gold", "confidence_score": 0.9}]

Each chunk is a gold of grade 3; how far a label may be trusted (tier, confidence_score) is kept in the provenance.
"""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import BaseModel, ConfigDict

from ragstone.datasets.formats import Format, formats
from ragstone.datasets.intake import Case, Id, Intake, Text
from ragstone.datasets.records import records
from ragstone.datasets.sample import Sample
from ragstone.types import Gold, Query

CHUNK_GRADE = 3


class _Case(BaseModel):
    model_config = ConfigDict(extra="allow", strict=True)

    id: Id
    query: Text
    relevant_chunk_ids: list[Id]
    tier: str | None = None
    confidence_score: float | None = None

    def case(self) -> Case:
        trust = {"tier": self.tier, "confidence_score": self.confidence_score}
        known = {key: value for key, value in trust.items() if value is not None}
        query = Query(id=self.id, text=self.query, provenance={**known, **(self.model_extra or {})})
        chunks = dict.fromkeys(self.relevant_chunk_ids)
        return Case(query, tuple(Gold(kind="chunk", chunk=chunk, grade=CHUNK_GRADE) for chunk in chunks))


def _recognises(sample: Sample) -> bool:
    listed = sample.layout == "lines" or isinstance(sample.value, list)
    return listed and "relevant_chunk_ids" in sample.keys and "optimal_granularity" not in sample.keys


def _read(samples: Sequence[Sample], intake: Intake) -> None:
    for row in records(samples[0], intake):
        found = intake.check(row, _Case)
        if found is not None:
            intake.add(found.case(), row, len(found.relevant_chunk_ids))


formats.add("chunk-level")(
    Format("a JSON array (or JSON Lines) of records with id, query and relevant_chunk_ids", _recognises, _read)
)
