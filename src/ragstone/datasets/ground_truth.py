"""The ground-truth JSON Lines format: one question a line, with golds by page, by heading or by chunk.

    {"query_id": "Q001", "query": "...", "category": "...", "difficulty": "medium", "is_rejection": false,
     "gold_references": [{"document": "Book.pdf", "page": 45, "relevance": 3},
                         {"document": "notes/a.md", "heading_path": "Setup > Proxy", "relevance": 2}],
     "expected_answer_gist": "...", "notes": "..."}

A line that begins with ``#`` is a comment. Optional fields: tags, vaults, folders, expected_key_facts,
required_support_groups, recency_conflict_rule, provenance. A gold reference may say by ``ref`` what kind of
reference its ``document`` is: document_id, uri, content_hash, path, file_name, or prefix (every document
whose id begins so).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, AliasChoices, BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from ragstone.datasets.formats import Format, formats
from ragstone.datasets.intake import Case, Id, Intake, Row, Text
from ragstone.datasets.lines import json_lines
from ragstone.datasets.sample import Sample
from ragstone.files import Pointer
from ragstone.matching.normalise import heading_path
from ragstone.types import DocRefKind, Gold, Query

MAX_PAGE = 10_000_000
Difficulty = Literal["easy", "medium", "hard", "adversarial"]


def split_heading(value: object) -> object:
    """Split a heading path written as one string: ``"#  A  >B"`` gives ``["A", "B"]``."""
    return list(heading_path([value])) if isinstance(value, str) else value


def _some_heading(path: list[str] | None) -> list[str] | None:
    if path is not None and not heading_path(path):
        raise ValueError(
            f"no heading is left of {path} without marks and spaces; name one, or leave the field out"
        )
    return path


HeadingPath = Annotated[list[str] | None, BeforeValidator(split_heading), AfterValidator(_some_heading)]


class GoldRow(BaseModel):
    """One gold reference of a line."""

    model_config = ConfigDict(extra="forbid", strict=True)

    document: str = Field(default="", validation_alias=AliasChoices("document", "rel_path"))
    ref: DocRefKind | None = None
    page: int | None = Field(default=None, ge=1, le=MAX_PAGE)
    heading_path: HeadingPath = None
    chunk_id: Id | None = None
    relevance: int = Field(default=2, ge=-1, le=3, validation_alias=AliasChoices("relevance", "grade"))
    snippets: list[Text] = Field(default_factory=list)
    modified_at: str | None = None

    @model_validator(mode="after")
    def _points_at_one_thing(self) -> GoldRow:
        if not self.document.strip() and self.chunk_id is None:
            raise ValueError("a gold reference needs a document (or a chunk_id)")
        kinds = [name for name in ("page", "heading_path", "chunk_id") if getattr(self, name) is not None]
        if len(kinds) > 1:
            raise ValueError(f"{' and '.join(kinds)} are both given; a gold points by one of them")
        if self.ref is not None and not self.document.strip():
            raise ValueError(f"ref is {self.ref!r}, but there is no document for it to describe")
        return self

    def gold(self) -> Gold:
        """Return the row as a `Gold`."""
        by_heading: Literal["anchor", "document"] = "anchor" if self.heading_path else "document"
        return Gold(
            kind="chunk" if self.chunk_id is not None else "page" if self.page is not None else by_heading,
            grade=self.relevance,
            document=self.document,
            ref=self.ref,
            page=self.page,
            heading=tuple(self.heading_path or ()),
            chunk=self.chunk_id,
            snippets=tuple(self.snippets),
            modified_at=self.modified_at,
        )


class QueryRow(BaseModel):
    """One line of the file."""

    model_config = ConfigDict(extra="forbid", strict=True)

    query_id: Id
    query: Text
    category: str | None = None
    difficulty: Difficulty | None = None
    is_rejection: bool = False
    gold_references: list[GoldRow] = Field(default_factory=list)
    expected_answer_gist: str | None = None
    notes: str | None = None
    tags: list[str] = Field(default_factory=list)
    vaults: list[str] = Field(default_factory=list)
    folders: list[str] = Field(default_factory=list)
    expected_key_facts: list[str] = Field(default_factory=list)
    required_support_groups: list[list[int]] | None = None
    recency_conflict_rule: Literal["cite_newer", "acknowledge_both", "cite_both"] | None = None
    provenance: dict[str, Any] = Field(default_factory=dict)

    def read(self) -> Query:
        """Return the row as a `Query`."""
        return Query(
            id=self.query_id,
            text=self.query,
            answerable=not self.is_rejection,
            category=self.category,
            difficulty=self.difficulty,
            tags=tuple(self.tags),
            vaults=tuple(self.vaults),
            folders=tuple(self.folders),
            expected_answer=self.expected_answer_gist,
            key_facts=tuple(self.expected_key_facts),
            recency_rule=self.recency_conflict_rule,
            provenance=self.provenance,
            notes=self.notes,
        )

    def case(self) -> Case:
        """Return the row as a case."""
        groups = tuple(tuple(group) for group in self.required_support_groups or ())
        return Case(self.read(), tuple(gold.gold() for gold in self.gold_references), groups)


def group_faults(groups: Sequence[Sequence[int]], golds: int) -> Iterator[tuple[Pointer, str]]:
    """Yield place and fault of each support group that does not name golds."""
    for number, group in enumerate(groups):
        if not group or any(not 0 <= index < golds for index in group):
            message = f"{list(group)} must list positions of the {golds} gold references, counted from 0"
            yield ("required_support_groups", number), message


def _recognises(sample: Sample) -> bool:
    marks, others = {"query_id", "query", "gold_references"}, {"relevant_chunk_ids", "optimal_granularity"}
    return sample.layout == "lines" and not sample.keys.isdisjoint(marks) and sample.keys.isdisjoint(others)


def _read(samples: Sequence[Sample], intake: Intake) -> None:
    for line, value in json_lines(samples[0].path, intake.problems):
        row = Row(value, str(samples[0].path), line)
        found = intake.check(row, QueryRow)
        if found is None:
            continue
        faults = list(group_faults(found.required_support_groups or (), len(found.gold_references)))
        intake.problems.extend(row.problem(message, *field) for field, message in faults)
        if not faults:
            intake.add(found.case(), row)


formats.add("ground-truth")(
    Format("JSON Lines with query_id, query and gold_references, one question a line", _recognises, _read)
)
