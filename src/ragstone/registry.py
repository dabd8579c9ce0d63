"""One registry for everything that has a name and can be added: metrics, systems, embedders, report formats."""

from __future__ import annotations

import importlib
import logging
from collections.abc import Callable, Iterator
from importlib.metadata import entry_points
from typing import Generic, TypeVar

from ragstone.errors import UnknownNameError

T = TypeVar("T")
logger = logging.getLogger(__name__)
# A library says nothing unless its user sets logging up.
logging.getLogger("ragstone").addHandler(logging.NullHandler())


class Registry(Generic[T]):
    """Named entries of one kind, looked up lazily.

    Built-in entries register themselves when their module is imported; `modules` names those modules, and they
    are imported at the first look-up, never earlier. Other packages add entries through the entry-point group
    ``ragstone.<group>``; one that cannot be loaded is logged and listed in `broken`, and the rest still work.

    Args:
        kind: What an entry is, for messages: "metric", "system".
        group: Entry-point group, after ``ragstone.``; None for none.
        modules: Modules of this package whose import registers the built-in entries.

    Example:
        >>> shapes: Registry[type] = Registry("shape")
        >>> @shapes.add("square")
        ... class Square: ...
        >>> shapes["square"] is Square
        True
        >>> shapes["sqare"]
        Traceback (most recent call last):
        ragstone.errors.UnknownNameError: unknown shape 'sqare' (did you mean 'square'?); known: square
    """

    def __init__(self, kind: str, group: str | None = None, modules: tuple[str, ...] = ()) -> None:
        self.kind = kind
        self.group = group
        self.broken: dict[str, str] = {}
        self._modules = modules
        self._entries: dict[str, T] = {}
        self._loaded = not (modules or group)

    def add(self, name: str) -> Callable[[T], T]:
        """Return a decorator that registers its argument under `name`; a name can be taken only once."""

        def register(entry: T) -> T:
            if name in self._entries:
                raise ValueError(f"{self.kind} {name!r} is registered already")
            self._entries[name] = entry
            return entry

        return register

    def __getitem__(self, name: str) -> T:
        self._load()
        try:
            return self._entries[name]
        except KeyError:
            raise UnknownNameError(self.kind, name, self._entries) from None

    def __contains__(self, name: object) -> bool:
        self._load()
        return name in self._entries

    def __iter__(self) -> Iterator[str]:
        self._load()
        return iter(sorted(self._entries))

    def __len__(self) -> int:
        self._load()
        return len(self._entries)

    def items(self) -> Iterator[tuple[str, T]]:
        """Yield (name, entry) in the order of names."""
        return ((name, self[name]) for name in self)

    def _load(self) -> None:
        if self._loaded:
            return
        self._loaded = True
        for module in self._modules:
            importlib.import_module(module)
        for point in entry_points(group=f"ragstone.{self.group}") if self.group else ():
            try:
                self._entries.setdefault(point.name, point.load())
            except Exception as error:  # noqa: BLE001 - guard: a plug-in may fail in any way
                self.broken[point.name] = f"{type(error).__name__}: {error}"
                logger.warning("%s plug-in %r cannot be loaded: %s", self.kind, point.name, error)
