"""`ragstone selfcheck`: a table for people, the same as JSON, and an exit code."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from ragstone.cli.main import app
from ragstone.cli.selfcheck import render
from ragstone.stats import selfcheck as checks


def call(*words, code=0):
    result = CliRunner().invoke(app, ["selfcheck", *map(str, words)])
    assert result.exit_code == code, (result.output, result.exception)
    return result


@pytest.fixture
def quick(monkeypatch):
    """Make the simulation small: one size."""
    whole = checks.selfcheck
    monkeypatch.setattr(checks, "selfcheck", lambda *, runs, seed: whole(runs=runs, seed=seed, sizes=(20,)))


def test_the_table_and_its_json_say_the_same(quick):
    """Markdown on standard output, talk on the other, and one figure for each cell."""
    result = call("--runs", 400, "--seed", 3)
    assert "simulating 400 experiments" in result.stderr
    assert "| guarded t (default) *" in result.stdout
    assert "simulating" not in result.stdout
    found = json.loads(call("--runs", 400, "--seed", 3, "--json", "--quiet").stdout)
    assert (found["runs"], found["seed"], found["holds"]) == (400, 3, True)
    for figure in found["figures"]:
        assert figure["value"] is None or f" {100 * figure['value']:.1f} |" in result.stdout


def test_a_broken_promise_ends_with_1(monkeypatch):
    """And is marked in the table."""
    broken = checks.Cell(kind="coverage", method="m", data="d", n=20, value=0.5, runs=9, promised=True)
    monkeypatch.setattr(checks, "selfcheck", lambda *, runs, seed: iter([broken]))
    assert "!50.0!" in call("--quiet", code=1).stdout


def test_rows_of_one_method_stand_together():
    """Whatever the order in which figures come; a size without a figure has a dash."""
    cells = [
        checks.Cell(kind="coverage", method=method, data=data, n=n, value=value, runs=1, promised=False)
        for method, data, n, value in [("a", "x", 10, 0.5), ("b", "x", 10, None), ("a", "y", 20, 0.25)]
    ]
    rows = [line.split("|")[1:] for line in render(cells, 1, 0).splitlines() if line.startswith("|")]
    assert [[cell.strip() for cell in row[:4]] for row in rows[2:5]] == [
        ["a", "x", "50.0", "-"],
        ["a", "y", "-", "25.0"],
        ["b", "x", "-", "-"],
    ]
