"""A report's content: the runs of a benchmark, what went wrong, and the verdict. Rendering is elsewhere."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from ragstone.errors import ExitCode
from ragstone.experiments.results import RunResult, collect
from ragstone.experiments.validity import unresolved
from ragstone.matching.reference import place
from ragstone.ports import Store
from ragstone.types import Dataset, Run


@dataclass(frozen=True, slots=True)
class Notice:
    """One thing that a reader must know before the numbers."""

    level: Literal["error", "warning"]
    run: str
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """The runs of a benchmark with everything that can be said of them.

    Attributes:
        title: The benchmark's name.
        batch: Id of the batch of runs.
        notices: What went wrong or is doubtful, errors first.
        verdict: One exit code for text, JSON and the shell: the thresholds' first, then completeness.
    """

    title: str
    description: str
    batch: str
    dataset: Dataset
    runs: tuple[RunResult, ...]
    notices: tuple[Notice, ...]
    verdict: ExitCode


def build(store: Store, runs: Sequence[Run]) -> Report:
    """Build the report of some runs on one dataset from what the store holds."""
    results = tuple(collect(store, run) for run in runs)
    first = runs[0]
    dataset = store.dataset(first.dataset)
    notices = [notice for result in results for notice in _notices(dataset, result)]
    return Report(
        title=str(first.benchmark["name"]),
        description=str(first.benchmark.get("description", "")),
        batch=first.batch,
        dataset=replace(dataset, name=str(first.benchmark["name"])),
        runs=results,
        notices=tuple(sorted(notices, key=lambda notice: notice.level != "error")),
        verdict=_verdict(results),
    )


def _verdict(results: Sequence[RunResult]) -> ExitCode:
    failures = [failure for result in results for found in result.failed for failure in found.failures]
    asked = sum(result.run.done for result in results)
    silent = len(failures) == asked and all(failure.kind == "unreachable" for failure in failures)
    if silent and (asked or all(result.run.unreachable for result in results)):
        return ExitCode.UNREACHABLE
    if any(not check.met for result in results for check in result.checks):
        return ExitCode.GATE_FAILED
    if failures or any(result.run.state != "completed" for result in results):
        return ExitCode.INCOMPLETE
    return ExitCode.OK


def _notices(dataset: Dataset, result: RunResult) -> Iterator[Notice]:
    name = result.run.spec.name
    for message in _errors(result):
        yield Notice("error", name, message)
    for message in _warnings(dataset, result):
        yield Notice("warning", name, message)


def _errors(result: RunResult) -> Iterator[str]:
    run = result.run
    if run.error:
        yield f"the run failed: {run.error}; once that is mended, `ragstone resume {run.id} --failed`"
    elif run.state != "completed":
        yield f"the run is {run.state}; continue it with `ragstone resume {run.batch}`"
    if result.not_asked:
        yield f"{result.not_asked} of {run.total} questions were not asked"
    kinds = Counter(failure.kind for found in result.failed for failure in found.failures)
    for kind, count in sorted(kinds.items()):
        words = kind.replace("_", " ")
        way_out = f"ask them again with `ragstone resume {run.id} --failed`"
        yield f"{count} of {run.done} searches failed ({words}); {way_out}"
    for check in result.checks:
        if not check.met:
            yield f"{check.metric} misses its threshold {check.limit}"


def _warnings(dataset: Dataset, result: RunResult) -> Iterator[str]:
    if result.degraded:
        first = result.degraded[0].response
        sample = first.degraded[0] if first else ""
        yield f"{len(result.degraded)} searches were degraded: {sample}"
    primary = result.summaries[str(result.benchmark.primary)]
    if primary.n == 0:
        yield f"no question could be scored by {primary.metric}: {_reasons(primary.missing)}"
    judged = [found for found in result.queries if found.golds and found.response and not found.response.failure]
    found = sum(any(match.gold is not None for match in one.matches) for one in judged)
    if len(judged) >= 3 and found < len(judged) / 20:
        yield (
            f"only {found} of {len(judged)} questions retrieved anything judged; "
            "do the document names of dataset and system agree?"
        )
    yield from _unresolved(dataset, result)
    rejection = result.summaries.get("rejection_accuracy(criterion='empty')")
    unanswerable = [one.response for one in result.queries if one.response and not one.query.answerable]
    worked = any(response.failure is None for response in unanswerable)
    if rejection is not None and rejection.value == 0 and worked:
        yield "rejection accuracy by criterion 'empty' is 0 by design for a system that always returns something"


def _unresolved(dataset: Dataset, result: RunResult) -> Iterator[str]:
    validity = result.run.validity
    if validity is None or validity.resolved == validity.total:
        return
    query, gold = next(unresolved(dataset, validity))
    lost = validity.total - validity.resolved
    fate = (
        "left out of all scores" if result.benchmark.policy.unresolved == "drop" else "counted as never retrieved"
    )
    yield (
        f"{lost} of {validity.total} golds are not in the corpus, or not in one document alone, and are {fate} "
        f"(the first: {query} wants {place(gold)}); mend or drop them before trusting recall"
    )


def _reasons(missing: Mapping[str, int]) -> str:
    return ", ".join(f"{count} {reason.replace('_', ' ')}" for reason, count in missing.items())
