"""Arrow streams: columns read as buffers by nanoarrow or pyarrow, whichever the user has."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ragstone.bulk.columns import Column, ColumnSource, pick, wanted
from ragstone.bulk.strings import Chunks, Strings, joined, views, written
from ragstone.bulk.words import Bytes, concatenated
from ragstone.errors import MissingExtraError, UsageError

_INTEGERS = {"c": "i1", "C": "u1", "s": "<i2", "S": "<u2", "i": "<i4", "I": "<u4", "l": "<i8", "L": "<u8"}
_FLOATS = {"e": "<f2", "f": "<f4", "g": "<f8"}


def from_stream(stream: object, values: Sequence[str], name: str) -> ColumnSource:
    """Return the rows of any object with ``__arrow_c_stream__``.

    Args:
        stream: A table, data frame or reader with columns for query, document and value.
        values: Names that the column of values may have.
        name: Name for messages.

    Raises:
        MissingExtraError: Neither nanoarrow nor pyarrow is installed.
        UsageError: A column is missing, has nulls or another type.
    """
    if find_spec("nanoarrow"):
        found = list(_by_nanoarrow(stream, values, name))
    elif find_spec("pyarrow"):
        found = [_by_pyarrow(stream, values, name)]
    else:
        raise MissingExtraError("reading Arrow data", "arrow", "nanoarrow")
    return ColumnSource(
        name,
        Chunks([part[0] for part in found], joined),
        Chunks([part[1] for part in found], joined),
        Chunks([part[2] for part in found], lambda parts: concatenated(parts, np.float64)),
    )


def _by_nanoarrow(
    stream: object, values: Sequence[str], name: str
) -> Iterator[tuple[Column, Column, NDArray[np.float64]]]:
    nanoarrow: Any = import_module("nanoarrow")
    with nanoarrow.c_array_stream(stream) as arrays:
        fields = [field.name for field in arrays.get_schema().children]
        chosen = [fields.index(pick(fields, known, what, name)) for known, what in wanted(values)]
        for array in arrays:
            rows = slice(array.offset, array.offset + array.length)
            query, document, value = (array.child(place) for place in chosen)
            yield _ids(query, rows, name), _ids(document, rows, name), _numbers(value, rows, name)


def _buffers(array: Any) -> list[Bytes]:  # noqa: ANN401 - nanoarrow has no types
    empty = np.zeros(0, dtype=np.uint8)
    return [
        np.frombuffer(buffer, dtype=np.uint8) if buffer.size_bytes else empty for buffer in array.view().buffers
    ]


def _ids(array: Any, rows: slice, name: str) -> Column:  # noqa: ANN401 - nanoarrow has no types
    """Return the strings of an array; whole numbers are written out."""
    _refuse_nulls(array, name)
    kind, buffers = array.schema.format, _buffers(array)
    rows = slice(rows.start + array.offset, rows.stop + array.offset)
    if array.dictionary is not None:
        codes = buffers[1].view(_INTEGERS[kind])[rows].astype(np.int64)
        known = _ids(array.dictionary, slice(0, array.dictionary.length), name)
        return known[0 : len(known)][codes]
    if kind in _INTEGERS:
        return written(buffers[1].view(_INTEGERS[kind])[rows])
    if kind in ("vu", "vz"):
        return views(buffers[1].view("<i4").reshape(-1, 4)[rows], buffers[2:-1])
    if kind not in ("u", "U", "z", "Z"):
        raise UsageError(
            f"{name}: ids must be strings or whole numbers, got a column of the Arrow format {kind!r}"
        )
    return Strings(buffers[1].view("<i4" if kind in "uz" else "<i8")[rows.start : rows.stop + 1], buffers[2])


def _numbers(array: Any, rows: slice, name: str) -> NDArray[np.float64]:  # noqa: ANN401 - nanoarrow has no types
    _refuse_nulls(array, name)
    kind = (_INTEGERS | _FLOATS).get(array.schema.format)
    if kind is None or array.dictionary is not None:
        raise UsageError(
            f"{name}: scores and grades must be numbers, got the Arrow format {array.schema.format!r}"
        )
    found = _buffers(array)[1].view(kind)[rows.start + array.offset : rows.stop + array.offset]
    return found.astype(np.float64, copy=False)


def _refuse_nulls(array: Any, name: str) -> None:  # noqa: ANN401 - nanoarrow has no types
    if array.null_count > 0:
        raise UsageError(
            f"{name}: the column {array.schema.name!r} has {array.null_count:,} nulls; drop those rows"
        )


def _by_pyarrow(stream: object, values: Sequence[str], name: str) -> tuple[Column, Column, NDArray[np.float64]]:
    pyarrow: Any = import_module("pyarrow")
    table = pyarrow.RecordBatchReader.from_stream(stream).read_all()
    query, document, value = (table[pick(table.column_names, known, what, name)] for known, what in wanted(values))
    for column in (query, document, value):
        if column.null_count:
            raise UsageError(f"{name}: a column has {column.null_count:,} nulls; drop those rows")
    try:
        ids = [column.cast(pyarrow.large_string()).chunks for column in (query, document)]
        number = value.cast(pyarrow.float64()).to_numpy()
    except pyarrow.ArrowInvalid as error:
        raise UsageError(f"{name}: ids are strings and values are numbers: {error}") from None
    return _chunked(ids[0]), _chunked(ids[1]), number


def _chunked(chunks: Sequence[Any]) -> Column:
    return Chunks([_large(chunk) for chunk in chunks], joined)


def _large(chunk: Any) -> Strings:  # noqa: ANN401 - pyarrow has no types
    _, ends, data = chunk.buffers()
    offsets = np.frombuffer(ends, dtype="<i8")[chunk.offset : chunk.offset + len(chunk) + 1]
    return Strings(offsets, np.frombuffer(data or b"", dtype=np.uint8))


def exported(queries: Sequence[str], columns: Mapping[str, NDArray[np.float64]], schema: object) -> object:
    """Return an Arrow C stream with a column ``query_id`` and one column of numbers, null for NaN, per metric."""
    if not find_spec("pyarrow"):
        raise MissingExtraError("writing Arrow data", "parquet", "pyarrow")
    return arrow_table(queries, columns).__arrow_c_stream__(schema)


def arrow_table(queries: Sequence[str], columns: Mapping[str, NDArray[np.float64]]) -> Any:  # noqa: ANN401 - pyarrow has no types
    """Return a pyarrow table with a column ``query_id`` and one column of numbers, null for NaN, per metric."""
    pyarrow: Any = import_module("pyarrow")
    values = {name: pyarrow.array(column, from_pandas=True) for name, column in columns.items()}
    return pyarrow.table({"query_id": pyarrow.array(queries, pyarrow.string()), **values})
