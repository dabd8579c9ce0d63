"""What every human format says first: the answer, which metrics lead, how complete the runs are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter

from ragstone.errors import ExitCode
from ragstone.experiments import leading
from ragstone.experiments.report import Notice, Report
from ragstone.experiments.results import QueryResult, RunResult
from ragstone.metrics import parse
from ragstone.reports.words import count, label, plus_minus, reasons_text, sentence, value_text
from ragstone.types import Summary

LATENCY = "latency(p=50)"
FEW = 10
_VERDICTS: Mapping[ExitCode, tuple[str, str]] = {
    ExitCode.OK: ("complete", "Every question was asked and answered"),
    ExitCode.GATE_FAILED: ("threshold missed", "A threshold is missed"),
    ExitCode.INCOMPLETE: ("incomplete", "Not every question was answered"),
    ExitCode.UNREACHABLE: ("unreachable", "The system under test could not be reached"),
}


@dataclass(frozen=True, slots=True)
class Coverage:
    """How complete a run is."""

    total: int
    done: int
    failed: int
    not_asked: int
    degraded: int


def coverage(result: RunResult) -> Coverage:
    """Return how complete a run is; degraded searches are counted over questions, the rest over searches."""
    run = result.run
    return Coverage(run.total, run.done, run.failed, result.not_asked, len(result.degraded))


def verdict_word(report: Report) -> str:
    """Return the verdict in a word or two."""
    return _VERDICTS.get(report.verdict, (report.verdict.name.lower().replace("_", " "), ""))[0]


def verdict_sentence(report: Report) -> str:
    """Return the verdict in a sentence."""
    text = _VERDICTS.get(report.verdict, ("", verdict_word(report).capitalize()))[1]
    checks = [check for result in report.runs for check in result.checks]
    missed = sum(not check.met for check in checks)
    parts = [text] if report.verdict in (ExitCode.OK, ExitCode.UNREACHABLE) else []
    parts += [f"{missed} of {count(len(checks), 'threshold check')} missed"] if missed else []
    parts += _gaps(report)
    if checks and not missed:
        parts.append("every threshold is met")
    said = "; ".join(parts or [text])
    return f"{said[0].upper()}{said[1:]}."


def _gaps(report: Report) -> Iterator[str]:
    """Say what keeps the runs from being complete."""
    runs = [coverage(result) for result in report.runs]
    open_ = sum(result.run.state != "completed" for result in report.runs)
    if open_:
        yield f"{open_} of {count(len(runs), 'run')} not completed"
    if lacking := sum(one.not_asked for one in runs):
        yield f"{lacking:,} of {sum(one.total for one in runs):,} questions not asked"
    if failed := sum(one.failed for one in runs):
        yield f"{failed:,} of {sum(one.done for one in runs):,} searches failed"


def answer(report: Report) -> str:
    """Return the sentence that a reader wants first: how good, and how sure."""
    summaries = [primary(result) for result in report.runs]
    if len(summaries) == 1:
        return sentence(summaries[0], failures_within(report.runs[0], summaries[0]))
    named = zip(summaries, report.runs, strict=True)
    scored = [(one.value, result.run.spec.name) for one, result in named if one.value is not None]
    metric, runs = summaries[0].metric, f"{len(report.runs)} runs"
    if not scored:
        return f"{label(metric)} could not be computed for any of {runs}: {reasons_text(summaries[0].missing)}."
    if len(scored) < len(report.runs):
        runs = f"{len(scored)} of {runs} (not computed for the rest)"
    (low, first), (high, last) = min(scored, key=itemgetter(0)), max(scored, key=itemgetter(0))
    values = value_text(metric, low)
    if low < high:
        values = f"from {values} ({first}) to {value_text(metric, high)} ({last})"
    return f"{label(metric)} over {runs}: {values}{_precision(summaries)}."


def _precision(summaries: Sequence[Summary]) -> str:
    """Say how far each value is known, by the widest interval."""
    limits = [one.interval for one in summaries if one.interval]
    halves = [(one.high - one.low) / 2 for one in limits if one.low is not None and one.high is not None]
    return f"; each known to about {plus_minus(summaries[0].metric, max(halves))}" if halves else ""


def primary(result: RunResult) -> Summary:
    """Return the summary of a run's primary metric."""
    return result.summaries[str(result.benchmark.primary)]


def main_metrics(report: Report) -> tuple[str, ...]:
    """Return the few metrics that lead: the primary, those with thresholds, a hit rate, MRR, and latency p95."""
    known = all_metrics(report)
    chosen = leading.leading_metrics(report.runs[0].benchmark, known)
    if any(primary(result).n for result in report.runs):
        return chosen
    # With rejection questions alone, how they were turned down is all that there is to see.
    return (*(name for name in known if is_rejection(name)), *chosen)


def all_metrics(report: Report) -> tuple[str, ...]:
    """Return the names of all metrics of any run, in order."""
    return tuple(dict.fromkeys(name for result in report.runs for name in result.summaries))


def is_latency(name: str) -> bool:
    """Say whether a metric is measured in time."""
    return parse(name).family == "latency"


def is_rejection(name: str) -> bool:
    """Say whether a metric is about unanswerable questions."""
    return parse(name).family == "rejection_accuracy"


def latency_of(found: QueryResult) -> float | None:
    """Return a query's latency in milliseconds; None where none was measured."""
    score = found.scores.get(LATENCY)
    return None if score is None else score.value


def failures_within(result: RunResult, summary: Summary) -> int:
    """Return how many of the scores behind a value stand for a failed search: a miss, or the time limit."""
    if not parse(summary.metric).traits.requires:
        return 0
    return sum(found.scores[summary.metric].value is not None for found in result.failed)


@dataclass(frozen=True, slots=True)
class SharedNotice:
    """A notice with all the runs that it is about."""

    level: str
    message: str
    runs: tuple[str, ...]


def shared_notices(report: Report) -> list[SharedNotice]:
    """Return the notices, those that differ only in the run as one."""
    groups: dict[tuple[str, str], list[str]] = {}
    for notice in report.notices:
        groups.setdefault((notice.level, notice.message), []).append(_whose(notice))
    return [SharedNotice(level, message, tuple(runs)) for (level, message), runs in groups.items()]


def _whose(notice: Notice) -> str:
    return notice.run


def runs_text(names: Sequence[str], total: int, most: int = 4) -> str:
    """Return whose notice it is: the runs by name, or how many."""
    if total > 1 and len(names) == total:
        return "all runs"
    return ", ".join(names) if len(names) <= most else f"{len(names)} of {total} runs"


def short_names(report: Report) -> list[str]:
    """Return the runs' names without the settings that all of them share, where that tells them apart."""
    return leading.short_names([result.run.spec.name for result in report.runs])
