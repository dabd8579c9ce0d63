"""What is generated is up to date, and what exists is documented."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest
import typer
from tests.docs.blocks import PAGES, ROOT, anchors_of, name_of

from ragstone.cli.main import app
from ragstone.metrics import FAMILIES
from ragstone.systems import SYSTEMS

DOCS = ROOT / "docs"


def command_paths():
    """Return the path of every command and group."""
    return list(_below(typer.main.get_command(app), ()))


def _below(group, path):
    for name, command in getattr(group, "commands", {}).items():
        yield (*path, name)
        yield from _below(command, (*path, name))


def python(*arguments):
    return subprocess.run(
        [sys.executable, *arguments], cwd=ROOT, capture_output=True, text=True, timeout=60, check=False
    )


def test_reference_is_up_to_date():
    """`docs/reference` is what `docs/generate.py` writes."""
    done = python("docs/generate.py", "--check")
    assert done.returncode == 0, done.stderr


def test_check_finds_what_is_out_of_date():
    """`--check` ends with 1 and names a page that differs, is missing or should not be there."""
    script = (
        "import sys; sys.path.insert(0, 'docs')\n"
        "import generate, pathlib, tempfile\n"
        "generate.pages = lambda: {'metrics.md': 'one', 'cli.md': 'two'}\n"
        "folder = generate.FOLDER = pathlib.Path(tempfile.mkdtemp())\n"
        "assert generate.main([]) == 0 and generate.main(['--check']) == 0\n"
        "(folder / 'cli.md').write_text('old')\n"
        "(folder / 'metrics.md').unlink()\n"
        "(folder / 'extra.md').write_text('new')\n"
        "sys.exit(generate.main(['--check']))\n"
    )
    done = python("-c", script)
    assert done.returncode == 1, done.stderr
    named = [line.split()[0] for line in done.stderr.splitlines()]
    assert named == [f"docs/reference/{name}.md" for name in ("metrics", "cli", "extra")]


@pytest.mark.parametrize("metric", FAMILIES)
def test_every_metric_is_documented(metric):
    """A metric has a section in the reference, a line in the glossary and a row for doubtful cases."""
    assert metric.lower() in anchors_of(DOCS / "reference/metrics.md")
    undefined = (DOCS / "reference/undefined.md").read_text(encoding="utf-8")
    assert any(f"`{metric}{end}" in undefined for end in ("`", "@", "("))
    glossary = (DOCS / "glossary.md").read_text(encoding="utf-8")
    assert re.search(rf"\b{metric.replace('_', '[_ ]')}\b", glossary)


@pytest.mark.parametrize("kind", SYSTEMS)
def test_every_system_type_is_documented(kind):
    """A system type has a section in the reference and stands in a guide."""
    assert f"system-{kind}" in anchors_of(DOCS / "reference/benchmark-file.md")
    guides = [page.read_text(encoding="utf-8") for page in PAGES if name_of(page).startswith("docs/how-to/")]
    assert any(f"type: {kind}" in guide for guide in guides)


@pytest.mark.parametrize("command", [" ".join(("ragstone", *path)) for path in command_paths()])
def test_every_command_is_documented(command):
    """A command has a section in the reference and is named on another page too."""
    assert command.replace(" ", "-") in anchors_of(DOCS / "reference/cli.md")
    others = (page.read_text(encoding="utf-8") for page in PAGES if page.name != "cli.md")
    assert any(command in text for text in others)


def test_coverage_figures_are_those_of_the_code():
    """The tables on intervals hold what the script computes with the functions of the reports."""
    done = python("docs/explanation/coverage.py")
    assert done.returncode == 0, done.stderr
    text = (DOCS / "explanation/statistics.md").read_text(encoding="utf-8")
    for row in done.stdout.splitlines():
        assert row in text
