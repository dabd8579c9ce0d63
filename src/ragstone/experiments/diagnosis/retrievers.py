"""What the retrievers have in common, what each stage gains, and what a configuration loses without one part."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from ragstone.experiments.diagnosis.cascade import Ranked
from ragstone.experiments.diagnosis.fates import cutoff_of
from ragstone.experiments.diagnosis.judged import Search, judged_as, searches
from ragstone.experiments.results import RunResult
from ragstone.metrics import parse, score_columns
from ragstone.types import Hit

DEPTHS = (10, 50, 100)


@dataclass(frozen=True, slots=True, kw_only=True)
class Complementarity:
    """Two retrievers on the same questions.

    Attributes:
        names: The retrievers.
        n: Questions with relevant gold of which both lists were recorded.
        depth: How many candidates of each are compared: what both recorded for every question.
        cutoff: The k at which a question counts as missed.
        overlap: By k, the mean share of the first k candidates that both have; None where fewer were recorded.
        both: Questions for which both have a relevant candidate.
        only: By retriever, the questions for which it alone has one.
        neither: Questions for which none has.
        error_correlation: Pearson correlation of the misses in the first k; None where one of them never or always
            misses.
        recall: By retriever, the mean share of the relevant golds among its candidates.
        union_recall: The same among the candidates of either.
    """

    names: tuple[str, str]
    n: int
    depth: int
    cutoff: int
    overlap: Mapping[int, float | None] = field(hash=False)
    both: int
    only: Mapping[str, tuple[str, ...]] = field(hash=False)
    neither: int
    error_correlation: float | None
    recall: Mapping[str, float] = field(hash=False)
    union_recall: float

    @property
    def fusion_potential(self) -> float:
        """What the candidates of both reach over those of the better one: the ceiling of what fusion can add."""
        return self.union_recall - max(self.recall.values())


@dataclass(frozen=True, slots=True, kw_only=True)
class CascadeRow:
    """One stage of a run, measured on its own ranking.

    Attributes:
        stage: Its name.
        n: Questions of which it was recorded.
        candidates: How many it left over on average.
        longest: The most that it left over for a question.
        recall: By depth, the mean share of relevant golds in the first so many; None where fewer were recorded
            than there were.
        mrr: Mean reciprocal rank of the first relevant candidate, to the recorded depth.
        change: `mrr` less that of the stage before (for the first after the retrievers, of the best of them);
            None for a retriever.
    """

    stage: str
    n: int
    candidates: float
    longest: int
    recall: Mapping[int, float | None] = field(hash=False)
    mrr: float
    change: float | None


def complementarity(result: RunResult) -> tuple[Complementarity, ...]:
    """Compare every two retrievers of a run on their recorded candidates, not on what came through to the result.

    Questions without relevant gold, with a failed search or without both lists are left out.
    """
    some = searches(result)
    names = dict.fromkeys(one.name for search in some for one in search.stages.retrievers)
    pairs = (_compare(result, some, pair) for pair in combinations(names, 2))
    return tuple(one for one in pairs if one is not None)


def cascade(result: RunResult, depths: Sequence[int] = DEPTHS) -> tuple[CascadeRow, ...]:
    """Return every recorded stage of a run, in order; none where nothing was recorded.

    Recall is read from each stage's own list to its recorded depth.
    """
    some = searches(result)
    retrievers = dict.fromkeys(one.name for search in some for one in search.stages.retrievers)
    names = dict.fromkeys([*retrievers, *(name for search in some for name in _lists(search))])
    rows = [_row(result, [search for search in some if name in _lists(search)], name, depths) for name in names]
    first = max((row.mrr for row in rows[: len(retrievers)]), default=None)
    for place in range(len(retrievers), len(rows)):
        before = first if place == len(retrievers) else rows[place - 1].mrr
        rows[place] = replace(rows[place], change=None if before is None else rows[place].mrr - before)
    return tuple(rows)


def _lists(search: Search) -> dict[str, Ranked]:
    """Return the recorded stages by name, in order."""
    stages = search.stages
    later = (stages.fusion, stages.rerank, stages.threshold, stages.returned)
    return {one.name: one for one in (*stages.retrievers, *later) if one is not None}


def _row(result: RunResult, some: Sequence[Search], name: str, depths: Sequence[int]) -> CascadeRow:
    lists = [_lists(search)[name] for search in some]
    judged = judged_as(result, some, lambda search: _lists(search)[name].hits)
    recall: dict[int, float | None] = {}
    for depth in depths:
        known = all(one.complete or len(one.hits) >= depth for one in lists)
        recall[depth] = float(score_columns(judged, parse(f"R@{depth}")).values.mean()) if known else None
    return CascadeRow(
        stage=name,
        n=len(some),
        candidates=float(np.mean([one.total for one in lists])),
        longest=max(one.total for one in lists),
        recall=recall,
        mrr=float(score_columns(judged, parse("RR")).values.mean()),
        change=None,
    )


def _compare(result: RunResult, some: Sequence[Search], names: tuple[str, str]) -> Complementarity | None:
    first, second = names
    both = [(search, {one.name: one for one in search.stages.retrievers}) for search in some]
    queries = [search for search, lists in both if first in lists and second in lists]
    if not queries:
        return None
    lists = [_lists(search)[name] for search in queries for name in names]
    open_ = [len(one.hits) for one in lists if not one.complete]
    depth = min(open_) if open_ else max(len(one.hits) for one in lists)
    recall = {name: _recall(result, queries, (name,), depth) for name in names}
    union = _recall(result, queries, names, depth)
    hit = {name: recall[name] > 0 for name in names}
    cutoff = cutoff_of(result)
    misses = [_recall(result, queries, (name,), cutoff) == 0 for name in names]
    return Complementarity(
        names=names,
        n=len(queries),
        depth=depth,
        cutoff=cutoff,
        overlap={k: _overlap(queries, names, k) if k <= depth else None for k in DEPTHS[:2]},
        both=int((hit[first] & hit[second]).sum()),
        only={
            first: _ids(queries, hit[first] & ~hit[second]),
            second: _ids(queries, hit[second] & ~hit[first]),
        },
        neither=int((~hit[first] & ~hit[second]).sum()),
        error_correlation=_pearson(misses[0].astype(np.float64), misses[1].astype(np.float64)),
        recall={name: float(values.mean()) for name, values in recall.items()},
        union_recall=float(union.mean()),
    )


def _recall(result: RunResult, queries: Sequence[Search], names: Sequence[str], depth: int) -> NDArray[np.float64]:
    """Return each question's share of relevant golds among the first candidates of one or several stages."""

    def either(search: Search) -> list[Hit]:
        lists = _lists(search)
        return list({hit.id: hit for name in names for hit in lists[name].hits[:depth]}.values())

    return score_columns(judged_as(result, queries, either), parse("R")).values


def _overlap(queries: Sequence[Search], names: tuple[str, str], k: int) -> float | None:
    """Return the mean share of common candidates; a question for which both found nothing says nothing."""
    shares = []
    for search in queries:
        lists = _lists(search)
        first, second = ({hit.id for hit in lists[name].hits[:k]} for name in names)
        longest = max(len(first), len(second))
        if longest:
            shares.append(len(first & second) / longest)
    return float(np.mean(shares)) if shares else None


def _pearson(x: NDArray[np.float64], y: NDArray[np.float64]) -> float | None:
    dx, dy = x - x.mean(), y - y.mean()
    norm = float(np.sqrt((dx @ dx) * (dy @ dy)))
    return float(dx @ dy) / norm if norm else None


def _ids(queries: Sequence[Search], mask: NDArray[np.bool_]) -> tuple[str, ...]:
    return tuple(search.found.query.id for search, one in zip(queries, mask, strict=True) if one)
