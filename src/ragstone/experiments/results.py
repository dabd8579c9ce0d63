"""What the stored responses of a run say: scores, summaries, slices, failures. Pure: the system is never asked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from ragstone.experiments.choice.noise import Spread, spread
from ragstone.experiments.clusters import summaries_of
from ragstone.experiments.readings import Reading, readings
from ragstone.experiments.stored import StoredBenchmark
from ragstone.experiments.thresholds import Check, check
from ragstone.experiments.validity import scored_dataset
from ragstone.matching import Match, judge_run, match_response
from ragstone.metrics import Metric, parse, score_all
from ragstone.ports import Store
from ragstone.stats.summary import mean_over_repeats
from ragstone.types import Dataset, Failure, Gold, JudgedRun, Query, Response, Run, Score, Summary

Scores = Mapping[str, Mapping[str, Score]]

DIMENSIONS: Mapping[str, Callable[[Query], Sequence[str]]] = {
    "answerable": lambda query: ["yes" if query.answerable else "no"],
    "category": lambda query: [query.category] if query.category else [],
    "difficulty": lambda query: [query.difficulty] if query.difficulty else [],
    "tag": lambda query: query.tags,
    "vault": lambda query: query.vaults,
    "origin": lambda query: [str(query.provenance["method"])] if "method" in query.provenance else [],
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Repeat:
    """One of the times that a question was asked.

    Attributes:
        response: None where none is stored yet.
        matches: Its hits after collapsing, each with its gold.
        scores: By metric.
    """

    response: Response | None
    matches: tuple[Match, ...]
    scores: Mapping[str, Score]


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryResult:
    """One query of a run: what it got back, what it should have got, and its scores.

    Attributes:
        response: Of the first repeat; None where none is stored yet.
        failures: Of all repeats.
        matches: The response's hits after collapsing, each with its gold.
        scores: By metric, the mean over all repeats.
        groups: The alternatives of a multi-hop question, each the indices of golds that are required together.
        repeats: All repeats, the first included; empty where every question was asked once.
    """

    query: Query
    golds: tuple[Gold, ...]
    response: Response | None
    failures: tuple[Failure, ...]
    matches: tuple[Match, ...]
    scores: Mapping[str, Score]
    groups: tuple[tuple[int, ...], ...] = ()
    repeats: tuple[Repeat, ...] = ()

    def measured(self, metric: str) -> tuple[Score, ...]:
        """Return the score of each repeat, which a percentile is taken of."""
        return tuple(one.scores[metric] for one in self.repeats) or (self.scores[metric],)

    @property
    def rank(self) -> int | None:
        """1-based rank of the first relevant hit; None where there is none."""
        relevant = (match.rank for match in self.matches if self._grade(match) > 0)
        return next(relevant, None)

    def _grade(self, match: Match) -> int:
        return 0 if match.gold is None else self.golds[match.gold].grade


@dataclass(frozen=True, slots=True, kw_only=True)
class Slice:
    """The summaries of the queries that share a property."""

    dimension: str
    value: str
    n: int
    summaries: Mapping[str, Summary]


@dataclass(frozen=True, slots=True, kw_only=True)
class RunResult:
    """A run with everything that can be said of it.

    Attributes:
        summaries: By metric name, the declared metrics first.
        histogram: How many answerable queries found their first relevant hit at each rank, ``"none"`` last.
        readings: The primary metric under stricter and looser matching, where that can differ.
        checks: The thresholds and whether they are met.
        spread: By metric, how far its repeats lie apart; empty where each question was asked once.
    """

    run: Run
    benchmark: StoredBenchmark
    queries: tuple[QueryResult, ...]
    summaries: Mapping[str, Summary]
    slices: tuple[Slice, ...]
    histogram: Mapping[str, int]
    readings: tuple[Reading, ...]
    checks: tuple[Check, ...]
    spread: Mapping[str, Spread] = field(default_factory=dict)

    @property
    def failed(self) -> tuple[QueryResult, ...]:
        """The queries of which a search failed, in any repeat."""
        return tuple(found for found in self.queries if found.failures)

    @property
    def not_asked(self) -> int:
        """Tasks without a response."""
        return self.run.total - self.run.done

    @property
    def ambiguous(self) -> tuple[tuple[QueryResult, Match], ...]:
        """The hits that fit several golds of their query, to be looked at by a person."""
        return tuple(
            (found, match) for found in self.queries for match in found.matches if len(match.alternatives) > 1
        )

    @property
    def degraded(self) -> tuple[QueryResult, ...]:
        """The queries on which the system silently fell back from what was asked."""
        return tuple(found for found in self.queries if found.response and found.response.degraded)


def dataset_of(store: Store, run: Run) -> Dataset:
    """Return the dataset that a run is scored against."""
    return scored_dataset(store.dataset(run.dataset), run.validity, StoredBenchmark.of(run).policy)


def score_run(store: Store, run: Run) -> dict[str, dict[str, Score]]:
    """Score the stored responses of a run by its benchmark's metrics; repeats are averaged."""
    dataset = dataset_of(store, run)
    return _score(dataset, run, [dict(batch) for batch in _by_repeat(store, run)])


