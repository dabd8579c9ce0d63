"""Relevance judgments in columns: the rows of TREC qrels and of BEIR's TSV files."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from ragstone.datasets.intake import Intake, Row
from ragstone.files import shown
from ragstone.types import Gold

MOST_GRADE = 1000
_WHOLE = re.compile(r"[+-]?\d{1,9}(\.0*)?")


def columns(line: str) -> list[str]:
    """Split a line at its tabs, or at its spaces where it has none."""
    return [cell.strip() for cell in line.split("\t")] if "\t" in line else line.split()


@dataclass(slots=True)
class Qrels:
    """Golds by query id, in the order of the file; each pair of query and document once."""

    intake: Intake
    golds: dict[str, dict[str, Gold]] = field(default_factory=dict)
    first: dict[str, Row] = field(default_factory=dict)

    def add(self, query: str, document: str, grade: str, row: Row) -> None:
        """Take one judgment; a bad grade, an empty id or a pair judged before is a problem."""
        found = _WHOLE.fullmatch(grade)
        if not query or not document:
            self.intake.problems.append(row.problem("an id is empty; each judgment needs a query and a document"))
        elif not found or abs(int(float(grade))) > MOST_GRADE:
            message = f"the grade must be a whole number from -{MOST_GRADE} to {MOST_GRADE}, got {shown(grade)}"
            self.intake.problems.append(row.problem(message))
        elif document in self.golds.get(query, ()):
            message = f"document {shown(document)} is judged twice for query {shown(query)}; keep one line"
            self.intake.problems.append(row.problem(message))
        else:
            gold = Gold(kind="document", document=document, ref="document_id", grade=int(float(grade)))
            self.golds.setdefault(query, {})[document] = gold
            self.first.setdefault(query, row)

    def of(self, query: str) -> tuple[Gold, ...]:
        """Return the golds of a query."""
        return tuple(self.golds.get(query, {}).values())
