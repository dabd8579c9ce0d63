"""The report for a terminal: short, the trouble first."""

from __future__ import annotations

import io
import shutil
from collections.abc import Iterator
from typing import TYPE_CHECKING

from ragstone.experiments.report import ExitCode, Report
from ragstone.reports.base import FORMATS, Format
from ragstone.reports.overview import (
    answer,
    coverage,
    hardest,
    main_metrics,
    runs_text,
    shared_notices,
    verdict_sentence,
    verdict_word,
)
from ragstone.reports.plain import plain, shortened
from ragstone.reports.words import count, interval_text, label, value_text

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.table import Table

_NOTICES = 8
_RUNS = 20
_WORST = 5
_NARROW = 100


def render_terminal(report: Report, *, width: int = 100, colour: bool = False) -> str:
    """Return the report for a terminal of this width; plain characters unless colour is asked for."""
    from rich.console import Console

    console = Console(
        file=io.StringIO(),
        width=max(width, 40),
        force_terminal=colour,
        color_system="standard" if colour else None,
        highlight=False,
        markup=False,
        emoji=False,
        legacy_windows=False,
    )
    with console.capture() as capture:
        for part in _parts(report, console):
            console.print(part)
    return "\n".join(line.rstrip() for line in capture.get().splitlines()) + "\n"


def terminal_width() -> int:
    """Return the width of the terminal that this process writes to; 100 where there is none."""
    return shutil.get_terminal_size((100, 24)).columns


def _parts(report: Report, console: Console) -> Iterator[RenderableType]:
    yield from _head(report)
    yield from _notices(report)
    yield ""
    yield _runs(report, narrow=console.width < _NARROW)
    if len(report.runs) > _RUNS:
        yield f"… and {len(report.runs) - _RUNS} more runs: see the HTML report"
    yield from _thresholds(report)
    yield from _worst(report, console.width)
    yield from _pointers(report)


def _head(report: Report) -> Iterator[RenderableType]:
    from rich.text import Text

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
    from rich.padding import Padding
    from rich.text import Text

    notices = shared_notices(report)
    if notices:
        yield ""
    for notice in notices[:_NOTICES]:
        who = f"{runs_text(notice.runs, len(report.runs))}: " if len(report.runs) > 1 else ""
        style = "red" if notice.level == "error" else "yellow"
        sign = "✗" if notice.level == "error" else "!"
        text = Text.assemble((f"{sign} ", style), plain(who), plain(notice.message))
        yield Padding(text, (0, 0, 0, 0))
    if len(notices) > _NOTICES:
        yield Text(f"  … and {len(notices) - _NOTICES} more", style="dim")


def _runs(report: Report, *, narrow: bool) -> Table:
    """Return the runs by their main metrics; on a narrow terminal the interval stands under its value."""
    from rich.table import Table
    from rich.text import Text

    metrics = main_metrics(report)
    metrics = (*metrics[:3], metrics[-1]) if narrow else metrics
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold", show_edge=False)
    table.add_column("run", overflow="fold", max_width=34)
    table.add_column("asked", justify="right")
    table.add_column("failed", justify="right")
    for name in metrics:
        table.add_column(label(name), justify="right")
    for result in report.runs[:_RUNS]:
        asked = coverage(result)
        cells = [Text(f"{asked.done}/{asked.total}"), Text(str(asked.failed), style="red" if asked.failed else "")]
        for name in metrics:
            summary = result.summaries.get(name)
            value = value_text(name, summary.value if summary else None)
            interval = interval_text(name, summary.interval if summary else None)
            cells.append(Text.assemble((value, "bold"), "\n", (interval, "dim")))
        table.add_row(Text(shortened(result.run.spec.name, 68)), *cells)
    return table


def _thresholds(report: Report) -> Iterator[RenderableType]:
    from rich.text import Text

    checks = [(result.run.spec.name, check) for result in report.runs for check in result.checks]
    if not checks:
        return
    yield ""
    yield Text("Thresholds", style="bold")
    for metric, limit in dict.fromkeys((check.metric, check.limit) for _, check in checks):
        mine = [(run, check) for run, check in checks if (check.metric, check.limit) == (metric, limit)]
        met = [run for run, check in mine if check.met]
        missed = [f"{run} {value_text(metric, check.value)}" for run, check in mine if not check.met]
        line = Text(f"  {label(metric)} {limit}: met by {len(met)} of {len(mine)}")
        if missed:
            line.append(plain(f"; missed by {', '.join(missed[:4])}"), style="red")
            line.append(f" and {len(missed) - 4} more" if len(missed) > 4 else "")
        yield line


def _worst(report: Report, width: int) -> Iterator[RenderableType]:
    from rich.text import Text

    worst = hardest(report)
    if not worst:
        return
    name = str(report.runs[0].benchmark.primary)
    over = f", mean over {len(report.runs)} runs" if len(report.runs) > 1 else ""
    yield ""
    yield Text(f"Worst questions by {label(name)}{over}", style="bold")
    for found, value in worst[:_WORST]:
        head = f"  {value_text(name, value):>6}  {shortened(found.query.id, 16)}  "
        yield Text(head + shortened(found.query.text, max(10, width - len(head))))
    if len(worst) > _WORST:
        yield Text(f"  … and {len(worst) - _WORST} more below the best score", style="dim")


def _pointers(report: Report) -> Iterator[RenderableType]:
    from rich.text import Text

    worst = hardest(report)
    example = shortened(worst[0][0].query.id, 40) if worst else "QUERY"
    yield ""
    yield Text(f"why:   ragstone explain {report.runs[0].run.id} {example}", style="dim")
    yield Text(f"page:  ragstone report {report.batch} --out report.html", style="dim")


FORMATS.add("terminal")(Format("terminal", ".txt", render_terminal))
