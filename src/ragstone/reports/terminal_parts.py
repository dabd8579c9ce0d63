"""What stands on the terminal, as parts that rich lays out."""

from __future__ import annotations

import io
import shlex
from collections.abc import Callable, Iterable, Iterator, Sequence

from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text

from ragstone.errors import ExitCode
from ragstone.experiments.report import Report
from ragstone.experiments.results import RunResult
from ragstone.reports.diagnosis.holes import holes_line
from ragstone.reports.matching import gap_rows
from ragstone.reports.overview import (
    answer,
    coverage,
    main_metrics,
    runs_text,
    shared_notices,
    short_names,
    verdict_sentence,
    verdict_word,
)
from ragstone.reports.plain import plain, shortened
from ragstone.reports.words import count, interval_text, label, value_text
from ragstone.reports.worst import Hard, hardest

_NOTICES = 8
_RUNS = 20
_WORST = 5
_MANY = 6
# Room for the counts, for a column of values, and at most for a name.
_COUNTS, _COLUMN, _NAME = 16, 14, 40


def lay_out(report: Report, width: int, *, colour: bool) -> str:
    """Return the report's parts laid out for a terminal of this width."""
    return laid_out(lambda console: _parts(report, console), width, colour=colour)


def laid_out(parts: Callable[[Console], Iterable[RenderableType]], width: int, *, colour: bool) -> str:
    """Return what rich makes of some parts on a terminal of this width."""
    console = Console(
        file=io.StringIO(),
        width=width,
        force_terminal=colour,
        color_system="standard" if colour else None,
        highlight=False,
        markup=False,
        emoji=False,
        legacy_windows=False,
    )
    with console.capture() as capture:
        for part in parts(console):
            console.print(part)
    return "\n".join(line.rstrip() for line in capture.get().splitlines()) + "\n"


def _parts(report: Report, console: Console) -> Iterator[RenderableType]:
    yield from _head(report)
    yield from _notices(report)
    yield ""
    yield _runs(report, console.width)
    if len(report.runs) > _RUNS:
        yield f"… and {len(report.runs) - _RUNS} more runs: see the HTML report"
    yield Text(holes_line(report), style="dim")
    yield from _thresholds(report)
    yield from _matching(report)
    worst = hardest(report)
    yield from _worst(report, worst, console.width)
    yield from _pointers(report, worst)


def _head(report: Report) -> Iterator[RenderableType]:
    dataset = report.dataset
    style = "bold green" if report.verdict is ExitCode.OK else "bold red"
    yield Text.assemble((plain(report.title), "bold"), "  ", (verdict_word(report), style))
    yield Text(
        f"{count(len(report.runs), 'run')} of {count(len(dataset.queries), 'question')} "
        f"({plain(dataset.name)} {dataset.digest[:12]}), batch {report.batch}",
        style="dim",
    )
    yield ""
    yield Text(plain(answer(report)))
    yield Text(f"{verdict_sentence(report)}")


def _notices(report: Report) -> Iterator[RenderableType]:
    notices = shared_notices(report)
    if not notices:
        return
    lines = Table.grid(padding=(0, 1, 0, 0))
    for notice in notices[:_NOTICES]:
        who = f"{runs_text(notice.runs, len(report.runs))}: " if len(report.runs) > 1 else ""
        style = "red" if notice.level == "error" else "yellow"
        sign = "✗" if notice.level == "error" else "!"
        lines.add_row(Text(sign, style=style), Text(plain(who + notice.message)))
    yield ""
    yield lines
    if len(notices) > _NOTICES:
        yield Text(f"  … and {len(notices) - _NOTICES} more", style="dim")


def _runs(report: Report, width: int) -> Table:
    """Return the runs by their main metrics, the interval under its value; of many runs one line each."""
    names = short_names(report)[:_RUNS]
    many = len(report.runs) > _MANY
    metrics = _fitting(main_metrics(report), names, width)
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold", show_edge=False)
    table.add_column("run", overflow="fold")
    table.add_column("asked", justify="right", no_wrap=True)
    table.add_column("failed", justify="right", no_wrap=True)
    for name in metrics:
        table.add_column(label(name), justify="right", no_wrap=True)
        if many and name == metrics[0]:
            table.add_column("95% interval", justify="right", no_wrap=True)
    for name, result in zip(names, report.runs, strict=False):
        table.add_row(Text(shortened(name, 68)), *_asked(result), *_values(result, metrics, many=many))
    return table


