"""The gate as a workflow uses it: real processes, a store on disk, exit codes."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
import yaml
from typer.testing import CliRunner

from ragstone.cli.main import app
from ragstone.errors import UsageError

ROOT = Path(__file__).parents[2]
SEARCH = """\
def sound(query, k):
    number = int(query.split()[-1])
    return [f"doc{number}", "other"] if number % 10 else ["other"]

def unchanged(query, k):
    return sound(query, k)

def broken(query, k):
    return sound(query, k) if int(query.split()[-1]) % 2 else ["other"]
"""
BENCHMARK = """\
name: words
dataset: {dataset}
system: {{type: callable, function: "my_search:{function}"}}
top_k: 10
metrics: [nDCG@10, Hit@5]
variants: [{{name: {name}}}]
"""
POLICY = """\
margins: {nDCG@10: 0.05, Hit@5: 0.05}
thresholds: {Hit@5: "> 0.80", latency_p95: "< 5 s"}
must_pass: [q1, q7]
"""
RUNS = {"sound": 200, "unchanged": 200, "broken": 200, "few": 10, "fewer": 10}


def ragstone(folder, *arguments, code=0, **environment):
    """Run the command; return its standard output and error."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith("GITHUB_")}
    done = subprocess.run(
        [sys.executable, "-m", "ragstone", *arguments],
        cwd=folder, capture_output=True, text=True, env={**kept, **environment}, timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == code, done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    return done.stdout, done.stderr


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A store with five runs: sound, unchanged and broken on 200 questions, and two sound ones on ten."""
    place = tmp_path_factory.mktemp("gate")
    for n in (10, 200):
        rows = [
            {
                "query_id": f"q{i}",
                "query": f"find {i}",
                "gold_references": [{"document": f"doc{i}", "relevance": 3}],
            }
            for i in range(n)
        ]
        (place / f"questions{n}.jsonl").write_text("\n".join(map(json.dumps, rows)))
    (place / "my_search.py").write_text(SEARCH)
    (place / "gate.yaml").write_text(POLICY)
    for name, n in RUNS.items():
        function = "sound" if name.startswith("few") else name
        text = BENCHMARK.format(dataset=f"questions{n}.jsonl", function=function, name=name)
        (place / f"{name}.yaml").write_text(text)
        ragstone(place, "run", f"{name}.yaml", "-q")
    (place / "own.yaml").write_text(text + "thresholds: {Hit@5: '> 0.95'}\n")
    ragstone(place, "run", "own.yaml", "-q", "--store", "own.db", code=1)
    return place


@pytest.fixture(scope="module")
def ids(folder):
    """Run ids by name."""
    runs = json.loads(ragstone(folder, "runs", "list", "--json")[0])["runs"]
    return {run["name"]: run["id"] for run in runs}


def test_an_unchanged_configuration_passes(folder, ids):
    """Exit code 0, and every check in a sentence."""
    out, _ = ragstone(folder, "gate", ids["unchanged"], "--against", ids["sound"], "--policy", "gate.yaml")
    assert out.startswith("Gate: passed. Safe to ship: 6 checks passed.")
    assert "Within the margin: at worst it is 1.2 points below the baseline, and you allowed 5." in out


def test_a_broken_configuration_fails(folder, ids):
    """Exit code 1; the same verdict in every format, in files and in the summary of the step."""
    arguments = ("gate", ids["broken"], "--against", ids["sound"], "--policy", "gate.yaml", "--junit", "out/j.xml")
    summary = folder / "summary.md"
    summary.write_text("before\n")
    out, _ = ragstone(folder, *arguments, code=1, GITHUB_STEP_SUMMARY=str(summary))
    assert out.startswith("Gate: failed. Do not ship: 3 of 6 checks failed")
    text = summary.read_text()
    assert text.startswith("before\n<!-- ragstone-gate -->\n## ❌ Gate of words: failed")
    suite = ET.parse(folder / "out/j.xml").getroot()[0]  # noqa: S314 - written above
    assert (suite.get("tests"), suite.get("failures")) == ("6", "3")
    data = json.loads(ragstone(folder, *arguments, "--json", code=1)[0])
    assert (data["verdict"]["outcome"], data["verdict"]["exit_code"]) == ("fail", 1)
    github, _ = ragstone(folder, *arguments, "--format", "github", code=1)
    assert len(re.findall("^::error title=Gate%3A ", github, re.MULTILINE)) == 3
    _, talk = ragstone(folder, *arguments, "--format", "markdown", "--out", "out/gate.md", code=1)
    assert "wrote out/gate.md" in talk
    assert (folder / "out/gate.md").read_text() in text


def test_ten_questions_are_not_enough(folder, ids):
    """Exit code 6, and how many more would do; with on_not_enough: warn it is 0."""
    arguments = ("gate", "--against", ids["few"], "--policy")
    out, _ = ragstone(folder, *arguments, "gate.yaml", code=6)
    assert out.startswith("Gate: not enough evidence. Cannot say yet: ")
    assert re.search(r"about \d+ more questions would settle it", out)
    (folder / "warn.yaml").write_text(POLICY + "on_not_enough: warn\n")
    out, _ = ragstone(folder, *arguments, "warn.yaml", "--format", "github")
    assert "by the policy this is a warning only" in out
    assert "::warning title=Gate%3A nDCG@10" in out
    assert "::error" not in out


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        (("{broken}", "--policy", "gate.yaml"), "need a baseline run: name it with --against"),
        (("{broken}", "--policy", "gate.yaml", "--against", "main"), "the baseline: unknown run 'main'"),
        (("{broken}", "--policy", "gate.yaml", "--against", "{broken}"), "both run and baseline"),
        (("{broken}", "--policy", "gate.yaml", "--against", "{few}"), "dataset differs"),
        (("{broken}", "--against", "{sound}"), "--against needs a policy"),
        (("{broken}",), "has no thresholds; give a policy with --policy"),
        (("{broken}", "--policy", "none.yaml"), "none.yaml: cannot be read"),
        (("{broken}", "--policy", "questions10.jsonl"), "questions10.jsonl"),
        (("brokn",), "unknown run 'brokn'"),
        (("{broken}", "--json", "--format", "junit"), "different formats"),
    ],
)
def test_what_does_not_fit_is_no_verdict(folder, ids, arguments, part, monkeypatch):
    """Wrong usage, and one message with the way out."""
    monkeypatch.chdir(folder)
    found = CliRunner().invoke(app, ["gate", *(one.format(**ids) for one in arguments)])
    assert isinstance(found.exception, UsageError)
    assert part in str(found.exception)


def test_without_a_policy_the_benchmark_decides(folder, monkeypatch):
    """Its thresholds, for the run of the latest batch."""
    monkeypatch.chdir(folder)
    found = CliRunner().invoke(app, ["gate", "--store", "own.db"])
    assert found.exit_code == 1
    assert (
        "Hit@5 is 90.0% over 10 questions, and must be > 0.95 (measured value, without statistics)."
        in found.output
    )


def step(name):
    """Return a step of the action."""
    steps = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))["runs"]["steps"]
    return next(one for one in steps if one["name"] == name)


def run_step(name, folder, place, **environment):
    """Run the script of a step as a runner does, with its own folder of commands first on the path."""
    commands = place / "bin"
    commands.mkdir(exist_ok=True)
    (commands / "ragstone").write_text(f'#!/bin/sh\nexec {sys.executable} -m ragstone "$@"\n')
    (commands / "gh").write_text(f'#!/bin/sh\nprintf "%s\\n" "$*" >> {place}/gh.txt\ncat {place}/answer\n')
    (place / "answer").touch()
    for command in commands.iterdir():
        command.chmod(0o755)
    path = f"{commands}:{os.environ['PATH']}"
    files = {key: str(place / key) for key in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY", "GITHUB_PATH")}
    return subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step(name)["run"]],
        cwd=folder, capture_output=True, text=True, timeout=60, check=False,
        env={**os.environ, **files, "RUNNER_TEMP": str(place), "PATH": path, **environment},
    )  # fmt: skip


INPUTS = {"POLICY": "", "AGAINST": "", "RUN": "", "STORE": "ragstone.db"}


def test_the_action_runs_and_decides(folder, tmp_path, ids):
    """Its script runs the benchmark, holds it against the baseline in the store, and ends with the gate's code."""
    given = {**INPUTS, "POLICY": "gate.yaml", "AGAINST": ids["sound"], "RUN": "broken"}
    done = run_step("Run the benchmark and decide", folder, tmp_path, BENCHMARK="broken.yaml", **given)
    assert done.returncode == 1, done.stderr
    assert "::error title=Gate" in done.stdout
    assert "## ❌ Gate of words: failed" in (tmp_path / "GITHUB_STEP_SUMMARY").read_text()
    outputs = dict(line.split("=", 1) for line in (tmp_path / "GITHUB_OUTPUT").read_text().splitlines())
    assert outputs["exit-code"] == "1"
    assert Path(outputs["markdown"]).is_file()
    assert Path(outputs["junit"]).is_file()


def test_the_action_ends_where_the_run_cannot_start(folder, tmp_path):
    """A wrong benchmark file is exit code 2 and no verdict; what an input holds is never run."""
    evil = "x.yaml; touch pwned; $(touch pwned) `touch pwned`"
    done = run_step("Run the benchmark and decide", folder, tmp_path, BENCHMARK=evil, **INPUTS)
    assert done.returncode == 2
    assert "exit-code=2" in (tmp_path / "GITHUB_OUTPUT").read_text()
    assert not (tmp_path / "GITHUB_STEP_SUMMARY").exists()
    assert not (folder / "pwned").exists()


def test_the_action_comments_once(folder, tmp_path):
    """A first comment is posted, a later one replaces it; without a verdict there is none."""
    verdict = tmp_path / "gate.md"
    given = {"GH_TOKEN": "t", "NUMBER": "7", "MARKDOWN": str(verdict), "GITHUB_REPOSITORY": "o/r"}
    assert run_step("Comment on the pull request", folder, tmp_path, **given).returncode == 0
    assert not (tmp_path / "gh.txt").exists()
    verdict.write_text("<!-- ragstone-gate -->\n")
    assert run_step("Comment on the pull request", folder, tmp_path, **given).returncode == 0
    (tmp_path / "answer").write_text("41\n")
    assert run_step("Comment on the pull request", folder, tmp_path, **given).returncode == 0
    calls = [line for line in (tmp_path / "gh.txt").read_text().splitlines() if "--method" in line]
    assert calls == [
        f"api --silent --method POST repos/o/r/issues/7/comments --field body=@{verdict}",
        f"api --silent --method PATCH repos/o/r/issues/comments/41 --field body=@{verdict}",
    ]
