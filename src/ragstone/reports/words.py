"""From names and numbers to words: labels of metrics, values with their unit, reasons, intervals, sentences."""

from __future__ import annotations

import math
from collections.abc import Mapping

from ragstone.metrics import Metric, parse
from ragstone.types import CutOff, Interval, Summary

NONE = "\N{EN DASH}"
_LABELS = {"RR": "MRR", "AP": "MAP"}
_REASONS = {
    "answerable": "answerable",
    "beyond_depth": "cut off deeper than the search went",
    "failed": "with a failed search",
    "no_gold": "without relevant gold",
    "no_groups": "without support groups",
    "no_judged_negative": "without a document judged irrelevant",
    "no_scores": "without scores from the system",
    "no_spread": "whose scores do not differ",
    "not_asked": "not asked",
    "not_found": "without a relevant hit",
    "not_measured": "not measured",
    "not_reported": "where the system did not say",
    "not_scoped": "searched without a scope",
    "nothing_returned": "that got nothing back",
    "one_class": "with all or no hits relevant",
    "too_few_judged": "with too few judged hits",
    "unanswerable": "unanswerable",
    "undefined": "not defined",
}


def label(name: str, *, single: bool = False) -> str:
    """Return a metric's label as a mean over questions, or for a single one.

    Example:
        >>> label("latency(p=95)"), label("RR@10"), label("rejection_accuracy(criterion='empty')")
        ('Latency p95', 'MRR@10', 'Rejection accuracy (empty)')
        >>> label("latency(p=95)", single=True), label("RR@10", single=True)
        ('Latency', 'RR@10')
    """
    metric = parse(name)
    if metric.family == "latency":
        return "Latency" if single else f"Latency p{metric.arguments()['p']:g}"
    word = metric.family if single else _LABELS.get(metric.family, metric.family)
    word = word if "_" not in word else word.replace("_", " ").capitalize()
    cut = "" if metric.cutoff is None else f"@{metric.cutoff}"
    params = ", ".join(str(value) if key == "criterion" else f"{key} {value}" for key, value in metric.params)
    return f"{word}{cut} ({params})" if params else word + cut


def value_text(name: str, value: float | None, *, at_least: bool = False) -> str:
    """Return a value of a metric: rates in percent, latencies in ms or s, else three decimals; a dash for none.

    Args:
        name: The metric.
        value: Its value.
        at_least: Whether it is known only to be at least so much.

    Example:
        >>> value_text("latency_p95", 150.0, at_least=True)
        '≥ 150 ms'
        >>> value_text("Hit@5", 0.2889), value_text("nDCG@10", 0.5), value_text("latency_p95", 1234.5)
        ('28.9%', '0.500', '1.23 s')
        >>> value_text("Hit@5", None) == NONE
        True
    """
    metric = parse(name)
    if value is None:
        return NONE
    if at_least:
        return f"≥ {value_text(name, value)}"
    if metric.family == "latency":
        return duration(value)
    return f"{100 * value:.1f}%" if metric.traits.kind == "rate" else f"{value:.3f}"


def score_text(name: str, value: float | None) -> str:
    """Return one question's value: a rate is then 0 or 1, or a share of its repeats.

    Example:
        >>> score_text("Hit@5", 1.0), score_text("nDCG@10", 0.5), score_text("latency_p95", 28.0)
        ('1', '0.500', '28 ms')
    """
    if value is not None and parse(name).traits.kind == "rate":
        return f"{value:.3g}"
    return value_text(name, value)


def duration(ms: float) -> str:
    """Return milliseconds with three figures or so.

    Example:
        >>> duration(2.34), duration(28.1), duration(999.6), duration(61000)
        ('2.3 ms', '28 ms', '1.00 s', '61.0 s')
    """
    if ms < 999.5:
        return f"{ms:.1f} ms" if 0 < ms < 9.95 else f"{ms:.0f} ms"
    return f"{ms / 1000:.2f} s" if ms < 9995 else f"{ms / 1000:.1f} s"


def interval_text(name: str, interval: Interval | None) -> str:
    """Return an interval's limits; one that does not exist is left open.

    Example:
        >>> interval_text("Hit@5", Interval(0.786, 0.957, 0.95, "Wilson")).split(NONE)
        ['78.6', '95.7%']
        >>> interval_text("latency_p95", Interval(29.0, None, 0.95, "order statistics"))
        '≥ 29 ms'
    """
    if interval is None or (interval.low is None and interval.high is None):
        return NONE
    if interval.low is None or interval.high is None:
        sign = "≤" if interval.low is None else "≥"
        return f"{sign} {value_text(name, interval.high if interval.low is None else interval.low)}"
    low, high = value_text(name, interval.low), value_text(name, interval.high)
    number, _, unit = low.removesuffix("%").partition(" ")
    return NONE.join((number if high.endswith(unit) else low, high))


def reasons_text(missing: Mapping[str, int]) -> str:
    """Return what is missing and why, in words.

    Example:
        >>> reasons_text({"unanswerable": 14, "no_gold": 2})
        '14 unanswerable, 2 without relevant gold'
    """
    return ", ".join(f"{count:,} {reason_text(code)}" for code, count in missing.items())


