"""Decimal numbers in a byte buffer, parsed all at once and correctly rounded.

The point is taken out, and the digits are read as words of eight. A number whose digits make less than 2**53, as
any of up to 15 digits does, is one exact division away from its value; one of up to 19 digits is divided in the
wider format of the machine, where there is one, and taken unless it lies next to the middle of two doubles. All
others (exponents, longer numbers, signs with a plus) are left to Python's `float`, token by token.
"""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from ragstone.bulk.words import Mask, Places, Text, Tokens, Words

Floats = NDArray[np.float64]

DECIMAL = re.compile(rb"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_EIGHT = np.int64(8)
_MINUS, _ZERO = ord("-"), np.uint8(ord("0"))
_ZEROS = np.uint64(0x3030303030303030)
_DOTS = np.uint64(0x2E2E2E2E2E2E2E2E)
_LOW = np.uint64(0x0101010101010101)
_HIGH = np.uint64(0x8080808080808080)
_NO_DIGIT = np.uint64(0x7676767676767676)
_PAIRS, _FOURS = np.uint64(0x00FF00FF00FF00FF), np.uint64(0x0000FFFF0000FFFF)
_KEEP = np.array([(1 << (8 * n)) - 1 for n in range(9)], dtype=np.uint64)
_ONE, _EIGHT_BITS, _SIXTEEN, _THIRTY_TWO = (np.uint64(n) for n in (1, 8, 16, 32))
_TEN, _HUNDRED, _MYRIAD = (np.uint64(n) for n in (10, 100, 10_000))
_MOST_DIGITS = 19  # as many as fit into 64 bits
_POWERS = 10 ** np.arange(9, dtype=np.uint64)
_DIVISORS = 10.0 ** np.arange(_MOST_DIGITS + 1)
_EXACT = np.uint64(2**53)
_WIDE = np.finfo(np.longdouble).nmant == 63


def parse(tokens: Tokens) -> tuple[Floats, NDArray[np.int64]]:
    """Return the value of each token, NaN where it is no finite decimal number, and the rows of those tokens.

    A number has digits, at most one point and an optional exponent: no ``nan``, no ``inf``, no underscores.
    """
    text, start, length = tokens.text, tokens.start, tokens.length
    if int(length.max(initial=0)) == 1:
        digit = text.data.take(start) - _ZERO
        if int(digit.max()) <= 9:
            return digit.astype(np.float64), np.zeros(0, dtype=np.int64)
    negative = text.data.take(start) == _MINUS
    signed = bool(negative.any())
    if signed:
        start, length = start + negative, length - negative
    first = text.load(start)
    whole = np.minimum(_dot(first), length)
    digits = length - (whole < length)
    mantissa, wrong = _mantissa(first, text, start, whole, digits)
    odd = (whole == _EIGHT) & (length > _EIGHT) | (digits == 0) | (digits > _MOST_DIGITS) | (wrong != 0)
    fraction = np.minimum(digits - whole, _MOST_DIGITS)
    values, unsure = _divide(mantissa, fraction)
    if signed:
        np.negative(values, out=values, where=negative)
    odd |= unsure
    return _by_python(values, tokens, np.flatnonzero(odd))


def _dot(word: Words) -> Places:
    """Return the place of the first point in each word, 8 where there is none."""
    other = word ^ _DOTS
    found = (other - _LOW) & ~other & _HIGH
    below = (found & (~found + _ONE)) - _ONE
    return (np.bitwise_count(below) >> 3).astype(np.int64)


def _digits(word: Words, count: Places) -> tuple[Words, Words]:
    """Return what the first `count` (0 to 8) characters spell, and bits that are set where one is no digit."""
    # A shift by all 64 bits gives 0, as it should where there are no characters.
    value = (word ^ _ZEROS) << ((_EIGHT - count) << 3).view(np.uint64)
    wrong = ((value + _NO_DIGIT) | value) & _HIGH
    value = (value * _TEN + (value >> _EIGHT_BITS)) & _PAIRS
    value = (value * _HUNDRED + (value >> _SIXTEEN)) & _FOURS
    return (value * _MYRIAD + (value >> _THIRTY_TWO)) & np.uint64(0xFFFFFFFF), wrong


def _mantissa(
    first: Words, text: Text, start: Places, whole: Places, digits: Places | NDArray[np.int32]
) -> tuple[Words, Words]:
    """Return the digits before and behind the point as one number, and bits as `_digits` has them."""
    before = _KEEP.take(whole)
    joined = (first & before) | (text.load(start + 1) & ~before)
    value, wrong = _digits(joined, np.minimum(digits, _EIGHT))
    for at in range(8, min(int(digits.max(initial=0)), _MOST_DIGITS), 8):
        rows = np.flatnonzero(digits > at)
        count = np.minimum(digits[rows] - at, _EIGHT)
        more, other = _digits(text.load(start[rows] + (at + 1)), count)
        value[rows] = value[rows] * _POWERS.take(count) + more
        wrong[rows] |= other
    return value, wrong


def _divide(mantissa: Words, places: Places) -> tuple[Floats, Mask]:
    """Return mantissa / 10**places, correctly rounded, and where that is not certain."""
    values = mantissa.astype(np.float64) / _DIVISORS.take(places)
    large = mantissa >= _EXACT
    if not large.any():
        return values, large
    if not _WIDE:
        return values, large
    rows = np.flatnonzero(large)
    wide = mantissa[rows].astype(np.longdouble) / _DIVISORS.take(places[rows])
    near = wide.astype(np.float64)
    values[rows] = near
    # The wide quotient is within half of its last bit, 2**-11 of a double's; only the middle is in doubt.
    gap = np.spacing(near)
    unsure = np.zeros(len(values), dtype=bool)
    unsure[rows] = np.abs(np.abs((wide - near).astype(np.float64)) - gap / 2) <= gap * 2.0**-10
    # Below a power of two the doubles are twice as dense.
    unsure[rows] |= np.frexp(near)[0] == 0.5
    return values, unsure


def _by_python(values: Floats, tokens: Tokens, rows: NDArray[np.int64]) -> tuple[Floats, NDArray[np.int64]]:
    bad = []
    for row in rows.tolist():
        token = tokens.one(row)
        values[row] = float(token) if DECIMAL.fullmatch(token) else np.nan
        if not np.isfinite(values[row]):
            values[row] = np.nan
            bad.append(row)
    return values, np.array(bad, dtype=np.int64)
