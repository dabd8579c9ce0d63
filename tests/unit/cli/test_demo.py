"""The demo says at once what it needs."""

from __future__ import annotations

import pytest

from ragstone.cli import demo
from ragstone.errors import MissingExtraError


def test_a_missing_package_names_the_one_extra_that_brings_all(monkeypatch):
    """Not one extra after the other."""
    monkeypatch.setattr(demo, "find_spec", lambda name: None if name == "bm25s" else object())
    with pytest.raises(
        MissingExtraError, match=r"the demo needs the package 'bm25s': pip install 'ragstone\[demo\]'"
    ):
        demo.need_extra()
