"""Writing a dataset as ground-truth JSON Lines."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from pydantic import ValidationError

from ragstone.datasets.ground_truth import QueryRow
from ragstone.datasets.intake import Case
from ragstone.errors import InvalidInputError, Problem
from ragstone.files import format_pointer, shown
from ragstone.types import Dataset, Gold, Query


def ground_truth_text(dataset: Dataset) -> str:
    """Return the dataset as ground-truth JSON Lines; read again, it has the same digest.

    Raises:
        InvalidInputError: The format cannot hold some of it, such as a grade above 3; all of it is listed.
    """
    problems: list[Problem] = []
    rows = []
    for query in dataset.queries:
        case = Case(query, dataset.golds.get(query.id, ()), dataset.support_groups.get(query.id, ()))
        row = _row(case)
        problems.extend(_problems(row, case, dataset.name))
        rows.append(json.dumps(row, ensure_ascii=False))
    if problems:
        raise InvalidInputError(problems)
    return "".join(f"{row}\n" for row in rows)


def _problems(row: Mapping[str, Any], case: Case, source: str) -> Iterator[Problem]:
    """Yield what the format cannot hold: what its reader refuses, or reads as something else."""
    place = f"query {case.query.id!r}"
    try:
        same = QueryRow.model_validate(row).case() == case
    except ValidationError as error:
        for finding in error.errors(include_url=False):
            field = format_pointer(finding["loc"])
            message = f"{finding['msg'].removeprefix('Value error, ')}, got {shown(finding['input'])}"
            yield Problem(
                f"ground-truth JSON Lines cannot hold this: {message}", source, pointer=f"{place} {field}"
            )
    else:
        if not same:
            yield Problem("ground-truth JSON Lines cannot hold this question unchanged", source, pointer=place)


def _row(case: Case) -> dict[str, Any]:
    row: dict[str, Any] = {"query_id": case.query.id, "query": case.query.text}
    if not case.query.answerable:
        row["is_rejection"] = True
    row |= _given(_fields(case.query))
    row |= _given({"gold_references": [{**gold_fields(gold), "relevance": gold.grade} for gold in case.golds]})
    row |= _given({"required_support_groups": [list(group) for group in case.groups]})
    return row


def _fields(query: Query) -> dict[str, Any]:
    return {
        "category": query.category,
        "difficulty": query.difficulty,
        "expected_answer_gist": query.expected_answer,
        "notes": query.notes,
        "tags": list(query.tags),
        "vaults": list(query.vaults),
        "folders": list(query.folders),
        "expected_key_facts": list(query.key_facts),
        "recency_conflict_rule": query.recency_rule,
        "provenance": dict(query.provenance),
    }


def gold_fields(gold: Gold) -> dict[str, Any]:
    """Return what a gold reference points at, as the format writes it, without its grade."""
    fields = {
        "document": gold.document or None,
        "ref": gold.ref,
        "page": gold.page,
        "heading_path": list(gold.heading),
        "chunk_id": gold.chunk,
        "snippets": list(gold.snippets),
        "modified_at": gold.modified_at,
    }
    return _given(fields)


def _given(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields that hold something."""
    return {key: value for key, value in fields.items() if value is not None and value not in ([], {})}
