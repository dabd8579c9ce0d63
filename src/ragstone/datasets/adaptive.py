"""Adaptive cases: ground truth at three granularities, of which each question names its best.

    [{"id": "a1", "query": "...", "query_type": "factoid", "optimal_granularity": "heading",
      "relevant_chunk_ids": ["c1"], "relevant_heading_ids": ["h1"], "relevant_doc_ids": ["d1"],
      "expected_answer": "...", "expected_answer_keywords": ["..."], "difficulty": "easy", "source": "..."}]

The golds are the ids of the best granularity, with grade 3: chunks and headings by their id, documents by
theirs. The other ids are kept in the provenance. The records stand in an array, under ``queries``, or one a line.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from ragstone.datasets.formats import Format, formats
from ragstone.datasets.intake import Case, Id, Intake, Text
from ragstone.datasets.records import records
from ragstone.datasets.sample import Sample
from ragstone.datasets.words import split_difficulty
from ragstone.types import Gold, Query

GRADE = 3


class _Case(BaseModel):
    model_config = ConfigDict(extra="allow", strict=True)

    id: Id
    query: Text
    query_type: str | None = None
    expected_answer: str | None = None
    optimal_granularity: Literal["chunk", "heading", "document"]
    relevant_chunk_ids: list[Id] = Field(default_factory=list)
    relevant_heading_ids: list[Id] = Field(default_factory=list)
    relevant_doc_ids: list[Id] = Field(default_factory=list)
    expected_answer_keywords: list[str] = Field(default_factory=list)
    difficulty: str | None = None

    def case(self) -> Case:
        difficulty, tags = split_difficulty(self.difficulty)
        query = Query(
            id=self.id,
            text=self.query,
            category=self.query_type or None,
            difficulty=difficulty,
            tags=tags,
            expected_answer=self.expected_answer,
            key_facts=tuple(self.expected_answer_keywords),
            provenance={"optimal_granularity": self.optimal_granularity, **self._others()},
        )
        return Case(query, self._golds())

    def _golds(self) -> tuple[Gold, ...]:
        if self.optimal_granularity == "document":
            names = dict.fromkeys(self.relevant_doc_ids)
            return tuple(Gold(kind="document", document=one, ref="document_id", grade=GRADE) for one in names)
        by_chunk = self.optimal_granularity == "chunk"
        names = dict.fromkeys(self.relevant_chunk_ids if by_chunk else self.relevant_heading_ids)
        return tuple(Gold(kind="chunk", chunk=one, grade=GRADE) for one in names)

    def _others(self) -> dict[str, object]:
        ids = {
            "chunk": ("relevant_chunk_ids", self.relevant_chunk_ids),
            "heading": ("relevant_heading_ids", self.relevant_heading_ids),
            "document": ("relevant_doc_ids", self.relevant_doc_ids),
        }
        others = {key: found for unit, (key, found) in ids.items() if found and unit != self.optimal_granularity}
        return {**others, **(self.model_extra or {})}


def _recognises(sample: Sample) -> bool:
    inside = any("optimal_granularity" in one for one in sample.records("queries"))
    listed = sample.layout == "lines" or isinstance(sample.value, list)
    return inside or (listed and "optimal_granularity" in sample.keys)


def _read(samples: Sequence[Sample], intake: Intake) -> None:
    for row in records(samples[0], intake, "queries"):
        found = intake.check(row, _Case)
        if found is not None:
            intake.add(found.case(), row)


formats.add("adaptive")(
    Format("a JSON array (or JSON Lines) of records with query and optimal_granularity", _recognises, _read)
)
