"""How a benchmark's runs went over time: each against its predecessor, with what changed in between."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from ragstone.errors import UnknownNameError, UsageError
from ragstone.experiments.clusters import clusters_of, summaries_of
from ragstone.experiments.results import measure_run, score_run
from ragstone.experiments.stored import StoredBenchmark
from ragstone.metrics import Metric, parse
from ragstone.ports import Store
from ragstone.stats.measurements import Measurements
from ragstone.stats.paired import PairedComparison, compare_paired
from ragstone.stats.quantile_difference import QuantileDifference, quantile_difference
from ragstone.types import Dataset, Run, Score, Summary

Mark = Literal["first", "same", "fell", "rose", "unclear", "not_comparable", "no_value"]
Comparison = PairedComparison | QuantileDifference
NONE = "none"


@dataclass(frozen=True, slots=True)
class Change:
    """A setting or a fact that differs from the run before; ``none`` where it was not there."""

    key: str
    before: str
    after: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment:
    """One run in the history of a configuration.

    Attributes:
        value: The metric with its interval.
        mark: Against the predecessor, the last run before it that has a value: ``fell`` (got worse) or ``rose``
            (got better) by more than noise, ``unclear`` where interval and randomization test disagree or too few
            questions differ, ``same``, ``not_comparable``, ``first``, or ``no_value`` for a run without one.
        reason: Why it is not comparable; empty otherwise.
        comparison: Against the predecessor, paired by question: of means, or of the quantile where the metric is
            one, such as p95 latency; None where there is none.
        changes: What differs from the predecessor in configuration, system and rules of scoring.
    """

    run: Run
    value: Summary
    mark: Mark
    reason: str
    comparison: Comparison | None
    changes: tuple[Change, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Track:
    """The runs of one name, oldest first."""

    name: str
    moments: tuple[Moment, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class History:
    """The history of a benchmark by one metric, a track for each run name in the order of the latest batch."""

    benchmark: str
    metric: Metric
    tracks: tuple[Track, ...]


@dataclass(slots=True)
class _Scored:
    run: Run
    scores: Mapping[str, Sequence[Score]]
    value: Summary


@dataclass(slots=True)
class _Scores:
    """Reads scores: as they were stored, else computed anew from the stored responses.

    Of a percentile every measurement counts, and those are not stored as scores.
    """

    store: Store
    metric: Metric
    datasets: dict[str, Dataset] = field(default_factory=dict)

    def of(self, run: Run) -> _Scored:
        name = str(self.metric)
        scores = self._measured(run, name) if self.metric.traits.kind == "quantile" else self._means(run, name)
        queries = [query for query in self.dataset(run).queries if query.id in scores]
        return _Scored(run, scores, summaries_of(queries, {name: scores})[name])

    def _means(self, run: Run, name: str) -> Mapping[str, Sequence[Score]]:
        scores = self.store.scores(run.id).get(name) if run.state == "completed" else None
        if scores is None:
            scores = score_run(self.store, _measuring(run, name)).get(name, {}) if run.done else {}
        return {query: (score,) for query, score in scores.items()}

    def _measured(self, run: Run, name: str) -> Mapping[str, Sequence[Score]]:
        return measure_run(self.store, _measuring(run, name), name) if run.done else {}

    def dataset(self, run: Run) -> Dataset:
        if run.dataset not in self.datasets:
            self.datasets[run.dataset] = self.store.dataset(run.dataset)
        return self.datasets[run.dataset]


def benchmark_names(store: Store) -> tuple[str, ...]:
    """Return the names of all benchmarks that have runs, the latest first."""
    return tuple(dict.fromkeys(_name(run) for run in reversed(store.runs())))


def history(store: Store, benchmark: str | None = None, metric: str | None = None) -> History:
    """Return the history of a benchmark; without a name, that of the latest run.

    Args:
        store: Where the runs are.
        benchmark: Its name.
        metric: Any metric that can be computed; by default the primary one of the latest run.

    Raises:
        UsageError: The store is empty.
        UnknownNameError: No run is of this benchmark, or there is no such metric.
    """
    names = benchmark_names(store)
    if not names:
        raise UsageError("the store holds no runs yet; make some with `ragstone run FILE`")
    chosen = names[0] if benchmark is None else benchmark
    if chosen not in names:
        raise UnknownNameError("benchmark", chosen, names)
    runs = [run for run in store.runs() if _name(run) == chosen]
    wanted = StoredBenchmark.of(runs[-1]).primary if metric is None else parse(metric)
    latest = [run.spec.name for run in runs if run.batch == runs[-1].batch]
    order = dict.fromkeys([*latest, *(run.spec.name for run in runs)])
    scores = _Scores(store, wanted)
    tracks = (_track(name, [run for run in runs if run.spec.name == name], scores) for name in order)
    return History(benchmark=chosen, metric=wanted, tracks=tuple(tracks))


def changes(before: Run, after: Run) -> tuple[Change, ...]:
    """Return what differs between two runs: settings, the system's own facts, dataset, rules of scoring."""
    first, second = _facts(before), _facts(after)
    found: dict[tuple[str, str, str], Change] = {}
    for key in dict.fromkeys([*first, *second]):
        change = Change(key, first.get(key, NONE), second.get(key, NONE))
        if change.before != change.after:
            # What the system reports of a setting is no second change.
            found.setdefault((key.rpartition(".")[2], change.before, change.after), change)
    return tuple(found.values())


