"""`ragstone gate`."""

from __future__ import annotations

import os
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ragstone.cli.options import JsonOption, StoreOption, complete_runs, settings
from ragstone.cli.output import put, say, write_file
from ragstone.errors import UsageError

if TYPE_CHECKING:
    from ragstone.experiments.gate.decide import GateReport
    from ragstone.ports import Store
    from ragstone.types import Run

SUMMARY_VARIABLE = "GITHUB_STEP_SUMMARY"


class GateFormat(StrEnum):
    """How the verdict is written."""

    TERMINAL = "terminal"
    MARKDOWN = "markdown"
    JSON = "json"
    JUNIT = "junit"
    GITHUB = "github"


def gate(  # noqa: PLR0917 - the options of one command
    run: Annotated[
        str | None,
        typer.Argument(
            help="Run to decide on; by default that of the latest batch.",
            metavar="RUN",
            autocompletion=complete_runs,
        ),
    ] = None,
    against: Annotated[
        str | None,
        typer.Option("--against", help="Baseline run.", metavar="RUN", autocompletion=complete_runs),
    ] = None,
    policy: Annotated[
        Path | None,
        typer.Option(
            "--policy", "-p", help="Policy file (YAML); by default the benchmark's thresholds.", metavar="FILE"
        ),
    ] = None,
    form: Annotated[
        GateFormat | None, typer.Option("--format", "-f", help="How the verdict is written.", show_default=False)
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="File to write instead of standard output.")
    ] = None,
    junit: Annotated[Path | None, typer.Option("--junit", help="Also write JUnit XML here.")] = None,
    summary: Annotated[
        Path | None,
        typer.Option("--summary", help=f"Also append Markdown here [env {SUMMARY_VARIABLE}]."),
    ] = None,
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """Decide whether a change may ship: exit with 0, with 1, or with 6 for not enough evidence.

    Nothing is asked again: everything comes from the store.
    """
    from ragstone.bootstrap import open_configured_store
    from ragstone.reports.gate.render import gate_junit, gate_markdown

    chosen = _format(form, as_json=as_json)
    with open_configured_store(settings(store, None)) as opened:
        report = _decided(opened, run, against, policy)
    if junit is not None:
        write_file(junit, gate_junit(report))
    place = summary or (Path(os.environ[SUMMARY_VARIABLE]) if os.environ.get(SUMMARY_VARIABLE) else None)
    if place is not None:
        write_file(place, gate_markdown(report) + "\n", append=True)
    text = _text(report, chosen)
    if out is None:
        put(text)
    else:
        write_file(out, text)
        say(f"wrote {out}")
    raise typer.Exit(report.verdict)


def _format(form: GateFormat | None, *, as_json: bool) -> GateFormat:
    if as_json and form not in (None, GateFormat.JSON):
        raise UsageError(f"the options ask for different formats: {form}, json; choose one")
    return GateFormat.JSON if as_json else form or GateFormat.TERMINAL


def _decided(store: Store, run: str | None, against: str | None, policy: Path | None) -> GateReport:
    from ragstone.experiments.gate.decide import benchmark_policy, decide, find_baseline
    from ragstone.experiments.gate.policy import load_policy

    if policy is None and against is not None:
        raise UsageError("--against needs a policy that says what a difference means; name its file with --policy")
    rules = None if policy is None else load_policy(policy)
    candidate = _candidate(store, run)
    baseline = None if against is None else find_baseline(store, against)
    return decide(store, candidate, baseline, rules or benchmark_policy(candidate))


def _candidate(store: Store, run: str | None) -> Run:
    from ragstone.experiments.select import find_run, find_runs

    if run is not None:
        return find_run(store, run)
    found = find_runs(store)
    if len(found) > 1:
        names = ", ".join(one.spec.name for one in found)
        raise UsageError(f"the latest batch has {len(found)} runs; name the one to decide on: {names}")
    return found[0]


def _text(report: GateReport, form: GateFormat) -> str:
    from ragstone.reports.gate.github import workflow_commands
    from ragstone.reports.gate.render import gate_json, gate_junit, gate_markdown, render_gate

    if form is GateFormat.GITHUB:
        return render_gate(report) + "\n" + workflow_commands(report)
    writers = {
        GateFormat.TERMINAL: render_gate,
        GateFormat.MARKDOWN: gate_markdown,
        GateFormat.JSON: gate_json,
        GateFormat.JUNIT: gate_junit,
    }
    return writers[form](report)
