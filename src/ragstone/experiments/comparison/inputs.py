"""What a comparison is given, checked: which runs, what they are called, and by which metrics."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ragstone.errors import UsageError, did_you_mean, known_names
from ragstone.experiments.choice.names import LONG, run_names
from ragstone.experiments.comparison.identity import Mismatch
from ragstone.experiments.leading import leading_metrics, short_names
from ragstone.experiments.report import Report
from ragstone.experiments.results import RunResult
from ragstone.metrics import Metric, parse

MOST_RUNS = 8


def given_results(runs: Report | Iterable[RunResult | Report]) -> list[RunResult]:
    """Return the runs in the order given, reports taken apart.

    Raises:
        UsageError: Too few, too many, or one twice.
    """
    given = [runs] if isinstance(runs, Report) else list(runs)
    results = [result for one in given for result in (one.runs if isinstance(one, Report) else [one])]
    if not 2 <= len(results) <= MOST_RUNS:
        raise UsageError(
            f"{len(results)} runs given; a comparison takes a baseline and 1 to {MOST_RUNS - 1} others"
        )
    places = {id(result) for result in results}
    if len(places) < len(results):
        raise UsageError("a run is given twice; compared with itself it differs nowhere")
    return results


def called(results: Sequence[RunResult]) -> tuple[tuple[str, ...], str]:
    """Return what the runs are called, and a sentence on what the parts of those names are where it needs one.

    The names of the configurations without what all share, told apart by run id or by number where they are the
    same; long ones are the values of what differs.
    """
    names, ids = short_names([result.run.spec.name for result in results]), [result.run.id for result in results]
    if max(map(len, names)) > LONG and len(set(names)) == len(set(ids)) == len(results):
        found = run_names(results)
        return tuple(map(found.of, results)), found.note
    unique = (
        name if names.count(name) == 1 else f"{name} ({run if ids.count(run) == 1 else number})"
        for number, (name, run) in enumerate(zip(names, ids, strict=True), 1)
    )
    return tuple(unique), ""


def refuse(baseline: str, found: Sequence[Sequence[Mismatch]]) -> None:
    """Refuse runs that differ in what makes a comparison meaningless.

    Raises:
        UsageError: They do; it names what differs.
    """
    reasons = [(one.run, str(one)) for mine in found for one in mine if one.level == "refuse"]
    if reasons:
        said = "; ".join(f"with {run}, {reason}" for run, reason in reasons)
        raise UsageError(
            f"{baseline} cannot be compared: {said}. Run both alike, or compare the questions that they share all "
            "the same with --ignore-identity"
        )


def chosen_metrics(
    results: Sequence[RunResult], names: Sequence[str], wanted: Sequence[str] | None
) -> tuple[Metric, ...]:
    """Return the metrics to compare by, the deciding one first: those wanted, else those that lead the baseline.

    Raises:
        UsageError: A run was not scored by one of them or by the baseline's primary metric, or all are quantiles.
    """
    common = [name for name in results[0].summaries if all(name in result.summaries for result in results)]
    primary = results[0].benchmark.primary
    for metric in map(parse, wanted) if wanted else [primary]:
        if str(metric) not in common:
            lacking = [n for n, one in zip(names, results, strict=True) if str(metric) not in one.summaries]
            raise UsageError(
                f"{', '.join(lacking)}: not scored by {metric}{did_you_mean(str(metric), common)}; declare it "
                f"under metrics of the benchmark, or choose with --metric what all runs have{known_names(common)}"
            )
    leading = wanted or leading_metrics(results[0].benchmark, common)
    chosen = tuple(dict.fromkeys(metric for metric in map(parse, leading) if str(metric) in common))
    if all(metric.traits.kind == "quantile" for metric in chosen):
        raise UsageError(
            f"a comparison needs a metric beside the quantiles {', '.join(map(str, chosen))}, one that every "
            f"question has a score by{known_names(common)}"
        )
    return chosen
