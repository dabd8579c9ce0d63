"""Holes: what nobody has judged, how far it could turn a comparison, and what to judge next."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations, product

import numpy as np
from numpy.typing import NDArray

from ragstone.errors import UsageError
from ragstone.experiments.diagnosis.fates import cutoff_of
from ragstone.experiments.diagnosis.judged import judged_run, repeats_of
from ragstone.experiments.results import QueryResult, RunResult
from ragstone.matching import MatchOptions
from ragstone.matching.match import unit_of
from ragstone.matching.normalise import document_name
from ragstone.metrics import (
    Holes,
    Metric,
    Policy,
    bounds,
    difference,
    holes_of,
    parse,
    score,
    score_columns,
    summary,
)
from ragstone.metrics.holes import CLOSED
from ragstone.types import DocRefKind, Gold, Hit, JudgedRun, Query, Summary, Unit

# Below this share of judged hits a score says more about the labels than about the system.
ENOUGH = 0.8
# Arms whose shares differ by more than this are not held against the same labels.
DIFFERS = 0.05
_SNIPPET = 80


@dataclass(frozen=True, slots=True, kw_only=True)
class DifferenceBounds:
    """What candidate - baseline could be, as a mean over questions, if all holes were judged.

    Attributes:
        value: The difference as it is.
        low: The smallest, over ways to judge them; see `ragstone.metrics.difference`.
        high: The largest.
        n: Questions that both runs have a value for.
        judged: Mean Judged@k of baseline and candidate, of their first repeats; None where nothing came back.
        holes: Unjudged passages in the first k of either, each counted once a question, of those questions whose
            difference depends on them.
    """

    metric: Metric
    value: float
    low: float
    high: float
    n: int
    judged: tuple[float | None, float | None]
    holes: int

    @property
    def turns(self) -> bool:
        """Whether a way of judging the holes that was tried turns the sign of the difference, or takes it away."""
        return self.low <= 0 <= self.high and self.low < self.high

    @property
    def safe(self) -> bool:
        """Whether judging more, holes or anything else, cannot turn the sign of these questions' difference.

        Known of `ragstone.metrics.holes.CLOSED` alone: R, nDCG and others are divided by what else is relevant.
        """
        return not self.turns and self.metric.family in CLOSED


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolItem:
    """A passage to judge for a question. Which run returned it, and where, is left out on purpose.

    Attributes:
        reference: What a grade will be about: the document, page, place or chunk.
    """

    query: Query
    hit: Hit
    reference: Gold = field(hash=False)


def judged_share(result: RunResult, cutoff: int) -> Summary:
    """Return the mean Judged@k of a run's first repeat."""
    return judged_shares(result, [cutoff])[cutoff]


def judged_shares(result: RunResult, cutoffs: Sequence[int]) -> dict[int, Summary]:
    """Return the mean Judged@k of a run's first repeat for each k."""
    run = judged_run(result)
    return {cutoff: _share(run, cutoff) for cutoff in cutoffs}


def _share(run: JudgedRun, cutoff: int) -> Summary:
    metric = parse(f"Judged@{cutoff}")
    return summary(metric, score(run, metric))


