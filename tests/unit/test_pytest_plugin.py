"""The pytest plug-in, in pytest sessions of its own."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from ragstone import bootstrap, reports  # a session within this one must not be the first to load numpy
from ragstone.store.open import open_store

assert bootstrap
assert reports
pytest_plugins = ["pytester"]

SEARCH = """\
def sound(query, k):
    with open("asked.txt", "a") as file:
        file.write("x")
    number = int(query.split()[-1])
    return [f"doc{number}"] if number % 10 else ["other"]

def broken(query, k):
    return ["other"]
"""
BENCHMARK = """\
name: words
dataset: questions.jsonl
system: {type: callable, function: "my_search:sound"}
top_k: 10
metrics: [nDCG@10, Hit@5]
"""
HEAD = "import pytest\n"


@pytest.fixture
def folder(pytester):
    """A project with 20 questions, a search that finds nine of ten, and a benchmark."""
    rows = [
        {"query_id": f"q{i}", "query": f"find {i}", "gold_references": [{"document": f"doc{i}", "relevance": 3}]}
        for i in range(20)
    ]
    write(pytester, "questions.jsonl", "\n".join(map(json.dumps, rows)))
    write(pytester, "my_search.py", SEARCH)
    write(pytester, "bench.yaml", BENCHMARK)
    write(pytester, "broken.yaml", BENCHMARK.replace(":sound", ":broken"))
    write(pytester, "pytest.ini", "[pytest]\naddopts = --strict-markers\nfilterwarnings = error\n")
    sys.modules.pop("my_search", None)
    return pytester


def write(pytester, name, text):
    (pytester.path / name).write_text(text)


def outcome(pytester, text, *arguments, **counts):
    """Run a test file and return its output."""
    write(pytester, "test_rag.py", HEAD + text)
    result = pytester.runpytest("-q", "-p", "no:cacheprovider", *arguments)
    result.assert_outcomes(**counts)
    return result.stdout.str()


def test_the_plug_in_loads_nothing():
    """Every pytest run on a user's machine pays for what it imports: itself, and perhaps the standard library."""
    script = (
        "import sys, pytest; old = set(sys.modules); import ragstone.pytest_plugin; print(*set(sys.modules) - old)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert {name for name in loaded if name.startswith("ragstone")} == {"ragstone", "ragstone.pytest_plugin"}
    assert {name.split(".")[0] for name in loaded} <= {"ragstone", *sys.stdlib_module_names}


def test_values_can_be_asserted(folder):
    """Above, below, a latency by its unit, and anything else by hand; the benchmark runs once for all tests."""
    text = """
mark = pytest.mark.rag_eval("bench.yaml")

@mark
def test_one(rag_eval):
    rag_eval.assert_above("Hit@5", 0.8)
    rag_eval.assert_below("latency_p95", "5 s")
    assert rag_eval.value("hit_rate@5") == 0.9

@mark
def test_two(rag_eval):
    assert len(rag_eval.result.queries) == 20
    assert rag_eval.report.title == "words"
"""
    outcome(folder, text, passed=2)
    assert (folder.path / "asked.txt").read_text() == "x" * 20


def test_a_failure_is_a_sentence(folder):
    """The value, of how many questions, and what it should be; no traceback of ours."""
    text = '@pytest.mark.rag_eval("bench.yaml")\ndef test(rag_eval): rag_eval.assert_above("Hit@5", 0.95)\n'
    out = outcome(folder, text, failed=1)
    assert "AssertionError: Hit@5 is 90.0% over 20 questions, and must be > 0.95 (measured value" in out
    assert "pytest_plugin.py" not in out


def test_thresholds_are_asserted_before_the_body(folder):
    """A marked test needs no body."""
    with (folder.path / "bench.yaml").open("a") as file:
        file.write("thresholds: {Hit@5: '> 0.95'}\n")
    out = outcome(folder, '@pytest.mark.rag_eval("bench.yaml")\ndef test(): ...\n', failed=1)
    assert "Do not ship: 1 of 1 check failed (Hit@5 > 0.95)." in out


def test_a_test_that_checks_nothing_fails(folder):
    """Neither policy nor thresholds nor the fixture: it could not fail otherwise."""
    out = outcome(folder, '@pytest.mark.rag_eval("bench.yaml")\ndef test(): ...\n', failed=1)
    assert "nothing is checked: name a policy in the marker" in out


def test_a_policy_compares_two_runs_of_a_benchmark(folder):
    """The baseline is another run by name; a broken candidate fails, and an equal one lacks evidence."""
    text = BENCHMARK + "variants: [{name: old}, {name: new}]\n"
    write(folder, "bench.yaml", text)
    write(folder, "gate.yaml", "margins: {Hit@5: 0.05}\n")
    test = '@pytest.mark.rag_eval("bench.yaml", run="new", policy="gate.yaml", against="old")\ndef test(): ...\n'
    assert "Cannot say yet: it may be up to" in outcome(folder, test, failed=1)
    write(folder, "gate.yaml", "margins: {Hit@5: 0.05}\non_not_enough: warn\n")
    assert "RagEvalWarning: Gate: not enough evidence." in outcome(folder, test, failed=1)
    outcome(folder, test, "-W", "default", passed=1, warnings=1)
    write(folder, "gate.yaml", "drops: {Hit@5: 0.05}\n")
    outcome(folder, test, passed=1)


def test_a_baseline_from_a_store(folder):
    """With --rag-store the runs are kept, and a later session is held against an earlier one."""
    outcome(
        folder, '@pytest.mark.rag_eval("bench.yaml")\ndef test(rag_eval): ...\n', "--rag-store=kept.db", passed=1
    )
    with open_store(folder.path / "kept.db") as store:
        (baseline,) = store.runs()
    text = f"""
@pytest.mark.rag_eval("broken.yaml", against="{baseline.id}")
def test(rag_eval):
    rag_eval.assert_gate({{"drops": {{"Hit@5": 0.05}}}})
"""
    out = outcome(folder, text, "--rag-store=kept.db", failed=1)
    assert "It got worse by 90 points, from 90.0% to 0.0%; you allowed 5" in out


@pytest.mark.parametrize(
    ("marker", "part"),
    [
        ('"none.yaml"', "none.yaml: cannot be read: No such file"),
        ("", "the marker is rag_eval(benchmark, run=None, policy=None, against=None)"),
        ('"bench.yaml", polcy="x"', "the marker is rag_eval(benchmark"),
        ('"bench.yaml", "gate.yaml"', "the marker is rag_eval(benchmark"),
        ('"bench.yaml", run="x"', "unknown run 'x'; known: words"),
        ('"bench.yaml", policy="none.yaml"', "none.yaml: cannot be read"),
        ('"bench.yaml", policy="bench.yaml"', "bench.yaml:1: name: unknown key"),
        ('"bench.yaml", policy="gate.yaml"', "need a baseline run"),
        ('"bench.yaml", policy="gate.yaml", against="main"', "the baseline: unknown run 'main'"),
    ],
)
def test_mistakes_are_one_message(folder, marker, part):
    """No traceback, and nothing but what is wrong and the way out."""
    write(folder, "gate.yaml", "margins: {Hit@5: 0.05}\n")
    out = outcome(folder, f"@pytest.mark.rag_eval({marker})\ndef test(): ...\n", failed=1)
    assert part in out
    assert "Traceback" not in out
    assert "During handling" not in out


def test_the_fixture_needs_the_marker(folder):
    """And says how it is written."""
    assert "needs a marker: @pytest.mark.rag_eval" in outcome(folder, "def test(rag_eval): ...\n", errors=1)


def test_several_runs_need_a_name(folder):
    """Which of them is meant cannot be guessed."""
    write(folder, "bench.yaml", BENCHMARK + "variants: [{name: old}, {name: new}]\n")
    out = outcome(folder, '@pytest.mark.rag_eval("bench.yaml")\ndef test(rag_eval): ...\n', errors=1)
    assert "has 2 runs; name one in the marker, run=: old, new" in out


def test_unmarked_tests_are_left_alone(folder):
    """No session, no store, no import of numpy."""
    text = "import sys\ndef test(): assert 'numpy' not in sys.modules and 'pydantic' not in sys.modules\n"
    write(folder, "test_rag.py", text)
    result = folder.runpytest_subprocess("-q", "-p", "no:cacheprovider", "-p", "no:hypothesispytest")
    result.assert_outcomes(passed=1)
    assert "rag_eval(benchmark" in folder.runpytest_subprocess("--markers").stdout.str()


@pytest.mark.parametrize("options", [[], ["--rag-store=kept.db"]])
def test_workers_of_xdist_share_one_run(folder, options, monkeypatch):
    """Two processes, one store: the benchmark runs once for both, and what is temporary is gone afterwards."""
    temporary = folder.path / "temporary"
    temporary.mkdir()
    monkeypatch.setenv("TMPDIR", str(temporary))
    test = '@pytest.mark.rag_eval("bench.yaml")\ndef test(rag_eval): rag_eval.assert_above("Hit@5", 0.8)\n'
    write(folder, "test_rag.py", HEAD + test)
    result = folder.runpytest_subprocess("-q", "--dist=each", "--tx=2*popen", *options)
    result.assert_outcomes(passed=2)
    assert (folder.path / "asked.txt").read_text() == "x" * 20
    assert not list(temporary.glob("ragstone-*"))
