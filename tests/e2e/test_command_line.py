"""The command line as a person uses it: real processes, real files."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time

import pytest
from tests.killing import wait_until

BENCHMARK = """\
name: words
dataset: questions.jsonl
system: {type: callable, function: "my_search:search"}
top_k: 10
metrics: [nDCG@10, Hit@5]
variants: [{name: first}, {name: second, retrieval_top_k: 30}]
"""
SEARCH = """\
import os, time

def search(query, k):
    time.sleep(float(os.environ.get("DELAY", "0")))
    number = query.split()[-1]
    return [("other", 2.0), (f"doc{number}", 1.5), (f"doc{int(number) + 1}", 1.0)][:k]
"""
FAILS = "    assert query != 'find 7', 'no 7'\n    number"


@pytest.fixture
def folder(tmp_path):
    rows = [
        {"query_id": f"q{i}", "query": f"find {i}", "gold_references": [{"document": f"doc{i}", "relevance": 3}]}
        for i in range(20)
    ]
    rows.append({"query_id": "r1", "query": "nothing 99", "is_rejection": True})
    (tmp_path / "questions.jsonl").write_text("\n".join(map(json.dumps, rows)))
    (tmp_path / "my_search.py").write_text(SEARCH)
    (tmp_path / "bench.yaml").write_text(BENCHMARK)
    return tmp_path


def ragstone(folder, *arguments, code=0, **environment):
    """Run the command and return its standard output and error."""
    done = subprocess.run(
        [sys.executable, "-m", "ragstone", *arguments],
        cwd=folder, capture_output=True, text=True, env={**os.environ, **environment}, timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == code, done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    return done.stdout, done.stderr


def test_from_a_benchmark_file_to_every_report(folder):
    """Run, then each format, from one store; data on standard output, talk on standard error."""
    out, talk = ragstone(folder, "run", "bench.yaml")
    assert "nDCG@10" in out
    assert "2 run(s) of 21 questions planned" in talk
    for form in ("markdown", "csv", "json", "html"):
        text, _ = ragstone(folder, "report", "--format", form)
        assert "nDCG@10" in text
    _, talk = ragstone(folder, "report", "--out", "sub/report.html")
    assert (folder / "sub/report.html").read_text().startswith("<!doctype html>")
    assert "wrote sub/report.html" in talk
    assert ragstone(folder, "report", "--per-query")[0].startswith("run,query")


def test_the_same_benchmark_gives_the_same_bytes(folder):
    """Two stores, two processes with other hash seeds: the canonical exports are equal."""
    exports = []
    for name, seed in (("a.db", "1"), ("b.db", "2")):
        ragstone(folder, "run", "bench.yaml", "--store", name, "-q", PYTHONHASHSEED=seed)
        exports.append(ragstone(folder, "report", "--store", name, "--format", "json", "--canonical")[0])
    assert exports[0] == exports[1]
    assert str(folder) not in exports[0]


def test_an_interrupted_run_is_resumed(folder):
    """Ctrl-C exits with 130 and says how to go on; resuming asks the rest, and the results are the same."""
    with subprocess.Popen(
        [sys.executable, "-m", "ragstone", "run", "bench.yaml"],
        cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ, "DELAY": "0.1"},
    ) as process:  # fmt: skip
        wait_until(folder / "ragstone.db", "responses", 2)
        process.send_signal(signal.SIGINT)
        _, talk = process.communicate(timeout=20)
    assert process.returncode == 130, talk
    assert "answers stored; go on with `ragstone resume words-" in talk
    states = {run["state"] for run in json.loads(ragstone(folder, "runs", "list", "--json")[0])["runs"]}
    assert "interrupted" in states
    ragstone(folder, "resume", "-q")
    ragstone(folder, "run", "bench.yaml", "--store", "whole.db", "-q")
    resumed = ragstone(folder, "report", "--canonical")[0]
    assert resumed == ragstone(folder, "report", "--canonical", "--store", "whole.db")[0]


def test_a_terminated_run_is_resumable_also_in_the_background(folder):
    """SIGTERM ends a run like Ctrl-C, even where a shell has made it deaf to SIGINT."""
    with subprocess.Popen(
        [sys.executable, "-m", "ragstone", "run", "bench.yaml"],
        cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ, "DELAY": "0.1"},
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN),  # noqa: PLW1509 - as a shell does
    ) as process:  # fmt: skip
        wait_until(folder / "ragstone.db", "responses", 2)
        process.send_signal(signal.SIGTERM)
        _, talk = process.communicate(timeout=20)
    assert process.returncode == 130, talk
    assert "go on with `ragstone resume words-" in talk


def test_a_run_can_be_listed_shown_explained_and_deleted(folder):
    """Identifiers of one output are accepted by the next."""
    ragstone(folder, "run", "bench.yaml", "-q")
    runs = json.loads(ragstone(folder, "runs", "list", "--json")[0])["runs"]
    assert [run["name"] for run in runs] == ["first", "second"]
    assert runs[0]["id"] in ragstone(folder, "runs", "list")[0]
    assert "completed, 21 of 21 done" in ragstone(folder, "runs", "show", runs[0]["id"])[0]
    out, _ = ragstone(folder, "explain", "second", "q3")
    assert "doc3" in out
    assert json.loads(ragstone(folder, "explain", runs[0]["id"][:8], "q3", "--json")[0])
    ragstone(folder, "runs", "delete", runs[0]["id"], "--yes")
    assert len(json.loads(ragstone(folder, "runs", "list", "--json")[0])["runs"]) == 1


@pytest.mark.parametrize(
    ("arguments", "code", "part"),
    [
        (["run", "none.yaml"], 2, "cannot be read: No such file"),
        (["report"], 5, "there is no store at ragstone.db"),
        (["resume", "x", "--store", "typo.db"], 5, "there is no store at typo.db"),
        (["benchmark", "validate", "questions.jsonl"], 2, "questions.jsonl"),
        (["metrics", "show", "nDCK"], 2, "did you mean 'nDCG'?"),
        (["runz"], 2, "No such command"),
        (["run", "bench.yaml", "--store", "/proc/x/y.db"], 5, "cannot be opened"),
    ],
)
def test_errors_are_one_message_and_a_documented_code(folder, arguments, code, part):
    """What went wrong, on standard error, without a traceback."""
    (folder / "sub").mkdir()
    _, talk = ragstone(folder, *arguments, code=code)
    assert part in talk


def test_a_report_that_cannot_be_written_is_no_verdict(folder):
    """The exit code is that of wrong usage, not of a missed threshold."""
    ragstone(folder, "run", "bench.yaml", "-q")
    _, talk = ragstone(folder, "report", "--out", "bench.yaml/x.html", code=2)
    assert "bench.yaml/x.html cannot be written" in talk


def test_errors_are_json_on_request(folder):
    """With --json the error is data: its kind, message and every problem."""
    (folder / "bad.yaml").write_text("name: x\nmetrics: [foo@1]\n")
    out, _ = ragstone(folder, "run", "bad.yaml", "--json", code=2)
    error = json.loads(out)["error"]
    assert error["kind"] == "invalid_input"
    assert {problem["pointer"] for problem in error["problems"]} == {"dataset", "system", "metrics[0]"}


def test_a_missed_threshold_exits_with_one(folder):
    """The verdict is the exit code, of the run and of every later report."""
    with (folder / "bench.yaml").open("a") as file:
        file.write('thresholds: {Hit@5: "> 0.80", nDCG@10: "> 0.99"}\n')
    out, _ = ragstone(folder, "run", "bench.yaml", "-q", code=1)
    assert "nDCG@10 misses its threshold > 0.99" in " ".join(out.split())
    ragstone(folder, "report", "--format", "csv", code=1)


def test_failures_exit_with_three_and_can_be_asked_again(folder):
    """A search that fails is counted; once mended, resume --failed completes the run."""
    (folder / "my_search.py").write_text(SEARCH.replace("    number", FAILS))
    out, _ = ragstone(folder, "run", "bench.yaml", "-q", code=3)
    assert "1 of 21 searches failed" in " ".join(out.split())
    (folder / "my_search.py").write_text(SEARCH)
    _, talk = ragstone(folder, "resume", "--failed")
    assert "2 failed question(s) will be asked again" in talk


def test_an_endpoint_that_is_down_exits_with_four(folder):
    """Every search refused: nothing answers there."""
    (folder / "my_search.py").write_text("def search(query, k):\n    raise ConnectionRefusedError('port 9')\n")
    with (folder / "bench.yaml").open("a") as file:
        file.write("retry: {attempts: 1}\n")
    ragstone(folder, "run", "bench.yaml", "-q", code=4)


def test_a_search_that_hangs_does_not_hang_the_run(folder):
    """It is a time-out, the run goes on, and the process ends."""
    hang = "    time.sleep(30 if query == 'find 3' else 0)\n    number"
    (folder / "my_search.py").write_text(SEARCH.replace("    number", hang))
    with (folder / "bench.yaml").open("a") as file:
        file.write("timeout_seconds: 0.3\n")
    start = time.monotonic()
    out, _ = ragstone(folder, "run", "bench.yaml", "-q", code=3)
    assert time.monotonic() - start < 15
    assert "searches failed (timeout)" in " ".join(out.split())


def test_output_is_plain_when_piped(folder):
    """No colour codes, and a reader that goes away is no error."""
    out, talk = ragstone(folder, "run", "bench.yaml")
    assert "\x1b[" not in out + talk
    assert "first: completed, 21 of 21 done, 0 failed" in talk
    shell = f"{sys.executable} -m ragstone report --format html | head -1"
    done = subprocess.run(shell, cwd=folder, shell=True, capture_output=True, text=True, check=False)  # noqa: S602
    assert (done.stdout.strip(), done.stderr) == ("<!doctype html>", "")


def test_colour_follows_the_environment(folder):
    """FORCE_COLOR colours a pipe, and NO_COLOR wins over it."""
    ragstone(folder, "run", "bench.yaml", "-q")
    assert "\x1b[" in ragstone(folder, "report", FORCE_COLOR="1", NO_COLOR="")[0]
    assert "\x1b[" not in ragstone(folder, "report", FORCE_COLOR="1", NO_COLOR="1")[0]


def test_every_command_has_help(folder):
    """And the version is printed."""
    for command in ([], ["run"], ["resume"], ["report"], ["explain"], ["demo"], ["runs"], ["runs", "list"],
                    ["benchmark"], ["metrics"]):  # fmt: skip
        assert "Usage: " in ragstone(folder, *command, "--help")[0]
    assert ragstone(folder, "--version")[0].strip() == "0.1.0"
    assert '"$schema"' in ragstone(folder, "benchmark", "schema")[0]
    assert "nDCG[@k]" in ragstone(folder, "metrics", "list")[0]
    assert len(json.loads(ragstone(folder, "metrics", "list", "--json")[0])["metrics"]) >= 20


def test_what_the_system_prints_is_not_data(folder):
    """A search that prints does not spoil JSON on standard output."""
    (folder / "my_search.py").write_text(SEARCH.replace("    number", "    print('noise')\n    number"))
    out, talk = ragstone(folder, "run", "bench.yaml", "--json", "-q")
    assert json.loads(out)["schema"] == "ragstone.report/1"
    assert "noise" in talk


@pytest.mark.parametrize("end", ["import sys; sys.exit(9)", "raise StopIteration", "raise KeyboardInterrupt"])
def test_a_search_cannot_end_the_run(folder, end):
    """Whatever it calls for, it is one failed search."""
    (folder / "my_search.py").write_text(f"def search(query, k):\n    {end}\n")
    out, _ = ragstone(folder, "run", "bench.yaml", "-q", code=3)
    assert "21 of 21 searches failed (error)" in " ".join(out.split())


def test_a_module_that_fails_at_import_is_told_before_anything_runs(folder):
    """Its own error is in the message; no store is made."""
    (folder / "my_search.py").write_text("raise ValueError('no licence')\n")
    _, talk = ragstone(folder, "run", "bench.yaml", code=2)
    assert "cannot be imported (ValueError: no licence)" in talk
    assert not (folder / "ragstone.db").exists()
