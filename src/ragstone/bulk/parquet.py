"""Results as a Parquet file: one row per run and query, one column per metric."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from ragstone.bulk.arrow import arrow_table
from ragstone.bulk.result import RunScores
from ragstone.errors import MissingExtraError, UsageError


def write(results: Mapping[str, RunScores], path: Path) -> None:
    """Write results to a file.

    Args:
        results: By name; all of the same metrics.
        path: The file; its folder is made.

    Raises:
        MissingExtraError: pyarrow is not installed.
        UsageError: The file cannot be written.
    """
    try:
        parquet: Any = import_module("pyarrow.parquet")
    except ModuleNotFoundError:
        raise MissingExtraError("writing Parquet", "parquet", "pyarrow") from None
    columns: dict[str, Any] = {"run": [name for name, result in results.items() for _ in result.queries]}
    metrics = next(iter(results.values())).metrics
    columns |= {
        metric: np.concatenate([result.column(metric) for result in results.values()]) for metric in metrics
    }
    queries = [query for result in results.values() for query in result.queries]
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        parquet.write_table(arrow_table(queries, columns), path)
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror or error}") from error