def difference_bounds(baseline: RunResult, candidate: RunResult, metric: Metric) -> DifferenceBounds | None:
    """Return how far the holes of two runs could move their difference; None without a question in common.

    A passage has one grade, whoever returned it, so what both rank alike tells them little apart: equal lists
    differ by 0 whatever is judged. Each question goes to the extreme by itself, so the bounds are wider than any
    interval; what follows where both have the same sign, `DifferenceBounds.safe` says. Both runs are scored by the
    policy of the baseline. Where questions were asked repeatedly, value and bounds are means over the repeats; as
    the same passage may come back in each, the bounds are then somewhat wider than they need be.

    Args:
        baseline: The run compared with.
        candidate: The run in question.
        metric: The metric, in its own direction: for one of which less is better, a negative difference is good.
    """
    found: dict[str, list[tuple[float, float, float]]] = {}
    passages: dict[str, set[object]] = {}
    shares: list[float | None] = []
    for first, second in _matched(repeats_of(baseline), repeats_of(candidate)):
        arms = _in_common(first, second)
        runs = [judged_run(arm) for arm in arms]
        unjudged = [_passages(arm, metric.cutoff) for arm in arms]
        for query, ends in _ends(runs, metric, holes_of(*unjudged), baseline.benchmark.policy):
            found.setdefault(query, []).append(ends)
        for query, *hits in zip(runs[0].queries, *unjudged, strict=True):
            passages.setdefault(query, set()).update(passage for arm in hits for _, passage in arm)
        shares = shares or [_share(run, metric.cutoff or cutoff_of(baseline)).value for run in runs]
    if not found:
        return None
    means = np.array([np.mean(ends, axis=0) for ends in found.values()])
    value, low, high = means.mean(axis=0).tolist()
    return DifferenceBounds(
        metric=metric,
        value=value,
        low=low,
        high=high,
        n=len(means),
        judged=(shares[0], shares[1]),
        holes=sum(len(passages[query]) for query, (_, low, high) in zip(found, means, strict=True) if low < high),
    )


def _matched(first: Sequence[RunResult], second: Sequence[RunResult]) -> list[tuple[RunResult, RunResult]]:
    """Return pairs of repeats over which the difference of the means over repeats is the mean difference.

    Where both runs have the same number and no search failed, the n-th goes with the n-th; else all with all.
    """
    responses = (found.response for one in (*first, *second) for found in one.queries)
    whole = len(first) == 1 or not any(one is None or one.failure for one in responses)
    same = len(first) == len(second) and whole
    return list(zip(first, second, strict=True)) if same else list(product(first, second))


def _ends(
    runs: Sequence[JudgedRun], metric: Metric, holes: Holes, policy: Policy
) -> Iterator[tuple[str, tuple[float, float, float]]]:
    """Yield each question's difference with its smallest and largest value, where both runs have one."""
    first, second = (score_columns(run, metric, policy).values for run in runs)
    low, high = difference(runs[0], runs[1], metric, holes, policy)
    for number in np.flatnonzero(~np.isnan(low)).tolist():
        ends = float(second[number] - first[number]), float(low[number]), float(high[number])
        yield runs[0].queries[number], ends


def _passages(result: RunResult, depth: int | None) -> list[list[tuple[int, object]]]:
    """Return, question by question, rank and passage of the unjudged hits, as they are told apart when judged."""
    return [
        [(rank, _identity(gold)) for rank, _, gold in _unjudged(result, found, depth)] for found in result.queries
    ]


def pool(
    results: Sequence[RunResult], *, depth: int = 10, limit: int | None = None, seed: int = 0
) -> tuple[PoolItem, ...]:
    """Return the passages to judge next: the union of the runs' unjudged first hits, blind to the run.

    Questions whose judgements could change most come first; within a question the order is a seeded shuffle that
    knows neither runs nor ranks. Answerable questions alone are pooled.

    Args:
        results: Runs on one dataset.
        depth: How many hits of each run are looked at, after collapsing.
        limit: At most so many passages.
        seed: Of the shuffle.

    Raises:
        UsageError: The depth or the limit is below 1, or the runs are of several datasets.
    """
    for name, value in (("depth", depth), ("limit", limit)):
        if value is not None and value < 1:
            raise UsageError(f"{name} is {value}; it must be 1 or more")
    if len({result.run.dataset for result in results}) > 1:
        raise UsageError("the runs are of several datasets; pool runs of one dataset at a time")
    items: dict[str, dict[object, PoolItem]] = {}
    for result in results:
        for found in result.queries:
            for _, hit, reference in _unjudged(result, found, depth):
                item = PoolItem(query=found.query, hit=hit, reference=reference)
                items.setdefault(found.query.id, {}).setdefault(_identity(reference), item)
    weights = _stakes(results)
    order = sorted(items, key=lambda query: (-weights.get(query, 0.0), _shuffled(query, "", seed)))
    pooled = [
        item
        for query in order
        for item in sorted(
            items[query].values(), key=lambda item: _shuffled(query, repr(_identity(item.reference)), seed)
        )
    ]
    return tuple(pooled[:limit])


