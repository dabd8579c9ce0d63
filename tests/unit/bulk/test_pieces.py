"""A text is cut where a block of lines of one query begins."""

from __future__ import annotations

from io import BytesIO
from itertools import chain, groupby, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragstone.bulk import pieces as module
from ragstone.bulk.pieces import pieces

LINES = st.lists(st.sampled_from([b"a 1", b"a 22", b"bb 1", b"c", b"", b"  a 3", b"bb\t2", b"a"]), max_size=60)


def texts(found):
    return [piece.text.data[piece.begin : piece.end].tobytes() for piece in found]


@given(lines=LINES, chunk=st.integers(3, 40), end=st.sampled_from([b"", b"\n", b"\r\n", b"\n \n\n"]))
def test_pieces_make_up_the_text_and_know_their_first_line(lines, chunk, end):
    """Whatever the size of a piece; the last line gets its newline."""
    text = b"\n".join(lines) + end
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "CHUNK", chunk)
        found = list(pieces(BytesIO(text)))
        assert b"".join(texts(found)) == text + b"\n" * (bool(text) and not text.endswith(b"\n"))
        before = 1
        for piece in found:
            assert piece.line == before
            before += piece.lines()


@given(sizes=st.lists(st.integers(1, 30), max_size=12), chunk=st.integers(3, 60), blank=st.booleans())
def test_a_query_whose_lines_stand_together_is_never_cut(sizes, chunk, blank):
    """Unless it is said that it goes on; also where blank lines stand between."""
    lines = [b"q%d x\n%s" % (query, b"\n" * blank) for query, size in enumerate(sizes) for _ in range(size)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "CHUNK", chunk)
        found = list(pieces(BytesIO(b"".join(lines))))
    seen = [[line.split()[0] for line in text.split(b"\n") if line] for text in texts(found)]
    cut = [one[-1] == after[0] for one, after in pairwise(filter(None, seen))]
    told = [piece.goes_on for piece, one in zip(found, seen, strict=True) if one]
    assert all(goes_on for goes_on, is_cut in zip(told, cut, strict=False) if is_cut)
    assert len(list(groupby(chain.from_iterable(seen)))) == len(sizes)


def test_a_byte_order_mark_is_no_part_of_the_text():
    """At the beginning alone."""
    assert texts(pieces(BytesIO(b"\xef\xbb\xbfa\nb"))) == [b"a\nb\n"]
