"""Holes in words: how much of what came back was judged, and what that does to a comparison."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from typing import Any

from ragstone.experiments.diagnosis.fates import cutoff_of
from ragstone.experiments.diagnosis.holes import DIFFERS, ENOUGH, DifferenceBounds, judged_share, judged_shares
from ragstone.experiments.report import Report
from ragstone.experiments.results import RunResult
from ragstone.metrics import Metric
from ragstone.reports.diagnosis.words import percent
from ragstone.reports.escape import escaped, with_commands
from ragstone.reports.plain import plain
from ragstone.reports.tables import Table
from ragstone.reports.words import NONE, count, label

COUNTS_AS_WRONG = "In most metrics a hit that nobody judged counts as irrelevant."


def judged_cutoffs(results: Sequence[RunResult]) -> tuple[int, ...]:
    """Return the k of the metrics that the runs declare, smallest first; what was asked for where none has one."""
    cutoffs = {
        metric.cutoff
        for result in results
        for metric in result.benchmark.metrics
        if metric.cutoff is not None and metric.cutoff <= result.benchmark.configuration.top_k
    }
    return tuple(sorted(cutoffs)) or (cutoff_of(results[0]),)


def judged_data(result: RunResult) -> dict[str, Any]:
    """Return Judged@k of a run by k, as data."""
    return {str(k): asdict(one) for k, one in judged_shares(result, judged_cutoffs([result])).items()}


def judged_table(report: Report) -> Table | None:
    """Return which share of the first k hits was judged, by run; None where nothing came back."""
    cutoffs = judged_cutoffs(report.runs)
    shares = [judged_shares(result, cutoffs) for result in report.runs]
    if all(one.value is None for by_cutoff in shares for one in by_cutoff.values()):
        return None
    rows = [
        [result.run.spec.name, *(percent(by_cutoff[cutoff].value) for cutoff in cutoffs)]
        for result, by_cutoff in zip(report.runs, shares, strict=True)
    ]
    header = ["run", *(f"Judged@{cutoff}" for cutoff in cutoffs)]
    return Table(
        header,
        rows,
        range(1, len(header)),
        title="How much of what came back was judged",
        note=COUNTS_AS_WRONG,
    )


def hole_warnings(results: Sequence[RunResult]) -> list[str]:
    """Return what must be known before the numbers are read: few judgements, or unequal ones between runs."""
    cutoff = cutoff_of(results[0])
    known = [
        (value, result.run.spec.name)
        for result in results
        if (value := judged_share(result, cutoff).value) is not None
    ]
    if not known:
        return []
    (low, least), (high, most) = min(known), max(known)
    said = []
    if low < ENOUGH:
        both = f"{percent(low)} ({least}) to {percent(high)} ({most})"
        share = percent(low) if percent(low) == percent(high) else both
        said.append(
            f"only {share} of the first {cutoff} hits have been judged; the rest count as irrelevant, so that "
            "scores are likely too low. `ragstone judgments pool` lists what to judge next"
        )
    if high - low > DIFFERS:
        said.append(
            f"the runs are judged unequally: {percent(high)} of what {most} returned in the first {cutoff}, "
            f"{percent(low)} of what {least} did; part of their difference may come from the labels"
        )
    return said


def holes_sections(report: Report, table: Callable[..., str]) -> Iterator[str]:
    """Yield Judged@k by run as Markdown; `table` lays out header, rows and the columns to align right."""
    shown = judged_table(report)
    if shown:
        rows = [[escaped(cell) for cell in row] for row in shown.rows]
        warned = "".join(
            f"\n⚠️ {with_commands(line[:1].upper() + line[1:])}.\n" for line in hole_warnings(report.runs)
        )
        yield f"\n## {shown.title}\n\n{table(shown.header, rows, shown.numbers)}\n{shown.note}\n{warned}"


def holes_line(report: Report) -> str:
    """Return Judged@k of all runs in one line; empty where nothing came back."""
    cutoff = cutoff_of(report.runs[0])
    values = (judged_share(result, cutoff).value for result in report.runs)
    known = [value for value in values if value is not None]
    if not known:
        return ""
    low, high = percent(min(known)), percent(max(known))
    span = low if low == high else f"{low.removesuffix('%')}{NONE}{high}"
    return f"Judged@{cutoff}: {span} of the hits have been judged, the rest count as irrelevant."


def holes_sentence(bounds: DifferenceBounds, baseline: str, candidate: str) -> str:
    """Return what holes could do to a comparison, and what to do about it.

    Example:
        >>> from ragstone.metrics import parse
        >>> found = DifferenceBounds(
        ...     metric=parse("Hit@5"), value=0.02, low=-0.08, high=0.11, n=50, judged=(0.91, 0.38), holes=74
        ... )
        >>> holes_sentence(found, "A", "B").split(". ")[0]
        '62% of what B returned in the first 5 has never been judged (A: 9%)'
        >>> print(holes_sentence(found, "A", "B").split(": ")[-1])
        judge these 74 passages before deciding.
    """
    first, second = bounds.judged
    cutoff = "" if bounds.metric.cutoff is None else f" in the first {bounds.metric.cutoff}"
    if not bounds.holes and set(bounds.judged) <= {1.0, None}:
        return f"Everything that {plain(baseline)} and {plain(candidate)} returned{cutoff} has been judged."
    head = (
        f"{_unjudged(second)} of what {plain(candidate)} returned{cutoff} has never been judged "
        f"({plain(baseline)}: {_unjudged(first)})."
    )
    if not bounds.holes:
        return f"{head} The difference is the same whatever the judgements are."
    worst, best = _move(bounds, worst=True), _move(bounds, worst=False)
    ends = f"If the judgements fell out worst for {plain(candidate)}, it would {worst}, if best, {best}"
    if bounds.safe:
        return f"{head} {ends}: the verdict holds whatever they are."
    if not bounds.turns:
        return f"{head} {ends}: no way of judging them that was tried turns the verdict."
    return f"{head} {ends}: judge {_these(bounds.holes)} before deciding."


def _these(holes: int) -> str:
    return f"these {holes:,} passages" if holes > 1 else "this passage"


def _unjudged(judged: float | None) -> str:
    return "nothing" if judged is None else percent(1 - judged)


def _move(bounds: DifferenceBounds, *, worst: bool) -> str:
    """Return a bound as winning or losing by so much, in the metric's direction."""
    better_high = bounds.metric.traits.higher_is_better is not False
    value = bounds.low if worst == better_high else bounds.high
    gain = value if better_high else -value
    if abs(gain) < 0.0005:
        return "be level"
    return f"{'win' if gain > 0 else 'lose'} by {_size(bounds.metric, abs(gain))}"


def _size(metric: Metric, value: float) -> str:
    if metric.traits.kind == "rate":
        points = f"{100 * value:.0f}" if value >= 0.01 else f"{100 * value:.1f}"
        return f"{points} {'point' if points == '1' else 'points'}"
    return f"{value:.3f} {label(str(metric))}"


def pool_sentence(items: int, questions: int, runs: int) -> str:
    """Return what a pool holds.

    Example:
        >>> pool_sentence(74, 20, 2)
        '74 passages of 20 questions to judge, pooled over 2 runs; nothing in them tells run or rank'
    """
    pooled = f", pooled over {runs} runs" if runs > 1 else ""
    return (
        f"{count(items, 'passage')} of {count(questions, 'question')} to judge{pooled}; nothing in them tells run "
        "or rank"
    )
