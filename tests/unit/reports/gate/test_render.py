"""A gate's report in words and formats, all of one mind."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from xml.etree import ElementTree as ET

import pytest
from tests.gates import gate, policy_of

from ragstone.errors import ExitCode
from ragstone.experiments.gate.decide import GateReport, RunName
from ragstone.experiments.gate.margins import GateCheck
from ragstone.reports.gate.github import command, workflow_commands
from ragstone.reports.gate.render import MARKER, gate_json, gate_junit, gate_markdown, render_gate
from ragstone.reports.gate.words import check_sentence, size, title, verdict_sentence

NASTY = "::error::x\n<script>|*b*|\x1b[31m\u202e%25 @all"


def check(kind="margin", outcome="pass", metric="Hit@5", **values):
    return GateCheck(**{"kind": kind, "subject": metric, "metric": metric, "outcome": outcome, "n": 200, **values})


def report_of(*checks, name="new", **rules):
    return GateReport(
        title="bench",
        dataset="d" * 64,
        questions=200,
        candidate=RunName(id="new-1", name=name),
        baseline=RunName(id="old-1", name="old"),
        policy=policy_of(**{"drops": {"Hit@5": 0.1}, **rules}),
        checks=checks,
    )


FAILED = check(outcome="fail", gain_low=-0.3, gain_high=-0.2, allowed=0.05, rule="0.05")
OPEN = check(outcome="not_enough", gain_low=-0.06, gain_high=0.1, allowed=0.05, rule="0.05", to_settle=140)
PASSED = check(gain_low=-0.012, gain_high=0.1, allowed=0.03, rule="0.03", interval=True)
LIMIT = check("threshold", candidate=0.9, low=0.859, high=0.93, rule="> 0.80", interval=True)
SLOW = check("threshold", "pass", "latency(p=95)", candidate=900.0, low=700.0, rule="< 5 s", interval=True, n=10)


@pytest.mark.parametrize(
    ("found", "said"),
    [
        (PASSED, "Within the margin: at worst it is 1.2 points below the baseline, and you allowed 3."),
        (
            OPEN,
            "Cannot say yet: it may be up to 6 points worse; about 140 more questions would settle it.",
        ),
        (FAILED, "Beyond the margin: even at best it is 20 points below the baseline, and you allowed 5."),
        (
            replace(PASSED, gain_low=0.02),
            "Within the margin: it is better than the baseline, by 2 points at least.",
        ),
        (
            replace(PASSED, gain_low=0.0),
            "Within the margin: at worst it is level with the baseline, and you allowed 3.",
        ),
        (
            replace(FAILED, gain_high=-0.04),
            "A proven loss: it is at least 4 points worse than the baseline, and strict allows none.",
        ),
        (
            replace(OPEN, to_settle=None),
            (
                "Cannot say yet: it may be up to 6 points worse; what was measured is so near the margin that "
                "more questions will hardly settle it."
            ),
        ),
        (
            check(outcome="not_enough", metric="latency(p=95)", n=50, to_settle=9),
            "Cannot say yet: 50 questions cannot tell how far they are apart; that takes about 9 more.",
        ),
        (check(outcome="not_enough", n=0), "Cannot say yet: no question has a score in both runs."),
        (
            check(metric="latency(p=95)", gain_low=-120.0, gain_high=5.0, allowed=500.0),
            "Within the margin: at worst it is 120 ms above the baseline, and you allowed 500 ms.",
        ),
        (
            check(metric="nDCG@10", gain_low=-0.0123, gain_high=0.1, allowed=0.03),
            "Within the margin: at worst it is 1.2 points below the baseline, and you allowed 3.",
        ),
        (
            replace(PASSED, left_out={"failed": 2}),
            (
                "Within the margin: at worst it is 1.2 points below the baseline, and you allowed 3. 2 questions "
                "are left out, scored in one run alone: 2 with a failed search."
            ),
        ),
        (
            check("drop", "fail", "R@5", baseline=0.8, candidate=0.74, gain=-0.06, allowed=0.05),
            "It got worse by 6 points, from 0.800 to 0.740; you allowed 5 (measured values, without statistics).",
        ),
        (
            check("drop", "pass", "R@5", baseline=0.8, candidate=0.76, gain=-0.04, allowed=0.05),
            (
                "It got worse by 4 points, from 0.800 to 0.760; that much is allowed (measured values, without "
                "statistics)."
            ),
        ),
        (check("drop", "not_enough", n=0), "Cannot say yet: no question has a score in both runs."),
        (
            check("threshold", "fail", candidate=0.78, rule="> 0.80"),
            "Hit@5 is 78.0% over 200 questions, and must be > 0.80 (measured value, without statistics).",
        ),
        (LIMIT, "Hit@5 is 90.0% over 200 questions, truly between 85.9% and 93.0%, and must be > 0.80."),
        (
            replace(LIMIT, outcome="not_enough", rule="> 0.87", to_settle=300),
            (
                "Cannot say yet: Hit@5 is 90.0% over 200 questions, truly between 85.9% and 93.0%, and must be "
                "> 0.87; about 300 more questions would settle it."
            ),
        ),
        (
            replace(LIMIT, outcome="not_enough", rule="> 0.90"),
            (
                "Cannot say yet: Hit@5 is 90.0% over 200 questions, truly between 85.9% and 93.0%, and must be "
                "> 0.90; what was measured is so near the bound that more questions will hardly settle it."
            ),
        ),
        (
            replace(SLOW, outcome="not_enough", to_settle=49),
            (
                "Cannot say yet: Latency p95 is 900 ms over 10 questions, truly at least 700 ms, and must be "
                "< 5 s; about 49 more questions would settle it."
            ),
        ),
        (
            replace(SLOW, outcome="not_enough", low=None, high=990.0, unmeasured=59),
            (
                "Latency p95 is 900 ms over 10 questions, truly at most 990 ms, and must be < 5 s. But 59 failed "
                "searches have no latency, and may have been the slow ones: cannot say until max_error_rate in "
                "the policy says how many may fail."
            ),
        ),
        (
            check("threshold", "fail", rule="> 0.80", reason="no_gold"),
            "Hit@5 could not be computed (without relevant gold), and must be > 0.80.",
        ),
        (check("must_pass", "fail", candidate=0.0, rule=">= 1"), "Hit@5 is 0, and must be >= 1."),
        (check("must_pass", "fail", reason="timeout"), "Its search failed (timeout)."),
        (check("must_pass", "not_enough"), "The question was not asked yet."),
        (
            check("questions", "not_enough", n=20, to_settle=10, rule="30"),
            "20 questions asked, and 30 wanted; 10 more needed.",
        ),
        (
            check("complete", "not_enough", to_settle=3, run="r-1"),
            "3 questions not asked; `ragstone resume r-1` asks them.",
        ),
        (
            check("complete", "not_enough", to_settle=3, run="r-1", reason="no such host"),
            "3 questions not asked, because the run failed: no such host.",
        ),
        (
            check("failures", "not_enough", n=1, run="r-1"),
            (
                "1 question with a failed search, which the benchmark leaves out of its scores; `ragstone resume "
                "r-1 --failed` asks again; max_error_rate in a policy says how many may fail."
            ),
        ),
    ],
)
def test_every_finding_is_a_sentence(found, said):
    """As somebody who knows no statistics reads it."""
    assert check_sentence(found) == said


def test_sizes():
    """One point is a point; small differences of latencies are not blown up."""
    assert [size("Hit@5", value) for value in (0.01, 0.1, 1.0)] == ["1 point", "10 points", "100 points"]
    assert size("latency_p95", 0.004) == "0 ms"
    assert size("DCG@5", 0.25) == "0.250"


@pytest.mark.parametrize(
    ("checks", "rules", "said"),
    [
        ([PASSED, PASSED], {}, "Safe to ship: 2 checks passed."),
        (
            [check("threshold", candidate=0.9, rule="> 0.80")],
            {},
            "All thresholds are met by the measured values, without statistics.",
        ),
        (
            [check("threshold", candidate=0.9, rule="> 0.80"), check("must_pass", candidate=1.0, rule=">= 1")],
            {},
            "All rules are met by the measured values, without statistics.",
        ),
        ([PASSED, FAILED, OPEN], {}, "Do not ship: 1 of 3 checks failed (Hit@5, margin 0.05)."),
        (
            [PASSED, OPEN],
            {},
            (
                "Cannot say yet: too little evidence in 1 of 2 checks (Hit@5, margin 0.05); about 140 more "
                "questions would settle it."
            ),
        ),
        (
            [replace(OPEN, to_settle=None)] * 4,
            {"on_not_enough": "warn"},
            (
                "Cannot say yet: too little evidence in 4 of 4 checks (Hit@5, margin 0.05; Hit@5, margin 0.05; "
                "Hit@5, margin 0.05 and 1 more); by the policy this is a warning only."
            ),
        ),
    ],
)
def test_the_verdict_is_a_sentence(checks, rules, said):
    """What it is, of how many, which, and the way on."""
    assert verdict_sentence(report_of(*checks, **rules)) == said


@pytest.mark.parametrize(
    ("checks", "rules", "code", "junit", "level"),
    [
        ([PASSED], {}, 0, (1, 0, 0), "notice"),
        ([PASSED, FAILED], {}, 1, (2, 1, 0), "error"),
        ([PASSED, OPEN], {}, 6, (2, 1, 0), "error"),
        ([PASSED, OPEN], {"on_not_enough": "warn"}, 0, (2, 0, 1), "warning"),
    ],
)
def test_all_formats_agree(checks, rules, code, junit, level):
    """Exit code, text, JSON, Markdown, JUnit and annotations say the same."""
    report = report_of(*checks, **rules)
    assert report.verdict == ExitCode(code)
    data = json.loads(gate_json(report))
    assert data["verdict"]["exit_code"] == code
    said = verdict_sentence(report)
    assert data["verdict"]["sentence"] == said
    assert said in render_gate(report)
    assert said in gate_markdown(report)
    suite = ET.fromstring(gate_junit(report))[0]  # noqa: S314 - written above
    assert tuple(int(suite.get(name)) for name in ("tests", "failures", "skipped")) == junit
    assert {line.split()[0] for line in workflow_commands(report).splitlines()} == {f"::{level}"}


def test_json_holds_every_check_with_its_numbers():
    """Of a real gate."""
    data = json.loads(gate_json(gate(200, lambda i: i % 5 > 0, lambda i: i % 4 > 0, margins={"Hit@5": 0.03})))
    assert data["schema"] == "ragstone.gate/1"
    (found,) = data["checks"]
    assert (found["baseline"], found["candidate"], found["n"]) == (0.8, 0.75, 200)
    assert found["gain_low"] < found["gain"] < found["gain_high"]
    assert found["sentence"].startswith("Cannot say yet")
    assert data["policy"]["margins"] == {"Hit@5": 0.03}


def test_the_way_on_is_named_where_something_got_worse():
    """The command that lists the questions that changed; not for a gate that passes."""
    command_line = "ragstone compare old-1 new-1"
    for form in (render_gate, gate_markdown):
        assert command_line in form(report_of(PASSED, OPEN))
        assert command_line not in form(report_of(PASSED))
        assert command_line not in form(report_of(check("must_pass", "fail", candidate=0.0, rule=">= 1")))


def test_only_the_verdict_says_whether_to_ship():
    """A check that passes does not call a gate safe that fails."""
    for form in (render_gate, gate_markdown, gate_json, gate_junit, workflow_commands):
        text = form(report_of(PASSED, FAILED, OPEN))
        assert "Safe to ship" not in text
        assert text.count("Do not ship") <= 1


def test_trouble_stands_first():
    """In the formats for people; data keep the policy's order."""
    text = render_gate(report_of(PASSED, OPEN, FAILED))
    assert re.findall(r"^  (\w+)", text, re.MULTILINE) == ["fail", "not", "pass"]