def reason_text(code: str | None) -> str:
    """Return a reason code in words; one that is not known here keeps its own."""
    return _REASONS.get(code or "", (code or "unknown").replace("_", " "))


def sentence(summary: Summary, failed: int = 0) -> str:
    """Return one sentence that says a summary and how sure it is.

    Args:
        summary: What is said.
        failed: How many of its scores stand for a failed search.

    Example:
        >>> interval = Interval(0.7864, 0.9565, 0.95, "Wilson")
        >>> sentence(Summary(metric="Hit@5", value=0.9, n=50, interval=interval))
        'Hit@5 is 90% (45 of 50); with this many questions the true rate is between 79% and 96%.'
    """
    name = label(summary.metric)
    if summary.value is None:
        return f"{name} could not be computed: {reasons_text(summary.missing) or 'no question was scored'}."
    metric = parse(summary.metric)
    method = summary.interval.method if summary.interval else ""
    counted = metric.traits.kind == "rate" and method.startswith("Wilson")
    basis = (
        f"({summary.value * summary.n:.0f} of {summary.n:,})"
        if counted
        else f"over {count(summary.n, 'question')}"
    )
    if summary.effective_n is not None and metric.traits.kind == "quantile":
        basis = measurements_text(summary.n, summary.effective_n)
    elif summary.effective_n is not None:
        basis += f", which count as about {summary.effective_n:.0f} because some belong together"
    value = value_text(summary.metric, summary.value).replace(".0%", "%")
    if summary.cut_off is not None:
        value = f"at least {value}" if summary.at_least else value
        basis += f", of which {cut_off_text(summary.cut_off)}"
    misses = f"; {count(failed, 'failed search', 'failed searches')} among them" if failed else ""
    return f"{name} is {value} {basis}{misses}; {_how_sure(metric, summary)}."


def n_text(summary: Summary) -> str:
    """Return the number that a summary rests on; of a percentile over repeats also that of the questions.

    Example:
        >>> n_text(Summary(metric="latency_p95", value=20.0, n=180, effective_n=60.0))
        '180 (60 questions)'
    """
    if summary.effective_n is None or parse(summary.metric).traits.kind != "quantile":
        return f"{summary.n:,}"
    return f"{summary.n:,} ({math.floor(summary.effective_n + 1e-9):,} questions)"


def measurements_text(n: int, questions: float) -> str:
    """Return what a percentile rests on where questions were asked repeatedly.

    Example:
        >>> measurements_text(180, 60.0)
        'over 180 searches, which count as 60 questions'
    """
    return (
        f"over {count(n, 'search', 'searches')}, which count as {count(math.floor(questions + 1e-9), 'question')}"
    )


def cut_off_text(found: CutOff) -> str:
    """Return how many searches were cut off, and where.

    Example:
        >>> cut_off_text(CutOff(n=10, limit=150.0, reached=True))
        '10 were cut off at the time limit of 150 ms'
    """
    return f"{found.n:,} {'was' if found.n == 1 else 'were'} cut off at the time limit of {duration(found.limit)}"


def _how_sure(metric: Metric, summary: Summary) -> str:
    interval = summary.interval
    what = {"rate": "rate", "quantile": "value"}.get(metric.traits.kind, "mean")
    if interval is None or (interval.low is None and interval.high is None):
        return f"too few questions to say how far the true {what} may lie from it"
    if interval.low is not None and interval.high is not None:
        low, high = _limits(metric, interval.low, interval.high)
        return f"with this many questions the true {what} is between {low} and {high}"
    if interval.low is None:
        return f"the true {what} is at most {value_text(str(metric), interval.high)}, and may be any lower"
    low = value_text(str(metric), interval.low)
    why = "too few questions were asked for an upper limit"
    if summary.cut_off is not None:
        why = "how much longer is not known"
    return f"the true {what} is at least {low}, and {why}"


def _limits(metric: Metric, low: float, high: float) -> tuple[str, str]:
    """Return limits in whole percent where that still tells them apart, means with two decimals likewise."""
    if metric.traits.kind == "rate" and high - low >= 0.03:
        return f"{100 * low:.0f}%", f"{100 * high:.0f}%"
    if metric.traits.kind == "mean" and high - low >= 0.03:
        return f"{low:.2f}", f"{high:.2f}"
    return value_text(str(metric), low), value_text(str(metric), high)


def plus_minus(name: str, half: float) -> str:
    """Return half the width of an interval.

    Example:
        >>> plus_minus("Hit@5", 0.084), plus_minus("nDCG@10", 0.084)
        ('±8 points', '±0.08')
    """
    metric = parse(name)
    if metric.traits.kind == "rate":
        return f"±{100 * half:.0f} points" if half >= 0.01 else f"±{100 * half:.1f} points"
    if metric.family == "latency":
        return f"±{duration(half)}"
    return f"±{half:.2f}" if half >= 0.01 else f"±{half:.3f}"


def count(n: int, noun: str, plural: str = "") -> str:
    """Return a number with its noun.

    Example:
        >>> count(1, "question"), count(2, "search", "searches")
        ('1 question', '2 searches')
    """
    return f"{n:,} {noun if n == 1 else plural or noun + 's'}"
