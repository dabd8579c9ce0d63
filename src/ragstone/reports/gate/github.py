"""A gate's verdict as annotations of a GitHub workflow."""

from __future__ import annotations

from ragstone.experiments.gate.decide import GateReport
from ragstone.reports.gate.words import check_sentence, title, verdict_sentence
from ragstone.reports.plain import plain

# GitHub shows ten annotations of a kind for each step.
_MOST = 10


def workflow_commands(report: GateReport) -> str:
    """Return a workflow command for each check that did not pass, ten of a kind at most.

    What fails, or lacks evidence where that blocks, is an error; else it is a warning. A gate that passes has one
    notice.
    """
    open_ = "warning" if report.policy.on_not_enough == "warn" else "error"
    levels = {"fail": "error", "not_enough": open_}
    lines: dict[str, list[str]] = {"error": [], "warning": []}
    for outcome, level in levels.items():
        for check in report.checks:
            if check.outcome == outcome:
                lines[level].append(command(level, f"Gate: {title(check)}", check_sentence(check)))
    for level, found in lines.items():
        if len(found) > _MOST:
            found[_MOST - 1 :] = [command(level, "Gate", f"and {len(found) - _MOST + 1} more checks")]
    said = [*lines["error"], *lines["warning"]] or [command("notice", "Gate", verdict_sentence(report))]
    return "\n".join(said) + "\n"


def command(level: str, heading: str, message: str) -> str:
    r"""Return a workflow command; nothing in its texts can end it or begin another.

    Example:
        >>> command("error", "a: b, c", "100%\nmore")
        '::error title=a%3A b%2C c::100%25 more'
    """
    return f"::{level} title={_property(heading)}::{_data(message)}"


def _data(text: str) -> str:
    return plain(text).replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