def test_markdown_fits_into_a_comment():
    """A thousand failed questions with long names are cut below 64 KiB, and it says so."""
    failed = [
        check("must_pass", "fail", subject=f"q{i}" + "x" * 200, candidate=0.0, rule=">= 1") for i in range(1000)
    ]
    text = gate_markdown(report_of(*failed))
    assert len(text.encode()) < 64 * 1024
    assert re.search(r"_\d+ more checks in the JSON report\._\n$", text)
    assert text.startswith(MARKER)


def test_names_from_outside_do_no_harm():
    """No markup, no control characters, and no workflow command of their own."""
    hurt = check("must_pass", "fail", subject=NASTY, candidate=0.0, rule=">= 1")
    report = report_of(hurt, name=NASTY)
    for text in (render_gate(report), gate_markdown(report), gate_junit(report), workflow_commands(report)):
        assert "\x1b" not in text
        assert "\u202e" not in text
        assert not [line for line in text.splitlines() if line.lstrip().startswith("::error::x")]
    assert "<script>" not in gate_markdown(report)
    assert len(workflow_commands(report).splitlines()) == 1


def test_workflow_commands_are_escaped():
    """Percent signs, line ends, and in titles colons and commas."""
    assert command("error", "a:b,c", "100% ::x") == "::error title=a%3Ab%2Cc::100%25 ::x"
    assert command("error", "50%", "") == "::error title=50%25::"


def test_at_most_ten_annotations_of_a_kind():
    """GitHub shows no more; the tenth says how many there are."""
    lines = workflow_commands(report_of(*[FAILED] * 14, *[OPEN] * 3, on_not_enough="warn")).splitlines()
    assert [line.split()[0] for line in lines] == ["::error"] * 10 + ["::warning"] * 3
    assert lines[9].endswith("and 5 more checks")


def test_titles_tell_the_rules_apart():
    """Every kind of check has a name of its own."""
    kinds = ("margin", "drop", "threshold", "must_pass", "questions", "complete", "failures")
    assert len({title(check(kind, rule="0.05")) for kind in kinds}) == len(kinds)
