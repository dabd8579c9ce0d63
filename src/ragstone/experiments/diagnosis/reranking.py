"""What reranking gained, what a perfect reordering would gain, and what it rescued and broke."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ragstone.experiments.diagnosis.cascade import Cascade, Ranked
from ragstone.experiments.diagnosis.fates import cutoff_of
from ragstone.experiments.diagnosis.judged import Ranking, Search, judged_as, searches
from ragstone.experiments.results import RunResult
from ragstone.matching import MatchOptions, match_response
from ragstone.metrics import Metric, parse, score_columns
from ragstone.stats.bootstrap import ratio_bootstrap
from ragstone.types import Gold, Hit, Interval

Values = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Moves:
    """What entered and left the first k in reranking.

    Attributes:
        rescued: Questions that had no relevant hit in the first k and then had one.
        broken: Questions that had one and then had none.
        entered: Relevant golds that came into the first k, over all questions.
        left: Relevant golds that fell out of it.
    """

    rescued: tuple[str, ...]
    broken: tuple[str, ...]
    entered: int
    left: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Reranking:
    """Means of a metric before reranking, after it, and under the best possible order of the same candidates.

    Attributes:
        metric: The run's primary metric, or nDCG where that one does not grow with better order.
        n: Questions that are counted: with relevant gold, a search that worked, and recorded stages.
        first: Mean before reranking; None where nothing was reranked.
        actual: Mean in the reranker's order, or in the only order there is.
        oracle: Mean with the candidates sorted by the grade of their gold: the ceiling for any reranker.
        captured: (actual - first) / (oracle - first), a ratio of means; None where there is nothing to gain.
        interval: Bootstrap interval of `captured`.
        moves: None where nothing was reranked.
        depth: How many candidates a question had on average.
        partial: Questions of which not all candidates were recorded, so that the true ceiling may be higher.
    """

    metric: Metric
    n: int
    first: float | None
    actual: float
    oracle: float
    captured: float | None
    interval: Interval | None
    moves: Moves | None
    depth: float
    partial: int

    @property
    def lift(self) -> float | None:
        """What reranking gained; negative where it lost."""
        return None if self.first is None else self.actual - self.first

    @property
    def headroom(self) -> float:
        """What a perfect order would gain over the first stage, or over the only order there is."""
        return self.oracle - (self.actual if self.first is None else self.first)


def rerank_headroom(result: RunResult, *, seed: int = 0) -> Reranking | None:
    """Return what reranking gained in the first repeat of a run and what it could have; None without stages.

    The ideal is the same on all sides: that of all judged documents. Where a question's search has no reranking,
    the candidates are those of the ranking that was cut.
    """
    some = [search for search in searches(result) if _candidates(search.stages)]
    if not some:
        return None
    metric = _metric(result)
    reranked = any(search.stages.rerank for search in some)
    options = result.benchmark.matching
    first = _values(result, some, metric, lambda search: _before(search.stages))
    actual = _values(result, some, metric, lambda search: _after(search.stages))
    best = _values(result, some, metric, lambda one: oracle_order(_pool(one.stages), one.found.golds, options))
    # Sorting by grade is best but for hits that fit several golds; no order that was seen is better than the best.
    oracle = np.maximum(best, np.maximum(first, actual))
    captured, interval = _captured(actual - first, oracle - first, seed) if reranked else (None, None)
    return Reranking(
        metric=metric,
        n=len(some),
        first=float(first.mean()) if reranked else None,
        actual=float(actual.mean()),
        oracle=float(oracle.mean()),
        captured=captured,
        interval=interval,
        moves=_moves(some, options, cutoff_of(result)) if reranked else None,
        depth=float(np.mean([len(_pool(search.stages)) for search in some])),
        partial=sum(_is_partial(search.stages) for search in some),
    )


def oracle_order(hits: Sequence[Hit], golds: Sequence[Gold], options: MatchOptions) -> list[Hit]:
    """Return the hits in the best order: by the grade of the gold that each matches, further matches of it last.

    Example:
        >>> hits, golds = [Hit(id="x"), Hit(id="b"), Hit(id="a")], [Gold(kind="chunk", chunk="a", grade=3)]
        >>> [hit.id for hit in oracle_order(hits, golds, MatchOptions())]
        ['a', 'x', 'b']
    """
    places = {match.position: match for match in match_response(hits, golds, options)}

    def worth(position: int) -> tuple[bool, int]:
        match = places.get(position)
        if match is None or match.gold is None:
            return False, 0
        return match.repeated, -max(0, golds[match.gold].grade)

    # A repeated match is worth less than a first one, but it is still relevant.
    order = sorted(range(len(hits)), key=lambda position: (worth(position)[1] == 0, *worth(position)))
    return [hits[position] for position in order]


def _metric(result: RunResult) -> Metric:
    primary = result.benchmark.primary
    return primary if primary.traits.monotone else parse(f"nDCG@{cutoff_of(result)}")


def _candidates(cascade: Cascade) -> Ranked | None:
    return cascade.first or cascade.rerank


def _before(cascade: Cascade) -> Sequence[Hit]:
    """Return what the reranker was given, in the order of the stage before it."""
    given = _candidates(cascade)
    if given is None:
        return ()
    return given.hits[: cascade.rerank.total] if cascade.rerank else given.hits


def _after(cascade: Cascade) -> Sequence[Hit]:
    return cascade.rerank.hits if cascade.rerank else _before(cascade)


def _pool(cascade: Cascade) -> list[Hit]:
    return list({hit.id: hit for hit in (*_before(cascade), *_after(cascade))}.values())


def _is_partial(cascade: Cascade) -> bool:
    """Say whether some candidates are not known: neither list has them."""
    given = _candidates(cascade)
    wanted = cascade.rerank.total if cascade.rerank else given.total if given else 0
    return max(len(_before(cascade)), len(_after(cascade))) < wanted


def _values(result: RunResult, some: Sequence[Search], metric: Metric, ranking: Ranking) -> Values:
    column = score_columns(judged_as(result, some, ranking), metric)
    return np.nan_to_num(column.values)


def _captured(lift: Values, headroom: Values, seed: int) -> tuple[float | None, Interval | None]:
    if headroom.mean() <= 0:
        return None, None
    return float(lift.mean() / headroom.mean()), ratio_bootstrap(lift, headroom, seed=seed)


def _moves(some: Sequence[Search], options: MatchOptions, cutoff: int) -> Moves:
    rescued, broken, entered, left = [], [], 0, 0
    for search in some:
        found = search.found
        before = _relevant(_before(search.stages), found.golds, options, cutoff)
        after = _relevant(_after(search.stages), found.golds, options, cutoff)
        rescued += [found.query.id] if after and not before else []
        broken += [found.query.id] if before and not after else []
        entered += len(after - before)
        left += len(before - after)
    return Moves(rescued=tuple(rescued), broken=tuple(broken), entered=entered, left=left)


def _relevant(hits: Sequence[Hit], golds: Sequence[Gold], options: MatchOptions, cutoff: int) -> set[int]:
    """Return the relevant golds that the first k hits match."""
    matches = match_response(hits, golds, options)
    return {
        match.gold
        for match in matches
        if match.rank <= cutoff and match.gold is not None and golds[match.gold].grade > 0
    }
