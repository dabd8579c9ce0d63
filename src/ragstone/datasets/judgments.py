"""Judgements made after the fact: lines of a pool with their grades filled in, merged into a dataset.

    {"query_id": "Q001", "query": "...", "gold_reference": {"document": "a.md", "heading_path": ["Setup"]},
     "text": "...", "grade": 2}

``grade`` is 0 to 3, or null for a passage that is not judged yet. ``gold_reference`` says what the grade is about,
written as in the ground-truth format, without a grade of its own.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, field_validator

from ragstone.datasets.ground_truth import GoldRow
from ragstone.datasets.intake import Case, Intake, Row
from ragstone.datasets.limits import Limits
from ragstone.datasets.lines import json_lines
from ragstone.datasets.load import assemble
from ragstone.datasets.write import gold_fields
from ragstone.errors import InvalidInputError, Problem, did_you_mean
from ragstone.types import Dataset, Gold, Hit, Query


class _JudgmentRow(BaseModel):
    """One line; what is there for people to read is not checked."""

    model_config = ConfigDict(extra="forbid", strict=True)

    query_id: str = Field(min_length=1)
    gold_reference: GoldRow
    grade: int | None = Field(ge=0, le=3)
    query: str = ""
    document: str = ""
    page: int | None = None
    heading_path: list[str] = Field(default_factory=list)
    chunk_id: str = ""
    text: str = ""
    notes: str | None = None

    @field_validator("gold_reference", mode="before")
    @classmethod
    def _has_no_grade(cls, value: object) -> object:
        if isinstance(value, dict) and not {"relevance", "grade"}.isdisjoint(value):
            raise ValueError("has a grade of its own; write it as the line's grade")
        return value


@dataclass(frozen=True, slots=True)
class Judgment:
    """One grade with the line on which it stands."""

    query: str
    gold: Gold
    row: Row


@dataclass(frozen=True, slots=True, kw_only=True)
class Merged:
    """A dataset with new judgements.

    Attributes:
        dataset: With its new digest.
        added: Golds that it did not have, or had without a judgement.
        known: Judgements that it had already, with the same grade.
        open: Lines without a grade.
    """

    dataset: Dataset
    added: int
    known: int
    open: int


def pool_line(query: Query, hit: Hit, reference: Gold) -> str:
    """Return one passage to judge as a line, its grade null."""
    row = {
        "query_id": query.id,
        "query": query.text,
        "document": hit.document,
        "page": hit.page,
        "heading_path": list(hit.heading),
        "chunk_id": hit.id,
        "text": hit.text,
        "gold_reference": gold_fields(reference),
        "grade": None,
    }
    return json.dumps(row, ensure_ascii=False)


def merge_judgments(dataset: Dataset, path: Path) -> Merged:
    """Return the dataset with the grades of a filled-in pool; new golds stand behind those that it has.

    Raises:
        InvalidInputError: A line is malformed, is of a question that the dataset lacks, contradicts another line
            or a grade of the dataset, or calls something relevant to an unanswerable question; all are listed.
    """
    intake = Intake(Limits.local())
    rows = list(_rows(path, intake))
    known = {query.id: query for query in dataset.queries}
    fitting = [one for one in rows if _fits(one, known, intake.problems)]
    golds = {query: list(found) for query, found in dataset.golds.items()}
    added = _add(golds, fitting, intake.problems)
    if not rows and not intake.problems:
        intake.problems.append(Problem("there is no judgement in it", str(path)))
    if intake.problems:
        raise InvalidInputError(sorted(intake.problems, key=lambda problem: problem.line or 0))
    cases = [
        Case(query, tuple(golds.get(query.id, ())), dataset.support_groups.get(query.id, ()))
        for query in dataset.queries
    ]
    judged = [one for one in fitting if one.gold.grade >= 0]
    merged = assemble(cases, dataset.name, dataset.description)
    return Merged(dataset=merged, added=added, known=len(judged) - added, open=len(fitting) - len(judged))


def _rows(path: Path, intake: Intake) -> Iterator[Judgment]:
    for line, value in json_lines(path, intake.problems):
        row = Row(value, str(path), line)
        found = intake.check(row, _JudgmentRow)
        if found is not None:
            grade = -1 if found.grade is None else found.grade
            yield Judgment(found.query_id, replace(found.gold_reference.gold(), grade=grade), row)


def _fits(judgment: Judgment, known: dict[str, Query], problems: list[Problem]) -> bool:
    query = known.get(judgment.query)
    if query is None:
        near = did_you_mean(judgment.query, known)
        message = f"the dataset has no question {judgment.query!r}{near}"
        problems.append(judgment.row.problem(message, "query_id"))
    elif judgment.gold.grade > 0 and not query.answerable:
        message = (
            f"{judgment.query!r} is marked as unanswerable, but this is judged relevant ({judgment.gold.grade}); "
            "change the question's is_rejection, or the grade to 0"
        )
        problems.append(judgment.row.problem(message, "grade"))
    else:
        return True
    return False


def _add(golds: dict[str, list[Gold]], judgments: Sequence[Judgment], problems: list[Problem]) -> int:
    """Put the judgements in, and return how many were new."""
    lines: dict[tuple[str, Gold], Judgment] = {}
    added = 0
    for one in judgments:
        key = (one.query, replace(one.gold, grade=0))
        earlier = lines.setdefault(key, one)
        if one.gold.grade < 0:
            continue
        if earlier.gold.grade < 0:
            earlier = lines[key] = one
        mine = golds.setdefault(one.query, [])
        place = next((at for at, gold in enumerate(mine) if replace(gold, grade=0) == key[1]), None)
        if place is not None and mine[place].grade >= 0:
            _check_same(one, mine[place].grade, earlier, problems)
            continue
        added += 1
        if place is None:
            mine.append(one.gold)
        else:
            mine[place] = one.gold
    return added


def _check_same(one: Judgment, grade: int, earlier: Judgment, problems: list[Problem]) -> None:
    if grade != one.gold.grade:
        where = f"on line {earlier.row.line}" if earlier is not one else "in the dataset"
        message = f"is judged {one.gold.grade} here and {grade} {where}; settle on one grade"
        problems.append(one.row.problem(message, "grade"))
