"""Tables in plain text: what is cut stays told apart."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragstone.reports.tables import Table, columns, distinct

NAMES = [f"mode={mode} top_k=10 rrf_k=10 quality={quality} tag={tag}"
         for mode in ("dense", "hybrid") for quality in (0.4, 0.55) for tag in "ab"]  # fmt: skip


@pytest.mark.parametrize("width", [12, 16, 24, 34])
def test_names_that_differ_at_the_end_stay_told_apart(width):
    """What they have in common is cut, and no name is longer than there is room for."""
    shown = distinct(NAMES, width)
    assert len(set(shown)) == len(NAMES)
    assert max(map(len, shown)) <= width


@given(st.lists(st.text("ab", min_size=1, max_size=40), max_size=12), st.integers(8, 20))
def test_equal_texts_alone_look_equal(texts, width):
    """Whatever the texts: as many different ones are shown as there are, within the width."""
    shown = distinct(texts, width)
    assert len(set(shown)) == len(set(texts))
    assert all(len(one) <= width for one in shown)


def test_short_texts_stay_as_they_are():
    """Nothing is cut that fits, even beside what must be cut."""
    assert distinct(["a", "b" * 9 + "1", "b" * 9 + "2"], 8)[0] == "a"


def test_several_columns_of_words_are_cut_until_the_lines_fit():
    """The widest first; numbers and columns that are to stay whole are not cut."""
    table = Table(["factor", "level", "n", "verdict"], [["f" * 40, "l" * 30, "1" * 12, "no difference seen"]] * 2,
                  numbers={2}, whole={3})  # fmt: skip
    lines = columns(table, 70)
    assert max(map(len, lines)) <= 70
    assert lines[1].endswith("1" * 12 + "  no difference seen")
