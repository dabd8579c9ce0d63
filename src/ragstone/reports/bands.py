"""Interpretation bands: a rule of thumb's word for a mean, never more than that."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ragstone.metrics import parse

RULE_OF_THUMB = "rule of thumb"
_BANDS: Mapping[str, tuple[Sequence[tuple[float, str]], str]] = {
    "Hit": (((0.90, "excellent"), (0.75, "good"), (0.50, "needs work")), "poor"),
    "RR": (((0.80, "excellent"), (0.50, "good"), (0.30, "needs work")), "poor"),
    "nDCG": (((0.80, "excellent"), (0.60, "good"), (0.40, "fair")), "poor"),
}


def band(metric: str, value: float | None) -> str | None:
    """Return the band of a mean of Hit, RR or nDCG; limits are strict. None for other metrics and no value.

    A variant with parameters, such as another gain, has no band: the rule was made for the plain metric.

    Example:
        >>> band("Hit@5", 0.91), band("Hit@5", 0.90), band("nDCG@10", 0.2), band("P@5", 0.9)
        ('excellent', 'good', 'poor', None)
    """
    parsed = parse(metric)
    if value is None or parsed.params or parsed.family not in _BANDS:
        return None
    limits, lowest = _BANDS[parsed.family]
    return next((word for limit, word in limits if value > limit), lowest)
