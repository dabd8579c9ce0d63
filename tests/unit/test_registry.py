"""One registry for everything that has a name."""

from __future__ import annotations

from importlib.metadata import EntryPoint

import pytest

from ragstone import registry
from ragstone.errors import UnknownNameError
from ragstone.registry import Registry


def test_a_name_is_taken_once():
    """A second entry of the same name is a programming error."""
    shapes: Registry[int] = Registry("shape")
    shapes.add("square")(4)
    with pytest.raises(ValueError, match="shape 'square' is registered already"):
        shapes.add("square")(5)
    assert (list(shapes), len(shapes), dict(shapes.items()), "square" in shapes, "x" in shapes) == (
        ["square"], 1, {"square": 4}, True, False)  # fmt: skip


def test_an_unknown_name_lists_what_there_is():
    """With the nearest one first, and a long list cut."""
    numbers: Registry[int] = Registry("number")
    for i in range(40):
        numbers.add(f"n{i:02d}")(i)
    with pytest.raises(UnknownNameError, match=r"unknown number 'n0'.* and 15 more"):
        numbers["n0"]


def test_modules_are_imported_at_the_first_look_up(monkeypatch):
    """Never earlier, and once."""
    imported = []
    monkeypatch.setattr(registry.importlib, "import_module", imported.append)
    lazy: Registry[int] = Registry("thing", modules=("a", "b"))
    assert imported == []
    assert len(lazy) == 0
    assert "x" not in lazy
    assert imported == ["a", "b"]


def test_a_broken_plug_in_is_logged_and_the_rest_still_work(monkeypatch, caplog):
    """A plug-in may fail in any way; it is listed, and a built-in of its name wins."""
    points = [
        EntryPoint("good", "os.path:join", "ragstone.things"),
        EntryPoint("bad", "no_such_module:x", "ragstone.things"),
        EntryPoint("own", "os.path:split", "ragstone.things"),
    ]
    monkeypatch.setattr(registry, "entry_points", lambda group: points if group == "ragstone.things" else [])
    things: Registry[object] = Registry("thing", group="things")
    things.add("own")("mine")
    assert list(things) == ["good", "own"]
    assert things["own"] == "mine"
    assert "ModuleNotFoundError" in things.broken["bad"]
    assert "thing plug-in 'bad' cannot be loaded" in caplog.text
