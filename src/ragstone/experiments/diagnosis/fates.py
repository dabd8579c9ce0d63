"""How far the evidence of each question came: the first stage of a search that lost it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from ragstone.experiments.diagnosis.cascade import Cascade, Ranked, best_matches, cascade_of
from ragstone.experiments.diagnosis.lost_golds import gone_golds
from ragstone.experiments.results import QueryResult, RunResult
from ragstone.matching import MatchOptions, match_response
from ragstone.matching.scope import scope_miss
from ragstone.types import Response

Leaf = Literal[
    "not_in_corpus",
    "not_indexed",
    "failed_search",
    "out_of_scope",
    "not_in_candidates",
    "below_rerank_depth",
    "reranked_out",
    "threshold",
    "unknown",
    "cut",
    "refused",
    "not_cited",
    "unsupported",
    "wrong",
    "reached",
    "right",
]
# In the order of a search. "unknown": lost before the result, where the trace does not say at which stage.
STAGES: tuple[Leaf, ...] = (
    "not_in_corpus",
    "not_indexed",
    "failed_search",
    "out_of_scope",
    "not_in_candidates",
    "below_rerank_depth",
    "reranked_out",
    "threshold",
    "unknown",
    "cut",
    "refused",
    "not_cited",
    "unsupported",
    "wrong",
)
LEAVES: tuple[Leaf, ...] = (*STAGES, "reached", "right")
ORDER = {leaf: place for place, leaf in enumerate(LEAVES)}


@dataclass(frozen=True, slots=True)
class AnswerVerdict:
    """What a judge says of an answer; None where it says nothing.

    Attributes:
        supported: Whether the evidence supports what the answer claims.
        correct: Whether it is right.
    """

    supported: bool | None = None
    correct: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Fate:
    """How far the evidence of one question came.

    Attributes:
        leaf: The first stage that lost it, ``reached`` where it stands in the first k, or ``right``.
        golds: The same for every relevant gold, by its index.
        required: The golds that are needed together; empty where any relevant gold will do.
    """

    query: str
    leaf: Leaf
    golds: Mapping[int, Leaf] = field(hash=False)
    required: tuple[int, ...] = ()


Verdicts = Mapping[str, AnswerVerdict]


def fates(
    result: RunResult, verdicts: Verdicts | None = None, *, every_gold: bool = True
) -> dict[str, Fate | str]:
    """Return the fate of every question of a run, or the reason why it has none.

    The first repeat counts. Where a question has support groups, the group that came furthest counts, and in it
    the support that was lost first; else the gold that came furthest. A system that cites nothing for any question
    is not asked for citations.

    Args:
        result: The run with its matching options.
        verdicts: What judges say of the answers, by question.
        every_gold: Whether to follow the other golds of a question of which one reached the end; without, it is
            faster, and they are not in `Fate.golds`.
    """
    gone = gone_golds(result)
    cites = any(found.response and found.response.citations for found in result.queries)
    tracer = _Tracer(result, gone, verdicts or {}, cites=cites, every_gold=every_gold)
    return {found.query.id: tracer.fate(found) for found in result.queries}


def cutoff_of(result: RunResult) -> int:
    """Return how many hits of a run count as its context: the primary metric's k, or how many were asked for."""
    return result.benchmark.primary.cutoff or result.benchmark.configuration.top_k


