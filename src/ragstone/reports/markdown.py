"""Markdown for people and pull requests: the trouble first, short enough for a comment."""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence

from ragstone.experiments.report import Report
from ragstone.experiments.results import QueryResult, RunResult, Slice
from ragstone.matching.reference import place
from ragstone.reports.bands import RULE_OF_THUMB, band
from ragstone.reports.base import FORMATS, Format
from ragstone.reports.choice.render import which_sections
from ragstone.reports.diagnosis.holes import holes_sections
from ragstone.reports.diagnosis.text import diagnosis_sections
from ragstone.reports.escape import escaped, with_commands
from ragstone.reports.evidence import gold_rows, grade_text, hit_rows
from ragstone.reports.hints import hints
from ragstone.reports.matching import GAP_NOTE, doubtful, gap_rows
from ragstone.reports.overview import (
    FEW,
    answer,
    coverage,
    failures_within,
    main_metrics,
    primary,
    runs_text,
    shared_notices,
    verdict_sentence,
    verdict_word,
)
from ragstone.reports.plain import shortened
from ragstone.reports.words import (
    NONE,
    count,
    interval_text,
    label,
    n_text,
    reasons_text,
    score_text,
    sentence,
    value_text,
)
from ragstone.reports.worst import below_best, failure_groups

# GitHub takes comments of 64 KiB.
_LIMIT = 60_000
_CUT = "\n_Cut here for length; the HTML and JSON reports hold the rest._\n"
_NOTICES = 20
_WORST = 12
_BAR = 24
_DOUBTFUL = 10


def render_markdown(report: Report) -> str:
    """Return the report as GitHub Markdown of at most 60 KB, cut between sections where there is more."""
    text = ""
    for section in _sections(report):
        if len((text + section + _CUT).encode()) > _LIMIT:
            return text + _CUT
        text += section
    return text


def _sections(report: Report) -> Iterator[str]:
    yield _head(report)
    yield _run_table(report)
    yield from holes_sections(report, markdown_table)
    yield from _thresholds(report)
    yield from _failures(report)
    yield from _hints(report)
    yield from diagnosis_sections(report, markdown_table)
    yield from _worst(report)
    yield from which_sections(report, markdown_table)
    yield from _slices(report)
    yield from _histograms(report)
    yield from _matching(report)
    yield from (_metric_table(result) for result in report.runs)


def _head(report: Report) -> str:
    dataset = report.dataset
    lines = [f"# {escaped(report.title)}", ""]
    if report.description:
        lines += [escaped(report.description), ""]
    lines += [f"**{verdict_word(report).capitalize()}.** {verdict_sentence(report)} {escaped(answer(report))}", ""]
    signs = {"error": "❌", "warning": "⚠️"}
    notices = shared_notices(report)
    for notice in notices[:_NOTICES]:
        who = escaped(runs_text(notice.runs, len(report.runs)))
        lines.append(f"- {signs[notice.level]} **{notice.level}**, {who}: {with_commands(notice.message)}")
    lines += [f"- and {len(notices) - _NOTICES} more"] if len(notices) > _NOTICES else []
    lines += [
        "",
        f"Dataset {escaped(dataset.name)} `{dataset.digest[:12]}`, {count(len(dataset.queries), 'question')}.",
    ]
    return "\n".join(lines) + "\n"


def markdown_table(header: Sequence[str], rows: Sequence[Sequence[str]], numbers: Container[int]) -> str:
    """Return a table; the columns `numbers` are aligned right."""
    rule = ["---:" if index in numbers else "---" for index in range(len(header))]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in (header, rule, *rows)) + "\n"


def _run_table(report: Report) -> str:
    metrics = main_metrics(report)
    rows = [
        [escaped(result.run.spec.name), *_coverage(result), *_values(result, metrics)] for result in report.runs
    ]
    table = markdown_table(["run", "asked", "failed", *map(label, metrics)], rows, range(1, 99))
    policy = "is left out of the means" if report.runs[0].benchmark.on_error == "exclude" else "counts as a miss"
    return f"\n## Runs\n\n{table}\nEach value with its 95% interval. A failed search {policy}.\n"


def _coverage(result: RunResult) -> list[str]:
    asked = coverage(result)
    return [f"{asked.done}/{asked.total}", str(asked.failed)]


def _values(result: RunResult, metrics: Sequence[str]) -> Iterator[str]:
    for name in metrics:
        one = result.summaries.get(name)
        shown = value_text(name, one.value, at_least=one.at_least) if one else value_text(name, None)
        missing = reasons_text(one.missing) if one and one.value is None else ""
        yield f"**{shown}** {missing or interval_text(name, one.interval if one else None)}"


def _thresholds(report: Report) -> Iterator[str]:
    rows = [
        [
            escaped(result.run.spec.name),
            f"{label(check.metric)} {escaped(check.limit)}",
            "met" if check.met else "**missed**",
            value_text(check.metric, check.value, at_least=check.at_least),
        ]
        for result in report.runs
        for check in result.checks
    ]
    if rows:
        yield f"\n## Thresholds\n\n{markdown_table(['run', 'threshold', 'verdict', 'value'], rows, (3,))}"


def _failures(report: Report) -> Iterator[str]:
    rows = [
        [escaped(result.run.spec.name), escaped(kind), escaped(shortened(message, 160)), _some(ids), str(len(ids))]
        for result in report.runs
        for kind, message, ids in failure_groups(result)[:5]
    ]
    if rows:
        yield f"\n## Failed searches\n\n{markdown_table(['run', 'kind', 'message', 'questions', 'n'], rows, (4,))}"


