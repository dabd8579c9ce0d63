"""One question's evidence, ready to show: what came back, with gold marks, and what should have come back."""

from __future__ import annotations

from dataclasses import dataclass

from ragstone.experiments.diagnosis.explain import GoldTrace, trace_golds
from ragstone.experiments.results import QueryResult
from ragstone.matching import Match, MatchOptions
from ragstone.types import Gold, Hit, Response

# The last stage of a search: what is left after the cut at top_k.
RETURNED = "returned"
_RETRIEVERS = {"lexical", "dense"}
_GRADES = {0: "not relevant", 1: "marginal", 2: "relevant", 3: "highly relevant"}


@dataclass(frozen=True, slots=True)
class HitRow:
    """A hit of a response.

    Attributes:
        rank: After collapsing; None where the hit is of a document or page that stands higher up already.
        gold: Index of the gold that it matches; None for an unjudged hit.
        repeated: Whether a better-ranked hit matched the same gold.
    """

    hit: Hit
    rank: int | None
    gold: int | None
    grade: int | None
    repeated: bool

    @property
    def mark(self) -> str:
        """What the hit is worth, in words."""
        if self.rank is None:
            return "same as above"
        if self.grade is None:
            return "unjudged"
        return f"{grade_text(self.grade)}, again" if self.repeated else grade_text(self.grade)


def grade_text(grade: int) -> str:
    """Return a grade in words, with its number."""
    return f"{_GRADES.get(grade, 'unjudged' if grade < 0 else 'relevant')} ({grade})"


def hit_rows(found: QueryResult) -> list[HitRow]:
    """Return all hits of a query's response in order."""
    response = found.response or Response()
    by_position = {match.position: match for match in found.matches}
    hits = () if response.failure else response.hits
    return [_hit_row(hit, by_position.get(position), found.golds) for position, hit in enumerate(hits)]


def _hit_row(hit: Hit, match: Match | None, golds: tuple[Gold, ...]) -> HitRow:
    if match is None:
        return HitRow(hit, None, None, None, repeated=False)
    grade = None if match.gold is None else golds[match.gold].grade
    return HitRow(hit, match.rank, match.gold, grade, match.repeated)


def gold_ranks(found: QueryResult) -> list[int | None]:
    """Return for every gold the rank at which it was found first, or None."""
    ranks = {match.gold: match.rank for match in reversed(found.matches) if match.gold is not None}
    return [ranks.get(index) for index in range(len(found.golds))]


@dataclass(frozen=True, slots=True)
class GoldRow:
    """A relevant gold: its rank, or in words where it was last seen."""

    gold: Gold
    rank: int | None
    fate: str
    lost_at: str | None


def gold_rows(found: QueryResult, options: MatchOptions) -> list[GoldRow]:
    """Return the relevant golds of a query, the best grade first."""
    traces = sorted(trace_golds(found, options), key=lambda trace: -trace.gold.grade)
    return [GoldRow(trace.gold, trace.rank, _fate(trace), trace.lost_at) for trace in traces]


def _fate(trace: GoldTrace) -> str:
    if trace.rank is not None:
        return f"rank {trace.rank}"
    if not trace.stages:
        return "not retrieved"
    seen = [f"{name} {rank}" for name, rank in trace.stages.items() if rank is not None]
    if not seen:
        return lost_words(trace.lost_at) if trace.lost_at else "not among the recorded candidates"
    return f"{lost_words(trace.lost_at or RETURNED)}; rank by stage: {', '.join(seen)}"


def lost_words(stage: str) -> str:
    """Return in words what a stage did to a gold that it does not have."""
    if stage == RETURNED:
        return "ranked below the returned hits"
    return f"not found by {stage}" if set(stage.split(" + ")) <= _RETRIEVERS else f"lost at {stage}"