class _Tracer:
    """Follows the golds of a run's questions through what was recorded."""

    def __init__(
        self,
        result: RunResult,
        gone: Mapping[str, Mapping[int, Leaf]],
        verdicts: Verdicts,
        *,
        cites: bool,
        every_gold: bool,
    ) -> None:
        self._options: MatchOptions = result.benchmark.matching
        self._cutoff = cutoff_of(result)
        self._level = int(result.benchmark.primary.arguments().get("rel", 1))
        self._gone = gone
        self._verdicts = verdicts
        self._cites = cites
        self._every_gold = every_gold

    def fate(self, found: QueryResult) -> Fate | str:
        """Return a question's fate, or the reason why it has none."""
        relevant = [index for index, gold in enumerate(found.golds) if gold.grade >= self._level]
        if not found.query.answerable:
            return "unanswerable"
        if not relevant:
            return "no_gold"
        if found.response is None:
            return "not_asked"
        groups = [group for group in found.groups if group]
        wanted = dict.fromkeys([*relevant, *(index for group in groups for index in group)])
        golds = self._golds(found, found.response, list(wanted))
        if not groups:
            return Fate(query=found.query.id, leaf=max(golds.values(), key=ORDER.__getitem__), golds=golds)
        required = max(groups, key=lambda group: min(ORDER[golds[index]] for index in group))
        leaf = min((golds[index] for index in required), key=ORDER.__getitem__)
        return Fate(query=found.query.id, leaf=leaf, golds=golds, required=required)

    def _golds(self, found: QueryResult, response: Response, wanted: Sequence[int]) -> dict[int, Leaf]:
        ranks: dict[int, int] = {}
        for match in found.matches:
            # As in Hit and in recall_all: a hit counts for one gold, but completes a group for all that it fits.
            for gold in match.alternatives if found.groups else (match.gold,):
                if gold is not None:
                    ranks.setdefault(gold, match.rank)
        arrived = [index for index in wanted if ranks.get(index, self._cutoff + 1) <= self._cutoff]
        if arrived and not found.groups and not self._every_gold:
            return {index: self._answered(index, found, response) for index in arrived}
        places = _Places(cascade_of(response), found, self._options, self._cutoff)
        return {index: self._leaf(index, ranks.get(index), found, response, places) for index in wanted}

    def _leaf(self, gold: int, rank: int | None, found: QueryResult, response: Response, places: _Places) -> Leaf:
        if rank is not None and rank <= self._cutoff:
            return self._answered(gold, found, response)
        if leaf := self._gone.get(found.query.id, {}).get(gold):
            return leaf
        if response.failure is not None:
            return "failed_search"
        if scope_miss(response.scope, [found.golds[gold]]) == 1:
            return "out_of_scope"
        leaf = places.lost(gold)
        # A hit below rank k was not lost before the result.
        return "cut" if leaf == "unknown" and rank is not None else leaf

    def _answered(self, gold: int, found: QueryResult, response: Response) -> Leaf:
        """Return what became of evidence that stands in the first k."""
        verdict = self._verdicts.get(found.query.id, AnswerVerdict())
        if response.abstained:
            return "refused"
        if self._cites and response.answer is not None:
            cited = match_response(response.citations, found.golds, self._options)
            if not any(gold in match.alternatives for match in cited):
                return "not_cited"
        if verdict.supported is False:
            return "unsupported"
        if verdict.correct is None:
            return "reached"
        return "right" if verdict.correct else "wrong"


class _Places:
    """Where golds stood in the stages of one search."""

    def __init__(self, cascade: Cascade, found: QueryResult, options: MatchOptions, cutoff: int) -> None:
        self._cascade = cascade
        self._cutoff = cutoff
        lists = [*cascade.retrievers, cascade.fusion, cascade.rerank, cascade.threshold]
        self._at = {one.name: best_matches(one.hits, found.golds, options) for one in lists if one is not None}

    def lost(self, gold: int) -> Leaf:
        """Return the stage that lost a gold which is not in the first k of the result."""
        cascade = self._cascade
        if not any(gold in places for places in self._at.values()):
            known = cascade.retrievers and all(one.complete for one in cascade.retrievers)
            return "not_in_candidates" if known else "unknown"
        if cascade.rerank is not None and gold not in self._at[cascade.rerank.name]:
            return self._before_reranking(gold)
        ranking = cascade.rerank or cascade.first
        return self._after_ranking(gold, ranking) if ranking else "unknown"

    def _after_ranking(self, gold: int, ranking: Ranked) -> Leaf:
        match = self._at[ranking.name].get(gold)
        if match is None or match.rank > self._cutoff:
            return "reranked_out" if ranking is self._cascade.rerank else "cut"
        threshold = self._cascade.threshold
        return "threshold" if threshold is not None and gold not in self._at[threshold.name] else "cut"

    def _before_reranking(self, gold: int) -> Leaf:
        """Return the fate of a candidate that the reranker's recorded list does not have."""
        rerank, first = self._cascade.rerank, self._cascade.first
        if rerank is None or rerank.complete:
            return "below_rerank_depth"
        match = self._at[first.name].get(gold) if first else None
        if match is not None:
            return "reranked_out" if match.position < rerank.total else "below_rerank_depth"
        return "unknown"
