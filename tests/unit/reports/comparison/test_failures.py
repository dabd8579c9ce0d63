"""Failed searches that are left out: who fails more does not win by it."""

from __future__ import annotations

import json

import pytest
from tests.compared import arm

from ragstone.experiments.comparison.compare import compare
from ragstone.reports.comparison.advice import confidence_text, recommendation, winner_text
from ragstone.reports.comparison.render import render_comparison
from ragstone.reports.comparison.verdict import verdict_sentence

SAID = "the search of flaky failed on 13 of 60 questions (22%), which are left out"
STEADY = [0.5] * 60
FLAKY = [None] * 13 + [0.9] * 47


def compared(first, second):
    return compare([arm(scores, name) for name, scores in (first, second)], holes=False)


def test_a_candidate_that_leaves_out_its_failures_is_not_recommended():
    """Better on what it answered, but a fifth of its searches failed: no winner, and why, in every place."""
    found = compared(("base", STEADY), ("flaky", FLAKY))
    one = found.candidates[0].primary
    assert (one.paired.verdict, one.verdict, one.doubt) == ("better", "borderline", "failed searches")
    assert winner_text(found) == "no winner"
    assert verdict_sentence(one, "flaky", "base").endswith(f" Borderline: {SAID}. Take it as undecided.")
    assert recommendation(found) == (
        "Undecided by nDCG@5: do not switch on this evidence. So far flaky looks better by 40.0 points, but "
        f"{SAID}: mend that first, or count them as misses (on_error: miss)."
    )
    assert confidence_text(found).endswith(f"; {SAID}")
    data = json.loads(render_comparison(found, "json"))
    assert data["verdict"]["winner"] is None
    assert data["candidates"][0]["metrics"][0]["doubt"] == "failed searches"
    assert "<skipped" in render_comparison(found, "junit")


def test_a_baseline_that_leaves_out_its_failures_does_not_win_either():
    """What holds for the candidate holds for the baseline."""
    found = compared(("flaky", FLAKY), ("other", STEADY))
    assert winner_text(found) == "no winner"
    assert SAID in verdict_sentence(found.candidates[0].primary, "other", "flaky")
    assert SAID in recommendation(found)


@pytest.mark.parametrize(
    ("first", "second", "winner"),
    [
        (FLAKY, [0.2] * 13 + [1.0] * 47, "B"),
        ([None, *STEADY[1:]], [0.9, None, *[0.9] * 58], "B"),
        (STEADY, [None] * 13 + [0.1] * 47, "A"),
    ],
    ids=["the other one fails", "both fail alike", "the loser fails"],
)
def test_failures_that_flatter_nobody_change_nothing(first, second, winner):
    """The winner's lead stands where it failed no more often than the loser."""
    found = compared(("A", first), ("B", second))
    assert winner_text(found) == winner
    assert "Borderline" not in verdict_sentence(found.candidates[0].primary, "B", "A")
