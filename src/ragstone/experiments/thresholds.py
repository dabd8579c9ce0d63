"""Success thresholds such as ``Hit@5: "> 0.80"`` and ``latency_p95: "< 5 s"``."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from ragstone.errors import UsageError
from ragstone.metrics import Metric
from ragstone.types import Summary

_LIMIT = re.compile(r"\s*(?P<sign>>=|<=|>|<)\s*(?P<number>\d+(?:\.\d+)?|\.\d+)\s*(?P<unit>ms|s|%)?\s*")
_SIGNS: dict[str, Callable[[float, float], bool]] = {
    ">": operator.gt,
    "<": operator.lt,
    ">=": operator.ge,
    "<=": operator.le,
}
_UNITS = {None: 1.0, "ms": 1.0, "s": 1000.0, "%": 0.01}


@dataclass(frozen=True, slots=True)
class Limit:
    """A bound: > and < are strict; `unit` is how it was written."""

    sign: str
    bound: float
    unit: str | None = None

    def met_by(self, value: float) -> bool:
        """Say whether the value is on the right side."""
        return _SIGNS[self.sign](value, self.bound)

    def met_by_summary(self, summary: Summary) -> bool:
        """Say whether a value is; one that is known only to be at least so much is never below a bound."""
        if summary.value is None or (summary.at_least and self.sign.startswith("<")):
            return False
        return self.met_by(summary.value)


@dataclass(frozen=True, slots=True)
class Check:
    """A threshold and whether the run meets it; a value that could not be computed does not.

    Attributes:
        at_least: Whether the value is known only to be at least so much; it then never meets an upper bound.
    """

    metric: str
    limit: str
    value: float | None
    met: bool
    at_least: bool = False


def parse_limit(text: str) -> Limit:
    """Read a bound: a sign, a number, and ms, s (latencies) or % where wanted.

    Example:
        >>> parse_limit("< 5 s")
        Limit(sign='<', bound=5000.0, unit='s')
    """
    match = _LIMIT.fullmatch(text)
    if match is None:
        raise UsageError(f"threshold {text!r} is not of the form '> 0.80' or '< 5 s'")
    return Limit(match["sign"], float(match["number"]) * _UNITS[match["unit"]], match["unit"])


def misfit(metric: Metric, text: str) -> str | None:
    """Say why a bound does not fit its metric: a unit that the metric does not have, or a value it never takes."""
    limit = parse_limit(text)
    low, high = metric.traits.bounds
    times = metric.traits.kind == "quantile"
    if times != (limit.unit in ("s", "ms")):
        seen = f"has the unit {limit.unit!r}" if limit.unit else "has no unit"
        return f"{text!r} {seen}; {'write ms or s' if times else 'write a number or %'}"
    if not low <= limit.bound <= high:
        return f"{text!r} lies outside the metric's range, {low:g} to {high:g}"
    return None


def check(thresholds: Mapping[str, str], summaries: Mapping[str, Summary]) -> tuple[Check, ...]:
    """Hold each threshold against the summary of its metric."""
    checks = []
    for metric, limit in thresholds.items():
        found = summaries[metric]
        checks.append(
            Check(metric, limit, found.value, parse_limit(limit).met_by_summary(found), at_least=found.at_least)
        )
    return tuple(checks)
