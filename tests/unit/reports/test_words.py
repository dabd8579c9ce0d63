from __future__ import annotations

import pytest

from ragstone.matching.reference import place
from ragstone.reports.bands import band
from ragstone.reports.escape import escaped, with_commands
from ragstone.reports.evidence import grade_text
from ragstone.reports.plain import plain, shortened
from ragstone.reports.words import (
    duration,
    interval_text,
    label,
    plus_minus,
    reason_text,
    reasons_text,
    sentence,
    value_text,
)
from ragstone.types import Gold, Hit, Interval, Summary


@pytest.mark.parametrize(
    ("metric", "limits"),
    [
        ("Hit@5", [(0.90, "good", "excellent"), (0.75, "needs work", "good"), (0.50, "poor", "needs work")]),
        ("RR@10", [(0.80, "good", "excellent"), (0.50, "needs work", "good"), (0.30, "poor", "needs work")]),
        ("nDCG@10", [(0.80, "good", "excellent"), (0.60, "fair", "good"), (0.40, "poor", "fair")]),
    ],
)
def test_bands_are_strict(metric, limits):
    """A value at a limit belongs to the band below it, a hair more to the one above."""
    for limit, at, above in limits:
        assert band(metric, limit) == at
        assert band(metric, limit + 1e-9) == above
    assert band(metric, None) is None


def test_other_metrics_have_no_band():
    """Neither other families nor variants of the three have a rule of thumb."""
    assert band("P@5", 0.9) is band("nDCG(gain='exp')@10", 0.9) is band("latency_p95", 3.0) is None


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("RR", "MRR"),
        ("AP", "MAP"),
        ("nDCG@10", "nDCG@10"),
        ("latency_p95", "Latency p95"),
        ("error_rate", "Error rate"),
        ("recall_all@10", "Recall all@10"),
        ("nDCG(gain='exp')@10", "nDCG@10 (gain exp)"),
        ("rejection_accuracy(criterion='score', threshold=0.3)", "Rejection accuracy (score, threshold 0.3)"),
    ],
)
def test_labels(name, expected):
    """Names become what a reader calls the mean."""
    assert label(name) == expected


def test_values_are_rendered_by_kind():
    """Rates in percent, means with three decimals, times with a unit, and a dash for none."""
    assert value_text("Hit@5", 0.9) == "90.0%"
    assert value_text("RR", 1 / 3) == "0.333"
    assert value_text("latency_p50", 0.0) == "0 ms"
    assert value_text("P@5", None) == "\u2013"
    assert [duration(ms) for ms in (9.9, 9.96, 999.4, 999.6, 9994.0, 9996.0)] == [
        "9.9 ms",
        "10 ms",
        "999 ms",
        "1.00 s",
        "9.99 s",
        "10.0 s",
    ]


def test_intervals_may_be_open():
    """A limit that does not exist is left open and never invented."""
    assert interval_text("latency_p95", Interval(900.0, 1100.0, 0.95, "m")) == "900 ms\u20131.10 s"
    assert interval_text("latency_p95", Interval(9.0, 11.0, 0.95, "m")) == "9.0\u201311 ms"
    assert interval_text("latency_p95", Interval(None, 11.0, 0.95, "m")) == "\u2264 11 ms"
    assert interval_text("latency_p95", Interval(None, None, 0.95, "m")) == "\u2013"
    assert interval_text("RR", None) == "\u2013"


def summary(metric, value, low, high, method="Wilson", n=50):
    return Summary(metric=metric, value=value, n=n, interval=Interval(low, high, 0.95, method))


def test_the_sentence_of_the_report():
    """A rate is told with its counts and whole percents."""
    assert sentence(summary("Hit@5", 0.9, 0.7864, 0.9565)) == (
        "Hit@5 is 90% (45 of 50); with this many questions the true rate is between 79% and 96%."
    )


