"""Systems under test: each kind is one module that registers how it is described and opened."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from ragstone.experiments.configuration import Configuration
from ragstone.ports import System
from ragstone.registry import Registry

Progress = Callable[[str, int, int], None]


def silent(label: str, done: int, total: int) -> None:
    """Report progress to nobody."""


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a system may use of the machine it is opened on.

    Attributes:
        base: Folder against which relative paths in a benchmark file are read.
        cache: Folder for indexes and vectors that can be rebuilt.
        progress: Called with a label, the work done and the work in all, while something long is prepared.
    """

    base: Path
    cache: Path
    progress: Progress = silent


@dataclass(frozen=True, slots=True)
class SystemKind:
    """A kind of system: its section in a benchmark file, and how to open it for one configuration.

    `options` has a field ``type`` whose only value is the kind's name. `check` is given the options, a
    configuration and the folder of the benchmark file, and raises `UsageError` for what it can tell cannot run,
    before anything starts. `open` does what must be done before the first search.
    """

    options: type[BaseModel]
    open: Callable[[Any, Configuration, Surroundings], System]
    check: Callable[[Any, Configuration, Path], None]


SYSTEMS: Registry[SystemKind] = Registry(
    "system",
    group="systems",
    modules=("ragstone.systems.callable", "ragstone.systems.embedded.system", "ragstone.systems.http"),
)
