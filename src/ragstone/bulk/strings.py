"""Columns of strings as Arrow lays them out: offsets into one buffer, or views that hold short strings."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ragstone.bulk.columns import Column
from ragstone.bulk.words import Bytes, Mask, Places, Text, Tokens, Words, concatenated, room

_INLINE = 12  # longer strings of a view stand in a buffer of their own
_HALF = np.uint64(32)


class Strings:
    """Strings one behind the other.

    Args:
        ends: Where each begins, and the end of the last.
        data: Their bytes.
    """

    def __init__(self, ends: NDArray[np.int32] | NDArray[np.int64], data: Bytes) -> None:
        self.ends, self.data = ends, data

    @cached_property
    def _text(self) -> Text:
        return Text.of(self.data)

    def __len__(self) -> int:
        return max(len(self.ends) - 1, 0)  # where there are no strings, Arrow need not have any offset

    def __getitem__(self, rows: slice, /) -> Tokens:
        ends = self.ends[rows.start : rows.stop + 1].astype(np.int64)
        return Tokens(self._text, ends[:-1], ends[1:] - ends[:-1])

    @classmethod
    def joined(cls, parts: Sequence[Strings]) -> Strings:
        """Return columns one after another as one, whose bytes are copied once."""
        filled = [part for part in parts if len(part) > 0]
        used = [part.data[part.ends[0] : part.ends[-1]] for part in filled]
        before = np.cumsum([0] + [len(data) for data in used])
        # Offsets of 32 bits would not reach over the whole.
        ends = [part.ends[:-1] + (at - part.ends[0]) for part, at in zip(filled, before, strict=False)]
        return cls(np.concatenate([*ends, before[-1:]]), concatenated(used, np.uint8))


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


def one(parts: Sequence[Column]) -> Column:
    """Return columns one after another as one."""
    if len(parts) == 1:
        return parts[0]
    short = [part for part in parts if isinstance(part, ShortViews)]
    if parts and len(short) == len(parts):
        return ShortViews(np.concatenate([part.views for part in short]))
    strings = [part for part in parts if isinstance(part, Strings)]
    if parts and len(strings) == len(parts):
        return Strings.joined(strings)
    tokens = [part[0 : len(part)] for part in parts]
    base = np.cumsum([0] + [len(part.text.data) for part in tokens])
    buffer = np.zeros(room(int(base[-1])), dtype=np.uint8)
    for part, at in zip(tokens, base.tolist(), strict=False):
        buffer[at : at + len(part.text.data)] = part.text.data
    start = [part.start + at for part, at in zip(tokens, base.tolist(), strict=False)]
    return Tokens(
        Text(buffer),
        *(
            np.concatenate([np.zeros(0, dtype=np.int64), *column])
            for column in (start, [part.length for part in tokens])
        ),
    )
