"""Loading a dataset from one or several files or folders, of any known format."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ragstone.datasets.formats import formats
from ragstone.datasets.identity import digest
from ragstone.datasets.intake import Case, Intake
from ragstone.datasets.limits import Limits
from ragstone.datasets.lint import lint
from ragstone.datasets.sample import Sample, look
from ragstone.errors import InvalidInputError, Problem
from ragstone.types import Dataset


@dataclass(frozen=True, slots=True)
class Loaded:
    """A dataset, what is doubtful in its files, and the format that each path was read as."""

    dataset: Dataset
    warnings: tuple[Problem, ...]
    formats: tuple[str, ...] = ()


def load(
    paths: Sequence[Path | str] | Path | str, name: str = "", description: str = "", limits: Limits | None = None
) -> Loaded:
    """Load one or more files or folders into one dataset, in their order; each format is recognised by content.

    Args:
        paths: One path or several: files of any known format, TREC topics and qrels together, or BEIR folders.
        name: Name of the dataset; empty to take the name that the first file gives, or has.
        description: Free text about the dataset.
        limits: How large it may be; those of local files where None.

    Raises:
        InvalidInputError: Some file has problems, or there is no question; all problems of all files are listed.
    """
    intake = Intake(limits or Limits.local())
    files = [Path(path) for path in ([paths] if isinstance(paths, str | Path) else paths)]
    named = _look_all(files, intake)
    for format_name, samples in _batches(named):
        formats[format_name].read(samples, intake)
    _check_count(intake, files)
    if intake.problems:
        raise InvalidInputError(intake.problems)
    title = name or intake.title or next((path.resolve().stem for path in files), "")
    dataset = assemble(intake.cases, title, description or intake.description)
    return Loaded(
        dataset, (*intake.warnings, *lint(dataset, intake.places)), tuple(format_name for format_name, _ in named)
    )


def assemble(cases: Sequence[Case], name: str, description: str = "") -> Dataset:
    """Return the dataset of these cases, with its digest."""
    queries = tuple(case.query for case in cases)
    golds = {case.query.id: case.golds for case in cases if case.golds}
    groups = {case.query.id: case.groups for case in cases if case.groups}
    return Dataset(
        name=name,
        queries=queries,
        golds=golds,
        support_groups=groups,
        digest=digest(queries, golds, groups),
        description=description,
    )


def _look_all(paths: Sequence[Path], intake: Intake) -> list[tuple[str, Sample]]:
    found = []
    for path in paths:
        try:
            sample = look(path, intake.limits)
        except InvalidInputError as error:
            intake.problems.extend(error.problems)
            continue
        name = next((name for name, one in formats.items() if one.recognises(sample)), None)
        if name is None:
            intake.problems.append(_unrecognised(sample))
        else:
            found.append((name, sample))
    return found


def _unrecognised(sample: Sample) -> Problem:
    known = "; ".join(f"{name} ({one.phrase})" for name, one in formats.items())
    message = f"is in no known format: it is {sample.seen()}{_nearest(sample)}. The known formats are: {known}"
    return Problem(message, str(sample.path))


def _nearest(sample: Sample) -> str:
    """Return a guess at what the file was meant to be, for a message."""
    if sample.layout == "text" and any(len(line.split()) == 6 for line in sample.lines):
        return "; it looks like a TREC run, which `ragstone score` scores, not like questions or judgments"
    if sample.layout == "document" and not sample.keys.isdisjoint(
        {"query_id", "gold_references", "gold_supports"}
    ):
        return "; its records look like lines of JSON Lines: write one a line, without the array"
    if sample.layout == "lines" and not sample.keys.isdisjoint({"query_key", "query_text", "relevant_docs"}):
        return "; its lines look like queries of schema 1.0: put them into a list under the key queries"
    return ""


def _batches(named: Sequence[tuple[str, Sample]]) -> list[tuple[str, list[Sample]]]:
    """Group what must be read together; everything else is read file by file, in order."""
    batches: list[tuple[str, list[Sample]]] = []
    together: dict[str, list[Sample]] = {}
    for name, sample in named:
        if name in together:
            together[name].append(sample)
            continue
        batches.append((name, [sample]))
        if formats[name].together:
            together[name] = batches[-1][1]
    return batches


def _check_count(intake: Intake, paths: Sequence[Path]) -> None:
    if not intake.cases and not intake.problems:
        why = "".join(f"; {warning.message}" for warning in intake.warnings[:3])
        intake.problems.append(Problem(f"there is no question in it{why}", ", ".join(map(str, paths))))
