"""Tokens are compared as the bytes that they are, however long."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from ragstone.bulk.columns import tokens_of
from ragstone.bulk.words import Tokens

ids = st.lists(
    st.text("ab", min_size=1, max_size=4).map(lambda end: "x" * 7 + end)
    | st.text("ab", max_size=3).map(lambda end: "y" * 70 + end)
    | st.text("aé漢", min_size=1, max_size=6)
    | st.just("z" * 500),
    min_size=1,
    max_size=30,
)


@given(left=ids, right=ids)
def test_pairs_are_compared_like_bytes(left, right):
    """Equal, greater, and changed from one to the next."""
    names = [(a.encode(), b.encode()) for a, b in zip(left, right, strict=False)]
    one, other = tokens_of([a for a, _ in names]), tokens_of([b for _, b in names])
    assert one.same(other).tolist() == [a == b for a, b in names]
    assert one.greater(other).tolist() == [a > b for a, b in names]
    assert one.changes().tolist() == [a != b for (a, _), (b, _) in pairwise(names)]


@given(names=ids)
def test_hashes_are_those_of_the_bytes(names):
    """Equal for equal ids wherever they stand, and of short ones never equal for others."""
    hashes = tokens_of(["shift", *names]).hashes()[1:].tolist()
    assert hashes == tokens_of(names).hashes().tolist()
    known = dict(zip(hashes, names, strict=True))
    assert all(
        known[hashed] == name for hashed, name in zip(hashes, names, strict=True) if len(name.encode()) <= 8
    )


@given(parts=st.lists(ids, max_size=5))
def test_tokens_of_several_texts_are_joined_in_order(parts):
    """The list is emptied, so that its texts can be let go."""
    held = [tokens_of(part) for part in parts]
    found = Tokens.joined(held)
    assert [found.one(row) for row in range(len(found))] == [name.encode() for part in parts for name in part]
    assert held == []


@given(names=ids)
def test_texts_of_one_width_sort_as_bytes(names):
    """As wide as the longest or wider."""
    tokens = tokens_of(names)
    order = np.argsort(tokens.texts(int(tokens.length.max()) + 1), kind="stable").tolist()
    encoded = [name.encode() for name in names]
    assert order == sorted(range(len(names)), key=lambda place: encoded[place])
