"""Runs side by side: each against the first, query by query."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ragstone.bulk.result import RunScores
from ragstone.metrics import parse
from ragstone.stats.paired import PairedComparison, compare_paired


def against_first(results: Mapping[str, RunScores], metric: str) -> dict[str, PairedComparison]:
    """Compare every run but the first with the first, on the queries for which both have a value.

    One metric is compared, not all of them: with every further comparison one is more likely to find a difference
    that is none.

    Example:
        >>> from ragstone.bulk import score
        >>> golds = {f"q{i}": {"a": 1} for i in range(20)}
        >>> runs = {"old": {q: {"x": 1.0} for q in golds}, "new": {q: {"a": 1.0} for q in golds}}
        >>> against_first(score(golds, runs, ["RR"]), "RR")["new"].verdict
        'better'
    """
    (_, first), *others = results.items()
    low, high = parse(metric).traits.bounds
    compared = {}
    for name, result in others:
        a, b = result.column(metric), first.column(metric)
        both = ~np.isnan(a) & ~np.isnan(b)
        compared[name] = compare_paired(
            a[both],
            b[both],
            range_width=high - low if np.isfinite(high - low) else None,
            higher_is_better=parse(metric).traits.higher_is_better is not False,
        )
    return compared
