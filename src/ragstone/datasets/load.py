"""Loading a dataset from one or several files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ragstone.datasets.ground_truth import QueryRow, read_rows
from ragstone.datasets.identity import digest
from ragstone.errors import InvalidInputError, Problem
from ragstone.types import Dataset


@dataclass(frozen=True, slots=True)
class Loaded:
    """A dataset and what is doubtful in its files."""

    dataset: Dataset
    warnings: tuple[Problem, ...]


def load(paths: Sequence[Path], name: str, description: str = "") -> Loaded:
    """Load ground truth from one or more files into one dataset, in their order.

    Raises:
        InvalidInputError: Some file has problems, or there is no question; all problems of all files are listed.
    """
    problems: list[Problem] = []
    warnings: list[Problem] = []
    rows: dict[str, QueryRow] = {}
    places: dict[str, str] = {}
    for path in paths:
        try:
            found = read_rows(path, problems, warnings)
        except InvalidInputError as error:
            problems.extend(error.problems)
            continue
        for line, row in found:
            if row.query_id in rows:
                message = (
                    f"query_id {row.query_id!r} stands twice, first at {places[row.query_id]}; ids must be unique"
                )
                problems.append(Problem(message, str(path), line))
            rows[row.query_id] = row
            places[row.query_id] = f"{path.name}:{line}"
    if not problems and not rows:
        problems.append(Problem("there is no question in it", ", ".join(map(str, paths))))
    if problems:
        raise InvalidInputError(problems)
    return Loaded(_dataset(list(rows.values()), name, description), tuple(warnings))


def _dataset(rows: Sequence[QueryRow], name: str, description: str) -> Dataset:
    queries = tuple(row.read() for row in rows)
    golds = {
        row.query_id: tuple(gold.gold() for gold in row.gold_references) for row in rows if row.gold_references
    }
    groups = {
        row.query_id: tuple(tuple(group) for group in row.required_support_groups)
        for row in rows
        if row.required_support_groups
    }
    return Dataset(
        name=name,
        queries=queries,
        golds=golds,
        support_groups=groups,
        digest=digest(queries, golds, groups),
        description=description,
    )
