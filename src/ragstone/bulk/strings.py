"""Columns of strings as Arrow lays them out: offsets into one buffer, or views that hold short strings."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from ragstone.bulk.columns import Column, Stretches
from ragstone.bulk.words import Bytes, Mask, Places, Text, Tokens, Words, room

_INLINE = 12  # longer strings of a view stand in a buffer of their own
_HALF = np.uint64(32)
T = TypeVar("T")


class Strings:
    """Strings one behind the other, of which only what is asked for is copied.

    Args:
        ends: Where each begins, and the end of the last; where there are no strings, Arrow need not have any.
        data: Their bytes.
    """

    def __init__(self, ends: NDArray[np.int32] | NDArray[np.int64], data: Bytes) -> None:
        self._ends, self._data = ends, data

    def __len__(self) -> int:
        return max(len(self._ends) - 1, 0)

    def __getitem__(self, rows: slice, /) -> Tokens:
        ends = self._ends[rows.start : rows.stop + 1].astype(np.int64)
        if not len(ends):
            return Tokens(Text.of(self._data[:0]), ends, ends)
        return Tokens(Text.of(self._data[ends[0] : ends[-1]]), ends[:-1] - ends[0], np.diff(ends))


class Chunks(Generic[T]):
    """A column in chunks, which are put together only where rows from more than one are asked for.

    Args:
        chunks: The chunks; some may be empty.
        together: Puts rows of several chunks together.
    """

    def __init__(self, chunks: Sequence[Stretches[T]], together: Callable[[Sequence[T]], T]) -> None:
        self._chunks, self._together = chunks, together
        self._first = np.cumsum([0] + [len(chunk) for chunk in chunks])

    def __len__(self) -> int:
        return int(self._first[-1])

    def __getitem__(self, rows: slice, /) -> T:
        low = int(np.searchsorted(self._first, rows.start, side="right")) - 1
        high = int(np.searchsorted(self._first, rows.stop))
        places = zip(self._chunks[low:high], self._first[low:high].tolist(), strict=True)
        cut = [chunk[max(rows.start - at, 0) : min(rows.stop - at, len(chunk))] for chunk, at in places]
        return cut[0] if len(cut) == 1 else self._together(cut)


def views(found: NDArray[np.int32], data: Sequence[Bytes]) -> Column:
    """Return strings of the view layout: length, then twelve bytes or their beginning, buffer and offset."""
    if int(found[:, 0].max(initial=0)) <= _INLINE:
        return ShortViews(found)
    base = np.cumsum([0, found.size * 4] + [len(part) for part in data])
    buffer = np.zeros(room(int(base[-1])), dtype=np.uint8)
    for part, at in zip(
        [np.ascontiguousarray(found).view(np.uint8).reshape(-1), *data], base.tolist(), strict=False
    ):
        buffer[at : at + len(part)] = part
    start = np.arange(len(found), dtype=np.int64) * 16 + 4
    far = np.flatnonzero(found[:, 0] > _INLINE)
    start[far] = base[found[far, 2] + 1] + found[far, 3]
    return Tokens(Text(buffer), start, found[:, 0].astype(np.int64))


class ShortViews:
    """Strings of at most twelve bytes, which stand in the views with zeros behind them."""

    def __init__(self, found: NDArray[np.int32]) -> None:
        self.views = np.ascontiguousarray(found)

    def __len__(self) -> int:
        return len(self.views)

    def __getitem__(self, rows: slice, /) -> Tokens:
        return ShortTokens(self.views[rows])


class ShortTokens(Tokens):
    """Tokens of views, whose words need not be put together from any place of a buffer."""

    def __init__(self, found: NDArray[np.int32]) -> None:
        self.views = found
        text = Text(found.view(np.uint8).reshape(-1))
        super().__init__(text, np.arange(4, 16 * len(found), 16), found[:, 0].astype(np.int64))

    def __getitem__(self, rows: slice | Places | Mask) -> Tokens:
        return ShortTokens(self.views[rows])

    def word(self, at: int) -> Words:
        """Return eight bytes of each token from offset `at`, zeros behind its end."""
        parts = self.views.view(np.uint32)
        if at > 0:
            return parts[:, 3].astype(np.uint64) if at == 8 else np.zeros(len(parts), dtype=np.uint64)
        return parts[:, 1] | (parts[:, 2].astype(np.uint64) << _HALF)

    def changes(self) -> Mask:
        """Return, for each token but the first, whether it is another than that before."""
        left, right = self.views.view(np.uint64).T
        return np.asarray((left[1:] != left[:-1]) | (right[1:] != right[:-1]), dtype=bool)


def written(numbers: NDArray[np.generic]) -> Tokens:
    """Return whole numbers as people write them."""
    texts = numbers.astype("S")
    start = np.arange(len(texts), dtype=np.int64) * texts.dtype.itemsize
    return Tokens(Text.of(texts.view(np.uint8)), start, np.strings.str_len(texts).astype(np.int64))


def joined(parts: Sequence[Tokens]) -> Tokens:
    """Return tokens of several texts one after another."""
    short = [part for part in parts if isinstance(part, ShortTokens)]
    if parts and len(short) == len(parts):
        return ShortTokens(np.concatenate([part.views for part in short]))
    return Tokens.joined(list(parts))
