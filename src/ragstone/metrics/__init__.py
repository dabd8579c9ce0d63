"""Metrics: one file a family, each a vectorised function over a judged run, under one registry.

`parse` turns a name into a `Metric`; `score` applies it to a `JudgedRun`; `summary` aggregates with an interval.
A new metric is one decorated function; lists, docs and the common tests follow from the registry.
"""

from ragstone.metrics.base import FAMILIES, Family, Metric, Param, Requirement, family
from ragstone.metrics.holes import Bounds, bounds, difference
from ragstone.metrics.names import parse, parse_all
from ragstone.metrics.scoring import Column, Policy, score, score_all, score_columns, summary
from ragstone.metrics.single import compute_all_metrics, judge_list

__all__ = [
    "FAMILIES",
    "Bounds",
    "Column",
    "Family",
    "Metric",
    "Param",
    "Policy",
    "Requirement",
    "bounds",
    "compute_all_metrics",
    "difference",
    "family",
    "judge_list",
    "parse",
    "parse_all",
    "score",
    "score_all",
    "score_columns",
    "summary",
]
