"""What leads: the few metrics to look at first, and the part of a run's name that tells it apart."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ragstone.experiments.stored import StoredBenchmark
from ragstone.metrics import parse

_MOST = 6
_BEFORE_SETTING = re.compile(r" (?=[A-Za-z_][\w.+]*=)")


def leading_metrics(benchmark: StoredBenchmark, known: Sequence[str]) -> tuple[str, ...]:
    """Return the primary metric, those with thresholds, a hit rate, MRR, nDCG, recall, and last a latency.

    Args:
        benchmark: Names the primary metric and the thresholds.
        known: Names of the metrics to choose from.
    """
    chosen = [str(benchmark.primary), *(name for name in benchmark.thresholds if not _is_latency(name))]
    for family in ("Hit", "RR", "nDCG", "R"):
        if not any(parse(name).family == family for name in chosen):
            chosen += _of_family(known, family, benchmark.primary.cutoff or 5)
    chosen = list(dict.fromkeys(chosen))[: _MOST - 1]
    slow = next((name for name in benchmark.thresholds if _is_latency(name)), "latency(p=95)")
    return tuple(dict.fromkeys([*chosen, slow]))


def _of_family(known: Sequence[str], family: str, cutoff: int) -> list[str]:
    """Return the metric of a family whose cutoff is the nearest to the one wanted, if there is any."""
    members = [metric for metric in map(parse, known) if metric.family == family and not metric.params]
    return [str(min(members, key=lambda metric: abs((metric.cutoff or cutoff) - cutoff)))] if members else []


def _is_latency(name: str) -> bool:
    return parse(name).family == "latency"


def short_names(names: Sequence[str]) -> list[str]:
    """Return runs' names without the settings that all of them share, where that tells them apart.

    Example:
        >>> short_names(["top_k=5 rrf_k=10", "top_k=5 rrf_k=60"]), short_names(["a", "a"])
        (['rrf_k=10', 'rrf_k=60'], ['a', 'a'])
        >>> short_names(['top_k=5 x={"a": 1, "b": 2}', 'top_k=5 x={"a": 1, "b": 3}'])
        ['x={"a": 1, "b": 2}', 'x={"a": 1, "b": 3}']
    """
    parts = [_parts(name) for name in names]
    shared = set.intersection(*map(set, parts)) if len(names) > 1 else set()
    short = [" ".join(part for part in mine if part not in shared) for mine in parts]
    return short if all(short) and len(set(short)) == len(set(names)) else list(names)


def _parts(name: str) -> list[str]:
    """Return a name's words and settings; a setting stays whole, whatever spaces its value has."""
    first, *settings = _BEFORE_SETTING.split(name)
    return [*([first] if "=" in first else first.split()), *settings]
