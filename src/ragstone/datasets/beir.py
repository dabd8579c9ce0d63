"""BEIR: a folder with queries.jsonl and qrels/<split>.tsv.

The split ``test`` is read, or the only one there is. Queries without judgments are left out, as BEIR does. The
corpus is not needed: a judgment names a document by its id.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from pydantic import AliasChoices, BaseModel, ConfigDict, Field

from ragstone.datasets.formats import Format, formats
from ragstone.datasets.intake import Case, Id, Intake, Row, Text
from ragstone.datasets.lines import json_lines, read_lines
from ragstone.datasets.qrels import Qrels
from ragstone.datasets.sample import Sample
from ragstone.errors import InvalidInputError, Problem
from ragstone.files import shown
from ragstone.types import Query

HEADER = ("query-id", "corpus-id", "score")
PREFERRED = "test"


class _Query(BaseModel):
    model_config = ConfigDict(extra="ignore", strict=True)

    id: Id = Field(validation_alias=AliasChoices("_id", "id"))
    text: Text


def _recognises(sample: Sample) -> bool:
    inside = (sample.path / "queries.jsonl", sample.path / "qrels")
    return sample.layout == "folder" and any(path.exists() for path in inside)


def _read(samples: Sequence[Sample], intake: Intake) -> None:
    folder = samples[0].path
    split = _split(folder, intake)
    if split is None:
        return
    queries = folder / "queries.jsonl"
    try:
        intake.limits.check_size(split)
        intake.limits.check_size(queries)
    except InvalidInputError as error:
        intake.problems.extend(error.problems)
        return
    _join(queries, _qrels(split, intake), intake)


def _split(folder: Path, intake: Intake) -> Path | None:
    """Return the file of judgments to read; none or several without ``test`` is a problem."""
    found = {path.stem: path for path in sorted((folder / "qrels").glob("*.tsv")) if path.is_file()}
    if PREFERRED in found or len(found) == 1:
        return found.get(PREFERRED) or next(iter(found.values()))
    if found:
        names = ", ".join(f"{name}.tsv" for name in found)
        message = f"holds {names} and no {PREFERRED}.tsv; keep the one to measure on, or name it {PREFERRED}.tsv"
    else:
        message = f"there is no file of judgments here; a BEIR folder has qrels/{PREFERRED}.tsv"
    intake.problems.append(Problem(message, str(folder / "qrels")))
    return None


def _qrels(path: Path, intake: Intake) -> Qrels:
    qrels = Qrels(intake)
    header = True
    for number, line in read_lines(path, intake.problems):
        row, cells = Row(line, str(path), number), [cell.strip() for cell in line.split("\t")]
        if header and (found := tuple(cell.lower() for cell in cells)) != HEADER:
            message = f"the header must be {' '.join(HEADER)} between tabs, got {shown(line)}"
            intake.problems.append(row.problem(message))
            if len(found) != 3:
                return qrels
        elif header:
            pass
        elif len(cells) != 3:
            message = f"{len(cells)} columns between tabs, got {shown(line)}; there are 3: {', '.join(HEADER)}"
            intake.problems.append(row.problem(message))
        else:
            qrels.add(cells[0], cells[1], cells[2], row)
        header = False
    return qrels


def _join(path: Path, qrels: Qrels, intake: Intake) -> None:
    """Make cases of the judged queries, in the order of the queries' file."""
    dropped, before = 0, len(intake.problems)
    left = dict.fromkeys(qrels.golds)
    for line, value in json_lines(path, intake.problems):
        row = Row(value, str(path), line)
        found = intake.check(row, _Query)
        if found is None:
            continue
        left.pop(found.id, None)
        if found.id in qrels.golds:
            intake.add(Case(Query(id=found.id, text=found.text), qrels.of(found.id)), row)
        else:
            dropped += 1
    if dropped:
        message = f"{dropped:,} queries without judgments in this split are left out"
        intake.warnings.append(Problem(message, str(path)))
    if left and len(intake.problems) == before:
        example = f"such as {shown(next(iter(left)))}"
        if len(left) < len(qrels.golds):
            message = f"{len(left):,} judged queries, {example}, are not in it and are left out"
            intake.warnings.append(Problem(message, str(path)))
        else:
            message = f"none of the {len(left):,} judged queries, {example}, is in it; write the ids alike"
            intake.problems.append(Problem(message, str(path)))


formats.add("beir")(Format("a BEIR folder with queries.jsonl (_id, text) and qrels/test.tsv", _recognises, _read))