@pytest.mark.parametrize(
    ("one", "expected"),
    [
        (summary("Hit@5", 0.9, 0.891, 0.909, n=5000), "between 89.1% and 90.9%"),
        (summary("Hit@5", 0.85, 0.7, 0.9, "plus-two t"), "Hit@5 is 85% over 50 questions"),
        (summary("nDCG@10", 0.5, 0.41, 0.59, "plus-two t"), "the true mean is between 0.41 and 0.59"),
        (summary("latency_p95", 29.0, 28.0, None, "order statistics"), "at least 28 ms, and too few questions"),
        (summary("latency_p50", 29.0, None, 30.0, "order statistics"), "at most 30 ms"),
        (summary("DCG@10", 2.0, None, None, "t", n=1), "over 1 question; too few questions to say"),
        (Summary(metric="RR", value=None, n=0, missing={"no_gold": 3}), "could not be computed: 3 without rele"),
        (Summary(metric="RR", value=None, n=0), "no question was scored"),
    ],
)
def test_other_sentences(one, expected):
    """Means, quantiles without a limit, and what was not computed have their own words."""
    assert expected in sentence(one)


def test_failed_searches_stand_beside_the_mean():
    """A reader sees how many of the scores stand for a failure."""
    assert "(45 of 50); 1 failed search among them;" in sentence(summary("Hit@5", 0.9, 0.7, 0.9), failed=1)


def test_reasons_in_words():
    """Known codes are spelled out, others keep their name."""
    assert reasons_text({"unanswerable": 14, "odd_thing": 1}) == "14 unanswerable, 1 odd thing"
    assert reason_text(None) == "unknown"


def test_half_widths():
    """Points for rates, units for times, plain numbers for means."""
    assert plus_minus("Hit@5", 0.004) == "\u00b10.4 points"
    assert plus_minus("latency_p50", 3.0) == "\u00b13.0 ms"
    assert plus_minus("RR", 0.004) == "\u00b10.004"


def test_places():
    """A reference is named by document and heading, by page, or by its chunk."""
    assert place(Gold(kind="anchor", document="os", heading=("os", "path"))) == "os \u203a path"
    assert place(Gold(kind="chunk", chunk="c1")) == "c1"
    assert place(Hit(id="c1", document="a.pdf", page=0)) == "a.pdf, page 0"
    assert [grade_text(grade) for grade in (-1, 0, 3, 7)] == [
        "unjudged (-1)",
        "not relevant (0)",
        "highly relevant (3)",
        "relevant (7)",
    ]


def test_plain_text_is_one_line_that_can_be_written():
    """Line breaks become spaces; controls, bidi marks and lone surrogates go."""
    assert plain("a\r\nb\tc\u2028d") == "a b c d"
    assert plain("\x00\x1b[1m\u200f\u202ex\ud800\U000e0041") == "[1mx\ufffd"
    assert plain("na\u00efve \u65e5\u672c \U0001f600") == "na\u00efve \u65e5\u672c \U0001f600"
    assert shortened("abcdef", 6) == "abcdef"
    assert shortened("abcdefg", 6) == "abcde\u2026"


@pytest.mark.parametrize("sign", ["- x", "# x", "+ x", "1. x", "12) x", "=== x"])
def test_markdown_text_starts_no_block(sign):
    """What would begin a list or a heading is kept from it."""
    assert escaped(sign).startswith("&#8203;")


def test_markdown_text_links_and_calls_nobody():
    """Links are not made, people and issues not called, code not opened."""
    text = escaped("http://x www.y @team #12 `code` <b> &amp; ~~x~~ me@x")
    assert text == (
        "http&#58;//x www&#46;y @&#8203;team #&#8203;12 \\`code\\` &lt;b&gt; &amp;amp; \\~\\~x\\~\\~ me@x"
    )
    assert with_commands("do `ragstone resume b-1 --failed` or `rm -rf /`") == (
        "do `ragstone resume b-1 --failed` or \\`rm -rf /\\`"
    )
