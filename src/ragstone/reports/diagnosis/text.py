"""The diagnosis of runs for the terminal and for Markdown."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterator, Sequence

from ragstone.experiments.diagnosis.ablation import ablations
from ragstone.experiments.diagnosis.diagnose import Diagnosis, diagnose
from ragstone.experiments.diagnosis.fates import STAGES
from ragstone.experiments.report import Report
from ragstone.experiments.results import RunResult
from ragstone.reports.bands import RULE_OF_THUMB
from ragstone.reports.diagnosis.advice import advice
from ragstone.reports.diagnosis.tables import (
    ablation_table,
    cascade_table,
    funnel_table,
    moves_table,
    oracle_context_sentence,
    reranking_sentences,
    retrievers_table,
)
from ragstone.reports.diagnosis.words import funnel_sentence, percent, title
from ragstone.reports.escape import escaped
from ragstone.reports.plain import plain
from ragstone.reports.tables import WIDTH, Table, columns
from ragstone.reports.words import reasons_text

_NO_STAGES = (
    "The system records no stages, so what is not in its result was lost at an unknown place. A system that fills "
    "`stages` in its responses is told more."
)


def render_diagnosis(result: RunResult, others: Sequence[RunResult] = ()) -> str:
    """Return the diagnosis of one run as text; `others` are the runs of its batch, for the ablation."""
    found = diagnose(result)
    lines = [f"{result.run.spec.name} ({result.run.id})", "", funnel_sentence(found.funnel), ""]
    lines += _text_table(funnel_table(found.funnel))
    if found.funnel.missing:
        lines += ["", f"Not counted: {reasons_text(found.funnel.missing)}."]
    if found.supports:
        supports = found.supports
        kept = f"{supports.kept} of {supports.n} ({percent(supports.share)})"
        lines += [f"Each required piece of evidence counted for itself: {kept} in the first {supports.cutoff}."]
    lines += ["", *_sentences(found)]
    rows = [row for row in ablations(others) if result.run.spec.name in (row.full, row.run)]
    tables = (
        moves_table(found.reranking.moves) if found.reranking else None,
        retrievers_table(found.retrievers),
        cascade_table(found.cascade),
        ablation_table(rows),
    )
    for table in tables:
        if table:
            lines += ["", *_text_table(table)]
    if said := advice(found):
        lines += ["", f"Advice by {RULE_OF_THUMB}, not findings:", *(f"  {line}" for line in said)]
    return "\n".join(_wrapped(plain(line)) for line in lines) + "\n"


def diagnosis_sections(report: Report, table: Callable[..., str]) -> Iterator[str]:
    """Yield the diagnosis of a report's runs as Markdown.

    Args:
        report: What is reported.
        table: Lays out a table from header, rows and the columns to align right.
    """
    found = [(result, diagnose(result)) for result in report.runs]
    if any(one.funnel.n for _, one in found):
        said = "".join(f"- {escaped(result.run.spec.name)}: {_said(one)}\n" for result, one in found)
        yield f"\n## Where the evidence was lost\n\n{_overview(found, table)}\n{said}"
    if shown := ablation_table(ablations(report.runs)):
        yield _markdown(shown, table)


def _said(found: Diagnosis) -> str:
    first = [sentence for sentence in reranking_sentences(found.reranking)[:1] if found.reranking]
    return " ".join(escaped(sentence) for sentence in (funnel_sentence(found.funnel), *first))


def _overview(found: Sequence[tuple[RunResult, Diagnosis]], table: Callable[..., str]) -> str:
    """Return a row for each run: what each stage lost."""
    counts = [{stage.name: stage.lost for stage in one.funnel.stages} for _, one in found]
    used = [name for name in STAGES if any(lost[name] for lost in counts)]
    cutoff = found[0][1].funnel.cutoff
    header = ["run", "n", *(title(name, cutoff) for name in used), title(found[0][1].funnel.end, cutoff)]
    rows = [
        [escaped(result.run.spec.name), *map(str, (one.funnel.n, *(lost[name] for name in used), one.funnel.kept))]
        for (result, one), lost in zip(found, counts, strict=True)
    ]
    return table(header, rows, range(1, len(header)))


def _markdown(shown: Table, table: Callable[..., str]) -> str:
    rows = [[cell if at in shown.numbers else escaped(cell) for at, cell in enumerate(row)] for row in shown.rows]
    note = f"\n{escaped(shown.note)}\n" if shown.note else ""
    return f"\n## {shown.title}\n\n{table([escaped(cell) for cell in shown.header], rows, shown.numbers)}{note}"


def _sentences(found: Diagnosis) -> list[str]:
    lines = reranking_sentences(found.reranking)
    if not found.cascade:
        lines.append(_NO_STAGES)
    return [*lines, oracle_context_sentence(found.oracle_context)]


def _wrapped(line: str) -> str:
    """Return prose in lines that fit a terminal; what is indented is a table's and stays."""
    if line.startswith("    ") or len(line) <= WIDTH or "  " in line.strip():
        return line
    indent = " " * (len(line) - len(line.lstrip()))
    return textwrap.fill(line, WIDTH, initial_indent="", subsequent_indent=indent)


def _text_table(table: Table) -> list[str]:
    """Return a table in columns of plain text, with its title and its note."""
    note = [table.note] if table.note else []
    return [table.title, *(f"  {line}" for line in columns(table, WIDTH - 2)), *note]
