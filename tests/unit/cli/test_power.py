"""`ragstone power`: margins, plans, and what a run's questions can show."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from ragstone.cli.main import app
from ragstone.errors import UnknownNameError, UsageError
from ragstone.stats.guarded import sample_of
from ragstone.stats.outlook import detectable
from ragstone.stats.power import detectable_difference, queries_needed

BENCHMARK = """\
name: words
dataset: questions.jsonl
system: {type: callable, function: "power_search:search"}
top_k: 5
metrics: [Hit@5, RR]
variants: [{name: first}, {name: second, retrieval_top_k: 30}]
"""
SEARCH = """\
def search(query, k):
    number = int(query.split()[-1])
    return [f"doc{number}" if number % 3 else "other"]
"""


def call(*words, code=0):
    result = CliRunner().invoke(app, ["power", *map(str, words)])
    assert result.exit_code == code, (result.output, result.exception)
    return result


def as_json(*words):
    return json.loads(call(*words, "--json").stdout)


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    """A store with two runs of 30 questions of which ten are missed, in six groups of one document each."""
    folder = tmp_path_factory.mktemp("power")
    rows = [
        {
            "query_id": f"q{i}",
            "query": f"find {i}",
            "gold_references": [{"document": f"doc{i}", "relevance": 3}],
        }
        for i in range(30)
    ]
    (folder / "questions.jsonl").write_text("\n".join(map(json.dumps, rows)))
    (folder / "power_search.py").write_text(SEARCH)
    (folder / "bench.yaml").write_text(BENCHMARK)
    path = folder / "runs.db"
    result = CliRunner().invoke(app, ["run", str(folder / "bench.yaml"), "--store", str(path), "--quiet"])
    assert result.exit_code == 0, (result.output, result.exception)
    return path


def test_the_margin_table_says_what_it_is():
    """The seed's four figures, titled as one rate's margin at one half."""
    text = call().stdout
    assert "yes/no metric of one system" in text
    assert "at its widest" in text
    for figure in ("±17.9", "±13.9", "±9.8", "±6.9"):
        assert figure in text
    assert [round(row["margin"], 4) for row in as_json()["margins"]] == [0.1789, 0.1386, 0.098, 0.0693]


def test_a_plan_from_flips():
    """Five points at 15% flips take 464 questions."""
    assert (
        "takes 464 questions with 80% chance at the 5% level" in call("--flips", 0.15, "--difference", 0.05).stdout
    )
    assert as_json("--flips", 0.15, "--difference", 0.05)["needed"] == 464


def test_a_plan_from_a_spread():
    """Fifty questions at .33 show 13 points."""
    found = as_json("--sd", 0.33, "--n", 50)
    assert found["detectable"] == pytest.approx(0.131, abs=5e-4)
    assert "50 questions show a difference of 0.131 or more" in call("--sd", 0.33, "--n", 50).stdout


def test_what_a_runs_questions_can_show(store):
    """With the spread of its scores: 20 hits of 30 have a standard deviation of .479; more than planned."""
    found = as_json("first", "--store", store, "--difference", 0.1)
    assert (found["metric"], found["n"]) == ("Hit@5", 30)
    assert found["sd"] == pytest.approx(0.4795, abs=1e-4)
    planned = detectable_difference(found["sd"], 30)
    assert planned < found["detectable"] < 1.2 * planned
    assert queries_needed(found["sd"], 0.1) == 181 < found["needed"] < 200
    text = call("first", "MRR", "--store", store).stdout
    assert text.startswith("Metric: RR.")
    assert "correlated" in text


def test_two_runs_give_the_spread_of_their_differences(store):
    """These two are the same on every question: the figure is that of the guard, and it is said."""
    found = as_json("first", "--against", "second", "--store", store)
    assert (found["sd"], found["n"]) == (0.0, 30)
    assert found["detectable"] == detectable(sample_of([0.0] * 30), range_width=1)
    assert "No question differs" in call("first", "--against", "second", "--store", store).stdout


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--n", 50], "give --sd, --flips or a RUN"),
        (["--sd", 0.3], "Give --difference"),
        (["--sd", 0.3, "--flips", 0.1, "--n", 50], "give one of them"),
        (["--flips", 0.1, "--difference", 0.2], "at least that share"),
        (["--sd", 0.3, "--difference", 0], "difference is 0"),
    ],
)
def test_plans_that_lack_something_are_refused(words, message):
    """With what to give."""
    result = call(*words, code=1)
    assert isinstance(result.exception, UsageError)
    assert message in str(result.exception)


def test_unknown_runs_and_metrics_without_values_are_refused(store):
    """By name, and with the metrics that were measured."""
    assert isinstance(call("nothing", "--store", store, code=1).exception, UnknownNameError)
    error = call("first", "nDCG@3", "--store", store, code=1).exception
    assert "nDCG@3 has a value for 0 questions" in str(error)
    assert "measured: Hit@5" in str(error)


def test_there_is_no_plan_for_a_percentile(store):
    """Its spread over questions says nothing of it; the message says what does, and what it takes."""
    for more in ([], ["--against", "first"]):
        found = CliRunner().invoke(app, ["power", "second", "latency_p95", *more, "--store", str(store)])
        assert isinstance(found.exception, UsageError)
        assert "is a percentile" in str(found.exception)
        assert "`ragstone compare BASELINE RUN`" in str(found.exception)
        assert "takes 72 questions at least" in str(found.exception)


@pytest.mark.parametrize("option", ["--sd", "--flips"])
def test_a_spread_of_nothing_is_no_plan(option):
    """No number of questions shows a difference of 0, and nobody is asked for what was just given."""
    found = CliRunner().invoke(app, ["power", option, "0", "--n", "20"])
    assert isinstance(found.exception, UsageError)
    assert "nothing to plan" in str(found.exception)
