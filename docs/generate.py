"""Writes docs/reference/ from the registries, the models and the command line; `--check` only compares.

python docs/generate.py            write what has changed
python docs/generate.py --check    exit 1 if something is out of date
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))  # the parts of this script lie beside it

from reference_parts import benchmark_file, command_line, degenerate, exit_codes, gate_policy, metrics

from ragstone.bootstrap import json_schema

FOLDER = Path(__file__).parent / "reference"
NOTE = "<!-- Written by docs/generate.py; do not edit. -->"


def pages() -> Mapping[str, str]:
    """Return the text of every file of the reference, by name."""
    written = {
        "metrics.md": metrics.page(),
        "undefined.md": degenerate.page(),
        "benchmark-file.md": benchmark_file.page(),
        "cli.md": command_line.page(),
        "exit-codes.md": exit_codes.page(),
        "gate-policy.md": gate_policy.page(),
    }
    marked = {name: f"{NOTE}\n\n{text.rstrip()}\n" for name, text in written.items()}
    schema = json.dumps(json_schema(), indent=2, ensure_ascii=False) + "\n"
    return {**marked, "benchmark.schema.json": schema, "gate-policy.schema.json": gate_policy.schema()}


def outdated(wanted: Mapping[str, str]) -> Iterator[str]:
    """Yield the names of files that are missing or differ from what is wanted, and of files too many."""
    for name, text in wanted.items():
        path = FOLDER / name
        if not path.is_file() or path.read_text(encoding="utf-8") != text:
            yield name
    yield from sorted(path.name for path in FOLDER.glob("*") if path.name not in wanted)


def main(arguments: list[str]) -> int:
    """Write the reference, or with --check say what is out of date."""
    wanted = pages()
    stale = list(outdated(wanted))
    if "--check" in arguments:
        for name in stale:
            print(f"docs/reference/{name} is out of date: run python docs/generate.py", file=sys.stderr)
        return 1 if stale else 0
    FOLDER.mkdir(exist_ok=True)
    for name in stale:
        if name in wanted:
            (FOLDER / name).write_text(wanted[name], encoding="utf-8")
            print(f"wrote docs/reference/{name}")
        else:
            print(f"docs/reference/{name} is not generated; remove it{os.linesep}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
