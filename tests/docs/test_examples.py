"""Every example in the documentation is run as it stands."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys

import pytest
from tests.docs.blocks import PAGES, ROOT, blocks_of, name_of, write_file

from ragstone.bootstrap import load_benchmark

WITH_PYTHON = [page for page in PAGES if any(block.language == "python" for block in blocks_of(page))]
MINILM = ("docs/tutorial/first-benchmark.md",)  # pages that search with the model
GUIDES = [page for page in PAGES if name_of(page).startswith(("docs/tutorial/", "docs/how-to/"))]
SECONDS = 60


def guides():
    """Return the guides as parameters, marked where they need a model."""
    for page in GUIDES:
        yield pytest.param(page, id=name_of(page), marks=pytest.mark.minilm if name_of(page) in MINILM else ())


@pytest.fixture(scope="session")
def environment(tmp_path_factory):
    """The environment of a reader with an empty cache and a terminal of 100 columns."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith("RAGSTONE_")}
    return {**kept, "RAGSTONE_CACHE": str(tmp_path_factory.mktemp("cache")), "COLUMNS": "100", "NO_COLOR": "1"}


def run(arguments, folder, environment):
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )


def squeezed(text):
    return " ".join(text.split())


@pytest.mark.parametrize("page", WITH_PYTHON, ids=name_of)
def test_python_blocks_run(page, tmp_path, environment):
    """The Python blocks of a page run one after another in one namespace."""
    parts = []
    for block in blocks_of(page):
        write_file(block, tmp_path)
        if block.language == "python" and "skip" not in block.directives:
            parts.append(f"{block.text}\n")
    done = run(["-W", "error", "-c", "".join(parts)], tmp_path, environment)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("page", list(guides()))
def test_commands_run_and_end_as_stated(page, tmp_path, environment):
    """The commands of a guide, run in order beside the files it shows, end and print as it says."""
    output, ran = "", 0
    for block in blocks_of(page):
        where = f"{name_of(page)}:{block.line}"
        write_file(block, tmp_path)
        if "skip" in block.directives:
            continue
        if block.commands:
            wanted = int(block.directives.get("exit", 0))
            output = ""
            for command in block.commands:
                done = run(["-m", *shlex.split(command, comments=True)], tmp_path, environment)
                output += done.stdout + done.stderr
                assert done.returncode == wanted, f"{where}: {command}\n{done.stdout}{done.stderr}"
                assert "Traceback" not in done.stderr, f"{where}: {done.stderr}"
                ran += 1
        if "output" in block.directives:
            for line in filter(str.strip, block.lines):
                assert squeezed(line) in squeezed(output), f"{where}: {line!r} is not in\n{output}"
    assert ran, f"{name_of(page)} shows no command"


def test_readme_benchmark_is_valid(tmp_path):
    """The benchmark file in the README passes every check, with the questions shown there."""
    for block in blocks_of(ROOT / "README.md"):
        write_file(block, tmp_path)
    (tmp_path / "mysearch.py").write_text("def search(query, k):\n    return []\n", encoding="utf-8")
    plan = load_benchmark(tmp_path / "benchmark.yaml")
    assert [spec.name for spec in plan.specs] == ["my search"]
    assert not plan.warnings


def test_readme_is_short():
    """The README fits on a page or two."""
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) <= 70