def _fitting(metrics: Sequence[str], names: Sequence[str], width: int) -> Sequence[str]:
    """Return as many metrics as leave room for the runs' names: the first ones, and the latency."""
    name = min(max(len(one) for one in names), _NAME)
    most = max(2, (width - name - _COUNTS) // _COLUMN)
    return metrics if len(metrics) <= most else (*metrics[: most - 1], metrics[-1])


def _asked(result: RunResult) -> list[Text]:
    asked = coverage(result)
    return [Text(f"{asked.done}/{asked.total}"), Text(str(asked.failed), style="red" if asked.failed else "")]


def _values(result: RunResult, metrics: Sequence[str], *, many: bool) -> Iterator[Text]:
    for name in metrics:
        summary = result.summaries.get(name)
        shown = value_text(name, summary.value, at_least=summary.at_least) if summary else value_text(name, None)
        value = Text(shown, style="bold")
        interval = Text(interval_text(name, summary.interval) if summary and summary.interval else "", style="dim")
        if many:
            yield value
            if name == metrics[0]:
                yield interval
        else:
            yield Text("\n").join([value, interval])


def _thresholds(report: Report) -> Iterator[RenderableType]:
    checks = [(result.run.spec.name, check) for result in report.runs for check in result.checks]
    if not checks:
        return
    yield ""
    yield Text("Thresholds", style="bold")
    for metric, limit in dict.fromkeys((check.metric, check.limit) for _, check in checks):
        mine = [(run, check) for run, check in checks if (check.metric, check.limit) == (metric, limit)]
        met = [run for run, check in mine if check.met]
        missed = [
            f"{run} {value_text(metric, check.value, at_least=check.at_least)}"
            for run, check in mine
            if not check.met
        ]
        line = Text(f"  {label(metric)} {limit}: met by {len(met)} of {len(mine)}")
        if missed:
            line.append(plain(f"; missed by {', '.join(missed[:4])}"), style="red")
            line.append(f" and {len(missed) - 4} more" if len(missed) > 4 else "")
        yield line


def _matching(report: Report) -> Iterator[RenderableType]:
    rows = [row for row in gap_rows(report) if row.metric == str(report.runs[0].benchmark.primary)]
    if not rows:
        return
    yield ""
    yield Text(f"What the matching is worth, by {label(rows[0].metric)}", style="bold")
    for row in rows[:_MANY]:
        names = ("strict", "tolerant", "by document")
        values = (value_text(row.metric, one.value) for one in (row.strict, row.tolerant, row.document))
        said = ", ".join(f"{name} {value}" for name, value in zip(names, values, strict=True))
        yield Text(f"  {shortened(row.run, 40)}: {said}; gap {row.gap_text}")
    if unclear := sum(len(result.ambiguous) for result in report.runs):
        text = f"  {count(unclear, 'match', 'matches')} to review: a hit fits several golds (see the page)"
        yield Text(text, style="dim")


def _worst(report: Report, worst: Sequence[Hard], width: int) -> Iterator[RenderableType]:
    if not worst or report.verdict is ExitCode.UNREACHABLE:
        return
    name = str(report.runs[0].benchmark.primary)
    over = f", mean over {len(report.runs)} runs" if len(report.runs) > 1 else ""
    yield ""
    yield Text(f"Worst questions by {label(name)}{over}", style="bold")
    for one in worst[:_WORST]:
        query = one.found.query
        failed = f"({_failed(one.failed, len(report.runs))}) " if one.failed else ""
        head = f"  {value_text(name, one.value):>6}  {shortened(query.id, 16)}  {failed}"
        yield Text(head + shortened(query.text, max(10, width - len(head))))
    if len(worst) > _WORST:
        yield Text(f"  … and {len(worst) - _WORST} more below the best score", style="dim")


def _failed(failed: int, runs: int) -> str:
    return "search failed" if runs == 1 else f"failed in {failed} of {count(runs, 'run')}"


def _pointers(report: Report, worst: Sequence[Hard]) -> Iterator[RenderableType]:
    yield ""
    if worst:
        query = shlex.quote(plain(worst[0].found.query.id))
        yield Text(f"why:   ragstone explain {report.runs[0].run.id} {query}", style="dim")
    yield Text(f"page:  ragstone report {report.batch} --out report.html", style="dim")
