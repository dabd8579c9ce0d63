"""Where things are kept: flag over environment over default."""

from __future__ import annotations

from pathlib import Path

from ragstone.settings import Settings


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