def measure_run(store: Store, run: Run, metric: str) -> dict[str, tuple[Score, ...]]:
    """Return a metric's score of every repeat of each question, which a percentile is taken of."""
    dataset = dataset_of(store, run)
    single = [_score(dataset, run, [dict(batch)])[metric] for batch in _by_repeat(store, run)]
    return {query.id: tuple(one[query.id] for one in single) for query in dataset.queries} if single else {}


def collect(store: Store, run: Run) -> RunResult:
    """Gather everything that can be said of a run from its stored responses."""
    dataset = dataset_of(store, run)
    benchmark = StoredBenchmark.of(run)
    repeats = [dict(batch) for batch in _by_repeat(store, run)]
    scores = _score(dataset, run, repeats)
    first = repeats[0] if repeats else {}
    failures = {query.id: tuple(_failures(query.id, repeats)) for query in dataset.queries}
    single = [_score(dataset, run, [answers]) for answers in repeats] if len(repeats) > 1 else []
    queries = tuple(
        replace(
            _query_result(query, dataset, first, failures[query.id], benchmark, scores),
            repeats=tuple(
                _repeat(query, dataset, answers, benchmark, its)
                for answers, its in zip(repeats, single, strict=False)
            ),
        )
        for query in dataset.queries
    )
    samples = _samples(scores, queries)
    summaries = summaries_of(dataset.queries, samples)
    return RunResult(
        run=run,
        benchmark=benchmark,
        queries=queries,
        summaries=summaries,
        slices=tuple(_slices(dataset, samples)),
        histogram=_histogram(queries),
        readings=readings(dataset, repeats, benchmark),
        checks=check(benchmark.thresholds, summaries),
        spread=_spread(single),
    )


def metrics_for(benchmark: StoredBenchmark, dataset: Dataset, judged: Sequence[JudgedRun]) -> tuple[Metric, ...]:
    """Return the declared metrics and those that the data call for."""
    extra = []
    cutoffs = [metric.cutoff for metric in benchmark.metrics if metric.cutoff]
    if dataset.support_groups and cutoffs:
        extra.append(parse(f"recall_all@{max(cutoffs)}"))
    if any(not query.answerable for query in dataset.queries):
        extra.append(parse("rejection_accuracy(criterion='empty')"))
        if any(run.abstained is not None and (run.abstained >= 0).any() for run in judged):
            extra.append(parse("rejection_accuracy(criterion='abstained')"))
    if any(run.scope_miss is not None and (run.scope_miss >= 0).any() for run in judged):
        extra.append(parse("scope_miss"))
    return tuple(dict.fromkeys((*benchmark.metrics, *extra)))


def _by_repeat(store: Store, run: Run) -> Iterator[Iterator[tuple[str, Response]]]:
    stored = list(store.responses(run.id))
    for repeat in sorted({task.repeat for task, _ in stored}):
        yield ((task.query, response) for task, response in stored if task.repeat == repeat)


