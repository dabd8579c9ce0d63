"""Question sets of a needle benchmark: four shapes of a JSON document, one target document a question.

* needle: ``needle_doc_id`` at the top is the target of all ``questions``;
* realistic: each of ``questions`` holds ``realistic_q1`` and ``realistic_q2`` about one ``doc_id`` (or
  ``our_doc_path``) and becomes two cases, ``q_000_q1`` and ``q_000_q2``; those whose ``quality_pass`` is false
  are skipped;
* informed: each of ``questions`` has its ``question``, ``expected_answer`` and ``doc_id``;
* production: each of ``per_question`` has its ``question`` and ``target_doc_id``. There a retrieved document
  counts if its id *begins* with the target, because chunking added suffixes: the gold is a ``prefix``.

A target has grade 3. Fields without a meaning here are kept in the provenance.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

from pydantic import AliasChoices, BaseModel, ConfigDict, Field, model_validator

from ragstone.datasets.formats import Format, formats
from ragstone.datasets.intake import Case, Id, Intake, Row, Text
from ragstone.datasets.sample import Sample
from ragstone.datasets.words import split_difficulty
from ragstone.types import DocRefKind, Gold, Query

TARGET_GRADE = 3


class _Question(BaseModel):
    """What questions of all shapes may have; further fields are kept."""

    model_config = ConfigDict(extra="allow", strict=True)

    id: Id | None = None
    question: Text
    expected_answer: Text | None = None
    difficulty: str | None = None
    type: str | None = None

    def case(self, position: int, target: str, ref: DocRefKind = "document_id") -> Case:
        difficulty, tags = split_difficulty(self.difficulty)
        query = Query(
            id=self.id or f"q_{position:03d}",
            text=self.question,
            category=self.type or None,
            difficulty=difficulty,
            tags=tags,
            expected_answer=self.expected_answer,
            provenance=dict(self.model_extra or {}),
        )
        return Case(query, (_target(target, ref),))


class _Informed(_Question):
    question: Text
    expected_answer: Text
    doc_id: Id


class _Production(_Question):
    target_doc_id: Id


class _Realistic(BaseModel):
    model_config = ConfigDict(extra="allow", strict=True)

    realistic_q1: Text | None = None
    realistic_q2: Text | None = None
    doc_id: Id | None = None
    our_doc_path: Text | None = None
    original_instruction: str | None = None
    quality_pass: bool | None = None

    @model_validator(mode="after")
    def _complete(self) -> _Realistic:
        if self.realistic_q1 is None and self.realistic_q2 is None:
            raise ValueError("needs realistic_q1, realistic_q2 or both")
        if self.doc_id is None and self.our_doc_path is None:
            raise ValueError("needs the target document: doc_id or our_doc_path")
        return self

    def cases(self, position: int) -> Iterable[Case]:
        gold = _target(self.doc_id) if self.doc_id is not None else _target(self.our_doc_path or "", "path")
        source = {"original_instruction": self.original_instruction} if self.original_instruction else {}
        for number, text in ((1, self.realistic_q1), (2, self.realistic_q2)):
            if text is not None:
                name = f"q_{position:03d}_q{number}"
                query = Query(id=name, text=text, provenance={**source, **(self.model_extra or {})})
                yield Case(query, (gold,))


class _Top(BaseModel):
    model_config = ConfigDict(extra="allow", strict=True)

    questions: list[Any] = Field(min_length=1, validation_alias=AliasChoices("questions", "per_question"))


class _Needle(BaseModel):
    model_config = ConfigDict(extra="allow", strict=True)

    needle_doc_id: Id


T = TypeVar("T", bound=BaseModel)


def _target(document: str, ref: DocRefKind = "document_id") -> Gold:
    return Gold(kind="document", document=document, ref=ref, grade=TARGET_GRADE)


def _rows(sample: Sample, intake: Intake, key: str) -> Iterable[Row]:
    """Return the records under a key; what is wrong with the top is noted."""
    intake.check(sample.row, _Top)
    return sample.row.items(key) if isinstance(sample.value.get(key), list) else ()


def _simple(
    key: str, model: type[T], case: Callable[[T, int], Case]
) -> Callable[[Sequence[Sample], Intake], None]:
    def read(samples: Sequence[Sample], intake: Intake) -> None:
        for position, row in enumerate(_rows(samples[0], intake, key)):
            found = intake.check(row, model)
            if found is not None:
                intake.add(case(found, position), row)

    return read


def _read_needle(samples: Sequence[Sample], intake: Intake) -> None:
    top = intake.check(samples[0].row, _Needle)
    target = top.needle_doc_id if top is not None else ""
    _simple("questions", _Question, lambda one, position: one.case(position, target))(samples, intake)


def _read_realistic(samples: Sequence[Sample], intake: Intake) -> None:
    skipped = 0
    for position, row in enumerate(_rows(samples[0], intake, "questions")):
        if isinstance(row.value, dict) and row.value.get("quality_pass") is False:
            skipped += 1
            continue
        found = intake.check(row, _Realistic)
        for case in found.cases(position) if found is not None else ():
            intake.add(case, row)
    if skipped:
        intake.warnings.append(samples[0].row.problem(f"{skipped} entries skipped: their quality_pass is false"))


def _is_document(sample: Sample, key: str) -> bool:
    return sample.layout == "document" and isinstance(sample.value, dict) and key in sample.keys


def _is_needle(sample: Sample) -> bool:
    return _is_document(sample, "needle_doc_id")


def _is_realistic(sample: Sample) -> bool:
    marked = any({"realistic_q1", "realistic_q2"} & one.keys() for one in sample.records("questions"))
    return _is_document(sample, "questions") and not _is_needle(sample) and marked


def _is_informed(sample: Sample) -> bool:
    return _is_document(sample, "questions") and not _is_needle(sample) and not _is_realistic(sample)


def _is_production(sample: Sample) -> bool:
    return _is_document(sample, "per_question") and "questions" not in sample.keys and not _is_needle(sample)


formats.add("needle")(
    Format("a JSON document with needle_doc_id and questions, all about that document", _is_needle, _read_needle)
)
formats.add("realistic")(
    Format(
        "a JSON document with questions that hold realistic_q1, realistic_q2 and doc_id or our_doc_path",
        _is_realistic,
        _read_realistic,
    )
)
formats.add("informed")(
    Format(
        "a JSON document with questions that hold question, expected_answer and doc_id",
        _is_informed,
        _simple("questions", _Informed, lambda one, position: one.case(position, one.doc_id)),
    )
)
formats.add("production")(
    Format(
        "a JSON document with per_question, each with question and target_doc_id",
        _is_production,
        _simple(
            "per_question",
            _Production,
            lambda one, position: one.case(position, one.target_doc_id, "prefix"),
        ),
    )
)
