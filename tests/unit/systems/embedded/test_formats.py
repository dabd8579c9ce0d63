from __future__ import annotations

import sys

import pytest

from ragstone.errors import MissingExtraError
from ragstone.systems.embedded.documents import Section
from ragstone.systems.embedded.formats import FORMATS, read_html, read_markdown, read_text

MARKDOWN = b"""---
title: front matter
---
Before any heading.

# Guide

Intro.

## Install `ragstone` *now*

```sh
# not a heading
pip install ragstone
```

    # indented code, no heading either

> # quoted, so no heading of the document

### Linux

Use apt.

## Use

Setext
------

Below a setext heading.
"""


def test_markdown_headings_nest_into_paths():
    """A heading closes those of its own and deeper levels, and mark-up is dropped from the path."""
    paths = [section.heading for section in read_markdown(MARKDOWN)]
    assert paths == [
        (),
        ("Guide",),
        ("Guide", "Install ragstone now"),
        ("Guide", "Install ragstone now", "Linux"),
        ("Guide", "Setext"),
    ]


def test_markdown_code_is_text_and_never_a_heading():
    """A hash in fenced or indented code, or in a quotation, opens no section."""
    text = read_markdown(MARKDOWN)[2].text
    assert "# not a heading\npip install ragstone" in text
    assert "    # indented code" in text
    assert "> # quoted" in text


def test_markdown_front_matter_is_left_out():
    """YAML between dashes at the top is neither text nor a heading."""
    assert read_markdown(MARKDOWN)[0] == Section((), "Before any heading.")


def test_markdown_line_ends_do_not_matter():
    """A file with CRLF gives the same sections as one with LF."""
    assert read_markdown(MARKDOWN.replace(b"\n", b"\r\n")) == read_markdown(MARKDOWN)


def test_markdown_skipped_levels_do_not_leave_holes():
    """A level-3 heading right below level 1 is its child; a later level 2 is its sibling."""
    sections = read_markdown(b"# A\n\n### B\n\nb\n\n## C\n\nc\n")
    assert [section.heading for section in sections] == [("A", "B"), ("A", "C")]


def test_html_headings_nest_and_clutter_is_dropped():
    """h1 to h6 make paths; scripts, styles, navigation, comments and the head give no text."""
    html = b"""<html><head><title>T</title><style>x{}</style></head><body><nav>Menu</nav><p>Start</p>
    <h1>Guide <em>one</em></h1><p>Intro <b>bold</b>text.</p>Tail<script>evil()</script><!-- hidden -->
    <h3>Deep</h3><ul><li>one</li><li>two</li></ul><h2>Next</h2><pre>a\n  b</pre></body></html>"""
    assert read_html(html) == (
        Section((), "Start"),
        Section(("Guide one",), "Intro boldtext.\nTail"),
        Section(("Guide one", "Deep"), "one\n\ntwo"),
        Section(("Guide one", "Next"), "a\n  b"),
    )


def test_html_that_looks_like_something_else_gives_no_warning():
    """bs4 warns of XML and of text that looks like a file name; a corpus may hold both."""
    assert read_html(b'<?xml version="1.0"?><a>x</a>')[0].text == "x"
    assert read_html(b"readme.txt")[0].text == "readme.txt"


@pytest.mark.parametrize(
    ("suffix", "module", "package"),
    [(".md", "markdown_it", "markdown-it-py"), (".html", "bs4", "beautifulsoup4"), (".pdf", "pypdf", "pypdf")],
)
def test_a_missing_parser_names_the_extra(monkeypatch, suffix, module, package):
    """Plain text needs no package; every other format says which one."""
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(MissingExtraError, match=rf"'{package}'.*ragstone\[embedded\]"):
        FORMATS[suffix](b"text")


def test_invalid_utf8_is_replaced_and_a_byte_order_mark_dropped():
    """Bytes that are not UTF-8 become U+FFFD instead of an error."""
    assert read_text(b"\xef\xbb\xbfok \xff end\0") == (Section((), "ok \ufffd end\ufffd"),)


@pytest.mark.parametrize("read", [read_text, read_markdown, read_html])
def test_white_space_alone_gives_no_section(read):
    """A blank file is a document without sections."""
    assert read(b" \n\t\n") == ()