def _score(dataset: Dataset, run: Run, repeats: Sequence[Mapping[str, Response]]) -> dict[str, dict[str, Score]]:
    benchmark = StoredBenchmark.of(run)
    depth = benchmark.configuration.top_k
    judged = [judge_run(dataset, answers, benchmark.matching, depth=depth) for answers in repeats]
    metrics = metrics_for(benchmark, dataset, judged)
    scored = [score_all(one, metrics, benchmark.policy) for one in judged]
    merged = {str(metric): mean_over_repeats([one[str(metric)] for one in scored]) for metric in metrics}
    return {name: _in_order(dataset, by_query) for name, by_query in merged.items()}


def _samples(scores: Scores, queries: Sequence[QueryResult]) -> dict[str, dict[str, Sequence[Score]]]:
    """Return what summaries rest on: a score a query, but every single measurement where a quantile is wanted."""
    return {
        name: {
            found.query.id: found.measured(name)
            if parse(name).traits.kind == "quantile"
            else (found.scores[name],)
            for found in queries
        }
        for name in scores
    }


def _spread(single: Sequence[Scores]) -> dict[str, Spread]:
    """Return the spread of repeats by metric, over the queries that every repeat has a score for."""
    found = {}
    for name in single[0] if single else ():
        # None becomes NaN.
        rows = np.array([[one[name][query].value for one in single] for query in single[0][name]], np.float64)
        whole = rows[~np.isnan(rows).any(axis=1)]
        if len(whole):
            found[name] = spread(whole)
    return found


def _failures(query: str, repeats: Sequence[Mapping[str, Response]]) -> Iterator[Failure]:
    for answers in repeats:
        failure = answers[query].failure if query in answers else None
        if failure is not None:
            yield failure


def _in_order(dataset: Dataset, scores: Mapping[str, Score]) -> dict[str, Score]:
    """Return a score for every query of the dataset, also those not asked yet."""
    return {query.id: scores.get(query.id, Score(None, "not_asked")) for query in dataset.queries}


def _query_result(
    query: Query,
    dataset: Dataset,
    responses: Mapping[str, Response],
    failures: tuple[Failure, ...],
    benchmark: StoredBenchmark,
    scores: Scores,
) -> QueryResult:
    first = _repeat(query, dataset, responses, benchmark, scores)
    return QueryResult(
        query=query,
        golds=dataset.golds.get(query.id, ()),
        response=first.response,
        failures=failures,
        matches=first.matches,
        scores=first.scores,
        groups=dataset.support_groups.get(query.id, ()),
    )


def _repeat(
    query: Query,
    dataset: Dataset,
    responses: Mapping[str, Response],
    benchmark: StoredBenchmark,
    scores: Scores,
) -> Repeat:
    response = responses.get(query.id)
    hits = response.hits if response and not response.failure else ()
    return Repeat(
        response=response,
        matches=tuple(match_response(hits, dataset.golds.get(query.id, ()), benchmark.matching)),
        scores={name: by_query[query.id] for name, by_query in scores.items() if query.id in by_query},
    )


def _slices(dataset: Dataset, samples: Mapping[str, Mapping[str, Sequence[Score]]]) -> Iterator[Slice]:
    for dimension, values_of in DIMENSIONS.items():
        members: dict[str, list[Query]] = {}
        for query in dataset.queries:
            for value in values_of(query):
                members.setdefault(value, []).append(query)
        for value, queries in sorted(members.items()):
            summaries = summaries_of(queries, samples)
            yield Slice(dimension=dimension, value=value, n=len(queries), summaries=summaries)


def _histogram(queries: Sequence[QueryResult]) -> dict[str, int]:
    asked = [found for found in queries if found.response and found.query.answerable and found.golds]
    ranks = Counter(found.rank for found in asked)
    found = {str(rank): ranks[rank] for rank in sorted(rank for rank in ranks if rank is not None)}
    return {**found, "none": ranks[None]}
