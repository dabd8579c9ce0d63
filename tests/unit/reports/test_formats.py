from __future__ import annotations

from pathlib import Path

import pytest

from ragstone.errors import UnknownNameError, UsageError
from ragstone.reports import FORMATS, Format, format_of, render


def test_the_built_in_formats():
    """There are five formats, and each knows its name and a suffix of its own."""
    assert list(FORMATS) == ["csv", "html", "json", "markdown", "terminal"]
    assert len({one.suffix for _, one in FORMATS.items()}) == 5
    assert all(isinstance(one, Format) and one.name == name for name, one in FORMATS.items())


@pytest.mark.parametrize("name", ["csv", "html", "json", "markdown", "terminal"])
def test_every_format_writes_every_report(name, any_report):
    """Trouble of any kind is rendered, ends in a newline, can be encoded, and twice gives the same bytes."""
    text = render(any_report, name)
    assert text.endswith("\n")
    assert text.encode("utf-8") == render(any_report, name).encode("utf-8")


def test_an_unknown_format_is_refused_with_what_there_is(good):
    """The message names the known formats."""
    with pytest.raises(UnknownNameError, match="known: csv, html, json, markdown, terminal"):
        render(good, "pdf")


@pytest.mark.parametrize(
    ("form", "out", "flags", "expected"),
    [
        (None, None, {}, "terminal"),
        ("markdown", None, {}, "markdown"),
        (None, "x/report.HTML", {}, "html"),
        ("json", "report.html", {}, "json"),
        (None, "r.csv", {"per_query": True}, "per-query"),
        ("json", None, {"canonical": True}, "canonical"),
        (None, None, {"as_json": True}, "json"),
    ],
)
def test_options_choose_the_format(form, out, flags, expected):
    """An option wins over the file's suffix, which wins over the terminal."""
    assert format_of(form, Path(out) if out else None, **flags) == expected


def test_contradictory_options_and_unknown_suffixes_are_refused():
    """Both messages say the way out."""
    with pytest.raises(UsageError, match="choose one"):
        format_of("html", None, as_json=True)
    with pytest.raises(UsageError, match=r"\.csv, \.html"):
        format_of(None, Path("report.docx"))


@pytest.mark.parametrize("name", ["html", "markdown", "terminal"])
def test_human_formats_say_why_a_value_is_missing(name, empty):
    """A metric without a value shows no zero but the reason in words."""
    text = render(empty, name)
    assert "could not be computed: 1 without relevant gold" in text
    assert "0.000" not in text


@pytest.mark.parametrize("name", ["html", "markdown", "terminal"])
def test_human_formats_tell_what_went_wrong_before_the_numbers(name, troubled):
    """Failed searches, a run that did not start and a missed threshold stand above the table of runs."""
    text = render(troubled, name).replace("\n  ", " ")
    place = text.index("MRR@10")  # in the head of the table of runs
    for word in ("nobody is there", "were not asked", "misses its threshold", "no reranker"):
        assert text.index(word) < place, word


@pytest.mark.parametrize("name", ["html", "markdown", "terminal"])
def test_human_formats_hold_no_control_or_bidi_characters(name, nasty):
    """Neither escape sequences nor characters that reorder text come through."""
    text = render(nasty, name)
    assert not set(text) & set("\x1b\x07\u202e\u2066")
    assert "[31mred and gnp.exe" in text.replace("\\", "")
