"""Tokens inside a byte buffer, read eight bytes at a time: hashed, compared and put in order.

A token is a place in a `Text`, an offset and a length, so that no Python object is made for it. Bytes are taken as
64-bit little-endian words with zeros behind the end. Order is that of the bytes, as ``strcmp`` and trec_eval have
it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

Bytes = NDArray[np.uint8]
Places = NDArray[np.int64]
Words = NDArray[np.uint64]
T = TypeVar("T", bound=np.generic)
Mask = NDArray[np.bool_]

PAD = 24  # bytes behind the end of a buffer, so that a word may be read from any place in it
PADDING = np.zeros(PAD // 8, dtype=np.uint64)
_WORD = np.dtype("<u8")
_KEEP = np.array([(1 << (8 * n)) - 1 for n in range(9)], dtype=np.uint64)
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_FOLD = np.uint64(29)
_AT_ONCE = 1 << 17
_LONG = 64


class Text:
    """A byte buffer whose words can be read from any offset.

    Args:
        buffer: Bytes with at least `PAD` bytes behind the last token; the length is a multiple of eight.
    """

    __slots__ = ("data", "words")

    def __init__(self, buffer: Bytes) -> None:
        self.data = buffer
        # A word begins at every byte; numpy reads them from there, on whatever machine.
        self.words = np.ndarray((max(len(buffer) - 7, 0),), _WORD, buffer.data, strides=(1,))

    @classmethod
    def of(cls, data: Bytes) -> Text:
        """Return a text that holds a copy of `data`."""
        buffer = np.empty(room(len(data)), dtype=np.uint8)
        buffer[: len(data)] = data
        buffer[len(data) :] = 0
        return cls(buffer)

    def load(self, at: Places) -> Words:
        """Return the eight bytes that begin at each offset."""
        return self.words[at]

    def prefix(self, at: Places, length: Places | NDArray[np.int32]) -> Words:
        """Return the first eight bytes of each token, zeros behind its end."""
        return self.load(at) & _KEEP.take(length, mode="clip")

    def token(self, at: int, length: int) -> bytes:
        """Return one token."""
        return self.data[at : at + length].tobytes()


def room(size: int) -> int:
    """Return the length of a buffer for `size` bytes of text."""
    return (size + PAD + 7) & ~7


class Tokens:
    """Many tokens of one text: offsets and lengths."""

    __slots__ = ("length", "start", "text")

    def __init__(self, text: Text, start: Places, length: Places | NDArray[np.int32]) -> None:
        self.text, self.start, self.length = text, start, length

    def __len__(self) -> int:
        return len(self.start)

    def __getitem__(self, rows: slice | NDArray[np.int64] | Mask) -> Tokens:
        return Tokens(self.text, self.start[rows], self.length[rows])

    @classmethod
    def joined(cls, parts: list[Tokens]) -> Tokens:
        """Return tokens of several texts one after another, in a text of their own, and empty the list.

        Parts that nobody else holds are let go of as soon as they are copied.
        """
        base = np.cumsum([0] + [len(part.text.data) for part in parts]).tolist()
        first = np.cumsum([0] + [len(part) for part in parts]).tolist()
        buffer = np.empty(room(base[-1]), dtype=np.uint8)
        start, length = np.empty(first[-1], dtype=np.int64), np.empty(first[-1], dtype=np.int32)
        parts.reverse()
        for at, low in zip(base[:-1], first[:-1], strict=True):
            part = parts.pop()
            buffer[at : at + len(part.text.data)] = part.text.data
            np.add(part.start, at, out=start[low : low + len(part)])
            length[low : low + len(part)] = part.length
        buffer[base[-1] :] = 0
        return cls(Text(buffer), start, length)

    @classmethod
    def in_words(cls, words: Words, length: NDArray[np.int32]) -> Tokens:
        """Return tokens that `pack` has put one behind the other; words for `PAD` bytes stand behind them."""
        size = whole_words(length) << 3
        start = np.cumsum(size)
        start -= size
        return cls(Text(words.view(np.uint8)), start, length)

    @classmethod
    def packed(cls, data: Bytes, length: NDArray[np.int32]) -> Tokens:
        """Return tokens that stand one behind the other in `data`."""
        length64 = length.astype(np.int64)
        return cls(Text.of(data), np.cumsum(length64) - length64, length64)

    def one(self, row: int) -> bytes:
        """Return one token as bytes."""
        return self.text.token(int(self.start[row]), int(self.length[row]))

    def hashes(self) -> Words:
        """Return a 64-bit hash of each token; tokens of up to eight bytes have different hashes.

        The high bits depend on every byte. Equal hashes of longer tokens have to be verified with `same`.
        """
        if len(self) > _AT_ONCE:
            return np.concatenate([self[at : at + _AT_ONCE].hashes() for at in range(0, len(self), _AT_ONCE)])
        hashed = self.word(0) * _GOLDEN
        for at, rows in self.longer():
            word = self[rows].word(at)
            before = hashed[rows]
            hashed[rows] = (before ^ (before >> _FOLD) ^ word) * _GOLDEN
        return hashed

    def same(self, other: Tokens) -> Mask:
        """Return, pair by pair, whether two tokens have the same bytes."""
        equal = np.asarray(self.length == other.length, dtype=bool)
        equal &= self.word(0) == other.word(0)
        for at, rows in self.longer(equal):
            equal[rows] &= self[rows].word(at) == other[rows].word(at)
        return equal

    def greater(self, other: Tokens) -> Mask:
        """Return, pair by pair, whether the first token comes behind the second in the order of bytes."""
        greater = np.asarray(self.length > other.length, dtype=bool)
        rows, at = np.arange(len(self)), 0
        shorter = np.minimum(self.length, other.length)
        while len(rows):
            mine, theirs = self[rows].big_endian(at), other[rows].big_endian(at)
            differ = mine != theirs
            greater[rows[differ]] = (mine > theirs)[differ]
            at += 8
            # What is equal down to the end of the shorter one is ordered by length.
            rows = rows[~differ & (shorter[rows] > at)]
        return greater

    def word(self, at: int) -> Words:
        """Return eight bytes of each token from offset `at`, zeros behind its end."""
        if at == 0:
            return self.text.prefix(self.start, self.length)
        left = np.maximum(self.length - at, 0)
        return self.text.prefix(np.where(left > 0, self.start + at, 0), left)

    def changes(self) -> Mask:
        """Return, for each token but the first, whether it is another than that before."""
        changed = np.asarray(self.length[1:] != self.length[:-1], dtype=bool)
        longest = int(self.length.max(initial=0))
        for at in range(0, min(longest, _LONG), 8):
            word = self.word(at)
            changed |= word[1:] != word[:-1]
        if longest > _LONG:
            unsure = np.flatnonzero(~changed & (self.length[1:] > _LONG))
            changed[unsure] = ~self[unsure + 1].same(self[unsure])
        return changed

    def longer(self, among: Mask | None = None) -> Iterator[tuple[int, Places]]:
        """Yield each offset of a further word, with the tokens that reach beyond it."""
        rows = np.flatnonzero(self.length > 8) if among is None else np.flatnonzero(among & (self.length > 8))
        at = 8
        while len(rows):
            yield at, rows
            at += 8
            rows = rows[self.length[rows] > at]

    def texts(self, width: int) -> NDArray[np.bytes_]:
        """Return the tokens as bytes of one width, at least that of the longest, which numpy sorts."""
        words = np.empty((len(self), max(1, (width + 7) // 8)), dtype=">u8")
        for column in range(words.shape[1]):
            words[:, column] = self.big_endian(8 * column)
        return words.view(f"S{8 * words.shape[1]}")[:, 0]

    def big_endian(self, at: int) -> Words:
        """Return `word` as numbers that sort as the bytes do."""
        return self.word(at).byteswap()


def pack(tokens: Tokens) -> Words:
    """Return the bytes of all tokens, one behind the other, each filled up with zeros to whole words."""
    size = whole_words(tokens.length)
    start = np.cumsum(size) - size
    packed = np.zeros(int(size.sum()), dtype=np.uint64)
    packed[start] = tokens.word(0)
    for at, rows in tokens.longer():
        packed[start[rows] + at // 8] = tokens[rows].word(at)
    return packed


def whole_words(length: Places | NDArray[np.int32]) -> Places:
    """Return how many words each token fills, one at least."""
    return np.asarray(np.maximum((length.astype(np.int64) + 7) >> 3, 1), dtype=np.int64)


def concatenated(parts: Sequence[NDArray[T]], kind: type[T]) -> NDArray[T]:
    """Return arrays one after another; an empty one where there are none."""
    if len(parts) == 1:
        return parts[0]
    return np.concatenate(parts) if len(parts) else np.zeros(0, dtype=kind)
