"""Arrow streams: columns read as buffers by nanoarrow or pyarrow, whichever the user has."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ragstone.bulk.columns import Column, ColumnSource, from_frame, pick, wanted
from ragstone.bulk.strings import Chunks, Strings, joined, views, written
from ragstone.bulk.words import Bytes, concatenated
from ragstone.errors import MissingExtraError, UsageError

_INTEGERS = {"c": "i1", "C": "u1", "s": "<i2", "S": "<u2", "i": "<i4", "I": "<u4", "l": "<i8", "L": "<u8"}
_NO_IDS = "ids must be strings or whole numbers"
_NO_NUMBERS = "scores and grades must be numbers of at most 64 bits; cast them"
_FLOATS = {"e": "<f2", "f": "<f4", "g": "<f8"}


class _Exported:
    """A stream that has been handed out."""

    def __init__(self, capsule: object) -> None:
        self._capsule = capsule

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self._capsule


def from_data(data: Any, values: Sequence[str], name: str) -> ColumnSource:  # noqa: ANN401 - any table or frame
    """Return the rows of a table, as `from_stream` does; of a frame that Arrow cannot take, value by value."""
    _refuse_without_reader()
    try:
        stream = _Exported(data.__arrow_c_stream__())
    except (TypeError, ValueError, OverflowError, NotImplementedError) as error:
        if hasattr(data, "columns"):
            return from_frame(data, values, name)
        raise UsageError(f"{name}: cannot be handed out as Arrow data: {error}") from None
    return from_stream(stream, values, name)


def _refuse_without_reader() -> None:
    if not find_spec("nanoarrow") and not find_spec("pyarrow"):
        raise MissingExtraError("reading Arrow data", "arrow", "nanoarrow")


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
    _refuse_without_reader()
    found = list((_by_nanoarrow if find_spec("nanoarrow") else _by_pyarrow)(stream, values, name))
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
    try:
        with nanoarrow.c_array_stream(stream) as arrays:
            fields = [field.name for field in arrays.get_schema().children]
            chosen = [fields.index(pick(fields, known, what, name)) for known, what in wanted(values)]
            for array in arrays:
                if not array.length:
                    continue  # where there are no values, types are often none or any
                rows = slice(array.offset, array.offset + array.length)
                query, document, value = (array.child(place) for place in chosen)
                yield _ids(query, rows, name), _ids(document, rows, name), _numbers(value, rows, name)
    except import_module("nanoarrow._utils").NanoarrowException as error:
        raise _unreadable(name, error) from None


def _unreadable(name: str, error: Exception) -> UsageError:
    lines = str(error).splitlines()
    return UsageError(f"{name}: cannot be read as Arrow data: {lines[0] if lines else 'no reason is given'}")


def _buffers(array: Any) -> list[Bytes]:  # noqa: ANN401 - nanoarrow has no types
    empty = np.zeros(0, dtype=np.uint8)
    return [
        np.frombuffer(buffer, dtype=np.uint8) if buffer.size_bytes else empty for buffer in array.view().buffers
    ]


def _ids(array: Any, rows: slice, name: str) -> Column:  # noqa: ANN401 - nanoarrow has no types
    """Return the strings of an array; whole numbers are written out."""
    rows = slice(rows.start + array.offset, rows.stop + array.offset)
    _refuse_nulls(array, rows, name)
    kind, buffers = array.schema.format, _buffers(array)
    if array.dictionary is not None:
        codes = buffers[1].view(_INTEGERS[kind])[rows].astype(np.int64)
        known = _ids(array.dictionary, slice(0, array.dictionary.length), name)
        return known[0 : len(known)][codes]
    if kind in _INTEGERS:
        return written(buffers[1].view(_INTEGERS[kind])[rows])
    if kind in ("vu", "vz"):
        return views(buffers[1].view("<i4").reshape(-1, 4)[rows], buffers[2:-1])
    if kind not in ("u", "U", "z", "Z"):
        raise UsageError(f"{name}: {_NO_IDS}, got a column of the Arrow format {kind!r}")
    return Strings(buffers[1].view("<i4" if kind in "uz" else "<i8")[rows.start : rows.stop + 1], buffers[2])


def _numbers(array: Any, rows: slice, name: str) -> NDArray[np.float64]:  # noqa: ANN401 - nanoarrow has no types
    rows = slice(rows.start + array.offset, rows.stop + array.offset)
    _refuse_nulls(array, rows, name)
    if array.schema.format == "b":
        return np.unpackbits(_buffers(array)[1], bitorder="little")[rows].astype(np.float64)
    kind = (_INTEGERS | _FLOATS).get(array.schema.format)
    if kind is None or array.dictionary is not None:
        raise UsageError(f"{name}: {_NO_NUMBERS}, got the Arrow format {array.schema.format!r}")
    return _buffers(array)[1].view(kind)[rows].astype(np.float64, copy=False)


def _refuse_nulls(array: Any, rows: slice, name: str) -> None:  # noqa: ANN401 - nanoarrow has no types
    """Raise for nulls among some rows; the count that an array brings along may be unknown, or of other rows."""
    size = rows.stop - rows.start
    if array.schema.format == "n":
        nulls = size
    elif array.null_count == 0 or not len(valid := _buffers(array)[0]):
        return
    else:
        nulls = size - int(np.unpackbits(valid, bitorder="little")[rows].sum())
    if nulls:
        raise _nulls(name, array.schema.name, nulls)


def _by_pyarrow(
    stream: object, values: Sequence[str], name: str
) -> Iterator[tuple[Column, Column, NDArray[np.float64]]]:
    pyarrow: Any = import_module("pyarrow")
    try:
        table = pyarrow.RecordBatchReader.from_stream(stream).read_all()
        chosen = [pick(table.column_names, known, what, name) for known, what in wanted(values)]
        if not len(table):
            return
        ids = [_texts(table[column], pyarrow, name, column) for column in chosen[:2]]
        value = table[chosen[2]]
        if not _is_a(pyarrow, value.type, "integer", "floating", "boolean", "null"):
            raise UsageError(f"{name}: {_NO_NUMBERS}, got {value.type}")
        # A whole number beyond 2**53 becomes the nearest that 64 bits can hold, as everywhere.
        number = _without_nulls(value, name, chosen[2]).cast(pyarrow.float64(), safe=False).to_numpy()
    except pyarrow.ArrowException as error:
        raise _unreadable(name, error) from None
    yield _chunked(ids[0]), _chunked(ids[1]), number


def _texts(column: Any, pyarrow: Any, name: str, what: str) -> Sequence[Any]:  # noqa: ANN401 - pyarrow has no types
    coded, text = pyarrow.types.is_dictionary(column.type), pyarrow.large_string()
    known = ("string", "large_string", "string_view", "binary", "large_binary", "binary_view", "integer", "null")
    if not _is_a(pyarrow, column.type.value_type if coded else column.type, *known):
        raise UsageError(f"{name}: {_NO_IDS}, got a column of {column.type}")
    if coded:  # pyarrow does not decode every kind of string by itself
        parts = [chunk.dictionary.cast(text).take(chunk.indices) for chunk in column.chunks]
        column = pyarrow.chunked_array(parts, text)
    chunks: Sequence[Any] = _without_nulls(column, name, what).cast(text).chunks
    return chunks


def _without_nulls(column: Any, name: str, what: str) -> Any:  # noqa: ANN401 - pyarrow has no types
    if column.null_count:
        raise _nulls(name, what, column.null_count)
    return column


def _nulls(name: str, what: str, count: int) -> UsageError:
    column = f"the column {what!r}" if what else "a column"
    return UsageError(f"{name}: {column} has {count:,} nulls; drop those rows")


def _is_a(pyarrow: Any, kind: Any, *names: str) -> bool:  # noqa: ANN401 - pyarrow has no types
    return any(getattr(pyarrow.types, f"is_{name}")(kind) for name in names)


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
