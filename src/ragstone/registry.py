"""One registry for everything that has a name and can be added: metrics, systems, embedders, report formats."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Generic, TypeVar

from ragstone.errors import UnknownNameError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

T = TypeVar("T")


class Registry(Generic[T]):
    """Named entries of one kind, looked up lazily.

    Built-in entries register themselves when their module is imported; `modules` names those modules, and they
    are imported at the first look-up, never earlier. Other packages add entries through the entry-point group
    ``ragstone.<group>``, which is read when a name is not built in or all are listed; one that cannot be loaded is
    logged and listed in `broken`, and the rest still work.

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
        self._loaded = self._plugged_in = False

    def add(self, name: str) -> Callable[[T], T]:
        """Return a decorator that registers its argument under `name`; a name can be taken only once."""

        def register(entry: T) -> T:
            if name in self._entries:
                raise ValueError(f"{self.kind} {name!r} is registered already")
            self._entries[name] = entry
            return entry

        return register

    def __getitem__(self, name: str) -> T:
        if name not in self:
            raise UnknownNameError(self.kind, name, self._entries)
        return self._entries[name]

    def __contains__(self, name: object) -> bool:
        self._load()
        if name not in self._entries:
            self._plug_in()
        return name in self._entries

    def __iter__(self) -> Iterator[str]:
        self._load()
        self._plug_in()
        return iter(sorted(self._entries))

    def __len__(self) -> int:
        return len(list(iter(self)))

    def items(self) -> Iterator[tuple[str, T]]:
        """Yield (name, entry) in the order of names."""
        return ((name, self[name]) for name in self)

    def loaded(self) -> dict[str, T]:
        """Return the entries known so far, without a search of other packages."""
        self._load()
        return dict(self._entries)

    def _load(self) -> None:
        if self._loaded:
            return
        self._loaded = True
        for module in self._modules:
            importlib.import_module(module)

    def _plug_in(self) -> None:
        if self._plugged_in or not self.group:
            return
        self._plugged_in = True
        for point in entry_points(f"ragstone.{self.group}"):
            try:
                self._entries.setdefault(point.name, point.load())
            except Exception as error:  # noqa: BLE001 - guard: a plug-in may fail in any way
                from ragstone.logs import logger_of  # noqa: PLC0415 - slow to load, and seldom wanted

                self.broken[point.name] = f"{type(error).__name__}: {error}"
                logger_of(__name__).warning("%s plug-in %r cannot be loaded: %s", self.kind, point.name, error)


def entry_points(group: str) -> Iterable[EntryPoint]:
    """Return the entry points of installed packages."""
    from importlib.metadata import entry_points as installed  # noqa: PLC0415 - slow to load, and seldom wanted

    return installed(group=group)