def _name(run: Run) -> str:
    return str(run.benchmark["name"])


def _measuring(run: Run, name: str) -> Run:
    """Return the run with a benchmark that asks for this metric too."""
    asked = [*_listed(run.benchmark.get("metrics")), name]
    return replace(run, benchmark={**run.benchmark, "metrics": asked})


def _listed(value: object) -> list[Any]:
    return list(value) if isinstance(value, Sequence) and not isinstance(value, str) else []


def _track(name: str, runs: Sequence[Run], scores: _Scores) -> Track:
    moments: list[Moment] = []
    previous: _Scored | None = None
    for run in runs:
        now = scores.of(run)
        moments.append(_moment(previous, now, scores))
        previous = now if now.value.value is not None else previous
    return Track(name=name, moments=tuple(moments))


def _moment(before: _Scored | None, now: _Scored, scores: _Scores) -> Moment:
    mark: Mark = "no_value" if now.value.value is None else "first"
    reason, comparison = "", None
    if before is not None and mark == "first":
        reason = _not_comparable(before.run, now.run)
        comparison = None if reason else _compare(before, now, scores)
        mark = "not_comparable" if comparison is None else _mark(comparison)
        reason = reason if reason or comparison else "no question in common"
    return Moment(
        run=now.run,
        value=now.value,
        mark=mark,
        reason=reason,
        comparison=comparison,
        changes=changes(before.run, now.run) if before else (),
    )


_MARKS: Mapping[str, Mark] = {
    "better": "rose",
    "worse": "fell",
    "no difference seen": "same",
    "borderline": "unclear",
    "not enough questions": "unclear",
}


def _mark(found: Comparison) -> Mark:
    if isinstance(found, PairedComparison):
        return _MARKS[found.verdict]
    low, high = found.interval.low, found.interval.high
    # Of what is measured by a quantile, time, less is better.
    if low is not None and low > 0:
        return "fell"
    if high is not None and high < 0:
        return "rose"
    return "unclear" if low is None or high is None else "same"


def _not_comparable(before: Run, now: Run) -> str:
    if before.dataset != now.dataset:
        return "dataset changed"
    rules = [_rules(run) for run in (before, now)]
    changed = [key for key in rules[0] if rules[0][key] != rules[1][key]]
    return f"{', '.join(changed)} changed" if changed else ""


def _rules(run: Run) -> dict[str, str]:
    """Return how a run is scored: with other rules the same responses have other scores."""
    stored = StoredBenchmark.of(run)
    policy = stored.policy
    rules = {"matching": str(stored.matching), "no_gold": policy.no_gold, "on_error": policy.on_error}
    return {**rules, "unresolved": policy.unresolved}


def _compare(before: _Scored, now: _Scored, scores: _Scores) -> Comparison | None:
    both = [query for query in now.scores if _known(now, query) and _known(before, query)]
    if not both:
        return None
    traits = scores.metric.traits
    if traits.kind == "quantile":
        after, earlier = (Measurements.of([one.scores[query] for query in both]) for one in (now, before))
        return quantile_difference(after, earlier, p=float(scores.metric.arguments()["p"]) / 100)
    values, previous = (_values(one, both) for one in (now, before))
    low, high = traits.bounds
    by_id = {query.id: query for query in scores.dataset(now.run).queries}
    return compare_paired(
        values,
        previous,
        range_width=high - low if high - low < float("inf") else None,
        clusters=clusters_of([by_id[query] for query in both]),
        higher_is_better=traits.higher_is_better is not False,
    )


def _known(scored: _Scored, query: str) -> bool:
    return any(score.value is not None for score in scored.scores.get(query, ()))


def _values(scored: _Scored, queries: Sequence[str]) -> list[float]:
    return [score.value for query in queries for score in scored.scores[query] if score.value is not None]


def _facts(run: Run) -> dict[str, str]:
    rules = {f"scoring.{key}": value for key, value in _rules(run).items()}
    parts = {"system": run.spec.system, "reported": run.system}
    nested = dict(_flat(run.spec.config)) | {
        key: value for name, part in parts.items() for key, value in _flat(part, f"{name}.")
    }
    return {"dataset": run.dataset[:12], "repeats": str(run.spec.repeats), **nested, **rules}


def _flat(facts: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, str]]:
    for key, value in facts.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", NONE if value is None else str(value)


def fallen(tracks: Iterable[Track]) -> list[tuple[str, Moment]]:
    """Return the moments at which a track got worse by more than noise, with the track's name."""
    return [(track.name, moment) for track in tracks for moment in track.moments if moment.mark == "fell"]
