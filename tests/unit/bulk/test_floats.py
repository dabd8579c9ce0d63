"""Numbers in a buffer are Python's numbers, to the last bit."""

from __future__ import annotations

import struct
from decimal import Decimal, localcontext

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragstone.bulk import floats
from ragstone.bulk.columns import tokens_of


def bits(values):
    return [struct.pack("d", value) for value in values]


def middle(mantissa, shift, digits):
    """Spell the middle of two neighbouring doubles, which is the hardest to round."""
    with localcontext() as context:
        context.prec = digits
        return format(Decimal(2 * mantissa + 1) / Decimal(2) ** shift, "f")


decimals = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.floats(-100, 100).map(repr),
    st.decimals(-(10**9), 10**9, allow_nan=False, places=6).map(lambda number: format(number, "f")),
    st.from_regex(r"\A[+-]?[0-9]{1,10}(\.[0-9]{0,20})?\Z").filter(str.isascii),
    st.from_regex(r"\A-?\.[0-9]{1,20}\Z").filter(str.isascii),
    st.builds(middle, st.integers(2**52, 2**53 - 1), st.integers(46, 53), st.sampled_from([16, 17, 18, 19, 60])),
)


@given(st.lists(decimals, min_size=1, max_size=20))
def test_every_spelling_is_rounded_as_python_rounds_it(texts):
    """Few digits, 17 digits, more than fit, signs, exponents, the middle of two doubles."""
    values, bad = floats.parse(tokens_of(texts))
    assert bits(values.tolist()) == bits(map(float, texts))
    assert not len(bad)


@given(st.lists(decimals, min_size=1, max_size=20))
def test_without_a_wider_format_the_bits_are_the_same(texts):
    """As on machines whose long double is a double."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(floats, "_WIDE", False)
        values, _ = floats.parse(tokens_of(texts))
    assert bits(values.tolist()) == bits(map(float, texts))


@pytest.mark.parametrize(
    "text",
    [
        "nan",
        "inf",
        "-inf",
        "1e999",
        "1_0",
        "abc",
        "0x10",
        ".",
        "-",
        "1..2",
        "1.2.3",
        "--1",
        "1e",
        "\u0661",
        "1,5",
        "12345678x",
        "1.2345678x",
        "123456789.1x",
        "1.0000000000000000000000x",
        "1\x00",
    ],
)
def test_what_is_no_finite_decimal_number_is_told(text):
    """Also what Python's float would take: underscores, nan, infinity."""
    values, bad = floats.parse(tokens_of(["1.5", text, "2"]))
    assert bad.tolist() == [1]
    assert np.isnan(values[1])
    assert values[[0, 2]].tolist() == [1.5, 2.0]


def test_no_tokens_are_no_numbers():
    """An empty column is fine."""
    values, bad = floats.parse(tokens_of([]))
    assert (len(values), len(bad)) == (0, 0)
