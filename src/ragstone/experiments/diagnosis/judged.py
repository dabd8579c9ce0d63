"""A run's searches, to be judged again: as they were, or under other rankings than the one that was returned."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from ragstone.experiments.diagnosis.cascade import Cascade, cascade_of
from ragstone.experiments.results import QueryResult, RunResult
from ragstone.matching import judge_run
from ragstone.types import Dataset, Hit, JudgedRun, Response


@dataclass(frozen=True, slots=True)
class Search:
    """A question of a run with the response to it and the stages that the response recorded."""

    found: QueryResult
    response: Response
    stages: Cascade


Ranking = Callable[[Search], Sequence[Hit]]


def searches(result: RunResult) -> list[Search]:
    """Return the searches of a run's first repeat that worked, for answerable questions with relevant gold."""
    return [
        Search(found, found.response, cascade_of(found.response))
        for found in result.queries
        if found.query.answerable
        and found.response is not None
        and found.response.failure is None
        and any(gold.grade > 0 for gold in found.golds)
    ]


def judged_run(result: RunResult, *, depth: int | None = None) -> JudgedRun:
    """Return the first repeat of a run as it was scored."""
    responses = {found.query.id: found.response for found in result.queries if found.response is not None}
    known = {found.query.id: found.matches for found in result.queries}
    return judge_run(_dataset(result.queries), responses, result.benchmark.matching, depth=depth, known=known)


def repeats_of(result: RunResult) -> list[RunResult]:
    """Return the run as if each question had been asked once, a run for each repeat."""
    most = max((len(found.repeats) for found in result.queries), default=0)
    runs = [replace(result, queries=tuple(_repeat(found, n) for found in result.queries)) for n in range(most)]
    return runs or [result]


def _repeat(found: QueryResult, number: int) -> QueryResult:
    one = found.repeats[number]
    return replace(found, response=one.response, matches=one.matches, scores=one.scores, repeats=())


def judged_as(result: RunResult, some: Sequence[Search], ranking: Ranking) -> JudgedRun:
    """Return some searches of a run as if each had returned another ranking."""
    responses = {one.found.query.id: replace(one.response, hits=tuple(ranking(one))) for one in some}
    return judge_run(_dataset([one.found for one in some]), responses, result.benchmark.matching)


def _dataset(queries: Sequence[QueryResult]) -> Dataset:
    """Return the questions with the golds that they are scored against."""
    return Dataset(
        name="",
        queries=tuple(found.query for found in queries),
        golds={found.query.id: found.golds for found in queries},
        support_groups={found.query.id: found.groups for found in queries if found.groups},
    )
