"""What to do next: short hints that follow from the numbers, the most pressing first."""

from __future__ import annotations

import math
from collections.abc import Iterator

from ragstone.experiments.report import Report
from ragstone.experiments.results import RunResult, Slice
from ragstone.metrics import parse
from ragstone.reports.data import relevant
from ragstone.reports.overview import FEW, all_metrics, is_latency, primary
from ragstone.reports.words import count, cut_off_text, label, plus_minus, value_text
from ragstone.reports.worst import direction
from ragstone.types import Summary

_LATE = 5


def hints(report: Report) -> list[str]:
    """Return the hints; none where nothing follows."""
    return [
        *_unfinished(report),
        *_without_gold(report),
        *_beyond_depth(report),
        *_late(report),
        *_weak_slices(report),
        *_cut_off(report),
        *_open_quantiles(report),
        *_width(report),
        *_several_runs(report),
    ]


def queries_for_quantile(p: float, level: float = 0.95) -> int:
    """Return how many values a p-quantile needs for a finite upper limit.

    Example:
        >>> queries_for_quantile(0.95), queries_for_quantile(0.99)
        (72, 368)
    """
    return math.ceil(math.log((1 - level) / 2) / math.log(p))


def _unfinished(report: Report) -> Iterator[str]:
    if any(result.not_asked for result in report.runs):
        failed = any(result.run.state == "failed" for result in report.runs)
        yield f"Finish first: `ragstone resume {report.batch}{' --failed' if failed else ''}`."
    elif any(result.failed for result in report.runs):
        policy = "are left out of the means" if _excluded(report) else "count as misses"
        command = f"ragstone resume {report.batch} --failed"
        yield f"Ask the failed searches again: `{command}`. Until then they {policy}."


def _excluded(report: Report) -> bool:
    return report.runs[0].benchmark.on_error == "exclude"


def _without_gold(report: Report) -> Iterator[str]:
    dataset = report.dataset
    bare = [one.id for one in dataset.queries if one.answerable and not relevant(dataset.golds.get(one.id, ()))]
    if bare:
        yield (
            f"Label {count(len(bare), 'answerable question')} without relevant gold ({_some(bare)}): "
            "no retrieval metric can use them."
        )


def _some(names: list[str], most: int = 3) -> str:
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")


def _beyond_depth(report: Report) -> Iterator[str]:
    deep = [
        name
        for name in all_metrics(report)
        if any("beyond_depth" in one.summaries[name].missing for one in report.runs if name in one.summaries)
    ]
    if deep:
        names = ", ".join(label(name) for name in deep)
        wanted = max(parse(name).cutoff or 0 for name in deep)
        yield f"Set top_k to {wanted} or more, or drop {names}: no more hits were asked for than top_k."


def _late(report: Report) -> Iterator[str]:
    shares = {result.run.spec.name: _late_share(result) for result in report.runs}
    worst = max(shares, key=lambda name: shares[name][0])
    late, asked = shares[worst]
    if asked >= FEW and late >= asked / 10:
        yield (
            f"In {worst}, {late} of {asked} questions find their first relevant hit only below rank {_LATE}: "
            "reranking has something to gain there."
        )


def _late_share(result: RunResult) -> tuple[int, int]:
    late = sum(n for rank, n in result.histogram.items() if rank != "none" and int(rank) > _LATE)
    return late, sum(result.histogram.values())


def _weak_slices(report: Report) -> Iterator[str]:
    """Name the slice that is the worst in most runs; a hint where to look, not a finding."""
    weakest = [one for result in report.runs if (one := _weakest(result))]
    if not weakest:
        return
    keys = [(one.dimension, one.value) for one in weakest]
    dimension, value = max(dict.fromkeys(keys), key=keys.count)
    runs = "" if len(report.runs) == 1 else f" in {keys.count((dimension, value))} of {len(report.runs)} runs"
    example = next(one for one in weakest if (one.dimension, one.value) == (dimension, value))
    name = str(report.runs[0].benchmark.primary)
    shown = f"{label(name)} {value_text(name, example.summaries[name].value)}, n = {example.summaries[name].n}"
    yield f"Look at {dimension} “{value}”: the lowest slice{runs} ({shown}). It may still be chance."


def _weakest(result: RunResult) -> Slice | None:
    name, sign = str(result.benchmark.primary), direction(result.benchmark.primary)
    known = [
        (sign * value, one)
        for one in result.slices
        if one.summaries[name].n >= FEW
        and one.summaries[name].n < primary(result).n
        and (value := one.summaries[name].value) is not None
    ]
    return min(known, key=lambda pair: pair[0])[1] if known else None


def _cut_off(report: Report) -> Iterator[str]:
    """Say where the time limit hides how long searches take."""
    for result in report.runs:
        times = [one for name, one in result.summaries.items() if is_latency(name) and one.cut_off]
        if times:
            known = times[0].cut_off
            hidden = [label(one.metric) for one in times if one.at_least]
            at_least = f" {', '.join(hidden)} may be any longer than given." if hidden else ""
            said = cut_off_text(known) if known else ""
            searches = count(times[0].n, "search", "searches")
            longer = "A longer timeout_seconds shows how long they take."
            yield f"In {result.run.spec.name}, of {searches} {said}.{at_least} {longer}"


def _open_quantiles(report: Report) -> Iterator[str]:
    summaries = [
        summary
        for result in report.runs
        for name, summary in result.summaries.items()
        if is_latency(name) and summary.interval and summary.interval.high is None and _few(summary)
    ]
    needs = {one.metric: float(parse(one.metric).arguments()["p"]) / 100 for one in summaries}
    if needs:
        parts = [f"{label(name)} needs {queries_for_quantile(p)} questions" for name, p in needs.items()]
        least = min(map(_questions, summaries))
        measured = count(least, "question")
        yield f"No upper limit with {measured} measured: {', '.join(parts)} for one at 95% confidence."


def _questions(summary: Summary) -> int:
    """Return how many questions a percentile rests on; repeats of one are not more."""
    return math.floor(summary.n if summary.effective_n is None else summary.effective_n + 1e-9)


def _few(summary: Summary) -> bool:
    return _questions(summary) < queries_for_quantile(float(parse(summary.metric).arguments()["p"]) / 100)


def _width(report: Report) -> Iterator[str]:
    summary = primary(report.runs[0])
    one = summary.interval
    if one and one.low is not None and one.high is not None and summary.n:
        half = (one.high - one.low) / 2
        known = f"{label(summary.metric)} is known to about {plus_minus(summary.metric, half)}"
        needs = f"about four times as many questions ({4 * summary.n:,} instead of {summary.n:,})"
        yield f"{known}; half of that needs {needs}."


def _several_runs(report: Report) -> Iterator[str]:
    if len(report.runs) > 1:
        yield "Do not choose a run by these means alone: the questions are the same, so compare them in pairs."
