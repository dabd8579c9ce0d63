"""How often intervals hold the truth: the figures of statistics.md, computed with Ragstone's own functions.

python docs/explanation/coverage.py
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from ragstone.stats.intervals import order_statistics, plus_two_t, student_t, wilson
from ragstone.types import Interval


def of_rate(interval: Callable[[int, int], Interval], n: int, rate: float) -> float:
    """Return the exact coverage: the chance of a count whose interval holds the rate."""
    total = 0.0
    for hits in range(n + 1):
        found = interval(hits, n)
        if found.low <= rate <= found.high:
            total += math.comb(n, hits) * rate**hits * (1 - rate) ** (n - hits)
    return total


def textbook(hits: int, n: int) -> Interval:
    """Return the Wald interval, p plus or minus 1.96 standard errors."""
    rate = hits / n
    half = 1.959964 * math.sqrt(rate * (1 - rate) / n)
    return Interval(rate - half, rate + half, 0.95, "Wald")


def of_mean(interval: Callable[[np.ndarray], Interval], n: int, chances: dict[float, float]) -> float:
    """Return the exact coverage of the mean of n draws from three values, given as chances by value."""
    values, shares = list(chances), list(chances.values())
    truth = float(np.dot(values, shares))
    total = 0.0
    for first in range(n + 1):
        for second in range(n + 1 - first):
            counts = (first, second, n - first - second)
            found = interval(np.repeat(values, counts))
            if found.low <= truth <= found.high:
                ways = math.comb(n, first) * math.comb(n - first, second)
                total += ways * math.prod(share**count for share, count in zip(shares, counts, strict=True))
    return total


def rows() -> list[str]:
    """Return the rows of the tables in statistics.md."""
    lines = []
    for n, rate in ((10, 0.95), (50, 0.9), (200, 0.9)):
        wald, score = of_rate(textbook, n, rate), of_rate(wilson, n, rate)
        lines.append(f"| {n} | {rate:.2f} | {wald:.1%} | {score:.1%} |")
    good = {1.0: 0.93, 0.5: 0.04, 0.0: 0.03}
    middling = {1.0: 0.4, 0.5: 0.3, 0.0: 0.3}
    for name, chances in (("very good", good), ("middling", middling)):
        for n in (10, 30):
            plain = of_mean(student_t, n, chances)
            padded = of_mean(lambda draw: plus_two_t(draw, 0.0, 1.0), n, chances)
            lines.append(f"| {name} | {n} | {plain:.1%} | {padded:.1%} |")
    for n in (50, 71, 72, 100):
        found = order_statistics(np.arange(1.0, n + 1), 0.95)
        high = "none" if found.high is None else f"{found.high:.0f}"
        lines.append(f"| {n} | {found.low:.0f} | {high} |")
    return lines


if __name__ == "__main__":
    print("\n".join(rows()))
