"""The evaluation set of a note assistant: JSON Lines with gold supports by path and heading.

    {"id": "test_001", "question": "...", "answerable": true, "category": "factual", "difficulty": "easy",
     "gold_supports": [{"rel_path": "notes/a.md", "heading_path": "# Setup > Proxy", "snippets": ["..."]}],
     "expected_key_facts": ["..."], "required_support_groups": [[0, 1], [2]], "recency_conflict_rule": null,
     "tags": ["work"], "vaults": ["personal"], "folders": ["notes"]}

A question is answerable exactly when it has gold supports; ``multi_hop`` needs support groups and two supports;
``recency/conflict`` needs a rule and two supports; ``general`` questions are not answerable.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from ragstone.datasets.formats import Format, formats
from ragstone.datasets.ground_truth import Difficulty, HeadingPath, group_faults
from ragstone.datasets.intake import Case, Id, Intake, Row, Text
from ragstone.datasets.lines import json_lines
from ragstone.datasets.sample import Sample
from ragstone.files import Pointer
from ragstone.types import Gold, Query


class _Support(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    rel_path: Text
    heading_path: HeadingPath = None
    snippets: list[Text] | None = None
    modified_at: str | None = None

    def gold(self) -> Gold:
        return Gold(
            kind="anchor" if self.heading_path else "document",
            document=self.rel_path,
            heading=tuple(self.heading_path or ()),
            snippets=tuple(self.snippets or ()),
            modified_at=self.modified_at,
        )


class _Case(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    id: Id
    question: Text
    answerable: bool
    category: Literal["factual", "reasoning", "multi_hop", "recency/conflict", "general", "adversarial"]
    difficulty: Difficulty | None = None
    gold_supports: list[_Support] = Field(default_factory=list)
    expected_key_facts: list[str] = Field(default_factory=list)
    required_support_groups: list[list[int]] | None = None
    recency_conflict_rule: Literal["cite_newer", "acknowledge_both", "cite_both"] | None = None
    tags: list[str] = Field(default_factory=list)
    vaults: list[str] = Field(default_factory=list)
    folders: list[str] = Field(default_factory=list)
    notes: str | None = None

    def case(self) -> Case:
        query = Query(
            id=self.id,
            text=self.question,
            answerable=self.answerable,
            category=self.category,
            difficulty=self.difficulty,
            tags=tuple(self.tags),
            vaults=tuple(self.vaults),
            folders=tuple(self.folders),
            key_facts=tuple(self.expected_key_facts),
            recency_rule=self.recency_conflict_rule,
            notes=self.notes,
        )
        groups = tuple(tuple(group) for group in self.required_support_groups or ())
        return Case(query, tuple(one.gold() for one in self.gold_supports), groups)


def _faults(case: _Case) -> Iterator[tuple[Pointer, str]]:
    """Yield the field and the fault of each rule that a case breaks."""
    supports = len(case.gold_supports)
    if case.category == "general" and case.answerable:
        yield (
            ("answerable",),
            "a question of category 'general' is not answerable; make this false or change category",
        )
    if case.answerable and not supports:
        yield ("gold_supports",), "an answerable question needs a gold support; add one or make answerable false"
    if not case.answerable and supports:
        yield ("answerable",), f"false, but there are {supports} gold supports; remove them or make this true"
    if case.category in ("multi_hop", "recency/conflict") and supports < 2:
        yield ("gold_supports",), f"category {case.category!r} needs at least 2 gold supports, got {supports}"
    if case.category == "multi_hop" and not case.required_support_groups:
        yield ("required_support_groups",), "category 'multi_hop' needs support groups, such as [[0, 1]]"
    if case.category == "recency/conflict" and case.recency_conflict_rule is None:
        rules = "cite_newer, acknowledge_both or cite_both"
        yield ("recency_conflict_rule",), f"category 'recency/conflict' needs a rule: {rules}"
    yield from group_faults(case.required_support_groups or (), supports)


def _recognises(sample: Sample) -> bool:
    marks, others = {"gold_supports", "answerable", "question"}, {"query_id", "query", "gold_references"}
    return sample.layout == "lines" and not sample.keys.isdisjoint(marks) and sample.keys.isdisjoint(others)


def _read(samples: Sequence[Sample], intake: Intake) -> None:
    for line, value in json_lines(samples[0].path, intake.problems):
        row = Row(value, str(samples[0].path), line)
        found = intake.check(row, _Case)
        if found is not None:
            faults = list(_faults(found))
            intake.problems.extend(row.problem(message, *field) for field, message in faults)
            if not faults:
                intake.add(found.case(), row)


formats.add("eval-set")(
    Format("JSON Lines with id, question, answerable and gold_supports, one question a line", _recognises, _read)
)
