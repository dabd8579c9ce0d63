"""One sign everywhere: a metric of which less is better reads the same in every format."""

from __future__ import annotations

import json
import re

import pytest
from tests.compared import arm

from ragstone.experiments.comparison.compare import compare
from ragstone.reports.comparison.advice import confidence_text, winner_text
from ragstone.reports.comparison.notes import notes
from ragstone.reports.comparison.render import render_comparison
from ragstone.reports.comparison.verdict import verdict_sentence
from ragstone.reports.comparison.words import limits_text, signed_text
from ragstone.testing import FakeSystem

RANK, ERRORS = "first_rank", "error_rate"
EARLY, LATE = [1.0, 3.0, 2.0] * 20, [2.0, 3.0, 2.0] * 20
CASES = {
    "later": (RANK, EARLY, LATE, "B is worse than A by First rank: +0.333"),
    "earlier": (RANK, LATE, EARLY, "B is better than A by First rank: -0.333"),
    "level": (RANK, [1.0, 2.0, 3.0] * 20, [2.0, 1.0, 3.0, 1.0, 2.0, 4.0] * 10, "No difference seen between"),
    "leaning": (RANK, [5.0] * 30, [2.0] + [4.0] * 5 + [5.0] * 24, "B looks better than A by First rank: -0.267"),
    "fewer errors": (ERRORS, [1.0] * 30, [0.0] * 30, "B is better than A by Error rate: -100.0 points"),
}


def compared(case):
    metric, first, second, _ = CASES[case]
    return compare([arm({metric: first}, "A"), arm({metric: second}, "B")], holes=False)


@pytest.mark.parametrize("case", CASES)
def test_the_sentence_has_the_sign_and_the_limits_of_the_table(case):
    """Sentence, confidence line, table and JSON show candidate less baseline, and say that lower is better."""
    comparison = compared(case)
    found = comparison.candidates[0].primary
    change = signed_text(found.metric, found.paired.difference)
    limits = limits_text(found.metric, found.paired.interval)
    sentence = verdict_sentence(found, "B", "A")
    assert sentence.startswith(CASES[case][-1])
    assert f": {change} (lower is better; 95% interval {limits}); " in sentence
    assert f"(lower is better) {change}, 95% interval {limits}" in confidence_text(comparison)
    data = json.loads(render_comparison(comparison, "json"))["candidates"][0]["metrics"][0]
    assert signed_text(found.metric, data["difference"]) == change
    assert (data["interval"]["low"], data["interval"]["high"]) == (
        found.paired.interval.low, found.paired.interval.high
    )  # fmt: skip


@pytest.mark.parametrize("form", ["terminal", "markdown", "html"])
@pytest.mark.parametrize("case", CASES)
def test_every_format_shows_one_number(case, form):
    """Wherever the mean difference stands, it has one sign, beside the hint how to read it."""
    comparison = compared(case)
    found = comparison.candidates[0].primary
    text = " ".join(render_comparison(comparison, form).split())
    number = signed_text(found.metric, found.paired.difference).removesuffix(" points")
    opposite = number.translate(str.maketrans("+-", "-+"))
    assert text.count(number) >= 2
    assert not re.search(rf"{re.escape(opposite)}(?![\d.])", text)
    assert "lower is better" in text


def test_bounds_of_unjudged_hits_have_the_sign_of_the_difference(make, ask):
    """B finds its gold one rank later, behind an unjudged hit that may be right: then it needs no rank more."""
    early = {f"question {i}": [[f"d{i}", "x"]] for i in range(12)}
    late = {f"question {i}": [["x", f"d{i}"]] for i in range(12)}
    report = make(ask(12), {"A": FakeSystem(early), "B": FakeSystem(late)}, metrics=["first_rank"])
    comparison = compare(report)
    assert "by First rank: +1.000 (lower is better; " in verdict_sentence(
        comparison.candidates[0].primary, "B", "A"
    )
    (message,) = [note.message for note in notes(comparison) if "never judged" in note.message]
    assert "the difference in First rank (lower is better) could be 0.000 to +1.000: " in message


def test_a_rank_further_down_wins_nothing():
    """The winner is who needs fewer ranks."""
    assert winner_text(compared("later")) == "A"
    assert winner_text(compared("earlier")) == "B"
