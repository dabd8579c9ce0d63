"""Decimal numbers in a byte buffer, parsed all at once and correctly rounded.

The whole part and the fraction are read as words of eight digits. A number whose digits make less than 2**53, as
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
_ONE, _EIGHT_BITS, _SIXTEEN, _THIRTY_TWO = (np.uint64(n) for n in (1, 8, 16, 32))
_TEN, _HUNDRED, _MYRIAD = (np.uint64(n) for n in (10, 100, 10_000))
_POWERS = 10 ** np.arange(17, dtype=np.uint64)
_DIVISORS = 10.0 ** np.arange(17)
_EXACT = np.uint64(2**53)
_WIDE = np.finfo(np.longdouble).nmant == 63


def parse(tokens: Tokens) -> tuple[Floats, NDArray[np.int64]]:
    """Return the value of each token, NaN where it is no finite decimal number, and the rows of those tokens.

    A number has digits, at most one point and an optional exponent: no ``nan``, no ``inf``, no underscores.
    """
    text, start, length = tokens.text, tokens.start, tokens.length
    if int(length.max(initial=0)) == 1:
        digits = text.data.take(start) - _ZERO
        if int(digits.max()) <= 9:
            return digits.astype(np.float64), np.zeros(0, dtype=np.int64)
    negative = text.data.take(start) == _MINUS
    signed = bool(negative.any())
    if signed:
        start, length = start + negative, length - negative
    first = text.load(start)
    whole = np.minimum(_dot(first), length)
    fraction = np.maximum(length - whole - 1, 0)
    leading, wrong = _digits(first, whole)
    odd = (whole == _EIGHT) & (length > _EIGHT) | (whole + fraction == 0) | (fraction > 16)
    mantissa, other = _with_fraction(leading, text, start + whole + 1, fraction)
    odd |= (wrong | other) != 0
    values, unsure = _divide(mantissa, np.minimum(fraction, 16))
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


def _with_fraction(whole: Words, text: Text, at: Places, count: Places) -> tuple[Words, Words]:
    """Return the digits before and behind the point as one number, and bits as `_digits` has them."""
    near = np.minimum(count, _EIGHT)
    value, wrong = _digits(text.load(at), near)
    mantissa = whole * _POWERS.take(near) + value
    rows = np.flatnonzero(count > _EIGHT)
    if len(rows):
        far = np.minimum(count[rows] - 8, _EIGHT)
        value, other = _digits(text.load(at[rows] + 8), far)
        grown = mantissa[rows] * _POWERS.take(far) + value
        # Twenty digits may not fit into 64 bits; what has lost its head is left to Python.
        other |= np.where(mantissa[rows] >= np.uint64(10**11), _HIGH, np.uint64(0))
        mantissa[rows], wrong[rows] = grown, wrong[rows] | other
    return mantissa, wrong


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
