"""Files are read line by line, and one bad line does not hide the others."""

from __future__ import annotations

from ragstone.datasets import lines
from ragstone.datasets.lines import json_lines
from ragstone.errors import Problem


def test_a_line_that_is_too_long_is_told_and_the_rest_is_read(tmp_path, monkeypatch):
    """One bad line does not hide the good ones."""
    monkeypatch.setattr(lines, "MAX_LINE_BYTES", 20)
    (tmp_path / "a").write_text('{"a": 1}\n{"long": "xxxxxxxxxxxxxxxxxxxx"}\n# comment\n\n{"b": 2}\n')
    problems: list[Problem] = []
    assert list(json_lines(tmp_path / "a", problems)) == [(1, {"a": 1}), (5, {"b": 2})]
    assert "a line of more than 20 bytes" in str(problems[0])


def test_a_line_ends_at_a_line_feed_alone(tmp_path):
    """Other separators may stand inside a JSON string, and Windows line ends are read."""
    (tmp_path / "a").write_bytes('{"a": "x\u2028y\u0085z"}\r\n{"b": 2}\r\n'.encode())
    problems: list[Problem] = []
    assert list(json_lines(tmp_path / "a", problems)) == [(1, {"a": "x\u2028y\u0085z"}), (2, {"b": 2})]
    assert problems == []