def _in_common(first: RunResult, second: RunResult) -> tuple[RunResult, RunResult]:
    """Return the questions that both runs asked, in the order of the first."""
    others = {found.query.id: found for found in second.queries if found.response is not None}
    kept = tuple(found for found in first.queries if found.response is not None and found.query.id in others)
    both = tuple(others[found.query.id] for found in kept)
    return replace(first, queries=kept), replace(second, queries=both)


def _unjudged(result: RunResult, found: QueryResult, depth: int | None) -> Iterator[tuple[int, Hit, Gold]]:
    """Yield rank, hit and reference of the unjudged hits of an answerable question, as far down as `depth`."""
    response = found.response
    if response is None or response.failure is not None or not found.query.answerable:
        return
    golds, options = found.golds, result.benchmark.matching
    unit = options.unit or unit_of(golds, options)
    # A name of its own is exact; where the golds have bare names, names are compared without case and suffix.
    bare = not golds or any(gold.kind in ("document", "page") and gold.ref is None for gold in golds)
    kinds = {gold.kind for gold in golds}
    for match in found.matches:
        if match.gold is None and (depth is None or match.rank <= depth):
            hit = response.hits[match.position]
            yield match.rank, hit, _reference(hit, unit, kinds, None if bare else "path", options)


def _reference(
    hit: Hit, unit: Unit, kinds: Collection[str], ref: DocRefKind | None, options: MatchOptions
) -> Gold:
    """Return what a grade of this hit is about, in the kind of the question's golds."""
    if unit == "document" and hit.document:
        return Gold(kind="document", document=hit.document, ref=ref)
    if unit == "page" and hit.page is not None:
        return Gold(kind="page", document=hit.document, page=hit.page, ref=ref)
    if "anchor" in kinds and hit.heading and hit.document:
        beginning = " ".join(hit.text.split())[:_SNIPPET]
        return Gold(
            kind="anchor",
            document=hit.document,
            heading=hit.heading,
            snippets=(beginning,) if beginning and options.snippet_mode != "ignore" else (),
        )
    return Gold(kind="chunk", document=hit.document, chunk=hit.id)


def _identity(gold: Gold) -> object:
    document = document_name(gold.document) if gold.document and gold.ref is None else gold.document
    return gold.kind, document, gold.page, gold.heading, gold.chunk, gold.snippets


def _stakes(results: Sequence[RunResult]) -> dict[str, float]:
    """Return by question how far its judgements could move a run, or the difference of two of them."""
    metric = results[0].benchmark.primary if results else None
    if metric is None or not metric.traits.requires:
        return {}
    stakes: dict[str, float] = {}
    for result in results:
        found = bounds(run := judged_run(result), metric)
        _keep_largest(stakes, run.queries, found.high - found.low)
    for one, other in combinations(results, 2):
        arms = _in_common(one, other)
        runs = [judged_run(arm) for arm in arms]
        holes = holes_of(*(_passages(arm, metric.cutoff) for arm in arms))
        low, high = difference(runs[0], runs[1], metric, holes)
        _keep_largest(stakes, runs[0].queries, high - low)
    return stakes


def _keep_largest(stakes: dict[str, float], queries: Sequence[str], widths: NDArray[np.float64]) -> None:
    for query, width in zip(queries, np.nan_to_num(widths).tolist(), strict=True):
        stakes[query] = max(stakes.get(query, 0.0), width)


def _shuffled(query: str, item: str, seed: int) -> str:
    return hashlib.sha256(f"{seed}\0{query}\0{item}".encode()).hexdigest()
