"""What a reader hands over: cases with their places, and everything that is wrong or doubtful."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, TypeVar, get_args

from pydantic import AfterValidator, AliasChoices, BaseModel, BeforeValidator, ValidationError
from pydantic.fields import FieldInfo

from ragstone.datasets.limits import Limits
from ragstone.errors import InvalidInputError, Problem
from ragstone.files import Pointer, YamlFile, format_pointer, problems_of
from ragstone.types import Gold, Query

M = TypeVar("M", bound=BaseModel)

MOST_PROBLEMS = 1000
_IDS = ("query_key", "query_id", "id")
_JUDGED = (
    "relevant_docs",
    "relevant_doc_refs",
    "gold_references",
    "gold_supports",
    "relevant_chunk_ids",
    "relevant_heading_ids",
    "relevant_doc_ids",
)


@dataclass(frozen=True, slots=True)
class Row:
    """One record of a file with its place: a line, or a pointer into the document."""

    value: Any
    source: str
    line: int | None = None
    pointer: Pointer = ()

    def problem(self, message: str, *inner: str | int) -> Problem:
        """Return a problem at this record, or at a place inside it."""
        return Problem(message, self.source, self.line, format_pointer((*self.pointer, *inner)))

    def item(self, *inner: str | int) -> Row:
        """Return the record at a place inside this one."""
        value = self.value
        for key in inner:
            value = value[key]
        return replace(self, value=value, pointer=(*self.pointer, *inner))

    def items(self, *inner: str | int) -> Iterator[Row]:
        """Yield the records of a list inside this one, or of this one where nothing is named."""
        listed = self.item(*inner)
        return (listed.item(index) for index in range(len(listed.value)))

    @property
    def place(self) -> str:
        """The place as another message names it: ``a.jsonl:3`` or ``a.json: queries[3]``."""
        return str(self.problem("")._replace(source=Path(self.source).name))


@dataclass(frozen=True, slots=True)
class Case:
    """One question with its golds, as a reader found them."""

    query: Query
    golds: tuple[Gold, ...] = ()
    groups: tuple[tuple[int, ...], ...] = ()


class Findings(list[Problem]):
    """The problems of a data set; with too many, reading ends."""

    def append(self, problem: Problem) -> None:
        """Take a problem; raises `InvalidInputError` with all of them where the list is full."""
        if len(self) >= MOST_PROBLEMS:
            more = f"there are more problems than {MOST_PROBLEMS:,}; the rest is not read"
            raise InvalidInputError([*self, Problem(more, problem.source)])
        super().append(problem)

    def extend(self, problems: Iterable[Problem]) -> None:
        """Take several, as `append` does."""
        for problem in problems:
            self.append(problem)


class Intake:
    """Collects the cases of all files of a data set, and their problems and warnings.

    Attributes:
        title: The name that a file gives to its data set.
        description: What a file says about it.
        places: Where each question stands, by its id.
    """

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.problems = Findings()
        self.warnings: list[Problem] = []
        self.cases: list[Case] = []
        self.title = ""
        self.description = ""
        self.places: dict[str, Row] = {}

    def add(self, case: Case, row: Row, judged: int | None = None) -> None:
        """Take a case; an id taken before and too many judgments are problems.

        Args:
            case: The question and its golds.
            row: Where it stands.
            judged: How many judgments the file has for it, where they are more than the golds.
        """
        name = case.query.id
        if name in self.places:
            first = f"the id {name!r} stands twice, first at {self.places[name].place}"
            message = f"{first}; ids must be unique (an entry without one is named by its position: give it one)"
            self.problems.append(row.problem(message))
            return
        self.places[name] = row
        self.cases.append(case)
        if self.limits.max_queries is not None and len(self.cases) > self.limits.max_queries:
            most = f"more than {self.limits.max_queries:,} questions; the rest is not read"
            raise InvalidInputError(
                [*self.problems, row.problem(f"{most} (split the data set, or raise the limit)")]
            )
        self._check_judgments(len(case.golds) if judged is None else judged, row, name)
        if case.query.answerable and not case.golds:
            message = f"{name}: no gold references, so nothing can be found for it"
            self.warnings.append(row.problem(message))
        elif not case.query.answerable and case.golds:
            message = f"{name}: a rejection query has gold references; they are not used"
            self.warnings.append(row.problem(message))

    def _has_too_many(self, row: Row) -> bool:
        """Refuse a record by its number of judgments before they are looked at."""
        before = len(self.problems)
        if self.limits.max_judgments is not None and isinstance(row.value, dict):
            name = next((str(row.value[key]) for key in _IDS if key in row.value), "")
            for key in _JUDGED:
                if isinstance(listed := row.value.get(key), list):
                    self._check_judgments(len(listed), row, name)
        return len(self.problems) > before

    def _check_judgments(self, count: int, row: Row, name: str) -> None:
        most = self.limits.max_judgments
        if most is not None and count > most:
            message = f"{count:,} judgments for the question {name!r}; at most {most:,} are read"
            self.problems.append(row.problem(message))

    def check(self, row: Row, model: type[M]) -> M | None:
        """Hold a record against its model; None where it does not fit, and its problems are noted."""
        if self._has_too_many(row):
            return None
        try:
            return model.model_validate(row.value)
        except ValidationError as error:
            self.problems.extend(_problems(error, row, model))
            return None


def _problems(error: ValidationError, row: Row, model: type[BaseModel]) -> Iterator[Problem]:
    document = YamlFile(row.source, row.value, {(): (row.source, row.line or 0)})
    names = _names(model)
    known = {"": names, **_inner_names(row.value, model)}
    found = problems_of(error, document, known)
    for finding, problem in zip(error.errors(include_url=False), found, strict=True):
        first = format_pointer(row.pointer)
        gap = "." if first and problem.pointer and not problem.pointer.startswith("[") else ""
        message = problem.message
        if (
            finding["type"] == "extra_forbidden"
            and finding["loc"] == (problem.pointer,)
            and problem.pointer in names
        ):
            message = "stands beside another key of the same meaning; keep one of them"
        yield Problem(message, row.source, row.line, f"{first}{gap}{problem.pointer}")


def _names(model: type[BaseModel]) -> tuple[str, ...]:
    """Return the keys that a model reads, aliases included."""
    return tuple(key for name, field in model.model_fields.items() for key in _aliases(name, field))


def _aliases(name: str, field: FieldInfo) -> list[str]:
    alias = field.validation_alias
    return [str(choice) for choice in alias.choices] if isinstance(alias, AliasChoices) else [name]


def _inner_names(value: object, model: type[BaseModel]) -> dict[str, Sequence[str]]:
    """Return the keys of the records in a record's lists, by their pointers."""
    found: dict[str, Sequence[str]] = {}
    for name, field in model.model_fields.items():
        inner = next(iter(get_args(field.annotation)), None)
        if not (isinstance(inner, type) and issubclass(inner, BaseModel) and isinstance(value, dict)):
            continue
        for key in _aliases(name, field):
            listed = value.get(key)
            count = len(listed) if isinstance(listed, list) else 0
            found |= {f"{key}[{index}]": _names(inner) for index in range(count)}
    return found


def _as_id(value: object) -> object:
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


def _not_blank(value: str) -> str:
    if not value.strip():
        raise ValueError(f"is empty, got {value!r}; it needs at least one character that shows")
    return value


Text = Annotated[str, AfterValidator(_not_blank)]
Id = Annotated[str, BeforeValidator(_as_id), AfterValidator(_not_blank)]
