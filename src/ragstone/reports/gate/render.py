"""A gate's report as text, Markdown, JSON and JUnit, all from one `GateReport`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict

from ragstone.experiments.gate.decide import GateReport
from ragstone.experiments.gate.margins import GateCheck
from ragstone.reports.escape import escaped, with_commands
from ragstone.reports.gate.words import WORDS, check_sentence, next_step, title, verdict_sentence, verdict_word
from ragstone.reports.junit import JunitCase, junit_xml
from ragstone.reports.junit import Outcome as JunitOutcome
from ragstone.reports.plain import plain
from ragstone.reports.words import count
from ragstone.stats.gate import Outcome

SCHEMA = "ragstone.gate/1"
# A comment on GitHub may have 64 KiB.
MARKER = "<!-- ragstone-gate -->"
_LIMIT = 60_000
_ORDER: tuple[Outcome, ...] = ("fail", "not_enough", "pass")
_SIGNS: dict[Outcome, str] = {"pass": "✅", "fail": "❌", "not_enough": "⚠️"}


def render_gate(report: GateReport) -> str:
    """Return the report as plain text, the trouble first."""
    lines = [f"Gate: {verdict_word(report)}. {plain(verdict_sentence(report))}", plain(_what(report))]
    lines += [f"  note: {plain(str(one))}" for one in report.tolerated]
    checks = _sorted(report)
    wide = max((len(WORDS[check.outcome]) for check in checks), default=0)
    for check in checks:
        lines += ["", f"  {WORDS[check.outcome]:<{wide}}  {plain(title(check))}"]
        lines.append(f"  {'':<{wide}}  {plain(check_sentence(check))}")
    lines += ["", plain(next_step(report))] if next_step(report) else []
    return "\n".join(lines) + "\n"


def _what(report: GateReport) -> str:
    against = f" against {_run(report.baseline.name, report.baseline.id)}" if report.baseline else ""
    # The first word is ours: a line that began with a run's name could be read as a command by GitHub.
    return (
        f"Run {_run(report.candidate.name, report.candidate.id)}{against}, {count(report.questions, 'question')}."
    )


def _run(name: str, id_: str) -> str:
    return name if name == id_ else f"{name} ({id_})"


def _sorted(report: GateReport) -> list[GateCheck]:
    return [check for outcome in _ORDER for check in report.having(outcome)]


def gate_markdown(report: GateReport) -> str:
    """Return the report as GitHub Markdown, for a step summary or a comment: at most 60 KB.

    It begins with a comment that `action.yml` finds its own comment by.
    """
    heading = f"## {_SIGNS[report.outcome]} Gate of {escaped(report.title)}: {verdict_word(report)}"
    paragraphs = [f"{MARKER}\n{heading}", f"**{escaped(verdict_sentence(report))}**", escaped(_what(report))]
    paragraphs += [f"Note: {escaped(str(one))}." for one in report.tolerated]
    text, cut = "\n\n".join([*paragraphs, "| | check | what was found |\n| --- | --- | --- |\n"]), 0
    for row in _rows(report):
        if cut or len((text + row).encode()) > _LIMIT:
            cut += 1
        else:
            text += row
    text += f"\n_{count(cut, 'more check')} in the JSON report._\n" if cut else ""
    return text + (f"\n{with_commands(next_step(report))}\n" if next_step(report) else "")


def _rows(report: GateReport) -> Iterator[str]:
    for check in _sorted(report):
        cells = (_SIGNS[check.outcome], escaped(title(check)), with_commands(check_sentence(check)))
        yield f"| {' | '.join(cells)} |\n"


def gate_json(report: GateReport) -> str:
    """Return everything in the report as JSON."""
    data = {
        "schema": SCHEMA,
        "benchmark": report.title,
        "dataset": {"digest": report.dataset, "n": report.questions},
        "candidate": asdict(report.candidate),
        "baseline": None if report.baseline is None else asdict(report.baseline),
        "verdict": {
            "outcome": report.outcome,
            "exit_code": int(report.verdict),
            "word": verdict_word(report),
            "sentence": verdict_sentence(report),
            "queries_to_settle": report.to_settle,
        },
        "policy": report.policy.model_dump(mode="json"),
        "differences": [asdict(one) for one in report.tolerated],
        "checks": [
            {**asdict(check), "title": title(check), "sentence": check_sentence(check)} for check in report.checks
        ],
    }
    return json.dumps(data, ensure_ascii=False, allow_nan=False, indent=2) + "\n"


def gate_junit(report: GateReport) -> str:
    """Return the report as JUnit, a case a check; what lacks evidence fails where it blocks, else is skipped."""
    warn = report.policy.on_not_enough == "warn"
    outcomes: dict[Outcome, JunitOutcome] = {
        "pass": "passed",
        "fail": "failed",
        "not_enough": "skipped" if warn else "failed",
    }
    cases = [
        JunitCase(
            name=title(check),
            classname=f"gate.{report.candidate.name}.{check.kind}",
            outcome=outcomes[check.outcome],
            message=check_sentence(check),
        )
        for check in report.checks
    ]
    return junit_xml(f"gate {report.title}", cases)
