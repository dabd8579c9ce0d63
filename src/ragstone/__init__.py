"""Ragstone: the touchstone for retrieval-augmented generation.

    >>> import ragstone as rs
    >>> str(rs.parse("ndcg_cut_10"))
    'nDCG@10'

Names are resolved at first use, so that importing the package costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ragstone.bootstrap import evaluate
    from ragstone.bulk import score
    from ragstone.datasets import load as load_dataset
    from ragstone.errors import InvalidInputError, RagstoneError, UsageError
    from ragstone.experiments.comparison.compare import compare
    from ragstone.matching import MatchOptions, judge_run
    from ragstone.metrics import Metric, Policy, compute_all_metrics, parse, summary
    from ragstone.types import Dataset, Gold, Hit, JudgedRun, Query, Response, Scope, Score, Summary

_HOMES = {
    "Dataset": "types",
    "Gold": "types",
    "Hit": "types",
    "InvalidInputError": "errors",
    "JudgedRun": "types",
    "MatchOptions": "matching",
    "Metric": "metrics",
    "Policy": "metrics",
    "Query": "types",
    "RagstoneError": "errors",
    "Response": "types",
    "Scope": "types",
    "Score": "types",
    "Summary": "types",
    "UsageError": "errors",
    "compare": "experiments.comparison.compare",
    "compute_all_metrics": "metrics",
    "evaluate": "bootstrap",
    "judge_run": "matching",
    "load_dataset": "datasets",
    "parse": "metrics",
    "score": "bulk",
    "summary": "metrics",
}

__all__ = [
    "Dataset",
    "Gold",
    "Hit",
    "InvalidInputError",
    "JudgedRun",
    "MatchOptions",
    "Metric",
    "Policy",
    "Query",
    "RagstoneError",
    "Response",
    "Scope",
    "Score",
    "Summary",
    "UsageError",
    "compare",
    "compute_all_metrics",
    "evaluate",
    "judge_run",
    "load_dataset",
    "parse",
    "score",
    "summary",
]


def __getattr__(name: str) -> Any:  # noqa: ANN401 - any public name
    if name == "__version__":
        return import_module("importlib.metadata").version("ragstone")
    if name not in _HOMES:
        raise AttributeError(f"module 'ragstone' has no attribute {name!r}")
    inner = {"load_dataset": "load"}.get(name, name)
    return getattr(import_module(f"ragstone.{_HOMES[name]}"), inner)


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
