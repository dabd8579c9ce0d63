"""The page on exit codes, from their enumeration and the kinds of errors."""

from __future__ import annotations

from ragstone.cli.output import KINDS
from ragstone.errors import ExitCode
from reference_parts.tables import code, table

MEANINGS = {
    ExitCode.OK: "Done. Every question was asked and answered, and every threshold is met.",
    ExitCode.GATE_FAILED: "A threshold is missed, also where its value could not be computed; or a gate failed.",
    ExitCode.USAGE: "What was asked for does not exist or does not fit: a flag, a name, a file with problems.",
    ExitCode.INCOMPLETE: "Finished, but a search failed, or a run is interrupted or failed.",
    ExitCode.UNREACHABLE: "Every search failed because nothing answered at the endpoint.",
    ExitCode.STORE: "The store cannot be read or written, or another process writes to it.",
    ExitCode.NOT_ENOUGH_EVIDENCE: "Nothing is proven either way: a gate needs more questions to decide.",
    ExitCode.DEFECT: "An unexpected error, with its traceback: a defect of Ragstone, and no verdict.",
    ExitCode.INTERRUPTED: "Interrupted from the keyboard or terminated; what is stored stays.",
}

INTRODUCTION = """\
# Exit codes

`run`, `resume`, `report` and `demo` end with the verdict of the report, the same that stands in its JSON as
`verdict.exit_code`. A missed threshold goes before incompleteness; an unreachable system goes before both. `gate`
ends with 0, 1 or 6: a failed check goes before one that lacks evidence.
"""

ERRORS = """\
## Errors as JSON

With `--json`, an error is printed on standard output as `{"error": {"kind": ..., "message": ...,
"problems": [...]}}`; `problems` lists each with `source`, `line`, `pointer` and `message`. A wrong flag or
argument is always reported as text on standard error.
"""


def page() -> str:
    """Return the page."""
    codes = table(("code", "name", "meaning"), [(str(int(one)), one.name, MEANINGS[one]) for one in ExitCode])
    kinds = table(("kind", "exit code"), [(code(kind), str(number)) for kind, number in KINDS.values()])
    return f"{INTRODUCTION}\n{codes}\n\n{ERRORS}\n{kinds}"
