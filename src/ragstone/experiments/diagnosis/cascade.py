"""What a search recorded, stage by stage, as ranked lists of passages to their recorded depth."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ragstone.matching import Match, MatchOptions, match_response
from ragstone.types import Gold, Hit, Response, Stage

FUSION, RERANK, THRESHOLD, RETURNED = "fusion", "rerank", "threshold", "returned"
_LATER = (FUSION, RERANK, THRESHOLD, RETURNED)


@dataclass(frozen=True, slots=True)
class Ranked:
    """What one stage left over, best first, as far as it was recorded.

    Attributes:
        total: How many candidates there were; more than `hits` where not all were recorded.
    """

    name: str
    hits: tuple[Hit, ...]
    total: int

    @property
    def complete(self) -> bool:
        """Whether every candidate was recorded, so that what is not here was not there."""
        return self.total <= len(self.hits)


@dataclass(frozen=True, slots=True, kw_only=True)
class Cascade:
    """The stages of one search; None where the system has none of the kind, or did not record it.

    Attributes:
        retrievers: The first-stage searches, such as ``lexical`` and ``dense``: every stage that has none of the
            other names.
        fusion: Their lists as one.
        rerank: The first candidates in the reranker's order.
        threshold: What scored high enough.
        returned: What was left after the cut.
    """

    retrievers: tuple[Ranked, ...] = ()
    fusion: Ranked | None = None
    rerank: Ranked | None = None
    threshold: Ranked | None = None
    returned: Ranked | None = None

    @property
    def first(self) -> Ranked | None:
        """The ranking before any reranking: the fused one, or that of the only retriever."""
        if self.fusion is not None or len(self.retrievers) != 1:
            return self.fusion
        return self.retrievers[0]


def cascade_of(response: Response) -> Cascade:
    """Return the recorded stages of a response; a failed search has none.

    Example:
        >>> stage = Stage(name="lexical", ids=("a",), scores=(1.0,), ms=1.0)
        >>> cascade_of(Response(hits=(Hit(id="a"),), stages=(stage,))).first.name
        'lexical'
    """
    if response.failure is not None:
        return Cascade()
    known = {hit.id: hit for hit in (*response.candidates, *response.hits)}
    ranked = [_ranked(stage, known) for stage in response.stages]
    later = {one.name: one for one in ranked if one.name in _LATER}
    return Cascade(retrievers=tuple(one for one in ranked if one.name not in _LATER), **later)


def _ranked(stage: Stage, known: Mapping[str, Hit]) -> Ranked:
    """Return a stage's list; a candidate of which only the id is known keeps its place."""
    hits = tuple(known.get(name, Hit(id=name)) for name in stage.ids)
    return Ranked(stage.name, hits, len(hits) if stage.total is None else max(stage.total, len(hits)))


def best_matches(hits: Sequence[Hit], golds: Sequence[Gold], options: MatchOptions) -> dict[int, Match]:
    """Return the first hit that fits each gold, by the gold's index, with its rank after collapsing."""
    found: dict[int, Match] = {}
    for match in match_response(hits, golds, options):
        for gold in match.alternatives:
            found.setdefault(gold, match)
    return found
