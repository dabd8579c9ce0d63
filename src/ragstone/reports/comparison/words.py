"""The numbers of a comparison in words: differences with sign and unit, limits, p-values, luck."""

from __future__ import annotations

from ragstone.metrics import Metric
from ragstone.reports.words import NONE, label
from ragstone.types import Interval


def in_points(metric: Metric) -> bool:
    """Say whether differences are told in points, hundredths of a metric that goes from 0 to 1."""
    low, high = metric.traits.bounds
    return high - low == 1


def change_number(metric: Metric, value: float | None, *, signed: bool = True) -> str:
    """Return a difference as a number: in points where the metric goes from 0 to 1.

    Example:
        >>> from ragstone.metrics import parse
        >>> change_number(parse("Hit@5"), 0.041), change_number(parse("Hit@5"), -0.0001)
        ('+4.1', '0.0')
    """
    if value is None:
        return NONE
    text = f"{100 * value:.1f}" if in_points(metric) else f"{value:.3f}"
    if float(text) == 0:
        return text.removeprefix("-")
    return text if not signed or value < 0 else f"+{text}"


def change_text(metric: Metric, value: float) -> str:
    """Return the size of a difference with its unit.

    Example:
        >>> from ragstone.metrics import parse
        >>> change_text(parse("Hit@5"), -0.041)
        '4.1 points'
    """
    size = change_number(metric, abs(value), signed=False)
    return f"{size} {'point' if size == '1.0' else 'points'}" if in_points(metric) else size


def signed_text(metric: Metric, value: float) -> str:
    """Return a difference, candidate less baseline, with its sign and unit.

    Example:
        >>> from ragstone.metrics import parse
        >>> signed_text(parse("Hit@5"), 0.041), signed_text(parse("first_rank"), -0.5)
        ('+4.1 points', '-0.500')
    """
    return f"{change_number(metric, value)}{' points' if in_points(metric) else ''}"


def lower_better(metric: Metric) -> str:
    """Return how to read a metric's sign where a reader may take it the wrong way; else nothing.

    Example:
        >>> from ragstone.metrics import parse
        >>> lower_better(parse("first_rank")), lower_better(parse("Hit@5"))
        ('lower is better', '')
    """
    return "lower is better" if metric.traits.higher_is_better is False else ""


def metric_label(metric: Metric) -> str:
    """Return a metric's label as it heads differences: with the way to read them.

    Example:
        >>> from ragstone.metrics import parse
        >>> metric_label(parse("first_rank")), metric_label(parse("RR@10"))
        ('First rank (lower is better)', 'MRR@10')
    """
    name, hint = label(str(metric)), lower_better(metric)
    return f"{name} ({hint})" if hint else name


def limits_text(metric: Metric, interval: Interval, *, sign: float = 1.0) -> str:
    """Return the limits of a difference, ``0.6 to 7.6``; with a sign of -1, those of its opposite."""
    ends = sorted(sign * one for one in (interval.low, interval.high) if one is not None)
    return " to ".join(change_number(metric, one, signed=False) for one in ends) if len(ends) == 2 else NONE


def p_text(p: float) -> str:
    """Return a p-value with two figures.

    Example:
        >>> p_text(0.0234), p_text(0.3), p_text(1 / 1001), p_text(0.00004)
        ('0.023', '0.30', '0.0010', '<0.0001')
    """
    if p < 0.0001:
        return "<0.0001"
    exponent = int(f"{p:.1e}".partition("e")[2])
    return f"{p:.2f}" if p >= 0.095 else f"{p:.{1 - exponent}f}"


def stars(p: float) -> str:
    """Return ``**`` below 0.01 and ``*`` below 0.05."""
    return "**" if p < 0.01 else "*" if p < 0.05 else ""


def luck_text(p: float) -> str:
    """Return how often luck alone does as much.

    Example:
        >>> luck_text(0.021), luck_text(0.0104), luck_text(0.004), luck_text(0.00001)
        ('2 times in 100', 'once in 100 times', '4 times in 1,000', 'less than once in 1,000 times')
    """
    if p < 0.001:
        return "less than once in 1,000 times"
    of = 100 if p >= 0.0095 else 1000
    times = round(p * of)
    return f"once in {of:,} times" if times == 1 else f"{times} times in {of:,}"
