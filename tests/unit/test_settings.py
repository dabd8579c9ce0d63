"""Where things are kept: flag over environment over default."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from ragstone.datasets import Limits
from ragstone.errors import UsageError
from ragstone.settings import Settings, upload_limits


def test_a_flag_wins_over_the_environment_and_that_over_the_default():
    """In this order, for store and cache."""
    env = {"RAGSTONE_STORE": "/env/s.db", "RAGSTONE_CACHE": "/env/cache"}
    assert Settings.read(store=Path("f.db"), environ=env).store == Path("f.db")
    assert Settings.read(environ=env).store == Path("/env/s.db")
    assert Settings.read(environ=env).cache == Path("/env/cache")
    assert Settings.read(environ={}).store == Path("ragstone.db")
    assert "ragstone" in str(Settings.read(environ={}).cache)


def test_a_store_is_the_default_if_commands_find_it_by_themselves(monkeypatch):
    """Also when the environment names it."""
    monkeypatch.delenv("RAGSTONE_STORE", raising=False)
    assert Settings.read().is_default_store
    assert not Settings.read(store=Path("x.db")).is_default_store
    monkeypatch.setenv("RAGSTONE_STORE", "x.db")
    assert Settings.read(store=Path("x.db")).is_default_store


def test_the_limits_of_uploads_come_from_the_environment():
    """What is not set is 10 MiB, 1,000 questions and 100 judgments."""
    assert upload_limits({}) == Limits.upload()
    env = {"RAGSTONE_UPLOAD_MAX_QUERIES": "5", "RAGSTONE_UPLOAD_MAX_BYTES": ""}
    assert upload_limits(env) == replace(Limits.upload(), max_queries=5)


@pytest.mark.parametrize("text", ["0", "-1", "many", "1.5", "1e3"])
def test_a_limit_that_is_none_is_refused(text):
    """A limit of 0 or less, or no number, is a mistake: every such variable is named."""
    env = {"RAGSTONE_UPLOAD_MAX_BYTES": text, "RAGSTONE_UPLOAD_MAX_JUDGMENTS": "0"}
    with pytest.raises(UsageError, match=f"RAGSTONE_UPLOAD_MAX_BYTES='{text}', RAGSTONE_UPLOAD_MAX_JUDGMENTS='0'"):
        upload_limits(env)
