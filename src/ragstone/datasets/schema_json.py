"""Schema 1.0: one JSON document with queries and graded document references.

    {"schema_version": "1.0", "metadata": {"name": "...", "description": "..."},
     "queries": [{"query_key": "q1", "query_text": "...",
                  "relevant_docs": [{"doc_ref": {"uri": "file:///doc.pdf"}, "relevance_grade": 3}]}]}

Older spellings are read too: query_id, query, relevant_doc_refs. A judgment may also be a bare value, read as a
uri, or the document reference itself. Of a reference with several keys the first in the order document_id, uri,
content_hash, path, file_name decides, even if its value is wrong; all of them are kept in the query's provenance
under ``doc_refs``, by the gold's position, for a resolution that may fall through.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

from pydantic import AliasChoices, BaseModel, BeforeValidator, ConfigDict, Field, PlainValidator, model_validator

from ragstone.datasets.formats import Format, formats
from ragstone.datasets.intake import Case, Id, Intake, Row, Text
from ragstone.datasets.sample import Sample
from ragstone.datasets.words import split_difficulty
from ragstone.errors import did_you_mean
from ragstone.files import shown
from ragstone.types import DocRefKind, Gold, Query

KEYS: tuple[DocRefKind, ...] = ("document_id", "uri", "content_hash", "path", "file_name")
GRADES = "0 (not relevant), 1 (marginal), 2 (relevant) or 3 (highly relevant)"


def _doc_ref(value: object) -> dict[str, str]:
    """Return a document reference in the order of priority, a bare value read as a uri."""
    if not isinstance(value, dict):
        if not _is_scalar(value):
            raise ValueError(f"must be a uri, or an object with one of {', '.join(KEYS)}, got {shown(value)}")
        value = {"uri": value}
    unknown = next((key for key in value if key not in KEYS), None)
    if unknown == "relevance_grade":
        raise ValueError("relevance_grade stands inside the document reference; move it out, beside doc_ref")
    if unknown is not None:
        names = (*KEYS, "relevance_grade")
        hint = did_you_mean(unknown, names) or f"; known: {', '.join(names)}"
        raise ValueError(f"unknown key {unknown!r} in a document reference{hint}")
    if not value:
        raise ValueError(f"an empty document reference; give one of {', '.join(KEYS)}")
    return {key: _reference(key, value[key]) for key in KEYS if key in value}


def _is_scalar(value: object) -> bool:
    return isinstance(value, str | int | float) and not isinstance(value, bool)


def _reference(key: str, value: object) -> str:
    if not _is_scalar(value) or not str(value).strip():
        raise ValueError(f"{key} must be a text that is not empty, got {shown(value)}; give it or leave it out")
    return str(value)


def _grade(value: object) -> int:
    try:
        grade = int(value) if isinstance(value, str) else value
    except ValueError:
        grade = None
    if isinstance(grade, bool) or not isinstance(grade, int | float) or grade not in (0, 1, 2, 3):
        raise ValueError(f"must be {GRADES}, got {shown(value)}")
    return int(grade)


class _Judgment(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    doc_ref: Annotated[dict[str, str], PlainValidator(_doc_ref)]
    relevance_grade: Annotated[int, BeforeValidator(_grade)] = 2

    @model_validator(mode="before")
    @classmethod
    def _one_shape(cls, value: Any) -> Any:  # noqa: ANN401 - JSON is any value
        """Bring the three shapes of a judgment into the one that names its reference."""
        if not isinstance(value, dict):
            return {"doc_ref": _doc_ref(value)}
        if "doc_ref" in value:
            return value
        reference = _doc_ref({key: item for key, item in value.items() if key != "relevance_grade"})
        graded = {"relevance_grade": value["relevance_grade"]} if "relevance_grade" in value else {}
        return {"doc_ref": reference, **graded}

    def gold(self) -> Gold:
        key = next(key for key in KEYS if key in self.doc_ref)
        return Gold(kind="document", document=self.doc_ref[key], ref=key, grade=self.relevance_grade)


class _Query(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    query_key: Id = Field(validation_alias=AliasChoices("query_key", "query_id"))
    query_text: Text = Field(validation_alias=AliasChoices("query_text", "query"))
    relevant_docs: list[_Judgment] = Field(
        default_factory=list, validation_alias=AliasChoices("relevant_docs", "relevant_doc_refs")
    )
    metadata: dict[str, Any] = Field(default_factory=dict)

    def case(self) -> Case:
        golds, references = self._judged()
        several = {str(index): one for index, one in enumerate(references) if len(one) > 1}
        difficulty, tags = split_difficulty(self.metadata.get("difficulty"))
        category = self.metadata.get("category")
        query = Query(
            id=self.query_key,
            text=self.query_text,
            category=category if isinstance(category, str) and category else None,
            difficulty=difficulty,
            tags=tags,
            provenance={
                **({"metadata": self.metadata} if self.metadata else {}),
                **({"doc_refs": several} if several else {}),
            },
        )
        return Case(query, golds)

    def _judged(self) -> tuple[tuple[Gold, ...], list[dict[str, str]]]:
        """Return each reference once, with its highest grade, and the references as given."""
        best: dict[tuple[tuple[str, str], ...], _Judgment] = {}
        for one in self.relevant_docs:
            key = tuple(one.doc_ref.items())
            if key not in best or best[key].relevance_grade < one.relevance_grade:
                best[key] = one
        return tuple(one.gold() for one in best.values()), [one.doc_ref for one in best.values()]


class _Document(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    schema_version: Any = "1.0"
    metadata: dict[str, Any] = Field(default_factory=dict)
    queries: list[Any] = Field(min_length=1)


def _recognises(sample: Sample) -> bool:
    if sample.layout != "document" or not isinstance(sample.value, dict):
        return False
    adaptive = any("optimal_granularity" in one for one in sample.records("queries"))
    return not adaptive and not sample.keys.isdisjoint({"schema_version", "queries"})


def _read(samples: Sequence[Sample], intake: Intake) -> None:
    document = intake.check(samples[0].row, _Document)
    if document is not None:
        title = document.metadata.get("name")
        intake.title = intake.title or (title if isinstance(title, str) else "")
        about = document.metadata.get("description")
        intake.description = intake.description or (about if isinstance(about, str) else "")
    version = samples[0].value.get("schema_version", "1.0")
    if str(version) != "1.0":
        message = f"{shown(version)} is not known; '1.0' is read"
        intake.problems.append(samples[0].row.problem(message, "schema_version"))
    if not isinstance(samples[0].value.get("queries"), list):
        return
    for row in samples[0].row.items("queries"):
        found = intake.check(row, _Query)
        if found is not None:
            _take(found, row, intake)


def _take(found: _Query, row: Row, intake: Intake) -> None:
    case = found.case()
    intake.add(case, row, len(found.relevant_docs))
    repeated = len(found.relevant_docs) - len(case.golds)
    if repeated:
        message = f"{found.query_key}: {repeated} document(s) judged twice; the higher grade counts"
        intake.warnings.append(row.problem(message, "relevant_docs"))


formats.add("schema-1.0")(
    Format(
        "a JSON document with queries, each with query_key, query_text and relevant_docs by doc_ref",
        _recognises,
        _read,
    )
)
