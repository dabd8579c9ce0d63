from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragstone.systems.embedded.chunker import chunk_documents, index_text
from ragstone.systems.embedded.documents import Chunk, Document, Section

WORDS = st.lists(st.sampled_from(["alpha", "beta", "g", "ümlaut", "x.y", "-"]), max_size=40)
GAPS = st.sampled_from([" ", "\n", "\n\n", "\t", "  "])
SECTIONS = st.lists(st.tuples(WORDS, GAPS), min_size=1, max_size=4)
SIZES = st.integers(1, 12).flatmap(lambda size: st.tuples(st.just(size), st.integers(0, size - 1)))


@settings(deadline=None)
@given(SECTIONS, SIZES)
def test_chunks_hold_every_word_of_their_section_once_but_for_the_overlap(parts, sizes):
    """No word is lost, every chunk but a section's last is full, neighbours share exactly the overlap."""
    size, overlap = sizes
    sections = tuple(Section((f"h{n}",), gap.join(words)) for n, (words, gap) in enumerate(parts))
    chunks = chunk_documents([Document("doc", sections)], size, overlap)
    for section in sections:
        texts = [chunk.text for chunk in chunks if chunk.heading == section.heading]
        pieces = [text.split() for text in texts]
        joined = [word for n, piece in enumerate(pieces) for word in (piece[overlap:] if n else piece)]
        assert joined == section.text.split()
        assert all(text in section.text for text in texts)
        assert all(len(piece) == size for piece in pieces[:-1])
        assert all(0 < len(piece) <= size for piece in pieces)
        assert all(len(piece) > overlap for piece in pieces[1:])
        assert all(a[len(a) - overlap :] == b[:overlap] for a, b in pairwise(pieces))


@settings(deadline=None)
@given(SECTIONS, SIZES)
def test_chunk_ids_count_through_the_document(parts, sizes):
    """Chunks are numbered from 0 in each document, in the order of the text."""
    document = Document("doc", tuple(Section((), gap.join(words)) for words, gap in parts))
    chunks = chunk_documents([document, Document("other", document.sections)], *sizes)
    for name in ("doc", "other"):
        ids = [chunk.id for chunk in chunks if chunk.document == name]
        assert ids == [f"{name}#{n}" for n in range(len(ids))]


def test_a_chunk_keeps_line_breaks_page_and_heading():
    """The text is the section's own, not words joined again."""
    document = Document("d.pdf", (Section(("A", "B"), " one\n  two three\n", 7),))
    assert chunk_documents([document], 2, 0) == [
        Chunk("d.pdf#0", "d.pdf", ("A", "B"), "one\n  two", 7),
        Chunk("d.pdf#1", "d.pdf", ("A", "B"), "three", 7),
    ]


@pytest.mark.parametrize(("size", "overlap"), [(1, 1), (5, 9), (0, 0), (3, -1)])
def test_an_overlap_that_leaves_no_progress_is_refused(size, overlap):
    """The overlap is at least 0 and less than the size."""
    with pytest.raises(ValueError, match=f"overlap {overlap} must be"):
        chunk_documents([], size, overlap)


@pytest.mark.parametrize(
    ("heading", "text", "expected"),
    [
        ((), "plain", "plain"),
        (("Guide", "Install"), "Use pip.", "Guide > Install\nUse pip."),
        (("json", "dumps"), "json.dumps(obj)\n\nSerialize", "json.dumps(obj)\n\nSerialize"),
        (("json", "dumps"), "the rest of it", "json > dumps\nthe rest of it"),
    ],
)
def test_the_heading_path_is_indexed_unless_the_text_begins_with_it(heading, text, expected):
    """What is embedded begins with the path, or with the qualified name that a stdlib entry has already."""
    assert index_text(Chunk("d#0", "d", heading, text)) == expected
