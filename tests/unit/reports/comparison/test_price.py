"""What a change costs or saves, and what follows from it."""

from __future__ import annotations

import re
from dataclasses import replace

from tests.compared import METRIC, arm

from ragstone.experiments.comparison.compare import compare
from ragstone.reports.comparison.advice import confidence_text, recommendation, winner_text
from ragstone.reports.comparison.render import render_comparison
from ragstone.types import Response

P95 = "latency(p=95)"


def compared(first, second):
    return compare([arm(first, "A"), arm(second, "B")], holes=False)


def latencies(scores, low):
    """Scores with latencies from `low` milliseconds on."""
    return {METRIC: scores, P95: [low + i / 10 for i in range(len(scores))]}


def using(result, amount):
    """Return a run whose responses report so many input tokens."""
    queries = [
        replace(one, response=Response(usage={"input_tokens": amount}), matches=()) for one in result.queries
    ]
    return replace(result, queries=tuple(queries))


def test_a_switch_has_its_price():
    """The recommendation names what is gained and what it costs, or saves, at p95."""
    bad, good = [0.0] * 100, [1.0] * 100
    dearer = compared(latencies(bad, 400), latencies(good, 2300))
    assert recommendation(dearer) == (
        "Switch to B: better by 100.0 points of nDCG@5, at the price of 1.90 s more at p95 "
        "(2.31 s against 409 ms)."
    )
    cheaper = compared(latencies(bad, 2300), latencies(good, 400))
    assert "and 1.90 s faster at p95 (409 ms against 2.31 s)" in recommendation(cheaper)
    assert winner_text(dearer) == "B"
    assert confidence_text(dearer).startswith("nDCG@5 +100.0 points, 95% interval ")


def test_a_switch_that_uses_more_says_so():
    """Tokens and the like are part of the price."""
    arms = using(arm([0.0] * 30, "A"), 100.0), using(arm([1.0] * 30, "B"), 112.0)
    found = compare(arms, holes=False)
    assert recommendation(found).endswith("of nDCG@5, with +12% input tokens.")
    assert "| input tokens | 3,000 | 3,360 | +360 (+12%) | " in render_comparison(found, "markdown")


def test_an_equal_candidate_that_is_slower_or_dearer_says_what_it_would_cost():
    """No reason to switch, and there is a price to it: sure in time, as reported in tokens."""
    slow, fast = latencies([0.5] * 100, 900), latencies([0.5] * 100, 400)
    text = recommendation(compare([using(arm(fast, "A"), 100.0), using(arm(slow, "B"), 401.0)], holes=False))
    assert text.startswith("No reason to switch by nDCG@5.")
    assert text.endswith("Switching would cost: B 500 ms more at p95 (909 ms against 409 ms), +301% input tokens.")
    cheaper = recommendation(compare([using(arm(slow, "A"), 401.0), using(arm(fast, "B"), 100.0)], holes=False))
    assert "would cost" not in cheaper


def test_no_winner_is_no_alarm():
    """An open comparison has a neutral badge; red is for what failed."""
    text = render_comparison(compared([0.5] * 30, [0.5] * 30), "html")
    assert '<span class="verdict open">no winner</span>' in text
    assert "not-ok" not in text.split("</style>")[1]


def test_a_loser_that_is_faster_is_named_for_those_who_need_it():
    """The baseline wins; the candidate's speed is not kept back."""
    found = compared(latencies([1.0] * 100, 2300), latencies([0.0] * 100, 400))
    assert winner_text(found) == "A"
    assert recommendation(found) == "Keep A: B is worse by 100.0 points of nDCG@5, though 1.90 s faster at p95."


def test_without_a_difference_the_advice_is_to_stay_or_to_ask_more():
    """How many more questions would show five points; and being faster does not show being as good."""
    arms = latencies([0.0, 1.0] * 50, 900), latencies([1.0, 0.0, 0.0, 1.0] * 25, 400)
    text = recommendation(compared(*arms))
    assert re.match(
        r"No reason to switch by nDCG@5\. Ask about [\d,]+ more questions to see a difference of 5\.0 ", text
    )
    assert "Faster at p95: B by 500 ms; but that it is as good is not shown: that takes a margin" in text
    assert "A difference of 5.0 points would probably have shown" in recommendation(
        compared([0.5] * 400, [0.5] * 400)
    )
