"""Metrics: one file a family, each a vectorised function over a judged run, under one registry.

`parse` turns a name into a `Metric`; `score` applies it to a `JudgedRun`; `summary` aggregates with an interval.
A new metric is one decorated function; lists, docs and the common tests follow from the registry.

What builds on intervals is resolved at first use, so that scoring alone does not load them.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from ragstone.metrics.base import FAMILIES, Family, Metric, Param, Requirement, family
from ragstone.metrics.columns import Column, Policy, score_columns
from ragstone.metrics.names import parse, parse_all

if TYPE_CHECKING:
    from ragstone.metrics.holes import Bounds, Holes, bounds, difference, holes_of
    from ragstone.metrics.scoring import score, score_all, summary
    from ragstone.metrics.single import compute_all_metrics, judge_list

_HOMES = {
    "Bounds": "holes",
    "Holes": "holes",
    "bounds": "holes",
    "compute_all_metrics": "single",
    "difference": "holes",
    "holes_of": "holes",
    "judge_list": "single",
    "score": "scoring",
    "score_all": "scoring",
    "summary": "scoring",
}

__all__ = [
    "FAMILIES",
    "Bounds",
    "Column",
    "Family",
    "Holes",
    "Metric",
    "Param",
    "Policy",
    "Requirement",
    "bounds",
    "compute_all_metrics",
    "difference",
    "family",
    "holes_of",
    "judge_list",
    "parse",
    "parse_all",
    "score",
    "score_all",
    "score_columns",
    "summary",
]


def __getattr__(name: str) -> Any:  # noqa: ANN401 - any public name
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)
