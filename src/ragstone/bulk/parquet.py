"""Parquet files: runs and qrels are read, and results written with one row per run and query."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from ragstone.bulk.arrow import arrow_table, from_stream
from ragstone.bulk.columns import pick, wanted
from ragstone.bulk.result import RunScores
from ragstone.bulk.rows import Rows
from ragstone.errors import InvalidInputError, MissingExtraError, Problem, UsageError

ROWS = 1 << 17


def read(path: str, values: Sequence[str]) -> Iterator[Rows]:
    """Yield the rows of a file in pieces, of which only the three columns that matter are read.

    Args:
        path: The file.
        values: Names that the column of values may have.

    Raises:
        InvalidInputError: The file is damaged or cut off.
        MissingExtraError: Neither pyarrow nor polars is installed.
        UsageError: A column is missing, has nulls or another type.
    """
    before = 0
    for table in _tables(path, values):
        for rows in from_stream(table, values, path).pieces():
            rows.line = rows.line + before
            before += len(rows)
            yield rows


def _tables(path: str, values: Sequence[str]) -> Iterator[Any]:
    """Return Arrow tables, one after another where pyarrow reads them, and all at once where polars does."""
    try:
        parquet: Any = import_module("pyarrow.parquet")
    except ModuleNotFoundError:
        try:
            return iter([_by_polars(path, values)])
        except ModuleNotFoundError:
            raise MissingExtraError(f"reading {path}", "parquet", "pyarrow") from None
    return _by_pyarrow(parquet, path, values)


def _by_pyarrow(parquet: Any, path: str, values: Sequence[str]) -> Iterator[Any]:  # noqa: ANN401 - pyarrow has no types
    pyarrow: Any = import_module("pyarrow")
    try:
        with parquet.ParquetFile(path) as file:
            schema = file.schema_arrow
            columns = _chosen(schema.names, values, path)
            yield schema.empty_table().select(columns)
            for batch in file.iter_batches(ROWS, columns=columns):
                yield pyarrow.Table.from_batches([batch])
    except (pyarrow.ArrowException, OSError, UnicodeDecodeError) as error:
        raise _broken(path, error) from None


def _by_polars(path: str, values: Sequence[str]) -> Any:  # noqa: ANN401 - polars is not imported for its types
    polars: Any = import_module("polars")
    try:
        return polars.read_parquet(path, columns=_chosen(list(polars.read_parquet_schema(path)), values, path))
    except (polars.exceptions.PolarsError, OSError) as error:
        raise _broken(path, error) from None


def _chosen(names: Sequence[str], values: Sequence[str], path: str) -> list[str]:
    return [pick(names, known, what, path) for known, what in wanted(values)]


def _broken(path: str, error: Exception) -> InvalidInputError:
    message = f"cannot be read as Parquet: {' '.join(str(error).split())}"
    return InvalidInputError([Problem(message, path)])


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
