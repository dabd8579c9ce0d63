"""Policy files: what they hold, and what is said of those that hold nonsense."""

from __future__ import annotations

from itertools import pairwise

import pytest
from tests.gates import policy_of

from ragstone.errors import InvalidInputError
from ragstone.experiments.gate.policy import Allowance, allowance, load_policy
from ragstone.metrics import parse

FULL = """\
margins: {nDCG@10: 0.03, Hit@5: 0.05, latency_p95: 500 ms}
drops: {Recall@5: 0.05, latency_p50: 10%}
thresholds: {Hit@5: "> 0.80", latency_p95: "< 5 s"}
must_pass: [q1, q7]
must_pass_metric: Hit@3
must_pass_minimum: 1
strict: true
level: 0.95
min_queries: 30
max_error_rate: 0.02
on_not_enough: warn
allow_identity: [corpus]
"""

_NAMES = "abcdefghijklmnopq"
BOMB = "a: &a [1, 1]\n" + "".join(f"{new}: &{new} [*{old}, *{old}]\n" for old, new in pairwise(_NAMES))


def problems(tmp_path, text):
    """Return what is wrong with a policy, by line."""
    path = tmp_path / "gate.yaml"
    path.write_text(text)
    with pytest.raises(InvalidInputError) as caught:
        load_policy(path)
    assert all(problem.source == str(path) for problem in caught.value.problems)
    return [(problem.line, problem.pointer, problem.message) for problem in caught.value.problems]


def test_a_policy_with_everything(tmp_path):
    """Every key is read; names of metrics may be spelled as elsewhere."""
    path = tmp_path / "gate.yaml"
    path.write_text(FULL)
    policy = load_policy(path)
    assert policy.needs_baseline
    assert policy.limits() == {"error_rate": "<= 0.02", "Hit@5": "> 0.80", "latency(p=95)": "< 5 s"}
    assert policy.metric_names() == (
        "nDCG@10", "Hit@5", "latency(p=95)", "R@5", "latency(p=50)", "error_rate", "Hit@3"
    )  # fmt: skip


@pytest.mark.parametrize("text", ["", "level: 0.9\n", "margins: {}\n", "must_pass: []\nthresholds:\n"])
def test_a_policy_that_checks_nothing_is_refused(tmp_path, text):
    """It would pass everything."""
    assert any(
        "checks nothing; it needs at least one of margins" in found[2] for found in problems(tmp_path, text)
    )


@pytest.mark.parametrize(
    ("loss", "part"),
    [
        ("nDCK@10: 0.03", "unknown metric 'nDCK' (did you mean 'nDCG'?)"),
        ("nDCG: -0.03", "no loss that can be accepted"),
        ("nDCG@5: .nan", "no loss that can be accepted"),
        ("nDCG@5: .inf", "no loss that can be accepted"),
        ("nDCG@5: 3", "accepts any loss, as nDCG@5 goes from 0 to 1; write 3 points as 0.03"),
        ("nDCG@5: 5%", "is a text; write a number"),
        ("nDCG@5: true", "must be a number"),
        ("nDCG@5: [0.1]", "must be a number"),
        ("latency_p95: 500", "has no unit; write a time such as '500 ms', or '10%' of the baseline"),
        ("latency_p95: 5 minutes", "has no unit"),
        ("latency(p=100): 5 s", "is an extreme"),
        ("P: 0.1", "needs a cutoff"),
        ("NumRet: 1", "has no better and no worse"),
    ],
)
@pytest.mark.parametrize("section", ["margins", "drops"])
def test_losses_that_make_no_sense_are_refused(tmp_path, section, loss, part):
    """On their own line, with the way out."""
    ((line, pointer, message),) = problems(tmp_path, f"strict: false\n{section}:\n  {loss}\n")
    assert line == 3
    assert pointer == f"{section}.{loss.split(':')[0]}"
    assert part in message


def test_a_margin_of_nothing_is_refused_but_not_a_drop(tmp_path):
    """No number of questions proves equality; a plain rule may still ask for it."""
    assert "a margin is above 0" in problems(tmp_path, "margins: {RR: 0}")[0][2]
    assert policy_of(drops={"RR": 0}).drops == {"RR": 0}


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("marginz: {RR: 0.1}", "unknown key (did you mean 'margins'?)"),
        ("drops: {RR: 0.1}\nlevel: 1", "less than 1"),
        ("drops: {RR: 0.1}\nlevel: .nan", "level"),
        ("drops: {RR: 0.1, mrr: 0.2}", "the same metric as 'RR'; keep one"),
        ("must_pass: [q1, q1]", "'q1' stands twice; keep one"),
        ("must_pass: [7]", "valid string, got 7"),
        ("must_pass: [a]\nmust_pass_metric: foo", "unknown metric 'foo'"),
        ("thresholds: {RR: '0.8'}", "not of the form '> 0.80'"),
        ("thresholds: {RR: '> 8'}", "outside the metric's range"),
        ("thresholds: {RR: 0.8}", "valid string"),
        ("thresholds: {RR: '>= 1'}", "the end of the scale, which no number of questions proves"),
        ("thresholds: {empty_rate: '<= 0'}", "write thresholds_by: value"),
        ("thresholds: {RR: '> 0.8'}\nthresholds_by: mean", "'interval' or 'value'"),
        ("drops: {RR: 0.1}\nallow_identity: [datset]", "'dataset'"),
        ("drops: {RR: 0.1}\non_not_enough: ignore", "'block' or 'warn'"),
        ("drops: {RR: 0.1}\nmax_error_rate: 2", "less than or equal to 1"),
        ("min_queries: 0", "greater than or equal to 1"),
        ("drops: {RR: 0.1}\ndrops: {RR: 0.2}", "stands twice"),
        ("drops: 3", "mapping"),
        ("[]", "a policy is a mapping of rules, got []"),
        ("x", "a policy is a mapping of rules, got 'x'"),
        ("a: !!python/name:os.system x", "only plain values are read"),
        (BOMB, "too large"),
    ],
)
def test_files_that_are_no_policy(tmp_path, text, part):
    """Unknown keys, wrong values, tags and bombs; nothing is guessed."""
    found = problems(tmp_path, text)
    assert any(part in f"{pointer}: {message}" for _, pointer, message in found), found


def test_the_end_of_the_scale_can_be_measured():
    """By the measured value, all questions right is a bound like any other; so is no loss at the other end."""
    assert policy_of(thresholds={"RR": ">= 1"}, thresholds_by="value").limits() == {"RR": ">= 1"}
    assert policy_of(thresholds={"RR": ">= 0"}).thresholds_by == "interval"


def test_all_problems_are_listed_at_once(tmp_path):
    """In the order of their lines."""
    text = "margins: {foo: 1}\nthresholds: {RR: 3}\nlevel: 7\nextra: 1\n"
    assert [line for line, _, _ in problems(tmp_path, text)] == [1, 2, 3, 4]


def test_allowances():
    """Units of latencies become ms; a share is of the baseline."""
    assert allowance(parse("latency_p95"), "0.5 s") == Allowance(500.0)
    assert allowance(parse("latency_p95"), "10%").of(2000.0) == 200.0
    assert allowance(parse("error_rate"), 0.1).of(0.5) == 0.1


def test_a_small_error_rate_is_written_without_an_exponent():
    """1e-05 would not be read again."""
    assert policy_of(max_error_rate=0.00001).limits() == {"error_rate": "<= 0.00001"}
    assert policy_of(max_error_rate=0).limits() == {"error_rate": "<= 0"}
