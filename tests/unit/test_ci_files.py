"""The GitHub Action and the pre-commit hook are what those tools read."""

from __future__ import annotations

import re

import pytest
import yaml
from tests.docs.blocks import ROOT
from typer.testing import CliRunner

from ragstone.cli.main import app
from ragstone.reports.gate.render import MARKER

ACTION = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
STEPS = ACTION["runs"]["steps"]
(HOOK,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))


def test_the_action_has_what_github_requires():
    """Name, description, composite steps; inputs and outputs described, and outputs with a value."""
    assert {"name", "description", "inputs", "outputs", "runs"} <= ACTION.keys()
    assert ACTION["runs"]["using"] == "composite"
    assert all(one["description"] for one in [*ACTION["inputs"].values(), *ACTION["outputs"].values()])
    assert all(one["value"].startswith("${{ steps.gate.outputs.") for one in ACTION["outputs"].values())
    assert [name for name, one in ACTION["inputs"].items() if one.get("required")] == ["benchmark"]
    assert all("default" in one for one in ACTION["inputs"].values() if not one.get("required"))


@pytest.mark.parametrize("step", STEPS, ids=[step["name"] for step in STEPS])
def test_steps_name_their_shell_and_take_inputs_from_the_environment(step):
    """A composite action's script needs a shell, and an expression in its text would be run."""
    assert step["shell"] == "bash"
    assert "${{" not in step["run"]
    for name in step["env"]:
        assert re.search(rf"\b{name}\b", step["run"]) or name == "GH_TOKEN"


def test_every_input_is_used_and_every_one_used_is_declared():
    """A misspelt input would be empty without a word."""
    text = (ROOT / "action.yml").read_text(encoding="utf-8")
    assert set(re.findall(r"inputs\.([\w-]+)", text)) == set(ACTION["inputs"])


def test_the_action_finds_its_comment_by_the_mark_of_the_report():
    """The same mark that the Markdown begins with."""
    assert MARKER in STEPS[-1]["run"]


def test_the_hook_is_one_that_pre_commit_reads():
    """Required keys, and none that it does not know."""
    assert {"id", "name", "entry", "language"} <= HOOK.keys()
    assert HOOK.keys() <= {"id", "name", "description", "entry", "language", "files", "require_serial"}
    assert HOOK["id"] == "ragstone-dataset"


@pytest.mark.parametrize(
    ("path", "taken"),
    [
        ("questions.jsonl", True),
        ("eval/questions_de.json", True),
        ("eval_set.jsonl", True),
        ("data/ground-truth.jsonl", True),
        ("ground_truth.jsonl", True),
        ("dataset.yaml", False),
        ("package.json", False),
        ("src/questionsx/a.json", False),
    ],
)
def test_the_hook_takes_data_sets_by_their_name(path, taken):
    """Others are named with `files` in the user's configuration."""
    assert bool(re.search(HOOK["files"], path)) == taken


def test_the_hook_checks_each_file_by_itself(tmp_path):
    """Two files with the same ids are two data sets; the problems of all files are listed."""
    row = '{"query_id": "q", "query": "?", "gold_references": [{"document": "a", "relevance": 1}]}\n'
    for name, text in (("a.jsonl", row), ("b.jsonl", row), ("c.jsonl", "{"), ("d.jsonl", "[")):
        (tmp_path / name).write_text(text)
    command = HOOK["entry"].split()[1:]
    good = [str(tmp_path / name) for name in ("a.jsonl", "b.jsonl")]
    assert CliRunner().invoke(app, [*command, *good]).exit_code == 0
    assert CliRunner().invoke(app, [*command, *good, "--json"]).output.count('"valid": true') == 3
    bad = CliRunner().invoke(app, [*command, str(tmp_path / "c.jsonl"), *good, str(tmp_path / "d.jsonl")])
    assert [problem.source[-7:] for problem in bad.exception.problems] == ["c.jsonl", "d.jsonl"]
