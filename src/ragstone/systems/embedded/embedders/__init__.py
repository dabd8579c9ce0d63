"""Embedders: each is one module that registers how it is opened."""

from __future__ import annotations

from collections.abc import Callable

from ragstone.ports import Embedder
from ragstone.registry import Registry

EMBEDDERS: Registry[Callable[[], Embedder]] = Registry(
    "embedder",
    group="embedders",
    modules=("ragstone.systems.embedded.embedders.minilm", "ragstone.systems.embedded.embedders.static"),
)