def _some(ids: Sequence[str]) -> str:
    return escaped(", ".join(ids[:5])) + (" …" if len(ids) > 5 else "")


def _hints(report: Report) -> Iterator[str]:
    lines = [f"- {with_commands(hint)}\n" for hint in hints(report)]
    if lines:
        yield "\n## What next\n\n" + "".join(lines)


def _worst(report: Report) -> Iterator[str]:
    each = max(1, _WORST // len(report.runs))
    for result in report.runs:
        worst = below_best(result)
        if not worst:
            continue
        name = label(primary(result).metric)
        cut = f", {each} of {len(worst)} below the best score" if len(worst) > each else ""
        yield f"\n## Worst questions of {escaped(result.run.spec.name)} by {name}{cut}\n"
        yield from (_question(result, found) for found in worst[:each])


def _question(result: RunResult, found: QueryResult) -> str:
    name = primary(result).metric
    golds = gold_rows(found, result.benchmark.matching)
    hits = [
        f"{row.rank or ''} {escaped(shortened(place(row.hit), 80))} · {row.mark}" for row in hit_rows(found)[:5]
    ]
    wanted = [
        f"{escaped(shortened(place(row.gold), 80))} · {grade_text(row.gold.grade)}: {row.fate}" for row in golds
    ]
    longest = max(len(hits), len(wanted[:5]), 1)
    rows = zip(_padded(hits or ["nothing"], longest), _padded(wanted[:5], longest), strict=True)
    more = f"\n{len(wanted) - 5} more golds.\n" if len(wanted) > 5 else ""
    head = f"{escaped(found.query.id)}: {escaped(shortened(found.query.text, 300))}"
    value = score_text(name, found.scores[name].value)
    return f"\n**{head}** ({value})\n\n{markdown_table(['retrieved', 'gold'], [*rows], ())}{more}"


def _padded(cells: Sequence[str], length: int) -> list[str]:
    return [*cells, *[""] * (length - len(cells))]


def _slices(report: Report) -> Iterator[str]:
    keys = dict.fromkeys((one.dimension, one.value, one.n) for result in report.runs for one in result.slices)
    if not keys:
        return
    tables = [{(one.dimension, one.value): one for one in result.slices} for result in report.runs]
    rows = [
        [
            dimension,
            escaped(value),
            str(n),
            *(
                _slice(result, table.get((dimension, value)))
                for result, table in zip(report.runs, tables, strict=True)
            ),
        ]
        for dimension, value, n in keys
    ]
    header = ["by", "slice", "questions", *(escaped(result.run.spec.name) for result in report.runs)]
    name = label(primary(report.runs[0]).metric)
    table = markdown_table(header, rows, range(2, 99))
    yield f"\n## {name} by slice\n\n{table}\n“few”: fewer than {FEW} scored questions.\n"


def _slice(result: RunResult, one: Slice | None) -> str:
    if one is None:
        return NONE
    summary = one.summaries[primary(result).metric]
    few = " few" if 0 < summary.n < FEW else ""
    return f"{value_text(summary.metric, summary.value, at_least=summary.at_least)}{few}"


def _histograms(report: Report) -> Iterator[str]:
    yield "\n## Rank of the first relevant hit\n"
    for result in report.runs:
        most = max(result.histogram.values(), default=0)
        lines = [
            f"{rank:>5} {'█' * round(_BAR * n / most) if most else '':{_BAR}} {n}"
            for rank, n in result.histogram.items()
        ]
        yield f"\n{escaped(result.run.spec.name)}\n\n```text\n" + "\n".join(lines) + "\n```\n"


def _matching(report: Report) -> Iterator[str]:
    gaps = [
        [
            escaped(row.run),
            label(row.metric),
            *(value_text(row.metric, one.value) for one in (row.strict, row.tolerant, row.document)),
            row.gap_text,
        ]
        for row in gap_rows(report)
    ]
    if gaps:
        header = ["run", "metric", "strict", "tolerant", "by document", "gap"]
        yield f"\n## What the matching is worth\n\n{markdown_table(header, gaps, range(2, 6))}\n{GAP_NOTE}\n"
    for result in report.runs:
        rows = [
            [escaped(one.query), str(one.rank), escaped(one.hit), escaped("; ".join(one.golds))]
            for one in doubtful(result)
        ]
        if rows:
            more = f"\n{len(rows) - _DOUBTFUL} more.\n" if len(rows) > _DOUBTFUL else ""
            table = markdown_table(["question", "rank", "hit", "fits"], rows[:_DOUBTFUL], (1,))
            yield f"\n## Ambiguous matches of {escaped(result.run.spec.name)}\n\n{table}{more}"


def _metric_table(result: RunResult) -> str:
    rows = []
    for name, one in result.summaries.items():
        failed = failures_within(result, one)
        missing = [reasons_text(one.missing), f"{failed} failed within" if failed else ""]
        rows.append(
            [
                label(name),
                value_text(name, one.value, at_least=one.at_least),
                interval_text(name, one.interval),
                n_text(one),
                "; ".join(filter(None, missing)),
                one.interval.method if one.interval else "",
                band(name, one.value) or "",
            ]
        )
    header = ["metric", "value", "95% interval", "n", "missing", "method", RULE_OF_THUMB]
    said = escaped(sentence(primary(result), failures_within(result, primary(result))))
    table = markdown_table(header, rows, (1, 2, 3))
    return f"\n## All metrics of {escaped(result.run.spec.name)}\n\n{said}\n\n{table}"


FORMATS.add("markdown")(Format("markdown", ".md", render_markdown))
