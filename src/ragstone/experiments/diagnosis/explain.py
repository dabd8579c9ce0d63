"""Why a query came out as it did: the hits with their golds, and where the missing golds were lost."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ragstone.errors import UnknownNameError
from ragstone.experiments.diagnosis.cascade import best_matches, cascade_of
from ragstone.experiments.results import QueryResult, RunResult
from ragstone.matching import MatchOptions
from ragstone.types import Gold, Response


@dataclass(frozen=True, slots=True, kw_only=True)
class GoldTrace:
    """Where one gold stood, stage by stage.

    Attributes:
        gold: The reference.
        rank: Its rank in the result; None where it was missed.
        stages: By stage, the rank of the first candidate that fits it, counted as in the result; None where no
            recorded candidate does.
        lost_at: The first stage that does not have it though an earlier one did, or the retrievers' names joined
            where none found it; None where it was found or nothing was recorded.
    """

    gold: Gold
    rank: int | None
    stages: Mapping[str, int | None]
    lost_at: str | None


def find_query(result: RunResult, query_id: str) -> QueryResult:
    """Return one query of a run.

    Raises:
        UnknownNameError: The run's dataset has no query of this id.
    """
    by_id = {found.query.id: found for found in result.queries}
    if query_id not in by_id:
        raise UnknownNameError("question", query_id, by_id)
    return by_id[query_id]


def trace_golds(found: QueryResult, options: MatchOptions) -> list[GoldTrace]:
    """Return the trace of every gold with a grade above 0, in the dataset's order."""
    ranks = {match.gold: match.rank for match in reversed(found.matches) if match.gold is not None}
    cascade = cascade_of(found.response or Response())
    lists = [*cascade.retrievers, cascade.fusion, cascade.rerank, cascade.threshold, cascade.returned]
    by_stage = {
        one.name: {gold: match.rank for gold, match in best_matches(one.hits, found.golds, options).items()}
        for one in lists
        if one is not None
    }
    retrievers = [one.name for one in cascade.retrievers]
    return [
        GoldTrace(
            gold=gold,
            rank=ranks.get(index),
            stages={name: stage.get(index) for name, stage in by_stage.items()},
            lost_at=None if index in ranks else _lost_at(index, by_stage, retrievers),
        )
        for index, gold in enumerate(found.golds)
        if gold.grade > 0
    ]


def _lost_at(gold: int, by_stage: Mapping[str, Mapping[int, int]], retrievers: list[str]) -> str | None:
    if retrievers and not any(gold in by_stage[name] for name in retrievers):
        return " + ".join(retrievers)
    later = (name for name in by_stage if name not in retrievers and gold not in by_stage[name])
    return next(later, None)
