"""Is it better? Two to eight runs on the same questions, the first of them the baseline."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from ragstone.errors import ExitCode, UsageError
from ragstone.experiments.comparison.flips import Flips, find_flips
from ragstone.experiments.comparison.identity import Mismatch, mismatches
from ragstone.experiments.comparison.inputs import called, chosen_metrics, given_results, refuse
from ragstone.experiments.comparison.metric import MetricComparison, adjusted, compare_metric
from ragstone.experiments.comparison.price import (
    QuantileComparison,
    UsageComparison,
    compare_quantile,
    compare_usage,
)
from ragstone.experiments.comparison.slices import Interaction, SliceComparison, compare_slices
from ragstone.experiments.diagnosis.holes import DifferenceBounds, difference_bounds
from ragstone.experiments.pairs import pair
from ragstone.experiments.report import Report
from ragstone.experiments.results import RunResult
from ragstone.metrics import Metric, parse

_LATENCIES = ("latency(p=50)", "latency(p=95)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """One run against the baseline.

    Attributes:
        name: As `Comparison.names` has it.
        settings: The settings in which it differs: name -> (baseline's value, its value).
        mismatches: What else differs; refusals are among them only where they were ignored.
        metrics: By metric name, the primary first.
        quantiles: Latency p50 and p95, and other quantiles that were asked for.
        usage: What both systems report of tokens and the like; empty where they report nothing.
        slices: The primary metric by slice, strongest evidence first.
        interactions: Whether the change differs between slices, by dimension.
        flips: The questions that were lost and won by the primary metric.
        holes: How much of what both returned was ever judged, and how far the rest could move the difference by
            the primary metric; None where that metric reads no judgements, the datasets differ, or it was not
            asked for.
    """

    name: str
    result: RunResult
    settings: Mapping[str, tuple[object, object]]
    mismatches: tuple[Mismatch, ...]
    metrics: Mapping[str, MetricComparison]
    quantiles: tuple[QuantileComparison, ...]
    usage: tuple[UsageComparison, ...]
    slices: tuple[SliceComparison, ...]
    interactions: tuple[Interaction, ...]
    flips: Flips
    holes: DifferenceBounds | None

    @property
    def primary(self) -> MetricComparison:
        """The comparison by the primary metric."""
        return next(iter(self.metrics.values()))

    @property
    def secondary(self) -> tuple[MetricComparison, ...]:
        """The comparisons by the other metrics, which do not decide."""
        return tuple(self.metrics.values())[1:]

    @property
    def p95(self) -> QuantileComparison | None:
        """Latency p95."""
        return next((one for one in self.quantiles if str(one.metric) == "latency(p=95)"), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """All that can be said of some runs against a baseline; every rendering and the exit code come from it.

    Attributes:
        title: Name of the baseline's benchmark.
        baseline: The first run.
        names: What the runs are called, the baseline first: the configuration's name where that is unique.
        candidates: The other runs.
        primary: The metric that decides.
        family: How many tests of the primary metric Holm's correction allows for: one for each candidate.
        secondary_family: The same for all other metrics together, metrics times candidates; they are adjusted
            among themselves, so that they never decide what the primary metric says.
        level: Confidence level.
        clustered: Whether clusters of questions were looked for.
        seed: Of all resampling.
        naming: What the parts of the names are, as a sentence; empty where they say it themselves.
    """

    title: str
    baseline: RunResult
    names: tuple[str, ...]
    candidates: tuple[Candidate, ...]
    primary: Metric
    family: int
    secondary_family: int
    level: float
    clustered: bool
    seed: int
    naming: str = ""

    @property
    def results(self) -> tuple[RunResult, ...]:
        """All runs, the baseline first."""
        return self.baseline, *(one.result for one in self.candidates)

    @property
    def metrics(self) -> tuple[str, ...]:
        """Names of the compared metrics, the primary first."""
        return tuple(self.candidates[0].metrics)

    @property
    def winner(self) -> int | None:
        """Number of the winning run, the baseline being 0; None for no winner.

        A candidate wins if it is better by the primary metric after correction; of several, the one that gains
        most. The baseline wins if every candidate is worse after correction. A metric of which neither side is
        better has no winner.
        """
        if self.primary.traits.higher_is_better is None:
            return None
        better = [number for number, one in enumerate(self.candidates, 1) if one.primary.verdict == "better"]
        if better:
            return max(better, key=lambda number: _gain(self.candidates[number - 1].primary))
        return 0 if all(one.primary.verdict == "worse" for one in self.candidates) else None

    @property
    def exit_code(self) -> ExitCode:
        """A comparison that could be made is fine, whoever wins; deciding by it is the gate's business."""
        return ExitCode.OK


def _gain(found: MetricComparison) -> float:
    return found.sign * (found.paired.difference or 0.0)


def compare(
    runs: Report | Iterable[RunResult | Report],
    *,
    metrics: Sequence[str] | None = None,
    level: float = 0.95,
    clusters: bool = True,
    ignore_identity: bool = False,
    holes: bool = True,
    seed: int = 0,
) -> Comparison:
    """Compare two to eight runs, question by question; the first is the baseline.

    Args:
        runs: Results, or reports, which stand for all of their runs.
        metrics: Names of metrics that all runs have, the first of them primary; by default the baseline's primary
            metric and the others that lead its reports.
        level: Confidence level; its complement is what p-values are held against.
        clusters: Whether questions of common origin count as one where they behave as one.
        ignore_identity: Compare although dataset, rules or judge differ; the differences stay listed.
        holes: Whether to work out what unjudged hits could change, which takes most of the time.
        seed: Of all resampling.

    Raises:
        UsageError: Too few or too many runs, the same run twice, runs that are not comparable, or a metric that
            one of them lacks.
    """
    results = given_results(runs)
    if not 0 < level < 1:
        raise UsageError(f"level is {level:g}; it must lie between 0 and 1, such as 0.95")
    names, naming = called(results)
    found = [mismatches(results[0], result, name) for result, name in zip(results, names, strict=True)]
    if not ignore_identity:
        refuse(names[0], found)
    chosen = chosen_metrics(results, names, metrics)
    candidates = [
        _candidate(results[0], result, name, differing, chosen, level=level, clusters=clusters, seed=seed)
        for result, name, differing in list(zip(results, names, found, strict=True))[1:]
    ]
    candidates = _corrected(candidates)
    return Comparison(
        title=results[0].benchmark.name,
        baseline=results[0],
        names=names,
        candidates=tuple(_completed(results[0], one, holes=holes, seed=seed) for one in candidates),
        primary=candidates[0].primary.metric,
        family=_tests(one.primary for one in candidates),
        secondary_family=_tests(found for one in candidates for found in one.secondary),
        level=level,
        clustered=clusters,
        seed=seed,
        naming=naming,
    )


def _candidate(
    baseline: RunResult,
    result: RunResult,
    name: str,
    differing: tuple[Mismatch, ...],
    metrics: Sequence[Metric],
    *,
    level: float,
    clusters: bool,
    seed: int,
) -> Candidate:
    paired = {
        str(metric): compare_metric(pair(baseline, result, metric), level=level, clusters=clusters, seed=seed)
        for metric in metrics
        if metric.traits.kind != "quantile"
    }
    quantiles = dict.fromkeys(
        [*map(parse, _LATENCIES), *(one for one in metrics if one.traits.kind == "quantile")]
    )
    first = next(iter(paired.values()))
    if not first.pairs.queries and not _shared(baseline, result):
        raise UsageError(f"the runs share no question: {baseline.run.spec.name} and {name} asked different ones")
    return Candidate(
        name=name,
        result=result,
        settings=_settings(baseline, result),
        mismatches=differing,
        metrics=paired,
        quantiles=tuple(
            compare_quantile(baseline, result, metric, level=level, seed=seed)
            for metric in quantiles
            if str(metric) in baseline.summaries and str(metric) in result.summaries
        ),
        usage=compare_usage(baseline, result),
        slices=(),
        interactions=(),
        flips=find_flips(first, baseline, result),
        holes=None,
    )


def _shared(baseline: RunResult, result: RunResult) -> bool:
    asked = {(one.query.id, one.query.text) for one in baseline.queries}
    return any((one.query.id, one.query.text) in asked for one in result.queries)


def _settings(baseline: RunResult, result: RunResult) -> dict[str, tuple[object, object]]:
    first, second = ({**one.run.spec.config, **one.run.spec.system} for one in (baseline, result))
    return {
        key: (first.get(key), second.get(key)) for key in {**first, **second} if first.get(key) != second.get(key)
    }


def _corrected(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Return the candidates with p-values adjusted: the primary metric's as one family, all others' as another."""
    primary = adjusted([one.primary for one in candidates])
    others = iter(adjusted([found for one in candidates for found in one.secondary]))
    return [
        replace(one, metrics=dict(zip(one.metrics, (first, *islice(others, len(one.secondary))), strict=True)))
        for one, first in zip(candidates, primary, strict=True)
    ]


def _tests(found: Iterable[MetricComparison]) -> int:
    """Return how many tests a family holds; those without a pair are not in it."""
    return sum(bool(one.paired.n) for one in found)


def _completed(baseline: RunResult, one: Candidate, *, holes: bool, seed: int) -> Candidate:
    """Return a candidate with its slices and holes, which rest on its corrected primary metric."""
    slices, interactions = compare_slices(one.primary, one.result, seed=seed)
    alike = baseline.run.dataset == one.result.run.dataset
    wanted = holes and alike and one.primary.metric.traits.requires and one.primary.paired.n
    bounds = difference_bounds(baseline, one.result, one.primary.metric) if wanted else None
    return replace(one, slices=slices, interactions=interactions, holes=bounds)
